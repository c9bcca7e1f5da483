package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"net/url"
	"strings"

	"github.com/mattn/go-sqlite3"
)

// sqlitePool opens connections that keep their statements prepared, as PostgreSQL's driver does by itself:
// preparing a statement anew takes SQLite longer than running most of those that this platform has.
func sqlitePool(path, mode, lock string) *sql.DB {
	return sql.OpenDB(&sqliteConnector{dsn: sqliteDSN(path, mode, lock), begin: "BEGIN " + lock})
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

type sqliteConnector struct {
	driver     sqlite3.SQLiteDriver
	dsn, begin string
}

// Driver implements driver.Connector.
func (c *sqliteConnector) Driver() driver.Driver { return &c.driver }

// Connect implements driver.Connector.
func (c *sqliteConnector) Connect(context.Context) (driver.Conn, error) {
	conn, err := c.driver.Open(c.dsn)
	if err != nil {
		return nil, err
	}
	return &sqliteConn{SQLiteConn: conn.(*sqlite3.SQLiteConn), begin: c.begin, kept: map[string]*keptStatement{}}, nil
}

// statementsKept bounds the prepared statements of a connection. Those of the platform are a few dozen.
const statementsKept = 256

// sqliteConn is a connection with its prepared statements. database/sql uses it from one goroutine at a time,
// and begins no statement whose context has ended. A statement that has begun runs to its end: SQLite answers
// an interrupted write by rolling back the whole transaction, which may be that of several callers, and to watch
// a context costs a goroutine a row. All statements are short.
type sqliteConn struct {
	*sqlite3.SQLiteConn
	begin string
	kept  map[string]*keptStatement
}

type keptStatement struct {
	*sqlite3.SQLiteStmt
	// busy while rows of it are open: the same text is then prepared once more.
	busy bool
}

// statement gives the kept statement of a text, or nil when the text is not one to be kept.
func (c *sqliteConn) statement(ctx context.Context, query string) (*keptStatement, error) {
	if s, ok := c.kept[query]; ok {
		if s.busy {
			return nil, nil
		}
		return s, nil
	}
	if len(c.kept) >= statementsKept || !keepable(query) {
		return nil, nil
	}
	prepared, err := c.SQLiteConn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	s := &keptStatement{SQLiteStmt: prepared.(*sqlite3.SQLiteStmt)}
	c.kept[query] = s
	return s, nil
}

// keepable leaves out what changes the schema or the connection, and texts of several statements.
func keepable(query string) bool {
	word, _, _ := strings.Cut(strings.TrimLeft(query, " \t\r\n"), " ")
	switch strings.ToUpper(word) {
	case "SELECT", "INSERT", "UPDATE", "DELETE", "BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE":
		return strings.IndexByte(query, ';') < 0
	}
	return false
}

// ExecContext implements driver.ExecerContext.
func (c *sqliteConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	ctx = context.WithoutCancel(ctx)
	s, err := c.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	if s == nil || s.NumInput() != len(args) {
		return c.SQLiteConn.ExecContext(ctx, query, args)
	}
	return s.ExecContext(ctx, args)
}

// QueryContext implements driver.QueryerContext.
func (c *sqliteConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	ctx = context.WithoutCancel(ctx)
	s, err := c.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	if s == nil || s.NumInput() != len(args) {
		return c.SQLiteConn.QueryContext(ctx, query, args)
	}
	rows, err := s.QueryContext(ctx, args)
	if err != nil {
		return nil, err
	}
	s.busy = true
	return &keptRows{SQLiteRows: rows.(*sqlite3.SQLiteRows), of: s}, nil
}

// BeginTx implements driver.ConnBeginTx. The platform asks for no isolation levels.
func (c *sqliteConn) BeginTx(ctx context.Context, _ driver.TxOptions) (driver.Tx, error) {
	if _, err := c.ExecContext(ctx, c.begin, nil); err != nil {
		return nil, err
	}
	return sqliteTx{c}, nil
}

// Close implements driver.Conn.
func (c *sqliteConn) Close() error {
	for _, s := range c.kept {
		_ = s.Close() // closing the connection closes what could not be closed
	}
	return c.SQLiteConn.Close()
}

type sqliteTx struct{ conn *sqliteConn }

// Commit implements driver.Tx. A commit that fails leaves nothing open.
func (t sqliteTx) Commit() error {
	_, err := t.conn.ExecContext(context.Background(), "COMMIT", nil)
	if err != nil {
		_ = t.Rollback()
	}
	return err
}

// Rollback implements driver.Tx.
func (t sqliteTx) Rollback() error {
	_, err := t.conn.ExecContext(context.Background(), "ROLLBACK", nil)
	return err
}

// keptRows give their statement back when they are closed.
type keptRows struct {
	*sqlite3.SQLiteRows
	of *keptStatement
}

// Close implements driver.Rows.
func (r *keptRows) Close() error {
	r.of.busy = false
	return r.SQLiteRows.Close()
}
