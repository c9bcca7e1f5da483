package app

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"idplatform/errs"
	"idplatform/models"
	"idplatform/store"
)

// EventView is an event with the state of its last delivery, as the commands show it.
type EventView struct {
	ID            string                `json:"id"`
	Type          models.EventType      `json:"type"`
	ApplicationID models.ApplicationID  `json:"application_id"`
	CreatedAt     models.Timestamp      `json:"created_at"`
	Delivery      models.DeliveryStatus `json:"delivery,omitempty"`
	Attempts      int                   `json:"attempts,omitempty"`
	Resends       int                   `json:"resends,omitempty"`
	NextAttemptAt *models.Timestamp     `json:"next_attempt_at,omitempty"`
}

// AttemptView is one attempt of a delivery.
type AttemptView struct {
	Resend    int              `json:"resend,omitempty"`
	Number    int              `json:"number"`
	At        models.Timestamp `json:"at"`
	Status    int              `json:"http_status,omitempty"`
	Fault     string           `json:"fault,omitempty"`
	LatencyMS int64            `json:"latency_ms"`
	// Answer is the first 1 KiB of what the receiver answered, quoted.
	Answer string `json:"answer,omitempty"`
}

// EventsQuery says which events a command lists, the newest first.
type EventsQuery struct {
	// Application is an id, a key id or a name; empty for all.
	Application string
	Type        string
	Limit       int
}

// Events lists events with the state of their deliveries.
func (a *Deployment) Events(ctx context.Context, q EventsQuery) ([]EventView, error) {
	rows := store.EventQuery{Type: models.EventType(q.Type), Limit: q.Limit, Now: models.At(a.app.opts.Now())}
	var events []models.Event
	var err error
	if q.Application == "" {
		events, err = a.app.store.Events.Recent(ctx, rows)
	} else {
		application, findErr := a.app.Admin.Find(ctx, q.Application)
		if findErr != nil {
			return nil, findErr
		}
		events, err = a.app.store.Events.List(ctx, application.ID, rows)
	}
	views := make([]EventView, len(events))
	for i, e := range events {
		if views[i], err = a.eventView(ctx, e); err != nil {
			return nil, err
		}
	}
	return views, err
}

func (a *Deployment) eventView(ctx context.Context, e models.Event) (EventView, error) {
	view := EventView{ID: e.ID, Type: e.Type, ApplicationID: e.ApplicationID, CreatedAt: e.CreatedAt}
	deliveries, err := a.app.store.Deliveries.Of(ctx, e.ApplicationID, e.ID)
	if err != nil || len(deliveries) == 0 {
		return view, err
	}
	last := deliveries[len(deliveries)-1]
	view.Delivery, view.Attempts, view.Resends = last.Status, last.Attempts, last.Resend
	if last.Status == models.DeliveryPending {
		view.NextAttemptAt = &last.NextAttemptAt
	}
	return view, nil
}

// Attempts lists every attempt to deliver an event.
func (a *Deployment) Attempts(ctx context.Context, event string) ([]AttemptView, error) {
	owner, err := a.ownerOf(ctx, event)
	if err != nil {
		return nil, err
	}
	report, err := a.app.delivery.office.Report(ctx, owner, event)
	views := make([]AttemptView, len(report.Attempts))
	for i, t := range report.Attempts {
		views[i] = AttemptView{Resend: t.Resend, Number: t.Number, At: t.At, Status: t.HTTPStatus, Fault: t.Fault, LatencyMS: t.LatencyMS}
		if t.Text != "" {
			views[i].Answer = strconv.Quote(t.Text)
		}
	}
	return views, err
}

func (a *Deployment) ownerOf(ctx context.Context, event string) (models.ApplicationID, error) {
	owner, err := a.app.store.Events.Owner(ctx, event)
	if errors.Is(err, store.ErrNotFound) {
		return "", fmt.Errorf("there is no event %s: `platform events list` shows them", event)
	}
	return owner, err
}

// Resend delivers an event once more, under its own id.
func (a *Deployment) Resend(ctx context.Context, event string) (EventView, error) {
	owner, err := a.ownerOf(ctx, event)
	if err != nil {
		return EventView{}, err
	}
	if _, err := a.app.delivery.office.Resend(ctx, owner, event); err != nil {
		return EventView{}, errors.New(errs.From(err).Message)
	}
	a.startDeliveries(ctx)
	e, err := a.app.store.Events.Get(ctx, owner, event, models.At(a.app.opts.Now()))
	if err != nil {
		return EventView{}, err
	}
	return a.eventView(ctx, *e)
}

// Recovery counts what Recover did.
type Recovery struct {
	Resent int `json:"resent"`
	// WithoutEndpoint are left: their application has no endpoint any more.
	WithoutEndpoint int `json:"without_endpoint"`
}

// Recover repeats every delivery that failed since a time, given as RFC 3339 or as how long ago (24h), and was
// not repeated yet.
func (a *Deployment) Recover(ctx context.Context, since string) (Recovery, error) {
	from, err := time.Parse(time.RFC3339, since)
	if err != nil {
		ago, err := time.ParseDuration(since)
		if err != nil || ago <= 0 {
			return Recovery{}, fmt.Errorf("%q is no time: give one such as 2026-11-20T08:00:00Z, or how long ago, such as 24h", since)
		}
		from = a.app.opts.Now().Add(-ago)
	}
	resent, left, err := a.app.delivery.office.Recover(ctx, from)
	a.startDeliveries(ctx)
	return Recovery{Resent: resent, WithoutEndpoint: left}, err
}

// startDeliveries starts what was just asked for. Without Temporal the platform's reconciler does it later.
func (a *Deployment) startDeliveries(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, stopTime)
	defer cancel()
	_ = a.app.repairDeliveries(ctx) // a worker of the platform repairs it
}
