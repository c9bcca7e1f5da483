package audit_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/database"
	"idplatform/database/databasetest"
	"idplatform/models"
	"idplatform/platform/audit"
	"idplatform/platform/vault"
	"idplatform/store"
)

const application = models.ApplicationID("app_01k9z0000000000000000000aa")

// noon of the first day of every log.
var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// deployment is a log with what belongs to it.
type deployment struct {
	*store.Store
	vault  *vault.Vault
	log    *audit.Log
	logged *bytes.Buffer

	mu  sync.Mutex
	now time.Time
}

// each runs a test on both databases.
func each(t *testing.T, test func(t *testing.T, d *deployment)) {
	t.Helper()
	for _, driver := range []database.Driver{database.SQLite, database.Postgres} {
		t.Run(string(driver), func(t *testing.T) {
			t.Parallel()
			test(t, deploy(t, driver))
		})
	}
}

func deploy(t testing.TB, driver database.Driver) *deployment {
	t.Helper()
	cfg := database.Config{Driver: driver, DSN: filepath.Join(t.TempDir(), "platform.db")}
	if driver == database.Postgres {
		cfg.DSN, cfg.MaxConnections = databasetest.Postgres(t), 6
	}
	db, err := database.Open(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	d := &deployment{now: noon, logged: &bytes.Buffer{}}
	d.Store, err = store.New(t.Context(), db)
	require.NoError(t, err)
	d.vault, err = vault.Open(t.Context(), make([]byte, vault.KeySize), d.DataKeys, noon)
	require.NoError(t, err)
	d.log = audit.NewLog(d.Store, d.vault)
	return d
}

func (d *deployment) time() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.now
}

func (d *deployment) advance(by time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now = d.now.Add(by)
}

func (d *deployment) sealer(holder string) *audit.Sealer {
	return audit.NewSealer(d.Store, d.vault, holder, d.time, slog.New(slog.NewTextHandler(d.logged, nil)))
}

// entries are n entries made now, each different in every field that can be.
func (d *deployment) entries(n int) []models.AuditEntry {
	now := models.At(d.time())
	entries := make([]models.AuditEntry, n)
	for i := range entries {
		entries[i] = models.AuditEntry{ID: models.NewID("aud_", now.Time), Service: "kyc_validation", ResultID: models.NewID("kyc_", now.Time),
			Purpose: models.Purposes()[i%len(models.Purposes())], Scopes: models.Words{"kyc.basic", fmt.Sprintf("kyc.scope_%d", i)},
			Outcome: "verified", Subject: audit.Subject(d.vault, fmt.Sprint(i)), CreatedAt: now}
	}
	return entries
}

// write appends entries as one call does.
func (d *deployment) write(ctx context.Context, entries []models.AuditEntry) error {
	return d.Tx(ctx, func(ctx context.Context) error { return d.Audit.Append(ctx, application, entries) })
}

// sealed appends n entries and chains them.
func (d *deployment) sealed(t testing.TB, n int) {
	t.Helper()
	require.NoError(t, d.write(t.Context(), d.entries(n)))
	require.NoError(t, d.sealer("prc_a").Seal(t.Context()))
}

func (d *deployment) exec(t testing.TB, statements ...string) {
	t.Helper()
	pool, err := d.DB().SQL()
	require.NoError(t, err)
	for _, statement := range statements {
		_, err = pool.ExecContext(t.Context(), statement)
		require.NoError(t, err, statement)
	}
}

func (d *deployment) verify(t testing.TB) audit.Report {
	t.Helper()
	report, err := d.log.Verify(t.Context())
	require.NoError(t, err)
	return report
}

func (d *deployment) export(t testing.TB) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, d.log.Export(t.Context(), &out))
	return out.Bytes()
}

func (d *deployment) requireHolds(t testing.TB, sealed, unsealed int64) audit.Report {
	t.Helper()
	report := d.verify(t)
	require.Empty(t, report.Faults)
	require.Equal(t, sealed, report.Sealed)
	require.Equal(t, unsealed, report.Unsealed)
	return report
}
