package database

import (
	"context"

	"gorm.io/gorm"
)

type txKey struct{ db *DB }

// Read is the handle for queries: inside Tx the transaction itself, so that it sees its own writes.
func (db *DB) Read(ctx context.Context) *gorm.DB {
	if tx, ok := ctx.Value(txKey{db}).(*gorm.DB); ok {
		return tx.WithContext(ctx)
	}
	return db.read.WithContext(ctx)
}

// Write is the handle for single statements that change something: inside Tx the transaction.
// On SQLite a statement outside Tx takes the one write connection by itself.
func (db *DB) Write(ctx context.Context) *gorm.DB {
	if tx, ok := ctx.Value(txKey{db}).(*gorm.DB); ok {
		return tx.WithContext(ctx)
	}
	return db.write.WithContext(ctx)
}

// Tx runs fn in one transaction, which the context given to fn carries; repositories called with that
// context join it. A call inside another Tx of the same database joins the outer one. An error of fn
// rolls everything back and is returned as it is.
func (db *DB) Tx(ctx context.Context, fn func(ctx context.Context) error) error {
	if _, ok := ctx.Value(txKey{db}).(*gorm.DB); ok {
		return fn(ctx)
	}
	release, err := db.writers.enter(ctx, db.Driver)
	if err != nil {
		return err
	}
	defer release()
	after := &afterCommit{}
	err = db.write.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		return fn(context.WithValue(context.WithValue(ctx, txKey{db}, tx), afterKey{}, after))
	})
	if err == nil {
		after.run()
	}
	return err
}
