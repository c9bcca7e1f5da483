package store_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/database"
	"idplatform/database/databasetest"
	"idplatform/models"
	"idplatform/store"
)

// Many claim one key, and whoever has it gives it back at once: each is told that it has the key or who does, and
// never two have it together.
func TestIdempotency_ClaimedAndFreedByMany(t *testing.T) {
	t.Parallel()
	for _, driver := range []database.Driver{database.SQLite, database.Postgres} {
		t.Run(string(driver), func(t *testing.T) {
			t.Parallel()
			cfg := database.Config{Driver: driver, DSN: filepath.Join(t.TempDir(), "platform.db")}
			if driver == database.Postgres {
				cfg.DSN, cfg.MaxConnections = databasetest.Postgres(t), 8
			}
			db, err := database.Open(t.Context(), cfg)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, db.Close()) })
			s, err := store.New(t.Context(), db)
			require.NoError(t, err)

			const callers, rounds = 8, 150
			at := models.At(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
			key := []byte("0123456789abcdef")
			var all sync.WaitGroup
			var holding, had atomic.Int64
			for caller := range callers {
				all.Go(func() {
					holder := fmt.Sprint("req_", caller)
					for range rounds {
						taken, err := s.Idempotency.Claim(t.Context(), "app_1", models.IdempotencyKey{Key: key, Fingerprint: []byte{1},
							Holder: holder, LockedUntil: models.At(at.Add(time.Minute)), ExpiresAt: models.At(at.Add(time.Hour))}, at)
						if err != nil {
							t.Error(err)
							return
						}
						if taken != nil {
							continue
						}
						had.Add(1)
						if holding.Add(1) > 1 {
							t.Error("two have the key")
						}
						holding.Add(-1)
						if err := s.Idempotency.Release(t.Context(), "app_1", key, holder); err != nil {
							t.Error(err)
						}
					}
				})
			}
			all.Wait()
			require.Positive(t, had.Load())
		})
	}
}
