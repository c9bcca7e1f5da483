package webhooks

import (
	"context"
	"slices"
	"time"

	"idplatform/errs"
	"idplatform/models"
	"idplatform/store"
)

// URLChecker judges a URL before it is kept: invalid_request with the field "url".
type URLChecker interface {
	CheckURL(ctx context.Context, rawURL string) error
}

// Endpoints registers where applications want their events.
type Endpoints struct {
	endpoints store.Endpoints
	urls      URLChecker
	types     []models.EventType
	now       func() time.Time
}

// NewEndpoints makes an Endpoints; types are those that can be chosen.
func NewEndpoints(endpoints store.Endpoints, urls URLChecker, types []models.EventType, now func() time.Time) *Endpoints {
	return &Endpoints{endpoints: endpoints, urls: urls, types: types, now: now}
}

// Check judges an endpoint: invalid_request with the fields "url" and "types", both faults at once.
func (e *Endpoints) Check(ctx context.Context, url string, types []string) error {
	var faults []errs.Field
	if err := e.urls.CheckURL(ctx, url); err != nil {
		found := errs.From(err)
		if found.Kind() != errs.KindInvalid {
			return err
		}
		faults = append(faults, found.Fields...)
	}
	for _, name := range types {
		if !slices.Contains(e.types, models.EventType(name)) {
			faults = append(faults, unknownType("types"))
			break
		}
	}
	if len(faults) > 0 {
		return errs.Invalid(faults...)
	}
	return nil
}

// Set registers an application's endpoint in place of the one it had. No types means all of them.
func (e *Endpoints) Set(ctx context.Context, app models.ApplicationID, url string, types []string) error {
	if err := e.Check(ctx, url, types); err != nil {
		return err
	}
	return e.Keep(ctx, app, url, types)
}

// Keep writes an endpoint that Check has judged: a transaction must not wait for the look-ups of a check.
func (e *Endpoints) Keep(ctx context.Context, app models.ApplicationID, url string, types []string) error {
	sorted := slices.Sorted(slices.Values(types))
	return e.endpoints.Set(ctx, app, models.WebhookEndpoint{URL: url, Types: slices.Compact(sorted), UpdatedAt: models.At(e.now())})
}

// Get is an application's endpoint; store.ErrNotFound when it has none.
func (e *Endpoints) Get(ctx context.Context, app models.ApplicationID) (*models.WebhookEndpoint, error) {
	return e.endpoints.Get(ctx, app)
}

// Remove takes an application's endpoint away and reports whether it had one. Deliveries under way fail at
// their next attempt.
func (e *Endpoints) Remove(ctx context.Context, app models.ApplicationID) (bool, error) {
	return e.endpoints.Remove(ctx, app)
}

func unknownType(field string) errs.Field {
	return errs.Field{Field: field, Problem: "names no type of event: the documentation of events lists them"}
}
