package store

import (
	"context"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"idplatform/database"
	"idplatform/models"
)

// Batches keeps asynchronous batches.
type Batches struct{ db *database.DB }

// Insert adds a batch of the application with its items.
func (r Batches) Insert(ctx context.Context, app models.ApplicationID, batch models.Batch, items []models.BatchItem) error {
	batch.ApplicationID = app
	for i := range items {
		items[i].BatchID = batch.ID
	}
	return r.db.Tx(ctx, func(ctx context.Context) error {
		if err := r.db.Write(ctx).Create(&batch).Error; err != nil {
			return err
		}
		return r.db.Write(ctx).CreateInBatches(items, itemsPerInsert).Error
	})
}

// itemsPerInsert keeps one INSERT far below the databases' limits on parameters.
const itemsPerInsert = 500

// Get reads a batch of the application that has not expired, or ErrNotFound.
func (r Batches) Get(ctx context.Context, app models.ApplicationID, id string, now models.Timestamp) (*models.Batch, error) {
	var batch models.Batch
	err := r.db.Read(ctx).Where("id = ? AND application_id = ? AND expires_at > ?", id, app, now).Take(&batch).Error
	return &batch, found("batch", err)
}

// Lock reads a batch of the application inside a transaction and keeps others from settling it meanwhile.
func (r Batches) Lock(ctx context.Context, app models.ApplicationID, id string) (*models.Batch, error) {
	var batch models.Batch
	err := forUpdate(ctx, r.db).Where("id = ? AND application_id = ?", id, app).Take(&batch).Error
	return &batch, found("batch", err)
}

// Finish writes the end of a batch: status, counts, times.
func (r Batches) Finish(ctx context.Context, app models.ApplicationID, batch *models.Batch) error {
	return r.db.Write(ctx).Model(&models.Batch{}).Where("id = ? AND application_id = ?", batch.ID, app).
		Updates(map[string]any{"status": batch.Status, "succeeded": batch.Succeeded, "failed": batch.Failed,
			"completed_at": batch.CompletedAt, "cancelled_at": batch.CancelledAt}).Error
}

// Due takes up to limit pending batches whose check is due and puts their next check off until later.
func (r Batches) Due(ctx context.Context, now, later models.Timestamp, limit int) ([]models.Batch, error) {
	var batches []models.Batch
	err := due(ctx, r.db, &batches, "batches", now, later, limit)
	return batches, err
}

// Purge deletes up to limit batches that expired before now, with their items, and gives their number.
func (r Batches) Purge(ctx context.Context, now models.Timestamp, limit int) (purged int64, err error) {
	const atOnce = 5 // a batch has up to 10,000 items
	err = r.db.Tx(ctx, func(ctx context.Context) error {
		var ids []string
		err := r.db.Write(ctx).Model(&models.Batch{}).Where("expires_at < ?", now).
			Order("expires_at").Limit(min(limit, atOnce)).Pluck("id", &ids).Error
		if err != nil || len(ids) == 0 {
			return err
		}
		if err := r.db.Write(ctx).Where("batch_id IN ?", ids).Delete(&models.BatchItem{}).Error; err != nil {
			return err
		}
		purged = int64(len(ids))
		return r.db.Write(ctx).Where("id IN ?", ids).Delete(&models.Batch{}).Error
	})
	return purged, err
}

// forUpdate reads rows that the transaction is about to change. SQLite's transactions are exclusive anyway.
func forUpdate(ctx context.Context, db *database.DB) *gorm.DB {
	if db.Driver == database.Postgres {
		return db.Write(ctx).Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate})
	}
	return db.Write(ctx)
}
