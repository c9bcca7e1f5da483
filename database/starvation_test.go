package database_test

import (
	"context"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/database"
)

func TestTx_BulkIsNotPassedForEver(t *testing.T) {
	t.Parallel()
	db, err := database.Open(t.Context(), database.Config{Driver: database.SQLite, DSN: filepath.Join(t.TempDir(), "busy.db")})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	const interactive = 1200 // far more than a bulk writer lets go first
	var (
		mu    sync.Mutex
		order []string
		ended sync.WaitGroup
	)
	queue := func(ctx context.Context, what string) {
		ended.Go(func() {
			_ = db.Tx(ctx, func(context.Context) error {
				mu.Lock()
				defer mu.Unlock()
				order = append(order, what)
				return nil
			})
		})
	}
	require.NoError(t, db.Tx(t.Context(), func(context.Context) error {
		queue(database.Bulk(t.Context()), "bulk")
		for range interactive {
			queue(t.Context(), "interactive")
		}
		for range 100_000 { // lets them reach the queue
			runtime.Gosched()
		}
		return nil
	}))
	ended.Wait()
	at := slices.Index(order, "bulk")
	require.Positive(t, at, "a bulk writer does not go before interactive ones")
	require.Less(t, at, interactive, "the bulk writer had to wait for everybody")
}
