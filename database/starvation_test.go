package database_test

import (
	"context"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/database"
)

func TestTx_BulkMovesOnUnderConstantInteractiveLoad(t *testing.T) {
	t.Parallel()
	db, err := database.Open(t.Context(), database.Config{Driver: database.SQLite, DSN: filepath.Join(t.TempDir(), "busy.db")})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	busy, stop := context.WithCancel(t.Context())
	var writers sync.WaitGroup
	t.Cleanup(func() { stop(); writers.Wait() })
	for range 128 { // more than one transaction takes along
		writers.Go(func() {
			for busy.Err() == nil {
				_ = db.Tx(t.Context(), func(context.Context) error { return nil })
			}
		})
	}
	for range 20 {
		ctx, done := context.WithTimeout(database.Bulk(t.Context()), 30*time.Second)
		require.NoError(t, db.Tx(ctx, func(context.Context) error { return nil }), "the bulk writer never had its turn")
		done()
	}
}
