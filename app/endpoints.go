package app

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"idplatform/errs"
	"idplatform/models"
	"idplatform/platform/outbound"
	"idplatform/store"
)

// WebhookNames is a webhook endpoint as a command is given it: no events means all of them.
type WebhookNames struct {
	URL    string
	Events []string
}

func (n WebhookNames) check(ctx context.Context, a *App) error {
	return a.endpointFault(a.Endpoints.Check(ctx, n.URL, n.Events))
}

// endpointFault says what is wrong with an endpoint in words for people.
func (a *App) endpointFault(err error) error {
	var invalid *errs.Error
	if !errors.As(err, &invalid) || invalid.Code != errs.InvalidRequest {
		return err
	}
	words := make([]string, len(invalid.Fields))
	for i, f := range invalid.Fields {
		if f.Field == "types" {
			words[i] = fmt.Sprintf("its events must be among %s", a.Catalog.EventTypes())
			continue
		}
		words[i] = "its URL " + f.Problem
	}
	return fmt.Errorf("the webhook endpoint is not possible: %s", strings.Join(words, "; "))
}

// SetWebhook registers an application's endpoint in place of the one it had. Without a URL the events of the
// one it has are changed.
func (a *Deployment) SetWebhook(ctx context.Context, which string, n WebhookNames) (ApplicationView, error) {
	view, err := a.change(ctx, which, func(app *models.Application) error {
		if n.URL == "" {
			endpoint, err := a.app.Endpoints.Get(ctx, app.ID)
			if errors.Is(err, store.ErrNotFound) {
				return errors.New("the application has no webhook endpoint yet: give it one with --url")
			}
			if err != nil {
				return err
			}
			n.URL = endpoint.URL
		}
		return a.app.endpointFault(a.app.Endpoints.Set(ctx, app.ID, n.URL, n.Events))
	})
	if err != nil {
		return view, err
	}
	return a.withWebhook(ctx, view)
}

// RemoveWebhook takes an application's endpoint away.
func (a *Deployment) RemoveWebhook(ctx context.Context, which string) (ApplicationView, error) {
	return a.change(ctx, which, func(app *models.Application) error {
		had, err := a.app.Endpoints.Remove(ctx, app.ID)
		if err == nil && !had {
			err = errors.New("the application has no webhook endpoint")
		}
		return err
	})
}

func (a *Deployment) withWebhook(ctx context.Context, view ApplicationView) (ApplicationView, error) {
	endpoint, err := a.app.Endpoints.Get(ctx, view.ID)
	if errors.Is(err, store.ErrNotFound) {
		return view, nil
	}
	if view.WebhookURL = endpoint.URL; len(endpoint.Types) > 0 {
		view.WebhookEvents = endpoint.Types
	}
	return view, err
}

// loopback lists the addresses on this machine that the flags of dev open.
func (o DevOptions) loopback() []string {
	if own, ok := outbound.LoopbackOf(o.WebhookURL); ok {
		return append([]string{own}, o.AllowLoopback...)
	}
	return o.AllowLoopback
}

// setWebhook registers the endpoint of --webhook-url for the application of credentials.json.
func (d *dev) setWebhook(ctx context.Context) error {
	if d.options.WebhookURL == "" {
		return nil
	}
	creds, err := readCredentials(d.folder)
	if err != nil {
		return err
	}
	application, err := d.app.Admin.Find(ctx, creds.KeyID)
	if err != nil {
		return err
	}
	return d.app.endpointFault(d.app.Endpoints.Set(ctx, application.ID, d.options.WebhookURL, nil))
}
