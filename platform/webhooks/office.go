package webhooks

import (
	"context"
	"errors"
	"fmt"
	"time"

	"idplatform/errs"
	"idplatform/models"
	"idplatform/platform/vault"
	"idplatform/store"
)

// Office is where deliveries are looked at and repeated, by operators and from the console.
type Office struct {
	store *store.Store
	vault *vault.Vault
	now   func() time.Time
}

// NewOffice makes an Office.
func NewOffice(s *store.Store, v *vault.Vault, now func() time.Time) *Office {
	return &Office{store: s, vault: v, now: now}
}

// Resend delivers an event of the application once more, under its own id, with the whole schedule. not_found
// when there is no such event, or when the application has no endpoint. The reconciler takes it up.
func (o *Office) Resend(ctx context.Context, app models.ApplicationID, event string) (id models.DeliveryID, err error) {
	now := models.At(o.now())
	err = o.store.Tx(ctx, func(ctx context.Context) error {
		e, err := o.store.Events.Get(ctx, app, event, now)
		if errors.Is(err, store.ErrNotFound) {
			return errs.Newf(errs.NotFound, "There is no event %s, or not any more.", event)
		}
		if err != nil {
			return err
		}
		if _, err := o.store.Endpoints.Get(ctx, app); errors.Is(err, store.ErrNotFound) {
			return errs.Newf(errs.NotFound, "The application has no webhook endpoint: register one first.")
		} else if err != nil {
			return err
		}
		id.EventID = e.ID
		id.Resend, err = o.store.Deliveries.Resend(ctx, app, models.Delivery{DeliveryID: models.DeliveryID{EventID: e.ID},
			NextAttemptAt: now, CheckAt: now, CreatedAt: now, ExpiresAt: e.ExpiresAt})
		return err
	})
	return id, err
}

// recoverGroup is how many failed deliveries are taken up at a time.
const recoverGroup = 200

// Recover repeats every delivery, of any application, that failed since a time and was not repeated yet, and
// gives their number. Those whose application has no endpoint any more are left and counted apart.
func (o *Office) Recover(ctx context.Context, since time.Time) (resent, left int, err error) {
	for from := models.At(since); ; {
		failed, err := o.store.Deliveries.Failed(ctx, from, models.At(o.now()), left+recoverGroup)
		if err != nil {
			return resent, left, fmt.Errorf("find failed deliveries: %w", err)
		}
		before, skipped := resent, 0
		for _, d := range failed {
			_, err := o.Resend(ctx, d.ApplicationID, d.EventID)
			switch {
			case err == nil:
				resent++
			case errs.From(err).Code == errs.NotFound:
				skipped++
			default:
				return resent, left, err
			}
		}
		left = skipped
		if resent == before {
			return resent, left, nil
		}
	}
}

// Report is what became of an event's deliveries.
type Report struct {
	Deliveries []models.Delivery
	Attempts   []AttemptReport
}

// AttemptReport is an attempt with the beginning of the receiver's answer.
type AttemptReport struct {
	models.DeliveryAttempt
	Text string
}

// Report tells of every delivery of an event of the application, and of every attempt.
func (o *Office) Report(ctx context.Context, app models.ApplicationID, event string) (Report, error) {
	deliveries, err := o.store.Deliveries.Of(ctx, app, event)
	if err != nil {
		return Report{}, err
	}
	attempts, err := o.store.Deliveries.Attempts(ctx, app, event)
	report := Report{Deliveries: deliveries, Attempts: make([]AttemptReport, len(attempts))}
	for i, a := range attempts {
		report.Attempts[i] = AttemptReport{DeliveryAttempt: a}
		if len(a.Answer) == 0 {
			continue
		}
		text, err := o.vault.Open(ctx, tableAttempts, attemptRow(a.DeliveryID), a.Answer)
		if err != nil {
			return Report{}, err
		}
		report.Attempts[i].Text = string(text)
	}
	return report, err
}
