package store_test

import (
	"context"
	"crypto/rand"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/database"
	"idplatform/database/databasetest"
	"idplatform/models"
	"idplatform/store"
)

var (
	start = models.At(time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC))
	later = models.At(start.Add(time.Hour))
)

const (
	ours   models.ApplicationID = "app_ours"
	theirs models.ApplicationID = "app_theirs"
)

// onEach runs the contract on both databases.
func onEach(t *testing.T, contract func(t *testing.T, s *store.Store)) {
	t.Helper()
	for _, driver := range []database.Driver{database.SQLite, database.Postgres} {
		t.Run(string(driver), func(t *testing.T) {
			t.Parallel()
			cfg := database.Config{Driver: driver, DSN: filepath.Join(t.TempDir(), "test.db"), MaxConnections: 8}
			if driver == database.Postgres {
				cfg.DSN = databasetest.Postgres(t)
			}
			db, err := database.Open(t.Context(), cfg)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, db.Close()) })
			s, err := store.New(t.Context(), db)
			require.NoError(t, err)
			contract(t, s)
		})
	}
}

func TestResults_Contract(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, s *store.Store) {
		row := models.Result{ID: "kyc_1", Service: "kyc_validation", Body: []byte{0, 255, 1}, CreatedAt: start, ExpiresAt: later}
		insert := func(ctx context.Context) error {
			return s.Results.Insert(ctx, ours, []models.Result{row, {ID: "kyc_2", Body: []byte{}, CreatedAt: start, ExpiresAt: start}})
		}
		t.Run("RolledBackIsNotThere", func(t *testing.T) {
			failure := errors.New("changed my mind")
			require.ErrorIs(t, s.Tx(t.Context(), func(ctx context.Context) error {
				require.NoError(t, insert(ctx))
				_, err := s.Results.Get(ctx, ours, "kyc_1", start)
				require.NoError(t, err, "a transaction sees its own writes")
				return failure
			}), failure)
			_, err := s.Results.Get(t.Context(), ours, "kyc_1", start)
			require.ErrorIs(t, err, store.ErrNotFound)
		})
		require.NoError(t, s.Tx(t.Context(), insert))
		got, err := s.Results.Get(t.Context(), ours, "kyc_1", start)
		require.NoError(t, err)
		row.ApplicationID = ours
		require.Equal(t, row, *got)
		for name, ask := range map[string]func() (*models.Result, error){
			"Foreign": func() (*models.Result, error) { return s.Results.Get(t.Context(), theirs, "kyc_1", start) },
			"Unknown": func() (*models.Result, error) { return s.Results.Get(t.Context(), ours, "kyc_9", start) },
			"Expired": func() (*models.Result, error) { return s.Results.Get(t.Context(), ours, "kyc_1", later) },
		} {
			t.Run(name, func(t *testing.T) {
				_, err := ask()
				require.ErrorIs(t, err, store.ErrNotFound)
			})
		}
		require.Error(t, s.Tx(t.Context(), insert), "an id is given once")
		purged, err := s.Results.Purge(t.Context(), later, 10)
		require.NoError(t, err)
		require.EqualValues(t, 1, purged, "what expired before now, and that alone")
	})
}

func TestNonces_Contract(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, s *store.Store) {
		spend := func(app models.ApplicationID, nonce []byte) bool {
			fresh, err := s.Nonces.Spend(t.Context(), app, nonce, later)
			require.NoError(t, err)
			return fresh
		}
		require.True(t, spend(ours, []byte("one")))
		require.False(t, spend(ours, []byte("one")))
		require.True(t, spend(theirs, []byte("one")))
		for i := range byte(4) {
			require.True(t, spend(ours, []byte{i, 1}))
		}
		purged, err := s.Nonces.Purge(t.Context(), models.At(later.Add(time.Second)), 3)
		require.NoError(t, err)
		require.EqualValues(t, 3, purged, "no more than the limit")
	})
}

func TestApplications_Contract(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, s *store.Store) {
		app := seedApplication(t, s, "pk_sandbox_1")
		t.Run("GrantsNewestFirst", func(t *testing.T) {
			next := models.KeyPair{ID: "kpr_2", ApplicationID: app.ID, Sealed: []byte("new"), CreatedAt: later}
			require.NoError(t, s.Applications.Rotate(t.Context(), app.ID, &next, models.At(later.Add(time.Hour))))
			grants, err := s.Applications.Grants(t.Context(), app.KeyID, later)
			require.NoError(t, err)
			require.Len(t, grants, 2)
			require.Equal(t, "kpr_2", grants[0].KeyPairID)
			require.Nil(t, grants[0].KeyPairExpiresAt)
			require.Equal(t, models.Words{"kyc_validation"}, grants[0].OrganisationServices)
			grants, err = s.Applications.Grants(t.Context(), app.KeyID, models.At(later.Add(2*time.Hour)))
			require.NoError(t, err)
			require.Len(t, grants, 1, "the old pair has ended")
		})
		t.Run("GrantsOfNobody", func(t *testing.T) {
			grants, err := s.Applications.Grants(t.Context(), "pk_sandbox_nobody", start)
			require.NoError(t, err)
			require.Empty(t, grants)
		})
		t.Run("ReserveMessagesAddsUp", func(t *testing.T) {
			var all sync.WaitGroup
			for range 10 {
				all.Go(func() {
					_, err := s.Applications.ReserveMessages(t.Context(), app.ID, "kpr_1", 100)
					require.NoError(t, err)
				})
			}
			all.Wait()
			before, err := s.Applications.ReserveMessages(t.Context(), app.ID, "kpr_1", 1)
			require.NoError(t, err)
			require.EqualValues(t, 1000, before)
		})
	})
}

