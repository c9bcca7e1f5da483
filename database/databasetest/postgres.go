// Package databasetest gives tests a PostgreSQL database of their own.
package databasetest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"idplatform/database"
)

// Variable names the environment variable with the DSN (connection URL or keyword string) of a server on which
// the tests may create databases. Without it the tests start a server of their own.
const Variable = "PLATFORM_TEST_POSTGRES"

// server gives the DSN of the server that this process's tests share.
var server = sync.OnceValues(func() (string, error) {
	if dsn := os.Getenv(Variable); dsn != "" {
		return dsn, nil
	}
	return Start(Careless)
})

var databases atomic.Int64

// Postgres gives the DSN of a fresh, empty database, which is dropped when the test ends. The server is the one
// that PLATFORM_TEST_POSTGRES names, or one started for this process that ends with it, however it ends.
func Postgres(t testing.TB) string {
	t.Helper()
	dsn, err := server()
	if err != nil {
		t.Fatalf("no PostgreSQL to test on: %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	name := fmt.Sprintf("platform_test_%d_%d_%d", os.Getpid(), time.Now().UnixNano(), databases.Add(1))
	if err := execute(ctx, dsn, "CREATE DATABASE "+name); err != nil {
		t.Fatalf("create a PostgreSQL database to test on: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := execute(ctx, dsn, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)"); err != nil {
			t.Errorf("drop the PostgreSQL database of this test: %v", err)
		}
	})
	return onDatabase(dsn, name)
}

// execute runs one statement on the server; its names are made here, never taken from outside.
func execute(ctx context.Context, dsn, statement string) error {
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

// onDatabase is the DSN of another database on the same server.
func onDatabase(dsn, name string) string {
	if strings.HasPrefix(dsn, "postgres://") || strings.HasPrefix(dsn, "postgresql://") {
		if u, err := url.Parse(dsn); err == nil {
			u.Path = "/" + name
			return u.String()
		}
	}
	return dsn + " dbname=" + name // of two the later counts
}
