package e2etest

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/database"
	"idplatform/engines/registry"
)

// template is a register with its population, made once a process; platforms get a copy.
var template = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "register")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // a temporary folder
	file := filepath.Join(dir, "register.db")
	if err := populate(context.Background(), database.Config{Driver: database.SQLite, DSN: file}); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
})

// populated is a register with the population, as a file of the test's own.
func populated(t testing.TB) string {
	t.Helper()
	content, err := template()
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "register.db")
	require.NoError(t, os.WriteFile(file, content, 0o600))
	return file
}

// Populate makes a register with the population in an empty database.
func Populate(t testing.TB, driver database.Driver, dsn string) {
	t.Helper()
	require.NoError(t, populate(t.Context(), database.Config{Driver: driver, DSN: dsn}))
}

func populate(ctx context.Context, cfg database.Config) error {
	db, err := database.Open(ctx, cfg)
	if err != nil {
		return err
	}
	register, err := registry.OpenSQL(ctx, db)
	if err == nil {
		err = register.Populate(ctx, Population, nil)
	}
	if closed := db.Close(); err == nil { // closing folds SQLite's log into the file
		err = closed
	}
	return err
}
