// Package app puts the platform together: New composes the parts that a process runs, Run serves until its
// context ends, Close lets go of everything. The command line and every end-to-end test use it.
package app

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"go.temporal.io/sdk/client"
	"golang.org/x/sync/errgroup"

	"idplatform/activities"
	"idplatform/api"
	"idplatform/catalog"
	"idplatform/config"
	"idplatform/database"
	"idplatform/engines/registry"
	"idplatform/jobs"
	"idplatform/models"
	"idplatform/pipeline"
	"idplatform/platform/access"
	"idplatform/platform/audit"
	"idplatform/platform/files"
	"idplatform/platform/outbound"
	"idplatform/platform/vault"
	"idplatform/platform/webhooks"
	"idplatform/services"
	"idplatform/store"
	"idplatform/workers"
)

// Options say which parts a process runs and what it runs on.
type Options struct {
	// API serves HTTP, Worker executes workflows and activities.
	API, Worker bool
	// Listener is used in place of listening on the configured address.
	Listener net.Listener
	// Now is the clock; nil means the real one.
	Now func() time.Time
	// Operations are added to the catalog of the platform's services.
	Operations []*catalog.Operation
	Log        *slog.Logger
}

// App is a composed process.
type App struct {
	Admin    *access.Admin
	Catalog  *catalog.Catalog
	Register registry.Register
	// Events records what applications are told of, Endpoints where.
	Events    *webhooks.Recorder
	Endpoints *webhooks.Endpoints
	// Outbound guards requests to URLs that callers give.
	Outbound *outbound.Guard

	cfg      config.Config
	opts     Options
	process  string // names this process to the others
	pipeline *pipeline.Pipeline
	files    *files.Files
	jobs     *jobs.Service
	health   *jobs.Health
	store    *store.Store
	vault    *vault.Vault
	temporal client.Client
	server   *http.Server
	delivery delivery
	closers  []func() error
}

// New opens the databases, brings their schemas up to date and puts the parts together. Nothing is served
// before Run, but the listener is open, so that a port in use is known here.
func New(ctx context.Context, cfg config.Config, opts Options) (_ *App, err error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Log == nil {
		opts.Log = newLogger(cfg.Log)
	}
	a := &App{cfg: cfg, opts: opts, process: models.NewID("prc_", opts.Now())}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.Close())
		}
	}()
	if err := a.openStores(ctx); err != nil {
		return nil, err
	}
	if err := a.openFiles(ctx); err != nil {
		return nil, err
	}
	if a.temporal, err = client.NewLazyClient(client.Options{
		HostPort: cfg.Temporal.Address, Namespace: cfg.Temporal.Namespace, Logger: opts.Log,
	}); err != nil {
		return nil, err
	}
	a.onClose(func() error { a.temporal.Close(); return nil })
	if err := a.openServices(); err != nil {
		return nil, err
	}
	if err := a.openWebhooks(); err != nil {
		return nil, err
	}
	a.pipeline = pipeline.New(pipeline.Config{Store: a.store, Vault: a.vault, Catalog: a.Catalog, Events: a.Events,
		Livemode: cfg.Livemode(), Retention: cfg.Retention.Results, IdempotencyWindow: cfg.Retention.Idempotency,
		Files: a.files, Now: opts.Now, Log: opts.Log})
	a.health = jobs.NewHealth(a.temporal, opts.Log)
	a.jobs = jobs.New(a.pipeline, a.temporal, a.health, opts.Log)
	if opts.API {
		return a, a.openAPI()
	}
	return a, nil
}

func (a *App) onClose(f func() error) { a.closers = append(a.closers, f) }

func (a *App) openStores(ctx context.Context) error {
	db, err := database.Open(ctx, database.Config{
		Driver: database.Driver(a.cfg.Database.Driver), DSN: a.cfg.Database.DSN, MaxConnections: a.cfg.Database.MaxConnections})
	if err != nil {
		return err
	}
	a.onClose(db.Close)
	if a.store, err = store.New(ctx, db); err != nil {
		return err
	}
	text, err := a.cfg.MasterKeyText()
	if err != nil {
		return err
	}
	master, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return fmt.Errorf("the master key in %s is not base64", a.cfg.MasterKeyFile)
	}
	if a.vault, err = vault.Open(ctx, master, a.store.DataKeys, a.opts.Now()); err != nil {
		return err
	}
	register, closeRegister, err := openRegister(ctx, a.cfg.Register)
	if err != nil {
		return err
	}
	a.Register = register
	a.onClose(closeRegister)
	return nil
}

// openFiles opens the platform's own files; those of the register are the register's.
func (a *App) openFiles(ctx context.Context) error {
	own, err := files.NewStore(ctx, a.vault, a.cfg.Files.Store)
	if err != nil {
		return fmt.Errorf("open files.store: %w", err)
	}
	a.onClose(own.Close)
	a.files = files.New(files.Config{Vault: a.vault, PublicURL: a.cfg.PublicURL, Lifetime: a.cfg.Files.URLLifetime,
		Now: a.opts.Now, Register: a.Register, Store: own})
	return nil
}

func (a *App) openServices() error {
	platform, err := services.All(services.Engines{Register: a.Register})
	if err != nil {
		return err
	}
	a.Catalog, err = catalog.New(append(platform.Operations(), a.opts.Operations...)...)
	if err != nil {
		return err
	}
	a.Admin = access.NewAdmin(a.store, a.vault, a.Catalog.Services(), a.cfg.Livemode(), a.opts.Now)
	return nil
}

