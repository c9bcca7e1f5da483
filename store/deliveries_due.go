package store

import (
	"context"

	"idplatform/models"
)

// Due takes up to limit pending deliveries of any application whose check is due, the longest overdue first,
// and puts their next check off until later, so that another process does not take them too.
func (r Deliveries) Due(ctx context.Context, now, later models.Timestamp, limit int) (due []models.Delivery, err error) {
	err = r.db.Tx(ctx, func(ctx context.Context) error {
		err := r.db.Write(ctx).Where("status = 'pending' AND check_at <= ?", now).Order("check_at").Limit(limit).Find(&due).Error
		if err != nil {
			return err
		}
		for _, d := range due {
			if err := r.PutOff(ctx, d.ApplicationID, d.DeliveryID, d.WorkflowStarted, later); err != nil {
				return err
			}
		}
		return nil
	})
	return due, err
}

// PutOff notes whether a pending delivery has its workflow, and when to look at it again.
func (r Deliveries) PutOff(ctx context.Context, app models.ApplicationID, id models.DeliveryID, started bool, check models.Timestamp) error {
	_, err := r.db.Exec(ctx, `UPDATE deliveries SET workflow_started = (workflow_started OR ?), check_at = ?
		WHERE event_id = ? AND resend = ? AND application_id = ? AND status = 'pending'`,
		started, check, id.EventID, id.Resend, app)
	return err
}

// Failed reads up to limit deliveries that failed since a time, were not repeated since, and whose event has
// not expired; the oldest failure first.
func (r Deliveries) Failed(ctx context.Context, since, now models.Timestamp, limit int) ([]models.Delivery, error) {
	var failed []models.Delivery
	err := r.db.Read(ctx).Raw(`SELECT d.* FROM deliveries d
		WHERE d.status = 'failed' AND d.finished_at >= ? AND d.expires_at > ?
		AND NOT EXISTS (SELECT 1 FROM deliveries n WHERE n.event_id = d.event_id AND n.resend > d.resend)
		ORDER BY d.finished_at, d.event_id LIMIT ?`, since, now, limit).Scan(&failed).Error
	return failed, err
}

// Resend adds a repetition of an event's delivery, under the number after its last one, and gives that number.
func (r Deliveries) Resend(ctx context.Context, app models.ApplicationID, d models.Delivery) (number int, err error) {
	err = r.db.Tx(ctx, func(ctx context.Context) error {
		var last *int
		err := r.db.Write(ctx).Model(&models.Delivery{}).Where("event_id = ?", d.EventID).Select("MAX(resend)").Scan(&last).Error
		if err != nil {
			return err
		}
		// An event that nobody was told of when it happened has no delivery 0.
		number = 1
		if last != nil {
			number = *last + 1
		}
		d.Resend = number
		return r.Insert(ctx, app, d)
	})
	return number, err
}

// Purge deletes up to limit deliveries, and as many attempts, that expired before now, and gives the greater
// of the two numbers.
func (r Deliveries) Purge(ctx context.Context, now models.Timestamp, limit int) (purged int64, err error) {
	err = r.db.Tx(ctx, func(ctx context.Context) error {
		for _, statement := range []string{
			`DELETE FROM delivery_attempts WHERE (event_id, resend, number) IN
				(SELECT event_id, resend, number FROM delivery_attempts WHERE expires_at < ? ORDER BY expires_at LIMIT ?)`,
			`DELETE FROM deliveries WHERE (event_id, resend) IN
				(SELECT event_id, resend FROM deliveries WHERE expires_at < ? ORDER BY expires_at LIMIT ?)`,
		} {
			n, err := r.db.Exec(ctx, statement, now, limit)
			if err != nil {
				return err
			}
			purged = max(purged, n)
		}
		return nil
	})
	return purged, err
}
