package store

import (
	"context"

	"idplatform/database"
	"idplatform/models"
)

// Results keeps what services answered, sealed, for its retention.
type Results struct{ db *database.DB }

// Insert adds results of one application.
func (r Results) Insert(ctx context.Context, app models.ApplicationID, results []models.Result) error {
	for i := range results {
		results[i].ApplicationID = app
	}
	return r.db.Write(ctx).Create(&results).Error
}

// Get reads a result of the application that has not expired, or ErrNotFound.
func (r Results) Get(ctx context.Context, app models.ApplicationID, id string, now models.Timestamp) (*models.Result, error) {
	var result models.Result
	err := r.db.Read(ctx).Where("id = ? AND application_id = ? AND expires_at > ?", id, app, now).Take(&result).Error
	return &result, found("result", err)
}

// Purge deletes up to limit results that expired before now and gives their number.
func (r Results) Purge(ctx context.Context, now models.Timestamp, limit int) (int64, error) {
	var purged int64
	err := r.db.Tx(ctx, func(ctx context.Context) error {
		del := r.db.Write(ctx).Exec(`DELETE FROM results WHERE id IN
			(SELECT id FROM results WHERE expires_at < ? ORDER BY expires_at LIMIT ?)`, now, limit)
		purged = del.RowsAffected
		return del.Error
	})
	return purged, err
}