func seedApplication(t *testing.T, s *store.Store, keyID string) *models.Application {
	t.Helper()
	words := models.Words{"kyc_validation"}
	organisation := models.Organisation{ID: "org_1", Name: "O", Services: words, Scopes: models.Words{}, CreatedAt: start}
	require.NoError(t, s.Applications.CreateOrganisation(t.Context(), &organisation))
	app := models.Application{ID: ours, OrganisationID: "org_1", Name: "A", KeyID: keyID, Services: words, CreatedAt: start, UpdatedAt: start}
	require.NoError(t, s.Applications.Create(t.Context(), &app, &models.KeyPair{ID: "kpr_1", ApplicationID: ours, Sealed: []byte("old"), CreatedAt: start}))
	return &app
}

// What every call asks goes by an index, however large the tables are.
func TestPlans_OfEveryCall(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, s *store.Store) {
		seedApplication(t, s, "pk_sandbox_1")
		rows := make([]models.Result, 3000)
		for i := range rows {
			rows[i] = models.Result{ID: models.NewID("kyc_", start.Time), Body: []byte("b"), CreatedAt: start, ExpiresAt: later}
			nonce := make([]byte, 16)
			_, _ = rand.Read(nonce)
			if i < 300 {
				_, err := s.Nonces.Spend(t.Context(), ours, nonce, later)
				require.NoError(t, err)
			}
		}
		require.NoError(t, s.Results.Insert(t.Context(), ours, rows[:1500]))
		require.NoError(t, s.Results.Insert(t.Context(), theirs, rows[1500:]))
		for name, statement := range map[string]string{
			"Grants": `SELECT a.id, o.services, k.sealed FROM applications a JOIN organisations o ON o.id = a.organisation_id
				JOIN key_pairs k ON k.application_id = a.id WHERE a.key_id = 'pk_sandbox_1' AND (k.expires_at IS NULL OR k.expires_at > 1)`,
			"Results.Get":    `SELECT * FROM results WHERE id = 'kyc_1' AND application_id = 'app_ours' AND expires_at > 1`,
			"Nonces.Purge":   `SELECT application_id, nonce FROM nonces WHERE expires_at < 1 ORDER BY expires_at LIMIT 100`,
			"Results.Purge":  `SELECT id FROM results WHERE expires_at < 1 ORDER BY expires_at LIMIT 100`,
			"Audit.OfResult": `SELECT * FROM audit_entries WHERE result_id = 'kyc_1' AND application_id = 'app_ours'`,
		} {
			t.Run(name, func(t *testing.T) { requireIndexed(t, s, statement) })
		}
	})
}

func requireIndexed(t *testing.T, s *store.Store, statement string) {
	t.Helper()
	db := s.DB()
	pool, err := db.SQL()
	require.NoError(t, err)
	explain, full := "EXPLAIN QUERY PLAN ", "SCAN "
	if db.Driver == database.Postgres {
		// Small tables are read whole whatever indexes they have; without that way the plan shows whether there is one.
		explain, full = "EXPLAIN (COSTS OFF) ", "Seq Scan"
	}
	tx, err := pool.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, tx.Rollback()) }()
	if db.Driver == database.Postgres {
		_, err := tx.ExecContext(t.Context(), "SET LOCAL enable_seqscan = off")
		require.NoError(t, err)
	}
	rows, err := tx.QueryContext(t.Context(), explain+statement)
	require.NoError(t, err)
	defer rows.Close()
	columns, err := rows.Columns()
	require.NoError(t, err)
	var plan strings.Builder
	for rows.Next() {
		values := make([]any, len(columns))
		for i := range values {
			values[i] = new(any)
		}
		require.NoError(t, rows.Scan(values...))
		line := *values[len(values)-1].(*any)
		if text, ok := line.([]byte); ok {
			line = string(text)
		}
		plan.WriteString(line.(string) + "\n")
	}
	require.NoError(t, rows.Err())
	for line := range strings.Lines(plan.String()) {
		require.False(t, strings.Contains(line, full) && !strings.Contains(line, "USING"), "%s", plan.String())
	}
}
