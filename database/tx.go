package database

import (
	"context"

	"gorm.io/gorm"
)

type txKey struct{ db *DB }

// transaction is an open transaction: as it is, and as gorm works with it.
type transaction struct {
	sql  statements
	gorm *gorm.DB
}

// statements is what runs the statements of a transaction.
type statements = gorm.ConnPool

// newTransaction lets gorm work in a transaction. Of the pool only its statements are shown, so that gorm
// cannot begin another inside.
func (db *DB) newTransaction(ctx context.Context, pool statements) *transaction {
	session := db.write.WithContext(ctx) // a copy: its pool is its own
	session.Statement.ConnPool = struct{ statements }{pool}
	return &transaction{sql: pool, gorm: session}
}

func (db *DB) txOf(ctx context.Context) *transaction {
	tx, _ := ctx.Value(txKey{db}).(*transaction)
	return tx
}

// Read is the handle for queries: inside Tx the transaction itself, so that it sees its own writes.
func (db *DB) Read(ctx context.Context) *gorm.DB {
	if tx := db.txOf(ctx); tx != nil {
		return tx.gorm.WithContext(ctx)
	}
	return db.read.WithContext(ctx)
}

// Write is the handle for single statements that change something: inside Tx the transaction.
// On SQLite a statement outside Tx takes the one write connection by itself.
func (db *DB) Write(ctx context.Context) *gorm.DB {
	if tx := db.txOf(ctx); tx != nil {
		return tx.gorm.WithContext(ctx)
	}
	return db.write.WithContext(ctx)
}

// Tx runs fn in one transaction, which the context given to fn carries; repositories called with that
// context join it. A call inside another Tx of the same database joins the outer one. An error of fn
// rolls everything back and is returned as it is.
//
// On SQLite, where one connection writes, the functions of concurrent calls may share a transaction
// (group.go); what one of them does is still kept or undone by itself.
func (db *DB) Tx(ctx context.Context, fn func(ctx context.Context) error) error {
	if db.txOf(ctx) != nil {
		return fn(ctx)
	}
	after := &afterCommit{}
	err := db.inTx(context.WithValue(ctx, afterKey{}, after), fn)
	if err == nil {
		after.run()
	}
	return err
}

// inTx runs fn in a transaction that begins and ends here.
func (db *DB) inTx(ctx context.Context, fn func(ctx context.Context) error) error {
	if db.Driver == SQLite {
		return db.group.run(ctx, db, fn)
	}
	return db.inPostgresTx(ctx, fn)
}
