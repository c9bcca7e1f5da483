package store

import (
	"context"

	"idplatform/database"
	"idplatform/models"
)

// Results keeps what services answered, sealed, for its retention.
type Results struct{ db *database.DB }

const insertResults = "INSERT INTO results (id, application_id, service, body, created_at, expires_at) VALUES"

// Insert adds results of one application.
func (r Results) Insert(ctx context.Context, app models.ApplicationID, results []models.Result) error {
	return insertRows(ctx, r.db, insertResults, 6, results, func(row models.Result) []any {
		return []any{row.ID, app, row.Service, row.Body, row.CreatedAt, row.ExpiresAt}
	})
}

// Get reads a result of the application that has not expired, or ErrNotFound.
func (r Results) Get(ctx context.Context, app models.ApplicationID, id string, now models.Timestamp) (*models.Result, error) {
	var result models.Result
	err := r.db.Read(ctx).Where("id = ? AND application_id = ? AND expires_at > ?", id, app, now).Take(&result).Error
	return &result, found("result", err)
}

// Purge deletes up to limit results that expired before now and gives their number.
func (r Results) Purge(ctx context.Context, now models.Timestamp, limit int) (int64, error) {
	return purgeByID(ctx, r.db, "results", now, limit)
}
