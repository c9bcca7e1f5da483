// Package database opens the SQL databases that the platform keeps its rows in: SQLite (embedded default)
// or PostgreSQL (production). It knows connections, transactions and migrations, and no table.
package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"gorm.io/driver/postgres"
	"gorm.io/driver/sqlite"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// Driver names one of the two supported databases.
type Driver string

// The supported databases.
const (
	SQLite   Driver = "sqlite"
	Postgres Driver = "postgres"
)

// Config says where a database is.
type Config struct {
	// Driver is sqlite or postgres.
	Driver Driver
	// DSN is a file path for SQLite, a connection URL or keyword string for PostgreSQL.
	DSN string
	// MaxConnections bounds the pool: readers on SQLite (which has one writer besides), all connections
	// on PostgreSQL. 0 means 8 readers, 32 connections.
	MaxConnections int
}

// DB is an open database. On SQLite it holds one write connection and a pool of readers, so that a reader
// never waits for a writer; on PostgreSQL both are the same pool.
type DB struct {
	Driver    Driver
	read      *gorm.DB
	write     *gorm.DB
	readPool  *sql.DB
	writePool *sql.DB
	group     writerGroup
}

// Open connects. A SQLite file is created when absent, readable by its owner only.
func Open(ctx context.Context, cfg Config) (*DB, error) {
	switch cfg.Driver {
	case SQLite:
		return openSQLite(ctx, cfg)
	case Postgres:
		return openPostgres(ctx, cfg)
	}
	return nil, fmt.Errorf("database driver %q is unknown: use sqlite or postgres", cfg.Driver)
}

func openSQLite(ctx context.Context, cfg Config) (*DB, error) {
	if err := createPrivate(cfg.DSN); err != nil {
		return nil, err
	}
	writePool := sqlitePool(cfg.DSN, "rwc", "immediate")
	write, err := connect(ctx, sqlite.New(sqlite.Config{Conn: writePool}), writePool, 1)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", cfg.DSN, err)
	}
	readers := cfg.MaxConnections
	if readers == 0 {
		readers = 8
	}
	readPool := sqlitePool(cfg.DSN, "ro", "deferred")
	read, err := connect(ctx, sqlite.New(sqlite.Config{Conn: readPool}), readPool, readers)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", cfg.DSN, err), writePool.Close())
	}
	return &DB{Driver: SQLite, read: read, write: write, readPool: readPool, writePool: writePool}, nil
}

func openPostgres(ctx context.Context, cfg Config) (*DB, error) {
	most := cfg.MaxConnections
	if most == 0 {
		most = 32
	}
	pool, err := sql.Open("pgx", cfg.DSN)
	if err != nil {
		return nil, fmt.Errorf("connect to PostgreSQL: %w", err)
	}
	both, err := connect(ctx, postgres.New(postgres.Config{Conn: pool}), pool, most)
	if err != nil {
		return nil, fmt.Errorf("connect to PostgreSQL: %w", err)
	}
	return &DB{Driver: Postgres, read: both, write: both, readPool: pool, writePool: pool}, nil
}

// createPrivate makes the file before SQLite does, which would leave it readable by everyone.
func createPrivate(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// connect puts gorm on a pool of at most so many connections. A pool that does not answer is closed.
func connect(ctx context.Context, dialector gorm.Dialector, pool *sql.DB, most int) (*gorm.DB, error) {
	pool.SetMaxOpenConns(most)
	pool.SetMaxIdleConns(most)
	pool.SetConnMaxIdleTime(10 * time.Minute)
	if err := pool.PingContext(ctx); err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	g, err := gorm.Open(dialector, &gorm.Config{
		// Every write is inside an explicit transaction already (Tx), so gorm need not add its own.
		SkipDefaultTransaction: true,
		// Both drivers keep a connection's statements prepared. gorm would prepare them besides, those of
		// a transaction anew each time.
		PrepareStmt:    false,
		Logger:         logger.Discard, // statements carry values; errors come back to the caller
		TranslateError: true,
	})
	if err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	return g, nil
}

// Close closes every connection.
func (db *DB) Close() error {
	err := db.readPool.Close()
	if db.writePool != db.readPool {
		err = errors.Join(err, db.writePool.Close())
	}
	return err
}

// Ping reports whether the database answers.
func (db *DB) Ping(ctx context.Context) error { return db.readPool.PingContext(ctx) }

// SQL is the pool that writes, for migrations and for measuring against.
func (db *DB) SQL() (*sql.DB, error) { return db.writePool, nil }
