package access

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"idplatform/catalog"
	"idplatform/models"
	"idplatform/platform/vault"
	"idplatform/platform/wire"
	"idplatform/store"
)

// RotationOverlap is how long an outgoing key pair stays valid unless told otherwise.
const RotationOverlap = 24 * time.Hour

// Credentials are what an application's owner is shown, once.
type Credentials struct {
	KeyID         string `json:"key_id"`
	APISecret     string `json:"api_secret"`
	EncryptionKey string `json:"encryption_key"`
}

// Grants are names of services, scopes and purposes.
type Grants struct {
	Services []string `json:"services"`
	Scopes   []string `json:"scopes"`
	Purposes []string `json:"purposes"`
}

// Admin creates applications and changes what they may do.
type Admin struct {
	store    *store.Store
	vault    *vault.Vault
	services []string
	livemode bool
	now      func() time.Time
}

// NewAdmin works on a deployment that serves the named services.
func NewAdmin(s *store.Store, v *vault.Vault, services []string, livemode bool, now func() time.Time) *Admin {
	return &Admin{store: s, vault: v, services: services, livemode: livemode, now: now}
}

// Everything is every grant there is.
func (a *Admin) Everything() Grants {
	var g Grants
	g.Services = append(g.Services, a.services...)
	for _, s := range catalog.AllScopes() {
		g.Scopes = append(g.Scopes, s.Name)
	}
	for _, p := range models.Purposes() {
		g.Purposes = append(g.Purposes, string(p))
	}
	return g
}

// Check lists the names that do not exist, all at once.
func (a *Admin) Check(g Grants) error {
	all := a.Everything()
	var unknown []string
	for _, part := range []struct {
		kind         string
		names, known []string
	}{{"service", g.Services, all.Services}, {"scope", g.Scopes, all.Scopes}, {"purpose", g.Purposes, all.Purposes}} {
		for _, name := range part.names {
			if !slices.Contains(part.known, name) {
				unknown = append(unknown, fmt.Sprintf("%s %q (there are: %s)", part.kind, name, strings.Join(part.known, ", ")))
			}
		}
	}
	if len(unknown) > 0 {
		return fmt.Errorf("unknown %s", strings.Join(unknown, "; unknown "))
	}
	return nil
}

// CreateOrganisation registers an organisation that subscribes to the given services and scopes.
func (a *Admin) CreateOrganisation(ctx context.Context, name string, g Grants) (*models.Organisation, error) {
	if err := a.Check(g); err != nil {
		return nil, err
	}
	o := &models.Organisation{ID: models.NewID("org_", a.now()), Name: name,
		Services: g.Services, Scopes: g.Scopes, CreatedAt: models.At(a.now())}
	return o, a.store.Applications.CreateOrganisation(ctx, o)
}

// EnsureOrganisation is the organisation of that name, created when there is none; its subscription grows to
// hold what is given.
func (a *Admin) EnsureOrganisation(ctx context.Context, name string, g Grants) (org *models.Organisation, err error) {
	err = a.store.Tx(ctx, func(ctx context.Context) error {
		org, err = a.store.Applications.OrganisationNamed(ctx, name)
		if errors.Is(err, store.ErrNotFound) {
			org, err = a.CreateOrganisation(ctx, name, g)
			return err
		}
		if err != nil {
			return err
		}
		// Read once more under the lock: somebody may have changed it since it was found.
		if org, err = a.store.Applications.LockOrganisation(ctx, org.ID); err != nil {
			return err
		}
		org.Services, org.Scopes = union(org.Services, g.Services), union(org.Scopes, g.Scopes)
		return a.store.Applications.UpdateOrganisation(ctx, org)
	})
	if err != nil {
		return nil, err
	}
	return org, nil
}

// CreateApplication adds an application to an organisation. The credentials are given here and nowhere else.
func (a *Admin) CreateApplication(ctx context.Context, o *models.Organisation, name string, g Grants) (*models.Application, Credentials, error) {
	if name = strings.TrimSpace(name); name == "" || utf8.RuneCountInString(name) > 200 {
		return nil, Credentials{}, errors.New("an application's name has 1 to 200 characters")
	}
	if err := a.Check(g); err != nil {
		return nil, Credentials{}, err
	}
	now := models.At(a.now())
	app := &models.Application{
		ID: models.ApplicationID(models.NewID("app_", a.now())), OrganisationID: o.ID, Name: name, KeyID: a.newKeyID(),
		Services: g.Services, Scopes: g.Scopes, Purposes: g.Purposes, CreatedAt: now, UpdatedAt: now,
	}
	pair, shown := a.newPair(app.ID)
	shown.KeyID = app.KeyID
	return app, shown, a.store.Applications.Create(ctx, app, pair)
}