func (a *App) openAPI() error {
	handler, err := api.New(api.Config{
		Catalog:  a.Catalog,
		Pipeline: a.pipeline,
		Jobs:     a.jobs,
		Events:   a.delivery.log,
		Files:    a.files,
		Callers:  access.NewDirectory(a.store.Applications, a.vault),
		Nonces:   a.store.Nonces,
		Meter:    access.NewMeter(a.store.Applications, a.opts.Log),
		Ready: []api.Check{
			{Name: "database", Probe: a.store.Ping},
			{Name: "register", Probe: a.Register.Ping},
			{Name: "temporal", Probe: a.pingTemporal},
			{Name: "workers", Probe: func(ctx context.Context) error { return workers.Polled(ctx, a.temporal) }},
		},
		Livemode: a.cfg.Livemode(), Limits: a.cfg.API.Limits, SpoolDir: a.cfg.API.SpoolDir,
		TrustedProxies: a.cfg.API.TrustedProxies, Now: a.opts.Now, Log: a.opts.Log,
	})
	if err != nil {
		return err
	}
	if a.opts.Listener == nil {
		if a.opts.Listener, err = Listen(a.cfg.API.Listen); err != nil {
			return err
		}
	}
	a.onClose(func() error { _ = a.opts.Listener.Close(); return nil }) // Run has closed it already where it ran
	a.server = &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       3 * time.Minute,
		WriteTimeout:      5 * time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(a.opts.Log.Handler(), slog.LevelDebug),
	}
	return nil
}

// Listen opens the API's address; an address in use is said in one sentence.
func Listen(address string) (net.Listener, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("the API cannot listen on %s (%w): choose another address with --listen or api.listen", address, cause(err))
	}
	return listener, nil
}

// cause is the innermost error, without the addresses that net repeats.
func cause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

func (a *App) pingTemporal(ctx context.Context) error {
	_, err := a.temporal.CheckHealth(ctx, &client.CheckHealthRequest{})
	return err
}

// Address is where the API listens.
func (a *App) Address() string { return a.opts.Listener.Addr().String() }

// stopTime bounds how long running requests get to finish once the context has ended.
const stopTime = 5 * time.Second

// Run serves until the context ends or a part fails, and returns when everything has stopped.
func (a *App) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	if a.server != nil {
		group.Go(func() error { return a.serve(ctx) })
	}
	if a.opts.Worker {
		sealer := audit.NewSealer(a.store, a.vault, a.process, a.opts.Now, a.opts.Log)
		reconciler := jobs.NewReconciler(a.jobs, a.store, a.process, a.opts.Now, a.opts.Log, a.repairDeliveries)
		group.Go(func() error { return a.work(ctx) })
		group.Go(func() error { return sealer.Run(ctx) })
		group.Go(func() error { return reconciler.Run(ctx) })
	}
	if a.delivery.dispatcher != nil {
		group.Go(func() error { return a.delivery.dispatcher.Run(ctx) })
	}
	group.Go(func() error { return a.health.Run(ctx) })
	group.Go(func() error { return a.renewKeys(ctx) })
	return group.Wait()
}

func (a *App) serve(ctx context.Context) error {
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		deadline, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
		defer cancel()
		stopped <- a.server.Shutdown(deadline)
	}()
	if err := a.server.Serve(a.opts.Listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	if err := <-stopped; errors.Is(err, context.DeadlineExceeded) {
		return a.server.Close() // those who are still sending or reading are cut off
	}
	return nil
}

// work runs the workers. Temporal may come later than this process: it is waited for.
func (a *App) work(ctx context.Context) error {
	for {
		w := workers.New(a.temporal, workers.Version{Deployment: a.cfg.Temporal.Deployment, Build: a.cfg.Temporal.Build}, a.activities())
		err := w.Start(ctx)
		if err == nil {
			<-ctx.Done()
			w.Stop()
			return nil
		}
		w.Stop()
		a.opts.Log.Warn("the workers wait for Temporal", "cause", err.Error())
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Second):
		}
	}
}

func (a *App) activities() workers.Activities {
	return workers.Activities{
		Jobs:     &activities.Jobs{Pipeline: a.pipeline, Log: a.opts.Log},
		Batches:  &activities.Batches{Pipeline: a.pipeline, Log: a.opts.Log},
		Webhooks: &activities.Webhooks{Deliverer: a.delivery.deliverer, Log: a.opts.Log},
		Maintenance: &activities.Maintenance{Nonces: a.store.Nonces, Results: a.store.Results, Idempotency: a.store.Idempotency,
			Jobs: a.store.Jobs, Batches: a.store.Batches, Events: a.store.Events, Deliveries: a.store.Deliveries, Now: a.opts.Now},
	}
}

// renewKeys lets the vault make new data keys in time. It asks far more often than one is due, so that neither
// a failure nor an unlucky start makes a key much older than it should be.
func (a *App) renewKeys(ctx context.Context) error {
	hour := time.NewTicker(time.Hour)
	defer hour.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-hour.C:
			if err := a.vault.Refresh(ctx, a.opts.Now()); err != nil {
				a.opts.Log.Error("data keys were not renewed; it is tried again in an hour", "cause", err.Error())
			}
		}
	}
}

// Close lets go of everything, the last opened first.
func (a *App) Close() error {
	var all []error
	for i := len(a.closers) - 1; i >= 0; i-- {
		all = append(all, a.closers[i]())
	}
	a.closers = nil
	return errors.Join(all...)
}
