package database

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"
	"github.com/pressly/goose/v3/lock"
)

// oneAtATime lets the processes of a deployment start at once: one of them migrates, the others wait for it,
// asking every second for up to five minutes, and find nothing left to do. The lock is the database's own.
func oneAtATime() (lock.SessionLocker, error) {
	const everySecond, times = 1, 300
	return lock.NewPostgresSessionLocker(lock.WithLockTimeout(everySecond, times))
}

// MigrateFolder is Migrate for a folder of an embedded file system.
func (db *DB) MigrateFolder(ctx context.Context, files fs.FS, folder, table string) error {
	sub, err := fs.Sub(files, folder)
	if err != nil {
		return err
	}
	return db.Migrate(ctx, sub, table)
}

// Migrate brings the schema up to date. files holds one folder per driver ("sqlite", "postgres") of goose
// SQL migrations; table is where the applied versions are recorded, one for each owner of tables.
func (db *DB) Migrate(ctx context.Context, files fs.FS, table string) error {
	own, err := fs.Sub(files, string(db.Driver))
	if err != nil {
		return err
	}
	dialect := database.DialectSQLite3
	if db.Driver == Postgres {
		dialect = database.DialectPostgres
	}
	versions, err := database.NewStore(dialect, table)
	if err != nil {
		return err
	}
	pool, err := db.SQL()
	if err != nil {
		return err
	}
	options := []goose.ProviderOption{goose.WithStore(versions)}
	if db.Driver == Postgres {
		locker, err := oneAtATime()
		if err != nil {
			return err
		}
		options = append(options, goose.WithSessionLocker(locker))
	}
	provider, err := goose.NewProvider("", pool, own, options...)
	if err != nil {
		return fmt.Errorf("read migrations of %s: %w", table, err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate %s: %w", table, err)
	}
	return nil
}
