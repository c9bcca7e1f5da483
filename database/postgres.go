package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// postgresTx is a transaction on PostgreSQL that talks to the server no more often than it must: its beginning,
// the statements whose outcome nobody waits for (DB.Later) and its end travel together. A transaction of a few
// inserts is one round trip instead of four.
type postgresTx struct {
	conn  *sql.Conn
	begun bool
	later []statement
	// err is the first failure of a statement that was sent later; the transaction cannot commit any more.
	err error
}

type statement struct {
	query string
	args  []any
}

// errNotCommitted is the end of a transaction in which a statement had failed before.
var errNotCommitted = errors.New("the transaction was rolled back: a statement in it had failed")

func (db *DB) inPostgresTx(ctx context.Context, fn func(ctx context.Context) error) error {
	conn, err := db.writePool.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // it goes back to the pool
	tx := &postgresTx{conn: conn}
	committed := false
	defer func() {
		if !committed {
			tx.rollback(ctx)
		}
	}()
	if err := fn(context.WithValue(ctx, txKey{db}, db.newTransaction(ctx, tx))); err != nil {
		return err
	}
	if err := tx.commit(ctx); err != nil {
		return err
	}
	committed = true
	return nil
}

// flush sends what waits, so that the next statement finds it done.
func (t *postgresTx) flush(ctx context.Context) error {
	if t.begun && len(t.later) == 0 {
		return t.err
	}
	return t.send(ctx)
}

// send begins the transaction if need be and runs what waits, then last, in one round trip.
func (t *postgresTx) send(ctx context.Context, last ...string) error {
	if t.err != nil {
		return t.err
	}
	batch := &pgx.Batch{}
	if !t.begun {
		batch.Queue("begin")
	}
	for _, s := range t.later {
		batch.Queue(s.query, s.args...)
	}
	for _, s := range last {
		batch.Queue(s)
	}
	t.begun, t.later = true, nil
	t.err = t.conn.Raw(func(conn any) error {
		results := conn.(*stdlib.Conn).Conn().SendBatch(ctx, batch)
		for range batch.Len() - 1 {
			if _, err := results.Exec(); err != nil {
				return errors.Join(err, results.Close())
			}
		}
		tag, err := results.Exec()
		if err == nil && len(last) > 0 && tag.String() == "ROLLBACK" {
			err = errNotCommitted
		}
		return errors.Join(err, results.Close())
	})
	return t.err
}

func (t *postgresTx) commit(ctx context.Context) error {
	if !t.begun && len(t.later) == 0 {
		return ctx.Err()
	}
	return t.send(ctx, "commit")
}

func (t *postgresTx) rollback(ctx context.Context) {
	if t.begun {
		// On a connection that has broken meanwhile the server rolls back by itself.
		_, _ = t.conn.ExecContext(context.WithoutCancel(ctx), "rollback")
	}
}

// enqueue keeps a statement for the next time something is sent.
func (t *postgresTx) enqueue(query string, args []any) error {
	values := make([]any, len(args))
	for i, arg := range args {
		value, err := driver.DefaultParameterConverter.ConvertValue(arg) // as database/sql does
		if err != nil {
			return err
		}
		values[i] = value
	}
	t.later = append(t.later, statement{query, values})
	return t.err
}

// ExecContext implements gorm.ConnPool.
func (t *postgresTx) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if err := t.flush(ctx); err != nil {
		return nil, err
	}
	return t.conn.ExecContext(ctx, query, args...)
}

// QueryContext implements gorm.ConnPool.
func (t *postgresTx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if err := t.flush(ctx); err != nil {
		return nil, err
	}
	return t.conn.QueryContext(ctx, query, args...)
}

// QueryRowContext implements gorm.ConnPool.
func (t *postgresTx) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	_ = t.flush(ctx) // the server refuses a query in a transaction that has failed
	return t.conn.QueryRowContext(ctx, query, args...)
}

// PrepareContext implements gorm.ConnPool.
func (t *postgresTx) PrepareContext(ctx context.Context, query string) (*sql.Stmt, error) {
	if err := t.flush(ctx); err != nil {
		return nil, err
	}
	return t.conn.PrepareContext(ctx, query)
}
