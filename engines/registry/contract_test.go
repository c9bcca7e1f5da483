package registry_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/database"
	"idplatform/database/databasetest"
	"idplatform/engines/registry"
	"idplatform/engines/registry/registrytest"
)

func TestContract(t *testing.T) {
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		r := openSQLite(t, 500)
		registrytest.Run(t, func(*testing.T) registrytest.Register { return r })
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		r := openPostgres(t, 500)
		registrytest.Run(t, func(*testing.T) registrytest.Register { return r })
	})
	t.Run("HTTP", func(t *testing.T) {
		t.Parallel()
		behind := openSQLite(t, 500)
		r, err := registry.NewHTTP(registrytest.Serve(t, registrytest.Handler(behind)))
		require.NoError(t, err)
		registrytest.Run(t, func(*testing.T) registrytest.Register { return operated{r, behind} })
	})
}

// operated is an operator's register: reached over HTTP, changed at its source.
type operated struct {
	*registry.HTTP
	source *registry.SQL
}

func (o operated) Save(ctx context.Context, records ...registry.Record) error {
	return o.source.Save(ctx, records...)
}

func openSQLite(t testing.TB, population int) *registry.SQL {
	t.Helper()
	r, _ := openOn(t, database.Config{Driver: database.SQLite, DSN: filepath.Join(t.TempDir(), "register.db")}, population)
	return r
}

func openPostgres(t testing.TB, population int) *registry.SQL {
	t.Helper()
	r, _ := openOn(t, database.Config{Driver: database.Postgres, DSN: databasetest.Postgres(t)}, population)
	return r
}

// openOn gives a register with a population (0: none) and the database below it.
func openOn(t testing.TB, cfg database.Config, population int) (*registry.SQL, *database.DB) {
	t.Helper()
	ctx := context.Background()
	db, err := database.Open(ctx, cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	r, err := registry.OpenSQL(ctx, db)
	require.NoError(t, err)
	if population > 0 {
		require.NoError(t, r.Populate(ctx, population, nil))
	}
	return r, db
}

// openClosed is a register whose database is gone.
func openClosed(t *testing.T) *registry.SQL {
	t.Helper()
	ctx := t.Context()
	db, err := database.Open(ctx, database.Config{Driver: database.SQLite, DSN: filepath.Join(t.TempDir(), "register.db")})
	require.NoError(t, err)
	r, err := registry.OpenSQL(ctx, db)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	return r
}
