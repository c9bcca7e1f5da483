package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"idplatform/database"
	"idplatform/database/databasetest"
)

// throwAway is the server that this run starts, durable as a server in use: it ends with the process.
var throwAway = sync.OnceValues(func() (string, error) { return databasetest.Start(databasetest.Durable) })

var databases atomic.Int64

// freshPostgres makes an empty database and gives its DSN and a function that drops it.
func freshPostgres(ctx context.Context, s settings) (dsn string, drop func() error, err error) {
	server := s.postgres
	if server == "auto" {
		if server, err = throwAway(); err != nil {
			return "", nil, err
		}
	}
	if strings.Contains(server, "://") {
		return "", nil, errors.New("-postgres wants a keyword string such as \"host=… user=… dbname=postgres\"")
	}
	name := fmt.Sprintf("platform_bench_%d_%d_%d", os.Getpid(), time.Now().Unix(), databases.Add(1))
	if err := onServer(ctx, server, "CREATE DATABASE "+name); err != nil {
		return "", nil, err
	}
	return server + " dbname=" + name, func() error {
		return onServer(context.WithoutCancel(ctx), server, "DROP DATABASE "+name+" WITH (FORCE)")
	}, nil
}

func onServer(ctx context.Context, dsn, statement string) error {
	db, err := database.Open(ctx, database.Config{Driver: database.Postgres, DSN: dsn, MaxConnections: 1})
	if err != nil {
		return err
	}
	pool, err := db.SQL()
	if err == nil {
		_, err = pool.ExecContext(ctx, statement)
	}
	return errors.Join(err, db.Close())
}

// durability says how firmly the database commits.
func durability(ctx context.Context, db *database.DB) (string, error) {
	pool, err := db.SQL()
	if err != nil {
		return "", err
	}
	ask := func(query string) (value string) {
		if e := pool.QueryRowContext(ctx, query).Scan(&value); e != nil {
			err = errors.Join(err, e)
		}
		return value
	}
	if db.Driver == database.SQLite {
		return fmt.Sprintf("SQLite %s, journal_mode=%s, synchronous=%s (1: normal)", ask("SELECT sqlite_version()"),
			ask("PRAGMA journal_mode"), ask("PRAGMA synchronous")), err
	}
	return fmt.Sprintf("PostgreSQL %s, fsync=%s, synchronous_commit=%s", ask("SHOW server_version"),
		ask("SHOW fsync"), ask("SHOW synchronous_commit")), err
}