// Find is the one application with this id, key id or name.
func (a *Admin) Find(ctx context.Context, idOrKeyOrName string) (*models.Application, error) {
	apps, err := a.store.Applications.Lookup(ctx, idOrKeyOrName)
	switch {
	case err != nil:
		return nil, err
	case len(apps) == 0:
		return nil, fmt.Errorf("there is no application with the id, key id or name %q; `platform app list` shows them", idOrKeyOrName)
	case len(apps) > 1:
		return nil, fmt.Errorf("several applications are named %q; give the id", idOrKeyOrName)
	}
	return &apps[0], nil
}

// Grant adds to what an application may do. Its organisation's subscription grows with it when subscribe is
// set; without, names outside the subscription are refused. app is brought up to date: what others granted or
// revoked since it was read stays.
func (a *Admin) Grant(ctx context.Context, app *models.Application, g Grants, subscribe bool) error {
	if err := a.Check(g); err != nil {
		return err
	}
	return a.change(ctx, app, union, g, func(ctx context.Context) error {
		org, err := a.store.Applications.LockOrganisation(ctx, app.OrganisationID)
		if err != nil {
			return err
		}
		services, scopes := union(org.Services, g.Services), union(org.Scopes, g.Scopes)
		if beyond := len(services) + len(scopes) - len(org.Services) - len(org.Scopes); beyond > 0 {
			if !subscribe {
				return fmt.Errorf("the organisation %s does not subscribe to all of these; subscribe it first", org.Name)
			}
			org.Services, org.Scopes = services, scopes
			return a.store.Applications.UpdateOrganisation(ctx, org)
		}
		return nil
	})
}

// Revoke takes from what an application may do; names that it does not have are ignored. app is brought up to
// date as by Grant.
func (a *Admin) Revoke(ctx context.Context, app *models.Application, g Grants) error {
	if err := a.Check(g); err != nil {
		return err
	}
	return a.change(ctx, app, without, g, func(context.Context) error { return nil })
}

// change writes what becomes of an application's grants, in one transaction with what goes before. The
// application is read anew under a lock, so that two changes at the same time both count.
func (a *Admin) change(ctx context.Context, app *models.Application, with func(have, names []string) []string, g Grants, before func(context.Context) error) error {
	var fresh *models.Application
	err := a.store.Tx(ctx, func(ctx context.Context) (err error) {
		if err = before(ctx); err != nil {
			return err
		}
		if fresh, err = a.store.Applications.Lock(ctx, app.ID); err != nil {
			return err
		}
		fresh.Services, fresh.Scopes, fresh.Purposes = with(fresh.Services, g.Services), with(fresh.Scopes, g.Scopes), with(fresh.Purposes, g.Purposes)
		fresh.UpdatedAt = models.At(a.now())
		return a.store.Applications.UpdateGrants(ctx, fresh)
	})
	if err == nil {
		*app = *fresh
	}
	return err
}

// Rotate gives an application a new pair of API secret and encryption key; the old pair stays valid for the
// overlap (0 ends it at once).
func (a *Admin) Rotate(ctx context.Context, app *models.Application, overlap time.Duration) (Credentials, error) {
	pair, shown := a.newPair(app.ID)
	shown.KeyID = app.KeyID
	return shown, a.store.Applications.Rotate(ctx, app.ID, pair, models.At(a.now().Add(overlap)))
}

func (a *Admin) newPair(app models.ApplicationID) (*models.KeyPair, Credentials) {
	secrets := make([]byte, 2*wire.SecretSize)
	_, _ = rand.Read(secrets) // crypto/rand does not fail
	pair := &models.KeyPair{ID: models.NewID("kpr_", a.now()), ApplicationID: app, CreatedAt: models.At(a.now())}
	pair.Sealed = a.vault.SealCredential(tableKeyPairs, pair.ID, secrets)
	return pair, Credentials{
		APISecret:     base64.StdEncoding.EncodeToString(secrets[:wire.SecretSize]),
		EncryptionKey: base64.StdEncoding.EncodeToString(secrets[wire.SecretSize:]),
	}
}

func (a *Admin) newKeyID() string {
	if a.livemode {
		return "pk_live_" + rand.Text()[:24]
	}
	return "pk_sandbox_" + rand.Text()[:24]
}

func union(have, more []string) []string {
	out := slices.Clone(have)
	for _, name := range more {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

func without(have, less []string) []string {
	return slices.DeleteFunc(slices.Clone(have), func(name string) bool { return slices.Contains(less, name) })
}
