package database_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/database"
	"idplatform/database/databasetest"
)

// onBoth opens a database with one table of numbers, on both drivers.
func onBoth(t *testing.T, test func(t *testing.T, db *database.DB)) {
	t.Helper()
	for _, driver := range []database.Driver{database.SQLite, database.Postgres} {
		t.Run(string(driver), func(t *testing.T) {
			t.Parallel()
			cfg := database.Config{Driver: driver, DSN: filepath.Join(t.TempDir(), "rows.db")}
			if driver == database.Postgres {
				cfg.DSN, cfg.MaxConnections = databasetest.Postgres(t), 4
			}
			db, err := database.Open(t.Context(), cfg)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, db.Close()) })
			pool, err := db.SQL()
			require.NoError(t, err)
			_, err = pool.ExecContext(t.Context(), "CREATE TABLE numbers (n BIGINT PRIMARY KEY)")
			require.NoError(t, err)
			test(t, db)
		})
	}
}

func insert(ctx context.Context, db *database.DB, n int) error {
	_, err := db.Exec(ctx, "INSERT INTO numbers (n) VALUES (?)", n)
	return err
}

func numbers(t *testing.T, db *database.DB) []int {
	t.Helper()
	rows, err := db.Query(t.Context(), "SELECT n FROM numbers ORDER BY n")
	require.NoError(t, err)
	defer rows.Close()
	got := []int{}
	for rows.Next() {
		var n int
		require.NoError(t, rows.Scan(&n))
		got = append(got, n)
	}
	require.NoError(t, rows.Err())
	return got
}

// crowd runs functions at the same time behind one that holds the writer until all of them have begun to wait,
// so that on SQLite they share its transaction.
func crowd(t *testing.T, db *database.DB, functions ...func() error) []error {
	t.Helper()
	var begun, ended sync.WaitGroup
	results := make([]error, len(functions))
	err := db.Tx(t.Context(), func(ctx context.Context) error {
		for i, f := range functions {
			begun.Add(1)
			ended.Go(func() { begun.Done(); results[i] = f() })
		}
		begun.Wait()
		for range 1_000 { // lets them reach the queue
			runtime.Gosched()
		}
		return insert(ctx, db, -1)
	})
	require.NoError(t, err)
	ended.Wait()
	return results
}

func TestTx_KeepsEachToItself(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, db *database.DB) {
		refused := errors.New("refused")
		var functions []func() error
		want := []int{-1}
		for i := range 60 {
			functions = append(functions, func() (err error) {
				defer func() {
					if r := recover(); r != nil {
						err = fmt.Errorf("panicked: %v", r)
					}
				}()
				return db.Tx(t.Context(), func(ctx context.Context) error {
					if err := insert(ctx, db, i); err != nil {
						return err
					}
					switch i % 5 {
					case 1:
						return refused
					case 2:
						panic(i)
					case 3: // a statement that fails
						return insert(ctx, db, i)
					}
					return nil
				})
			})
			if i%5 == 0 || i%5 == 4 {
				want = append(want, i)
			}
		}
		for i, err := range crowd(t, db, functions...) {
			switch i % 5 {
			case 1:
				require.ErrorIs(t, err, refused)
			case 2:
				require.EqualError(t, err, fmt.Sprintf("panicked: %d", i))
			case 3:
				require.Error(t, err)
			default:
				require.NoError(t, err)
			}
		}
		require.Equal(t, want, numbers(t, db))
	})
}

func TestTx_GoroutineThatEndsLetsOthersOn(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, db *database.DB) {
		crowd(t, db,
			func() error {
				return db.Tx(t.Context(), func(ctx context.Context) error {
					_ = insert(ctx, db, 1)
					runtime.Goexit()
					return nil
				})
			},
			func() error { return db.Tx(t.Context(), func(ctx context.Context) error { return insert(ctx, db, 2) }) })
		require.Equal(t, []int{-1, 2}, numbers(t, db))
	})
}

func TestTx_Cancelled(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, db *database.DB) {
		gone, leave := context.WithCancel(t.Context())
		results := crowd(t, db,
			func() error { // leaves in the middle of its work
				return db.Tx(gone, func(ctx context.Context) error {
					if err := insert(ctx, db, 1); err != nil {
						return err
					}
					leave()
					return nil
				})
			},
			func() error { return db.Tx(t.Context(), func(ctx context.Context) error { return insert(ctx, db, 2) }) })
		require.ErrorIs(t, results[0], context.Canceled)
		require.NoError(t, results[1])
		require.ErrorIs(t, db.Tx(gone, func(ctx context.Context) error { return insert(ctx, db, 3) }), context.Canceled)
		require.Equal(t, []int{-1, 2}, numbers(t, db))
	})
}

func TestTx_JoinsTheOuterOne(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, db *database.DB) {
		refused := errors.New("refused")
		err := db.Tx(t.Context(), func(ctx context.Context) error {
			require.NoError(t, db.Tx(ctx, func(ctx context.Context) error { return insert(ctx, db, 1) }))
			require.NoError(t, db.Write(ctx).Exec("INSERT INTO numbers (n) VALUES (?)", 2).Error)
			var seen int64
			require.NoError(t, db.Read(ctx).Raw("SELECT count(*) FROM numbers").Scan(&seen).Error)
			require.EqualValues(t, 2, seen, "a transaction sees its own writes")
			return refused
		})
		require.ErrorIs(t, err, refused)
		require.Empty(t, numbers(t, db))
	})
}

// What is written later is seen by what comes after it in the transaction, and its failure fails the commit.
func TestLater(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, db *database.DB) {
		later := func(ctx context.Context, n int) error {
			return db.Later(ctx, "INSERT INTO numbers (n) VALUES (?)", n)
		}
		require.NoError(t, db.Tx(t.Context(), func(ctx context.Context) error {
			require.NoError(t, later(ctx, 1))
			rows, err := db.Exec(ctx, "UPDATE numbers SET n = n + 1 WHERE n = ?", 1)
			require.NoError(t, err)
			require.EqualValues(t, 1, rows)
			return later(ctx, 3)
		}))
		require.Error(t, db.Tx(t.Context(), func(ctx context.Context) error {
			if err := later(ctx, 4); err != nil {
				return err
			}
			return later(ctx, 3)
		}))
		require.NoError(t, db.Tx(t.Context(), func(ctx context.Context) error { return nil }))
		require.Equal(t, []int{2, 3}, numbers(t, db))
	})
}

// Interactive writers that wait go before bulk ones, whoever came first.
func TestTx_InteractiveBeforeBulk(t *testing.T) {
	t.Parallel()
	db, err := database.Open(t.Context(), database.Config{Driver: database.SQLite, DSN: filepath.Join(t.TempDir(), "order.db")})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	var (
		mu    sync.Mutex
		order []string
		ended sync.WaitGroup
	)
	note := func(ctx context.Context, what string) {
		_ = db.Tx(ctx, func(context.Context) error {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, what)
			return nil
		})
	}
	require.NoError(t, db.Tx(t.Context(), func(context.Context) error {
		for _, what := range []string{"bulk", "interactive"} {
			ctx := t.Context()
			if what == "bulk" {
				ctx = database.Bulk(ctx)
			}
			begun := make(chan struct{})
			ended.Go(func() { close(begun); note(ctx, what) })
			<-begun
			for range 10_000 { // lets it reach the queue
				runtime.Gosched()
			}
		}
		return nil
	}))
	ended.Wait()
	require.Equal(t, []string{"interactive", "bulk"}, order)
}
