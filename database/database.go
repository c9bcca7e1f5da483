// Package database opens the SQL databases that the platform keeps its rows in: SQLite (embedded default)
// or PostgreSQL (production). It knows connections, transactions and migrations, and no table.
package database

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
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
	Driver  Driver
	read    *gorm.DB
	write   *gorm.DB
	writers writerQueue
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
	write, err := connect(ctx, sqlite.Open(sqliteDSN(cfg.DSN, "rwc", "immediate")), 1)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", cfg.DSN, err)
	}
	readers := cfg.MaxConnections
	if readers == 0 {
		readers = 8
	}
	read, err := connect(ctx, sqlite.Open(sqliteDSN(cfg.DSN, "ro", "deferred")), readers)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", cfg.DSN, err)
	}
	return &DB{Driver: SQLite, read: read, write: write}, nil
}

func openPostgres(ctx context.Context, cfg Config) (*DB, error) {
	most := cfg.MaxConnections
	if most == 0 {
		most = 32
	}
	pool, err := connect(ctx, postgres.Open(cfg.DSN), most)
	if err != nil {
		return nil, fmt.Errorf("connect to PostgreSQL: %w", err)
	}
	return &DB{Driver: Postgres, read: pool, write: pool}, nil
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

func sqliteDSN(path, mode, lock string) string {
	q := url.Values{}
	q.Set("mode", mode)
	q.Set("_txlock", lock)
	q.Set("_journal_mode", "WAL")
	q.Set("_synchronous", "NORMAL")
	q.Set("_busy_timeout", "10000")
	q.Set("_foreign_keys", "on")
	q.Set("_cache_size", "-32000")
	return (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: q.Encode()}).String()
}

func connect(ctx context.Context, dialector gorm.Dialector, most int) (*gorm.DB, error) {
	g, err := gorm.Open(dialector, &gorm.Config{
		// Every write is inside an explicit transaction already (Tx), so gorm need not add its own.
		SkipDefaultTransaction: true,
		PrepareStmt:            true,
		Logger:                 logger.Discard, // statements carry values; errors come back to the caller
		TranslateError:         true,
	})
	if err != nil {
		return nil, err
	}
	pool, err := g.DB()
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(most)
	pool.SetMaxIdleConns(most)
	pool.SetConnMaxIdleTime(10 * time.Minute)
	return g, pool.PingContext(ctx)
}

// Close closes every connection.
func (db *DB) Close() error {
	first := closePool(db.read)
	if db.write != db.read {
		if err := closePool(db.write); first == nil {
			first = err
		}
	}
	return first
}

func closePool(g *gorm.DB) error {
	pool, err := g.DB()
	if err != nil {
		return err
	}
	return pool.Close()
}

// Ping reports whether the database answers.
func (db *DB) Ping(ctx context.Context) error {
	pool, err := db.read.DB()
	if err != nil {
		return err
	}
	return pool.PingContext(ctx)
}

// SQL is the pool that writes, for migrations and for measuring against.
func (db *DB) SQL() (*sql.DB, error) { return db.write.DB() }
