package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"idplatform/models"
	"idplatform/platform/access"
)

// GrantNames are the services, scopes and purposes of a command; nil where the flag was not given.
type GrantNames = access.Grants

// ApplicationView is an application as the commands show it. It holds no secret.
type ApplicationView struct {
	ID                 models.ApplicationID `json:"id"`
	Name               string               `json:"name"`
	OrganisationID     string               `json:"organisation_id"`
	KeyID              string               `json:"key_id"`
	Services           []string             `json:"services"`
	Scopes             []string             `json:"scopes"`
	Purposes           []string             `json:"purposes"`
	ProductionServices []string             `json:"production_services"`
	WebhookURL         string               `json:"webhook_url,omitempty"`
	WebhookEvents      []string             `json:"webhook_events,omitempty"`
	CreatedAt          models.Timestamp     `json:"created_at"`
	UpdatedAt          models.Timestamp     `json:"updated_at"`
}

func viewOf(a *models.Application) ApplicationView {
	return ApplicationView{ID: a.ID, Name: a.Name, OrganisationID: a.OrganisationID, KeyID: a.KeyID,
		Services: a.Services, Scopes: a.Scopes, Purposes: a.Purposes, ProductionServices: a.ProductionServices,
		CreatedAt: a.CreatedAt, UpdatedAt: a.UpdatedAt}
}

// NewApplication is what `app create` is given.
type NewApplication struct {
	Name string
	// Organisation is created when there is none of that name.
	Organisation string
	Grants       GrantNames
	// Webhook is where its events go; no URL: nowhere yet.
	Webhook WebhookNames
}

// Create adds an application and gives its credentials, which are shown nowhere else. In the sandbox grants
// that are not named are all given; in production none is.
func (a *Deployment) Create(ctx context.Context, n NewApplication) (DevCredentials, error) {
	admin, g := a.app.Admin, n.Grants
	if everything := admin.Everything(); !a.cfg.Livemode() {
		g = GrantNames{Services: orAll(g.Services, everything.Services), Scopes: orAll(g.Scopes, everything.Scopes),
			Purposes: orAll(g.Purposes, everything.Purposes)}
	}
	if err := admin.Check(g); err != nil {
		return DevCredentials{}, err
	}
	if n.Webhook.URL != "" {
		if err := n.Webhook.check(ctx, a.app); err != nil {
			return DevCredentials{}, err
		}
	}
	// All or nothing: an application whose credentials nobody has seen would be of no use to anyone.
	var shown access.Credentials
	err := a.app.store.Tx(ctx, func(ctx context.Context) error {
		org, err := admin.EnsureOrganisation(ctx, n.Organisation, g)
		if err != nil {
			return err
		}
		created, credentials, err := admin.CreateApplication(ctx, org, n.Name, g)
		shown = credentials
		if err != nil || n.Webhook.URL == "" {
			return err
		}
		return a.app.Endpoints.Keep(ctx, created.ID, n.Webhook.URL, n.Webhook.Events)
	})
	if err != nil {
		return DevCredentials{}, err
	}
	return DevCredentials{BaseURL: a.cfg.PublicURL, Credentials: shown}, nil
}

func orAll(named, all []string) []string {
	if named == nil {
		return all
	}
	return named
}

// List shows every application, the oldest first.
func (a *Deployment) List(ctx context.Context) ([]ApplicationView, error) {
	list, err := a.app.store.Applications.List(ctx)
	views := make([]ApplicationView, len(list))
	for i := range list {
		views[i] = viewOf(&list[i])
	}
	return views, err
}

// Show shows one application by id, key id or name.
func (a *Deployment) Show(ctx context.Context, which string) (ApplicationView, error) {
	view, err := a.change(ctx, which, func(*models.Application) error { return nil })
	if err != nil {
		return view, err
	}
	return a.withWebhook(ctx, view)
}

// Grant adds to what an application may do; its organisation's subscription grows with it.
func (a *Deployment) Grant(ctx context.Context, which string, g GrantNames) (ApplicationView, error) {
	return a.change(ctx, which, func(app *models.Application) error { return a.app.Admin.Grant(ctx, app, g, true) })
}

// Revoke takes from what an application may do.
func (a *Deployment) Revoke(ctx context.Context, which string, g GrantNames) (ApplicationView, error) {
	return a.change(ctx, which, func(app *models.Application) error { return a.app.Admin.Revoke(ctx, app, g) })
}

func (a *Deployment) change(ctx context.Context, which string, f func(*models.Application) error) (ApplicationView, error) {
	app, err := a.app.Admin.Find(ctx, which)
	if err != nil {
		return ApplicationView{}, err
	}
	if err := f(app); err != nil {
		return ApplicationView{}, err
	}
	return viewOf(app), nil
}

// Rotate gives an application a new pair of API secret and encryption key; the old one ends after overlap.
func (a *Deployment) Rotate(ctx context.Context, which string, overlap time.Duration) (DevCredentials, error) {
	if overlap < 0 || overlap > 30*24*time.Hour {
		return DevCredentials{}, errors.New("the overlap is between 0 and 720h")
	}
	app, err := a.app.Admin.Find(ctx, which)
	if err != nil {
		return DevCredentials{}, err
	}
	shown, err := a.app.Admin.Rotate(ctx, app, overlap)
	if err != nil {
		return DevCredentials{}, fmt.Errorf("rotate the key pair: %w", err)
	}
	return DevCredentials{BaseURL: a.cfg.PublicURL, Credentials: shown}, nil
}
