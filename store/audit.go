package store

import (
	"context"

	"idplatform/database"
	"idplatform/models"
)

// Audit keeps the append-only log of calls.
type Audit struct{ db *database.DB }

// Append adds entries of one application.
func (r Audit) Append(ctx context.Context, app models.ApplicationID, entries []models.AuditEntry) error {
	for i := range entries {
		entries[i].ApplicationID = app
	}
	return r.db.Write(ctx).Create(&entries).Error
}

// OfResult reads the entries of one result of the application.
func (r Audit) OfResult(ctx context.Context, app models.ApplicationID, resultID string) ([]models.AuditEntry, error) {
	var entries []models.AuditEntry
	err := r.db.Read(ctx).Where("application_id = ? AND result_id = ?", app, resultID).Order("id").Find(&entries).Error
	return entries, err
}
