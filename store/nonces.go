package store

import (
	"context"

	"idplatform/database"
	"idplatform/models"
)

// Nonces remembers the nonces of signed requests, for every instance and over restarts.
type Nonces struct{ db *database.DB }

// Spend remembers a nonce until the given time and reports whether it was fresh.
func (r Nonces) Spend(ctx context.Context, app models.ApplicationID, nonce []byte, until models.Timestamp) (fresh bool, err error) {
	rows, err := r.db.Exec(ctx,
		"INSERT INTO nonces (application_id, nonce, expires_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
		app, nonce, until)
	return rows == 1, err
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
