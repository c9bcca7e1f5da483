package webhooks

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"idplatform/models"
	"idplatform/platform/vault"
	"idplatform/store"
)

const (
	// firstLease is how long the recording process has the first attempt for itself.
	firstLease = 30 * time.Second
	// attemptLease is for one attempt: the receiver's time, and that of writing what came of it.
	attemptLease = 15 * time.Second
	// clockSlack is how much too early, by this machine's clock, an attempt may be.
	clockSlack = 2 * time.Second
	// checkSlack is how late an attempt of a workflow may be before the reconciler looks at it.
	checkSlack = 2 * time.Minute
	// settleTime bounds the writing of an outcome.
	settleTime = 10 * time.Second

	tableAttempts = "delivery_attempts"
)

// Keys gives the keys that sign an application's webhooks, the one that counts first.
type Keys interface {
	WebhookKeys(ctx context.Context, app models.ApplicationID, now models.Timestamp) ([][]byte, error)
}

// Shower puts URLs or data into the file objects of a stored event.
type Shower interface {
	Show(ctx context.Context, stored []byte) ([]byte, error)
}

// Schedule is the waits between the attempts of a delivery; there is one attempt more than waits.
type Schedule []time.Duration

// DefaultSchedule is that of the specification: 1 minute, 10 minutes, 1 hour, 6 hours after the first attempt.
func DefaultSchedule() Schedule {
	return Schedule{time.Minute, 10 * time.Minute, time.Hour, 6 * time.Hour}
}

// DelivererConfig is what a Deliverer works with.
type DelivererConfig struct {
	Store *store.Store
	Vault *vault.Vault
	Keys  Keys
	// Client posts; see NewClient.
	Client *http.Client
	// Files shows file objects; nil leaves bodies as they are stored.
	Files    Shower
	Schedule Schedule
	Now      func() time.Time
	Log      *slog.Logger
}

// Deliverer makes the attempts of deliveries, a few at a time to each endpoint. It is safe for concurrent use.
type Deliverer struct {
	DelivererConfig
	gate *gate
}

// NewDeliverer makes a Deliverer; a process has one.
func NewDeliverer(cfg DelivererConfig) *Deliverer {
	return &Deliverer{DelivererConfig: cfg, gate: newGate()}
}

// Verdict says how a delivery stands after Attempt.
type Verdict struct {
	// Done: nothing is left to do. Delivered says how it ended.
	Done, Delivered bool
	// Attempts is how many were made.
	Attempts int
	// Wait is when to come back, when it is not done.
	Wait time.Duration
	// Busy: no attempt was made, since too many wait for the endpoint. Wait is 0: the caller backs off.
	Busy bool
}

const (
	// patience and mostWaiting bound how long, and beside how many, a retry waits for its turn.
	patience    = 2 * time.Second
	mostWaiting = 16
)

// Attempt makes the next attempt of a delivery of the application if it is due. An error means that the
// platform itself failed and that it should be called again.
func (d *Deliverer) Attempt(ctx context.Context, app models.ApplicationID, id models.DeliveryID) (Verdict, error) {
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	leave, err := d.gate.enter(waiting, app, mostWaiting)
	if err != nil {
		return Verdict{Busy: true}, ctx.Err()
	}
	defer leave()
	holder := models.NewID("lse_", d.Now())
	return d.attempt(ctx, app, id, holder, leave, func(context.Context, time.Duration) bool { return true })
}

// carryOn sees to it that the next attempt is made after a wait, and reports whether a workflow does.
type carryOn func(ctx context.Context, wait time.Duration) (started bool)

// attempt is one attempt, inside the gate. leave is called when the receiver has been dealt with.
func (d *Deliverer) attempt(ctx context.Context, app models.ApplicationID, id models.DeliveryID, holder string, leave func(), next carryOn) (Verdict, error) {
	work, verdict, err := d.claim(ctx, app, id, holder)
	if err != nil || work == nil {
		return verdict, err
	}
	// From here on it runs to its end: what was sent is recorded, also when the process is stopping.
	ctx = context.WithoutCancel(ctx)
	at := d.Now()
	answer := reply{fault: faultNoEndpoint}
	if work.URL != "" {
		if answer, err = d.send(ctx, work, at); err != nil {
			return Verdict{}, err
		}
	}
	leave()
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	return d.settle(ctx, work, holder, answer, models.At(at), next)
}

