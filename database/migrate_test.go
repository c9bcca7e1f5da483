package database_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"idplatform/database"
	"idplatform/database/databasetest"
	"idplatform/store"
)

// The processes of a deployment may start at once, on a database that has nothing yet.
func TestMigrate_StartedTogether(t *testing.T) {
	t.Parallel()
	dsn := databasetest.Postgres(t)
	var all errgroup.Group
	for range 5 {
		db, err := database.Open(t.Context(), database.Config{Driver: database.Postgres, DSN: dsn, MaxConnections: 2})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, db.Close()) })
		all.Go(func() error {
			_, err := store.New(t.Context(), db)
			return err
		})
	}
	require.NoError(t, all.Wait())
}
