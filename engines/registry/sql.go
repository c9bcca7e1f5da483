package registry

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"idplatform/database"
)

//go:embed migrations
var migrationFiles embed.FS

// migrations holds one folder per database driver.
var migrations = func() fs.FS {
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		panic(err) // the folder is part of the binary
	}
	return files
}()

// SQL is the embedded register: citizens in the platform's own SQLite or PostgreSQL database, in tables whose
// names begin with register_. It stands for an operator's own register and is not encrypted at rest.
type SQL struct{ db *database.DB }

var _ Register = (*SQL)(nil)

// OpenSQL brings the register's tables up to date and gives the register in them. The database stays the
// caller's, to be closed by the caller.
func OpenSQL(ctx context.Context, db *database.DB) (*SQL, error) {
	if err := db.Migrate(ctx, migrations, "register_migrations"); err != nil {
		return nil, fmt.Errorf("open the register of citizens: %w", err)
	}
	return &SQL{db: db}, nil
}

// Ping implements Register.
func (s *SQL) Ping(ctx context.Context) error {
	if err := s.db.Ping(ctx); err != nil {
		return unreachable(ctx, "ping", err)
	}
	return nil
}

// unreachable keeps the cause for logs and lets errors.Is find both ErrUnreachable and the cause. A caller who left
// says nothing about the register; one whose time ran out does, for the register did not answer in it.
func unreachable(ctx context.Context, doing string, cause error) error {
	if err := ctx.Err(); errors.Is(err, context.Canceled) {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return fmt.Errorf("%s: %w: %w", doing, ErrUnreachable, cause)
}