// claim reads a delivery and takes the lease of its next attempt. Without work the verdict says why.
func (d *Deliverer) claim(ctx context.Context, app models.ApplicationID, id models.DeliveryID, holder string) (*store.DeliveryWork, Verdict, error) {
	work, err := d.Store.Deliveries.Work(ctx, app, id)
	if errors.Is(err, store.ErrNotFound) { // past its retention
		return nil, Verdict{Done: true}, nil
	}
	if err != nil {
		return nil, Verdict{}, fmt.Errorf("read a delivery: %w", err)
	}
	verdict := Verdict{Attempts: work.Attempts}
	if work.Status != models.DeliveryPending {
		verdict.Done, verdict.Delivered = true, work.Status == models.DeliveryDelivered
		return nil, verdict, nil
	}
	now := models.At(d.Now())
	if early := work.NextAttemptAt.Sub(now.Time); early > clockSlack {
		verdict.Wait = early
		return nil, verdict, nil
	}
	if work.LeaseHolder == holder && work.LeaseUntil.Sub(now.Time) > attemptLease {
		return work, verdict, nil
	}
	held, err := d.Store.Deliveries.Lease(ctx, app, id, holder, now, models.At(now.Add(attemptLease)))
	if err != nil {
		return nil, Verdict{}, fmt.Errorf("lease a delivery: %w", err)
	}
	if !held {
		verdict.Wait = max(work.LeaseUntil.Sub(now.Time), time.Second)
		return nil, verdict, nil
	}
	return work, verdict, nil
}

// send posts the event as it is shown now.
func (d *Deliverer) send(ctx context.Context, work *store.DeliveryWork, at time.Time) (reply, error) {
	body, err := d.Vault.Open(ctx, tableEvents, work.EventID, work.Body)
	if err == nil && d.Files != nil {
		body, err = d.Files.Show(ctx, body)
	}
	if err != nil {
		return reply{}, fmt.Errorf("read the event %s: %w", work.EventID, err)
	}
	keys, err := d.Keys.WebhookKeys(ctx, work.ApplicationID, models.At(at))
	if err != nil {
		return reply{}, err
	}
	return post(ctx, d.Client, work.URL, work.EventID, body, keys, at), nil
}

// settle records an attempt and what it made of the delivery.
func (d *Deliverer) settle(ctx context.Context, work *store.DeliveryWork, holder string, answer reply, at models.Timestamp, next carryOn) (Verdict, error) {
	now := models.At(d.Now())
	made := work.Attempts + 1
	verdict := Verdict{Attempts: made, Done: true}
	outcome := store.Outcome{Holder: holder, Status: models.DeliveryFailed, NextAttemptAt: now, CheckAt: now}
	switch {
	case answer.acknowledged():
		outcome.Status, verdict.Delivered = models.DeliveryDelivered, true
	case answer.fault != faultNoEndpoint && made <= len(d.Schedule):
		verdict.Done, verdict.Wait = false, d.Schedule[made-1]
		outcome.Status, outcome.NextAttemptAt = models.DeliveryPending, models.At(now.Add(verdict.Wait))
		// The workflow first: should this process end in between, the lease sends it back for the same attempt.
		if outcome.WorkflowStarted = next(ctx, verdict.Wait); outcome.WorkflowStarted {
			outcome.CheckAt = models.At(outcome.NextAttemptAt.Add(checkSlack))
		}
	}
	outcome.Attempt = models.DeliveryAttempt{DeliveryID: work.DeliveryID, At: at, HTTPStatus: answer.status, Fault: answer.fault,
		LatencyMS: answer.latency.Milliseconds(), Answer: []byte{}, ExpiresAt: work.ExpiresAt}
	if len(answer.body) > 0 {
		outcome.Attempt.Answer = d.Vault.Seal(tableAttempts, attemptRow(work.DeliveryID), answer.body)
	}
	held, err := d.Store.Deliveries.Record(ctx, work.ApplicationID, outcome)
	if err != nil {
		return Verdict{}, fmt.Errorf("record an attempt: %w", err)
	}
	if !held {
		d.Log.Warn("a webhook was sent under a lease that had ended", "event", work.EventID, "resend", work.Resend)
		return Verdict{Attempts: work.Attempts, Wait: attemptLease}, nil
	}
	return verdict, nil
}

// attemptRow names an attempt to the vault: the attempts of a delivery share a name.
func attemptRow(id models.DeliveryID) string { return id.EventID + "/" + strconv.Itoa(id.Resend) }
