package store

import (
	"context"
	"database/sql"

	"idplatform/database"
	"idplatform/models"
)

// Nonces remembers the nonces of signed requests, for every instance and over restarts.
type Nonces struct {
	db    *database.DB
	spend *spender
}

func newNonces(db *database.DB) Nonces { return Nonces{db: db, spend: &spender{db: db}} }

// Spend remembers a nonce until the given time and reports whether it was fresh. It is called
// outside transactions: a nonce stays spent whatever becomes of its request.
func (r Nonces) Spend(ctx context.Context, app models.ApplicationID, nonce []byte, until models.Timestamp) (fresh bool, err error) {
	if r.db.Driver == database.SQLite { // where transactions are shared as they are
		rows, err := r.db.Exec(ctx, insertNonces+" (?, ?, ?) ON CONFLICT DO NOTHING", app, nonce, until)
		return rows == 1, err
	}
	return r.spend.spend(ctx, &spending{app: app, nonce: nonce, until: until, done: make(chan struct{})})
}

const insertNonces = "INSERT INTO nonces (application_id, nonce, expires_at) VALUES"

// insert remembers nonces in one statement and tells each whether it was fresh. Of two that are the same the
// first is.
func (r *spender) insert(ctx context.Context, batch []*spending) error {
	type key struct{ app, nonce string }
	open := make(map[key]*spending, len(batch))
	args := make([]any, 0, 3*len(batch))
	for _, s := range batch {
		args = append(args, s.app, s.nonce, s.until)
		if k := (key{string(s.app), string(s.nonce)}); open[k] == nil {
			open[k] = s
		}
	}
	statement := database.Rows(insertNonces, 3, len(batch)) + " ON CONFLICT DO NOTHING RETURNING application_id, nonce"
	return r.db.ExecRows(ctx, statement, args, func(rows *sql.Rows) error {
		var app, nonce string
		if err := rows.Scan(&app, &nonce); err != nil {
			return err
		}
		open[key{app, nonce}].fresh = true
		return nil
	})
}

// Purge forgets up to limit nonces that expired before now and gives their number.
func (r Nonces) Purge(ctx context.Context, now models.Timestamp, limit int) (int64, error) {
	var purged int64
	err := r.db.Tx(ctx, func(ctx context.Context) error {
		del := r.db.Write(ctx).Exec(`DELETE FROM nonces WHERE (application_id, nonce) IN
			(SELECT application_id, nonce FROM nonces WHERE expires_at < ? ORDER BY expires_at LIMIT ?)`, now, limit)
		purged = del.RowsAffected
		return del.Error
	})
	return purged, err
}
