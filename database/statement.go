package database

import (
	"context"
	"database/sql"
	"strconv"
	"strings"
	"sync"
)

// Exec runs one statement that writes, with ? for its arguments, and gives the number of rows that it touched.
// It joins the transaction that ctx carries, else it is a transaction of its own. It is for the few statements
// of every call, which cannot afford what gorm takes to build one.
func (db *DB) Exec(ctx context.Context, query string, args ...any) (rows int64, err error) {
	if tx := db.txOf(ctx); tx != nil {
		return affected(tx.sql.ExecContext(ctx, db.dialect(query), args...))
	}
	if db.Driver == Postgres {
		return affected(db.writePool.ExecContext(ctx, db.dialect(query), args...))
	}
	err = db.Tx(ctx, func(ctx context.Context) error {
		rows, err = db.Exec(ctx, query, args...)
		return err
	})
	return rows, err
}

// Later is Exec for a statement of a transaction whose number of rows nobody asks for. On PostgreSQL it is sent
// with what follows it, at the latest with the commit, and its error then comes from there.
func (db *DB) Later(ctx context.Context, query string, args ...any) error {
	if tx := db.txOf(ctx); tx != nil {
		if waiting, ok := tx.sql.(*postgresTx); ok {
			return waiting.enqueue(db.dialect(query), args)
		}
	}
	_, err := db.Exec(ctx, query, args...)
	return err
}

// Query runs one statement that reads, as Exec does one that writes. The caller closes the rows.
func (db *DB) Query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if tx := db.txOf(ctx); tx != nil {
		return tx.sql.QueryContext(ctx, db.dialect(query), args...)
	}
	return db.readPool.QueryContext(ctx, db.dialect(query), args...)
}

func affected(result sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// numbered remembers PostgreSQL's form of the statements, which are few.
var numbered sync.Map // string → string

// dialect writes the ? of a statement as the database wants them. A ? must not stand in a literal.
func (db *DB) dialect(query string) string {
	if db.Driver != Postgres {
		return query
	}
	if known, ok := numbered.Load(query); ok {
		return known.(string)
	}
	var b strings.Builder
	for i, part := range strings.Split(query, "?") {
		if i > 0 {
			b.WriteByte('$')
			b.WriteString(strconv.Itoa(i))
		}
		b.WriteString(part)
	}
	numbered.Store(query, b.String())
	return b.String()
}

// Rows is the text of an INSERT of several rows: the head up to and with VALUES, then a list of width places
// for each row.
func Rows(head string, width, rows int) string {
	row := "(" + strings.Repeat("?,", width-1) + "?)"
	return head + " " + strings.Repeat(row+",", rows-1) + row
}
