// Package store keeps the platform's rows: one repository an aggregate, the same code on SQLite and
// PostgreSQL. Repositories of a tenant's data take the application's id first, after the context, and join
// the transaction that the context carries (Store.Tx).
package store

import (
	"context"
	"embed"
	"errors"
	"fmt"

	"gorm.io/gorm"

	"idplatform/database"
)

//go:embed migrations
var migrations embed.FS

// ErrNotFound says that a row does not exist, or not for this application.
var ErrNotFound = errors.New("no such row")

// Store is the platform's database.
type Store struct {
	db           *database.DB
	Applications Applications
	Nonces       Nonces
	Results      Results
	Audit        Audit
	DataKeys     DataKeys
	Idempotency  Idempotency
	Leases       Leases
	Jobs         Jobs
	Batches      Batches
	BatchItems   BatchItems
	Endpoints    Endpoints
	Events       Events
	Deliveries   Deliveries
}

// New brings the schema up to date and returns the repositories. The caller closes db.
func New(ctx context.Context, db *database.DB) (*Store, error) {
	if err := db.MigrateFolder(ctx, migrations, "migrations", "platform_migrations"); err != nil {
		return nil, err
	}
	return &Store{
		db:           db,
		Applications: Applications{db},
		Nonces:       Nonces{db},
		Results:      Results{db},
		Audit:        Audit{db},
		DataKeys:     DataKeys{db},
		Idempotency:  Idempotency{db},
		Leases:       Leases{db},
		Jobs:         Jobs{db},
		Batches:      Batches{db},
		BatchItems:   BatchItems{db},
		Endpoints:    Endpoints{db},
		Events:       Events{db},
		Deliveries:   Deliveries{db},
	}, nil
}

// Tx runs fn in one transaction; see database.DB.Tx.
func (s *Store) Tx(ctx context.Context, fn func(context.Context) error) error {
	return s.db.Tx(ctx, fn)
}

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error { return s.db.Ping(ctx) }

// DB is the database below, for the contract tests and for measuring.
func (s *Store) DB() *database.DB { return s.db }

// found turns gorm's answer to a query for one row into the store's.
func found(what string, err error) error {
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", what, err)
	}
	return nil
}
