// Package webhooks tells applications what has happened: events are recorded in the transaction of what they
// tell of (Recorder), can be read for 30 days (Log), and are posted to the application's endpoint.
//
// The first attempt goes out from the process that recorded the event, right after the commit (Dispatcher),
// under a lease on the delivery's row. When it fails, a workflow carries on along the schedule, an attempt
// an activity (Deliverer). What a crash or an absent Temporal leaves behind is found by the Reconciler: whatever
// happens, the delivery's row decides.
package webhooks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"idplatform/database"
	"idplatform/models"
	"idplatform/platform/vault"
	"idplatform/store"
)

// tableEvents names the rows of events to the vault.
const tableEvents = "events"

// eventPrefix begins the ids of events.
const eventPrefix = "evt_"

// Retention is how long events can be read unless told otherwise.
const Retention = 30 * 24 * time.Hour

// Offerer takes a delivery whose row has just been committed, without blocking.
type Offerer interface {
	// Holder is whose lease the delivery is inserted under.
	Holder() string
	Offer(app models.ApplicationID, id models.DeliveryID, recorded time.Time)
}

// Recorder writes events. It is safe for concurrent use.
type Recorder struct {
	store     *store.Store
	vault     *vault.Vault
	livemode  bool
	retention time.Duration
	now       func() time.Time
	offerer   Offerer
}

// RecorderConfig is what a Recorder works with.
type RecorderConfig struct {
	Store    *store.Store
	Vault    *vault.Vault
	Livemode bool
	// Retention of events; 0 means 30 days.
	Retention time.Duration
	Now       func() time.Time
	// Dispatcher makes the first attempts; nil leaves them to the reconciler of another process.
	Dispatcher Offerer
}

// NewRecorder makes a Recorder.
func NewRecorder(cfg RecorderConfig) *Recorder {
	if cfg.Retention == 0 {
		cfg.Retention = Retention
	}
	return &Recorder{store: cfg.Store, vault: cfg.Vault, livemode: cfg.Livemode, retention: cfg.Retention, now: cfg.Now, offerer: cfg.Dispatcher}
}

// Envelope is an event as applications get it (specification, Events).
type Envelope struct {
	ID        string           `json:"id"`
	Object    string           `json:"object" enum:"event"`
	Type      models.EventType `json:"type"`
	Livemode  bool             `json:"livemode"`
	CreatedAt models.Timestamp `json:"created_at"`
	Data      Data             `json:"data"`
}

// Data is what an event is about.
type Data struct {
	Object             any            `json:"object" doc:"The resource, in the shape in which the API returns it."`
	PreviousAttributes map[string]any `json:"previous_attributes,omitempty" doc:"The former values of what has changed, on *.status_changed events."`
}

// Record writes an event for an application and, when its endpoint wants the type, the delivery; both belong to
// the transaction that ctx carries, and the first attempt starts right after its commit. object is what the
// event is about, as JSON encodes it, or json.RawMessage or []byte holding JSON; file objects in the stored form. previous are
// the former values of what has changed, nil for most types. It gives the event's id.
func (r *Recorder) Record(ctx context.Context, app models.ApplicationID, typ models.EventType, object any, previous map[string]any) (string, error) {
	if text, ok := object.([]byte); ok {
		object = json.RawMessage(text)
	}
	now := models.At(r.now())
	id := models.NewID(eventPrefix, now.Time)
	body, err := encode(Envelope{ID: id, Object: "event", Type: typ, Livemode: r.livemode, CreatedAt: now,
		Data: Data{Object: object, PreviousAttributes: previous}})
	if err != nil {
		return "", fmt.Errorf("encode an event of type %s: %w", typ, err)
	}
	event := models.Event{ID: id, Type: typ, Body: r.vault.Seal(tableEvents, id, body), CreatedAt: now, ExpiresAt: models.At(now.Add(r.retention))}
	err = r.store.Tx(ctx, func(ctx context.Context) error {
		if err := r.store.Events.Insert(ctx, app, event); err != nil {
			return fmt.Errorf("write an event: %w", err)
		}
		return r.deliver(ctx, app, event)
	})
	return id, err
}

// deliver adds the event's delivery when the endpoint wants it.
func (r *Recorder) deliver(ctx context.Context, app models.ApplicationID, e models.Event) error {
	endpoint, err := r.store.Endpoints.Get(ctx, app)
	if errors.Is(err, store.ErrNotFound) || err == nil && !endpoint.Wants(e.Type) {
		return nil
	}
	if err != nil {
		return err
	}
	d := models.Delivery{DeliveryID: models.DeliveryID{EventID: e.ID}, NextAttemptAt: e.CreatedAt, CheckAt: e.CreatedAt,
		CreatedAt: e.CreatedAt, ExpiresAt: e.ExpiresAt}
	if r.offerer != nil {
		d.LeaseHolder, d.LeaseUntil = r.offerer.Holder(), models.At(e.CreatedAt.Add(firstLease))
		d.CheckAt = d.LeaseUntil
		database.AfterCommit(ctx, func() { r.offerer.Offer(app, d.DeliveryID, e.CreatedAt.Time) })
	}
	if err := r.store.Deliveries.Insert(ctx, app, d); err != nil {
		return fmt.Errorf("write a delivery: %w", err)
	}
	return nil
}

// encode is JSON without the escapes that only HTML needs.
func encode(v any) ([]byte, error) {
	var buffer bytes.Buffer
	enc := json.NewEncoder(&buffer)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(buffer.Bytes(), "\n"), nil
}
