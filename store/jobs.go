package store

import (
	"context"

	"idplatform/database"
	"idplatform/models"
)

// Jobs keeps asynchronous single requests.
type Jobs struct{ db *database.DB }

// Insert adds a job of the application.
func (r Jobs) Insert(ctx context.Context, app models.ApplicationID, job models.Job) error {
	job.ApplicationID = app
	return r.db.Write(ctx).Create(&job).Error
}

// Get reads a job of the application that has not expired, or ErrNotFound.
func (r Jobs) Get(ctx context.Context, app models.ApplicationID, id string, now models.Timestamp) (*models.Job, error) {
	var job models.Job
	err := r.db.Read(ctx).Where("id = ? AND application_id = ? AND expires_at > ?", id, app, now).Take(&job).Error
	return &job, found("job", err)
}

// Settle ends a pending job and reports whether it was still pending: a job ends once.
func (r Jobs) Settle(ctx context.Context, app models.ApplicationID, job *models.Job) (settled bool, err error) {
	update := r.db.Write(ctx).Exec(`UPDATE jobs SET status = ?, result_id = ?, error_code = ?, error_message = ?, completed_at = ?
		WHERE id = ? AND application_id = ? AND status = 'pending'`,
		job.Status, job.ResultID, job.ErrorCode, job.ErrorMessage, job.CompletedAt, job.ID, app)
	return update.RowsAffected == 1, update.Error
}

// Due takes up to limit pending jobs whose check is due and puts their next check off until later.
func (r Jobs) Due(ctx context.Context, now, later models.Timestamp, limit int) ([]models.Job, error) {
	var jobs []models.Job
	err := due(ctx, r.db, &jobs, "jobs", now, later, limit)
	return jobs, err
}

// PutOff puts the next check of pending jobs off until the given time.
func (r Jobs) PutOff(ctx context.Context, ids []string, until models.Timestamp) error {
	if len(ids) == 0 {
		return nil
	}
	return r.db.Tx(ctx, func(ctx context.Context) error {
		return r.db.Write(ctx).Model(&models.Job{}).Where("id IN ? AND status = 'pending'", ids).Update("check_at", until).Error
	})
}

// Purge deletes up to limit jobs that expired before now and gives their number.
func (r Jobs) Purge(ctx context.Context, now models.Timestamp, limit int) (int64, error) {
	return purgeByID(ctx, r.db, "jobs", now, limit)
}

// due selects pending rows whose check is due, the longest overdue first, and puts their next check off.
func due[T any](ctx context.Context, db *database.DB, rows *[]T, table string, now, later models.Timestamp, limit int) error {
	return db.Tx(ctx, func(ctx context.Context) error {
		ids := []string{}
		err := db.Write(ctx).Table(table).Where("status = 'pending' AND check_at <= ?", now).
			Order("check_at").Limit(limit).Pluck("id", &ids).Error
		if err != nil || len(ids) == 0 {
			return err
		}
		if err := db.Write(ctx).Table(table).Where("id IN ?", ids).Update("check_at", later).Error; err != nil {
			return err
		}
		return db.Write(ctx).Where("id IN ?", ids).Find(rows).Error
	})
}

// purgeByID deletes up to limit rows of a table that expired before now.
func purgeByID(ctx context.Context, db *database.DB, table string, now models.Timestamp, limit int) (purged int64, err error) {
	err = db.Tx(ctx, func(ctx context.Context) error {
		del := db.Write(ctx).Exec("DELETE FROM "+table+" WHERE id IN (SELECT id FROM "+table+
			" WHERE expires_at < ? ORDER BY expires_at LIMIT ?)", now, limit)
		purged = del.RowsAffected
		return del.Error
	})
	return purged, err
}
