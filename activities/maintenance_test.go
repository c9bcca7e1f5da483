package activities_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"idplatform/activities"
	"idplatform/database"
	"idplatform/database/databasetest"
	"idplatform/models"
	"idplatform/store"
)

const application = models.ApplicationID("app_1")

var now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// watched is a part of the store that tells how many rows each transaction deleted.
type watched struct {
	activities.Purger
	groups []int64
}

// Purge implements activities.Purger.
func (w *watched) Purge(ctx context.Context, now models.Timestamp, limit int) (int64, error) {
	n, err := w.Purger.Purge(ctx, now, limit)
	w.groups = append(w.groups, n)
	return n, err
}

func TestPurge_DeletesWhatHasExpiredInShortTransactions(t *testing.T) {
	t.Parallel()
	for _, driver := range []database.Driver{database.SQLite, database.Postgres} {
		t.Run(string(driver), func(t *testing.T) {
			t.Parallel()
			s := open(t, driver)
			// 1,201 rows of each kind have expired a second ago and one expires in a second.
			const expired = 1201
			fill(t, s, "old", expired, now.Add(-time.Second))
			fill(t, s, "new", 1, now.Add(time.Second))

			parts := make([]*watched, 7)
			for i, part := range []activities.Purger{s.Nonces, s.Results, s.Idempotency, s.Jobs, s.Batches, s.Events, s.Deliveries} {
				parts[i] = &watched{Purger: part}
			}
			m := &activities.Maintenance{Nonces: parts[0], Results: parts[1], Idempotency: parts[2], Jobs: parts[3], Batches: parts[4],
				Events: parts[5], Deliveries: parts[6], Now: func() time.Time { return now }}
			result := purge(t, m)
			require.Equal(t, int64(expired), result.Nonces)
			require.Equal(t, int64(expired), result.Results)
			require.Equal(t, int64(expired), result.IdempotencyKeys)
			require.Equal(t, int64(expired), result.Jobs)
			require.Equal(t, int64(expired), result.Batches)
			for _, part := range parts {
				require.LessOrEqual(t, slices.Max(part.groups), int64(500), "rows of one transaction")
			}
			for _, table := range []string{"nonces", "results", "idempotency_keys", "jobs", "batches", "batch_items"} {
				require.Equal(t, 1, count(t, s, table), "%s: what has its time stays", table)
			}
			require.Zero(t, purge(t, m).Results, "there is nothing left to do")
		})
	}
}

// broken cannot delete anything.
type broken struct{ why error }

// Purge implements activities.Purger.
func (b broken) Purge(context.Context, models.Timestamp, int) (int64, error) { return 0, b.why }

// What cannot be deleted is told, and does not keep the rest from going.
func TestPurge_GoesOnBehindAFailure(t *testing.T) {
	t.Parallel()
	s := open(t, database.SQLite)
	fill(t, s, "old", 3, now.Add(-time.Second))
	m := &activities.Maintenance{Nonces: broken{errors.New("first fault")}, Results: s.Results, Idempotency: s.Idempotency,
		Jobs: broken{errors.New("second fault")}, Batches: s.Batches, Events: s.Events, Deliveries: s.Deliveries, Now: func() time.Time { return now }}
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(m)
	_, err := env.ExecuteActivity(m.Purge, activities.PurgeInput{})
	require.ErrorContains(t, err, "purge nonces: first fault")
	require.ErrorContains(t, err, "purge jobs: second fault")
	for table, left := range map[string]int{"nonces": 3, "results": 0, "idempotency_keys": 0, "jobs": 3, "batches": 0, "batch_items": 0} {
		require.Equal(t, left, count(t, s, table), table)
	}
}

func open(t *testing.T, driver database.Driver) *store.Store {
	t.Helper()
	cfg := database.Config{Driver: driver, DSN: filepath.Join(t.TempDir(), "platform.db")}
	if driver == database.Postgres {
		cfg.DSN, cfg.MaxConnections = databasetest.Postgres(t), 2
	}
	db, err := database.Open(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	s, err := store.New(t.Context(), db)
	require.NoError(t, err)
	return s
}

// fill adds n rows of each kind that expire at a time.
func fill(t *testing.T, s *store.Store, name string, n int, expires time.Time) {
	t.Helper()
	at := models.At(expires)
	require.NoError(t, s.Tx(t.Context(), func(ctx context.Context) error {
		for i := range n {
			id := fmt.Sprintf("%s_%05d", name, i)
			if _, err := s.Nonces.Spend(ctx, application, []byte(id), at); err != nil {
				return err
			}
			_, err := s.Idempotency.Claim(ctx, application, models.IdempotencyKey{Key: []byte(id), Fingerprint: []byte{1}, Holder: "req_1",
				LockedUntil: at, ExpiresAt: at}, models.At(now.Add(-time.Hour)))
			if err != nil {
				return err
			}
			if err := s.Results.Insert(ctx, application, []models.Result{{ID: "kyc_" + id, Body: []byte{1}, CreatedAt: at, ExpiresAt: at}}); err != nil {
				return err
			}
			if err := s.Jobs.Insert(ctx, application, models.Job{ID: "job_" + id, Status: models.JobCompleted, Request: []byte{1}, CreatedAt: at, ExpiresAt: at, CheckAt: at}); err != nil {
				return err
			}
			if err := s.Batches.Insert(ctx, application, models.Batch{ID: "bat_" + id, Status: models.BatchCompleted, Total: 1, CreatedAt: at, ExpiresAt: at, CheckAt: at},
				[]models.BatchItem{{Status: models.ItemSucceeded, Request: []byte{1}}}); err != nil {
				return err
			}
		}
		return nil
	}))
}

func purge(t *testing.T, m *activities.Maintenance) activities.PurgeResult {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(m)
	value, err := env.ExecuteActivity(m.Purge, activities.PurgeInput{})
	require.NoError(t, err)
	var result activities.PurgeResult
	require.NoError(t, value.Get(&result))
	return result
}

func count(t *testing.T, s *store.Store, table string) (n int) {
	t.Helper()
	pool, err := s.DB().SQL()
	require.NoError(t, err)
	require.NoError(t, pool.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM "+table).Scan(&n))
	return n
}
