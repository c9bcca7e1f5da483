package database_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/database"
	"idplatform/database/databasetest"
)

func TestAfterCommit(t *testing.T) {
	t.Parallel()
	for _, driver := range []database.Driver{database.SQLite, database.Postgres} {
		t.Run(string(driver), func(t *testing.T) {
			t.Parallel()
			cfg := database.Config{Driver: driver, DSN: filepath.Join(t.TempDir(), "after.db")}
			if driver == database.Postgres {
				cfg.DSN, cfg.MaxConnections = databasetest.Postgres(t), 2
			}
			db, err := database.Open(t.Context(), cfg)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, db.Close()) })

			var done []string
			note := func(what string) func() { return func() { done = append(done, what) } }
			require.NoError(t, db.Tx(t.Context(), func(ctx context.Context) error {
				database.AfterCommit(ctx, note("first"))
				require.NoError(t, db.Tx(ctx, func(ctx context.Context) error { // joins the outer one
					database.AfterCommit(ctx, note("second"))
					return nil
				}))
				require.Empty(t, done, "nothing before the commit")
				return nil
			}))
			require.Equal(t, []string{"first", "second"}, done)

			refused := errors.New("refused")
			require.ErrorIs(t, db.Tx(t.Context(), func(ctx context.Context) error {
				database.AfterCommit(ctx, note("never"))
				return refused
			}), refused)
			require.Equal(t, []string{"first", "second"}, done)

			database.AfterCommit(t.Context(), note("outside"))
			require.Equal(t, []string{"first", "second", "outside"}, done)
		})
	}
}
