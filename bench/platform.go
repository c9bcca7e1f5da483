package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"os"

	"idplatform/app"
	"idplatform/config"
	"idplatform/database"
	"idplatform/engines/registry"
	"idplatform/models"
)

// platform is the whole platform as it serves, on a loopback address.
type platform struct {
	*place
	app    *app.App
	signer *signer
	people []models.Identifier
	master []byte
	// secured says how firmly its database commits.
	secured string
}

// startPlatform starts the platform on a fresh database; changes have the last word on how.
func startPlatform(ctx context.Context, s settings, kind string, population int, changes ...func(*config.Config, *app.Options)) (_ *platform, err error) {
	at, err := newPlace(ctx, s, kind)
	if err != nil {
		return nil, err
	}
	p := &platform{place: at}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.close())
		}
	}()
	cfg, err := config.Dev(p.folder, "")
	if err != nil {
		return nil, err
	}
	master := make([]byte, 32)
	_, _ = rand.Read(master) // crypto/rand does not fail
	if err := os.WriteFile(cfg.MasterKeyFile, []byte(base64.StdEncoding.EncodeToString(master)), 0o600); err != nil {
		return nil, err
	}
	listener, err := app.Listen("127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	cfg.PublicURL = "http://" + listener.Addr().String()
	cfg.API.Limits = false
	cfg.Database.Driver, cfg.Database.DSN = string(p.driver), p.dsn
	cfg.Register.Driver, cfg.Register.DSN = string(p.driver), p.registerDSN()
	options := app.Options{API: true, Listener: listener}
	for _, change := range changes {
		change(&cfg, &options)
	}
	p.master = master
	if p.app, err = app.New(ctx, cfg, options); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	p.onClose(p.app.Close)
	if err := p.fill(ctx, population); err != nil {
		return nil, err
	}
	p.serve(ctx)
	return p, nil
}

// serve runs the platform until the place is closed.
func (p *platform) serve(ctx context.Context) {
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- p.app.Run(ctx) }()
	p.onClose(func() error { stop(); return <-ended })
}

// fill enters the population and an application that may do everything.
func (p *platform) fill(ctx context.Context, population int) error {
	register, ok := p.app.Register.(*registry.SQL)
	if !ok {
		return errors.New("the register is not the embedded one")
	}
	if err := register.Populate(ctx, population, nil); err != nil {
		return err
	}
	for k := 0; len(p.people) < 4_000 && k < population; k += max(1, population/5_000) {
		record := registry.SyntheticCitizen(k)
		if record.Person.Certified && record.Person.Status == models.AccountActive {
			p.people = append(p.people, record.Identifiers[0])
		}
	}
	org, err := p.app.Admin.CreateOrganisation(ctx, "Bench", p.app.Admin.Everything())
	if err != nil {
		return err
	}
	_, shown, err := p.app.Admin.CreateApplication(ctx, org, "Bench", p.app.Admin.Everything())
	if err != nil {
		return err
	}
	if p.signer, err = newSigner(shown); err != nil {
		return err
	}
	db, err := database.Open(ctx, database.Config{Driver: p.driver, DSN: p.dsn, MaxConnections: 1})
	if err != nil {
		return err
	}
	p.secured, err = durability(ctx, db)
	return errors.Join(err, db.Close())
}

// bodies makes plaintext requests about one citizen after the other.
func (p *platform) bodies(scopes scopes) func() []byte {
	i := 0
	return func() []byte {
		id := p.people[i%len(p.people)]
		i++
		return fmt.Appendf(nil, `{"identifier":{"type":%q,"value":%q},"purpose":"customer_onboarding"%s}`, id.Type, id.Value, scopes.member)
	}
}

// contender is the platform answering calls with the given scopes.
func (p *platform) contender(scopes scopes) *contender {
	body := p.bodies(scopes)
	return &contender{name: "platform", address: p.app.Address(), request: func() []byte { return p.signer.request(body()) }}
}

// scopes is a way to ask: the member of the request that narrows the scopes.
type scopes struct{ name, member string }

var bothScopes = []scopes{{"`[]`", `,"scopes":[]`}, {"default", ""}}
