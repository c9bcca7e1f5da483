package webhooks

import (
	"context"
	"crypto/hmac"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"idplatform/errs"
	"idplatform/models"
	"idplatform/platform/vault"
	"idplatform/store"
)

// Page sizes of the list of events.
const (
	PageDefault = 100
	PageMost    = 500
)

// Log reads the events of applications.
type Log struct {
	store *store.Store
	vault *vault.Vault
	types []models.EventType
	now   func() time.Time
}

// NewLog makes a Log; types are those that can be asked for.
func NewLog(s *store.Store, v *vault.Vault, types []models.EventType, now func() time.Time) *Log {
	return &Log{store: s, vault: v, types: types, now: now}
}

// Query selects events.
type Query struct {
	// Type is empty for all.
	Type string
	// Cursor is that of the previous page; nil for the first.
	Cursor *string
	// Limit is from 1 to PageMost.
	Limit int
}

// List is a page of events, newest first.
type List struct {
	Object     string            `json:"object" enum:"list"`
	Data       []json.RawMessage `json:"data"`
	NextCursor *string           `json:"next_cursor"`
}

// List is a page of an application's events of the last 30 days, as JSON in the stored form. A type that does
// not exist, a limit out of range and a cursor that is malformed, or was made for another application or
// another type, are invalid_request.
func (l *Log) List(ctx context.Context, app models.ApplicationID, q Query) ([]byte, error) {
	rows, err := l.query(app, q)
	if err != nil {
		return nil, err
	}
	rows.Limit++ // one more tells whether there is another page
	events, err := l.store.Events.List(ctx, app, rows)
	if err != nil {
		return nil, fmt.Errorf("read events: %w", err)
	}
	list := List{Object: "list", Data: make([]json.RawMessage, 0, len(events))}
	for i, e := range events {
		if i == q.Limit {
			last := events[i-1]
			list.NextCursor = new(l.cursor(app, q.Type, last.CreatedAt, last.ID))
			break
		}
		body, err := l.vault.Open(ctx, tableEvents, e.ID, e.Body)
		if err != nil {
			return nil, fmt.Errorf("open the event %s: %w", e.ID, err)
		}
		list.Data = append(list.Data, body)
	}
	return encode(list)
}

// query checks all of a query at once.
func (l *Log) query(app models.ApplicationID, q Query) (store.EventQuery, error) {
	rows := store.EventQuery{Type: models.EventType(q.Type), Limit: q.Limit, Now: models.At(l.now())}
	var faults []errs.Field
	if q.Type != "" && !slices.Contains(l.types, rows.Type) {
		faults = append(faults, unknownType("type"))
	}
	if q.Limit < 1 || q.Limit > PageMost {
		faults = append(faults, errs.Field{Field: "limit", Problem: fmt.Sprintf("must be an integer from 1 to %d", PageMost)})
	}
	if q.Cursor != nil {
		at, id, ok := l.readCursor(app, q.Type, *q.Cursor)
		if !ok {
			faults = append(faults, errs.Field{Field: "cursor", Problem: "is not a next_cursor of this list"})
		}
		rows.BeforeAt, rows.BeforeID = at, id
	}
	if len(faults) > 0 {
		return rows, errs.Invalid(faults...)
	}
	return rows, nil
}

// Get is an event of the application, as JSON in the stored form; not_found when it is unknown, another
// application's, or past its 30 days.
func (l *Log) Get(ctx context.Context, app models.ApplicationID, id string) ([]byte, error) {
	if !models.IsID(eventPrefix, id) {
		return nil, errs.New(errs.NotFound)
	}
	e, err := l.store.Events.Get(ctx, app, id, models.At(l.now()))
	if errors.Is(err, store.ErrNotFound) {
		return nil, errs.New(errs.NotFound)
	}
	if err != nil {
		return nil, err
	}
	return l.vault.Open(ctx, tableEvents, e.ID, e.Body)
}

// cursorTag is how many bytes of the tag a cursor carries.
const cursorTag = 16

// cursor is a place in an application's list: "<milliseconds>.<event id>" and a tag under a key of the
// deployment, which no other application or type shares.
func (l *Log) cursor(app models.ApplicationID, typ string, at models.Timestamp, id string) string {
	place := strconv.FormatInt(at.UnixMilli(), 10) + "." + id
	return base64.RawURLEncoding.EncodeToString(append(l.tag(app, typ, place), place...))
}

func (l *Log) tag(app models.ApplicationID, typ, place string) []byte {
	return l.vault.Index("events.cursor", string(app)+"\n"+typ+"\n"+place)[:cursorTag]
}

func (l *Log) readCursor(app models.ApplicationID, typ, cursor string) (at models.Timestamp, id string, ok bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(raw) <= cursorTag {
		return at, "", false
	}
	place := string(raw[cursorTag:])
	if !hmac.Equal(raw[:cursorTag], l.tag(app, typ, place)) {
		return at, "", false
	}
	ms, id, _ := strings.Cut(place, ".")
	n, err := strconv.ParseInt(ms, 10, 64)
	return models.At(time.UnixMilli(n)), id, err == nil
}
