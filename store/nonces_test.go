package store_test

import (
	"context"
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

// Of requests that bring the same nonce at the same time one finds it fresh, however they are written together;
// the same nonce of another application is another nonce.
func TestNonces_FreshOnce(t *testing.T) {
	t.Parallel()
	for _, driver := range []database.Driver{database.SQLite, database.Postgres} {
		t.Run(string(driver), func(t *testing.T) {
			t.Parallel()
			cfg := database.Config{Driver: driver, DSN: filepath.Join(t.TempDir(), "nonces.db")}
			if driver == database.Postgres {
				cfg.DSN, cfg.MaxConnections = databasetest.Postgres(t), 4
			}
			db, err := database.Open(t.Context(), cfg)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, db.Close()) })
			s, err := store.New(t.Context(), db)
			require.NoError(t, err)

			const nonces, callers = 40, 5
			var (
				fresh [2][nonces]atomic.Int64
				all   sync.WaitGroup
			)
			until := models.At(time.Now().Add(time.Minute))
			for i := range nonces * callers * 2 {
				app, nonce := i%2, i/2%nonces
				all.Go(func() {
					ok, err := s.Nonces.Spend(t.Context(), models.ApplicationID([]string{"app_a", "app_b"}[app]), []byte{byte(nonce)}, until)
					if err != nil {
						t.Error(err)
					}
					if ok {
						fresh[app][nonce].Add(1)
					}
				})
			}
			all.Wait()
			for app := range fresh {
				for nonce := range fresh[app] {
					require.EqualValues(t, 1, fresh[app][nonce].Load(), "nonce %d of application %d", nonce, app)
				}
			}
			gone, leave := context.WithCancel(t.Context())
			leave()
			_, err = s.Nonces.Spend(gone, "app_a", []byte("another"), until)
			if err != nil { // it may have been spent before the caller was seen to have gone
				require.ErrorIs(t, err, context.Canceled)
			}
		})
	}
}
