package store

import (
	"context"

	"idplatform/database"
	"idplatform/models"
)

// Deliveries keeps the deliveries of events and their attempts.
type Deliveries struct{ db *database.DB }

const insertDelivery = `INSERT INTO deliveries (event_id, resend, application_id, status, attempts, lease_holder, lease_until,
	next_attempt_at, workflow_started, check_at, created_at, expires_at) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)`

// Insert adds a pending delivery of an event of the application.
func (r Deliveries) Insert(ctx context.Context, app models.ApplicationID, d models.Delivery) error {
	_, err := r.db.Exec(ctx, insertDelivery, d.EventID, d.Resend, app, models.DeliveryPending, 0, d.LeaseHolder, d.LeaseUntil,
		d.NextAttemptAt, false, d.CheckAt, d.CreatedAt, d.ExpiresAt)
	return err
}

// DeliveryWork is a delivery with all that an attempt needs: the event's sealed body, and the endpoint's URL,
// empty when the application has none any more.
type DeliveryWork struct {
	models.Delivery
	Type models.EventType
	Body []byte
	URL  string
}

const deliveryWork = `SELECT d.event_id, d.resend, d.application_id, d.status, d.attempts, d.lease_holder, d.lease_until,
	d.next_attempt_at, d.workflow_started, d.expires_at, e.type, e.body, COALESCE(w.url, '')
FROM deliveries d
JOIN events e ON e.id = d.event_id
LEFT JOIN webhook_endpoints w ON w.application_id = d.application_id
WHERE d.event_id = ? AND d.resend = ? AND d.application_id = ?`

// Work reads a delivery of the application for an attempt, in one query, or ErrNotFound.
func (r Deliveries) Work(ctx context.Context, app models.ApplicationID, id models.DeliveryID) (*DeliveryWork, error) {
	rows, err := r.db.Query(ctx, deliveryWork, id.EventID, id.Resend, app)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return nil, err
		}
		return nil, ErrNotFound
	}
	var w DeliveryWork
	err = rows.Scan(&w.EventID, &w.Resend, &w.ApplicationID, &w.Status, &w.Attempts, &w.LeaseHolder, &w.LeaseUntil,
		&w.NextAttemptAt, &w.WorkflowStarted, &w.ExpiresAt, &w.Type, &w.Body, &w.URL)
	return &w, err
}

// Lease gives the holder the next attempt of a pending delivery until the given time, unless another's lease
// still runs, and reports whether the holder has it. The reconciler is put off until the lease ends.
func (r Deliveries) Lease(ctx context.Context, app models.ApplicationID, id models.DeliveryID, holder string, now, until models.Timestamp) (bool, error) {
	n, err := r.db.Exec(ctx, `UPDATE deliveries SET lease_holder = ?, lease_until = ?,
		check_at = CASE WHEN check_at < ? THEN ? ELSE check_at END
		WHERE event_id = ? AND resend = ? AND application_id = ? AND status = 'pending' AND (lease_holder = ? OR lease_until <= ?)`,
		holder, until, until, until, id.EventID, id.Resend, app, holder, now)
	return n == 1, err
}

// ReleaseHeld ends the leases of a holder that stops, so that others need not wait for them to run out, and
// makes their deliveries due for the reconciler.
func (r Deliveries) ReleaseHeld(ctx context.Context, holder string, now models.Timestamp) (int64, error) {
	return r.db.Exec(ctx, `UPDATE deliveries SET lease_holder = '', lease_until = ?, check_at = ?
		WHERE status = 'pending' AND lease_holder = ? AND lease_until > ?`, now, now, holder, now)
}

// Outcome is what an attempt made of its delivery.
type Outcome struct {
	Attempt models.DeliveryAttempt
	// Holder is whose lease the attempt was made under.
	Holder string
	Status models.DeliveryStatus
	// NextAttemptAt and CheckAt are those of a delivery that stays pending.
	NextAttemptAt, CheckAt models.Timestamp
	WorkflowStarted        bool
}

// Record writes an attempt and what it made of its delivery, in one transaction. It reports whether the delivery
// was still the holder's; an attempt whose lease was lost is written as well, and a success counts even so.
func (r Deliveries) Record(ctx context.Context, app models.ApplicationID, o Outcome) (held bool, err error) {
	var finished *models.Timestamp
	if o.Status != models.DeliveryPending {
		finished = &o.Attempt.At
	}
	err = r.db.Tx(ctx, func(ctx context.Context) error {
		n, err := r.db.Exec(ctx, `UPDATE deliveries SET attempts = attempts + 1, status = ?, next_attempt_at = ?, check_at = ?,
			workflow_started = (workflow_started OR ?), finished_at = ?, lease_holder = '', lease_until = 0
			WHERE event_id = ? AND resend = ? AND application_id = ? AND status = 'pending' AND (lease_holder = ? OR ?)`,
			o.Status, o.NextAttemptAt, o.CheckAt, o.WorkflowStarted, finished,
			o.Attempt.EventID, o.Attempt.Resend, app, o.Holder, o.Status == models.DeliveryDelivered)
		if err != nil {
			return err
		}
		held = n == 1
		a := o.Attempt
		_, err = r.db.Exec(ctx, `INSERT INTO delivery_attempts
			(event_id, resend, number, application_id, at, http_status, fault, latency_ms, answer, expires_at)
			VALUES (?, ?, (SELECT COALESCE(MAX(number), 0) + 1 FROM delivery_attempts WHERE event_id = ? AND resend = ?), ?, ?, ?, ?, ?, ?, ?)`,
			a.EventID, a.Resend, a.EventID, a.Resend, app, a.At, a.HTTPStatus, a.Fault, a.LatencyMS, a.Answer, a.ExpiresAt)
		return err
	})
	return held, err
}

// Attempts reads the attempts of all deliveries of an event of the application, in order.
func (r Deliveries) Attempts(ctx context.Context, app models.ApplicationID, event string) ([]models.DeliveryAttempt, error) {
	var attempts []models.DeliveryAttempt
	err := r.db.Read(ctx).Where("event_id = ? AND application_id = ?", event, app).Order("resend, number").Find(&attempts).Error
	return attempts, err
}

// Of reads the deliveries of an event of the application, in order.
func (r Deliveries) Of(ctx context.Context, app models.ApplicationID, event string) ([]models.Delivery, error) {
	var deliveries []models.Delivery
	err := r.db.Read(ctx).Where("event_id = ? AND application_id = ?", event, app).Order("resend").Find(&deliveries).Error
	return deliveries, err
}
