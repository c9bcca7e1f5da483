package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"idplatform/app/datadir"
	"idplatform/app/devtemporal"
	"idplatform/config"
	"idplatform/engines/registry"
)

// DevOptions are the flags of `platform dev`.
type DevOptions struct {
	Data           string
	Listen         string
	TemporalPort   int
	TemporalUIPort int
	Population     int
	NoLimits       bool
	// WebhookURL is registered for the application of credentials.json.
	WebhookURL string
	// AllowLoopback lists the host:port pairs on this machine that URLs of callers may lead to, besides WebhookURL's.
	AllowLoopback []string
	ConfigFile    string
	// Ready is called with the base URL when every part answers.
	Ready func(baseURL string)
	// Progress takes the progress of the first start, for people.
	Progress io.Writer
}

// readyTime bounds how long every part may take to answer after a start.
const readyTime = 60 * time.Second

// Dev runs the whole platform on one machine until the context ends: SQLite, a supervised Temporal, API,
// workers, a synthetic population. What it needs it creates in the data folder, once. A start that fails
// leaves nothing half-created.
func Dev(ctx context.Context, o DevOptions) (err error) {
	temporalBinary, err := devtemporal.Find()
	if err != nil {
		return err
	}
	cfg, err := config.Dev(o.Data, o.ConfigFile)
	if err != nil {
		return err
	}
	if o.Population < 0 {
		return fmt.Errorf("a population of %d is not possible: give 0 (the test identities alone) or more with --population", o.Population)
	}
	if cfg.Livemode() {
		return errors.New("environment production needs its own deployment: dev runs the sandbox")
	}
	listener, err := Listen(o.Listen)
	if err != nil {
		return err
	}
	defer listener.Close()
	folder, err := datadir.Lock(o.Data)
	if err != nil {
		return err
	}
	started := false
	defer func() {
		if started {
			err = errors.Join(err, folder.Release())
		} else {
			err = errors.Join(err, folder.Discard())
		}
	}()
	d := &dev{options: o, cfg: cfg, listener: listener, folder: o.Data}
	if err := d.startTemporal(ctx, temporalBinary); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.stopTemporal()) }()
	if err := d.prepare(ctx); err != nil {
		if ctx.Err() != nil {
			return errors.New("stopped before everything was created; the next start begins anew or goes on from here")
		}
		return err
	}
	started = true
	return d.run(ctx)
}

// dev is one run of the development platform.
type dev struct {
	options  DevOptions
	cfg      config.Config
	folder   string
	listener net.Listener
	temporal *devtemporal.Server
	log      *slog.Logger
	tempLog  *os.File
	app      *App
}

func (d *dev) startTemporal(ctx context.Context, binary string) (err error) {
	d.log = newLogger(d.cfg.Log)
	if d.tempLog, err = os.OpenFile(filepath.Join(d.folder, "temporal.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err != nil {
		return err
	}
	d.temporal, err = devtemporal.Start(ctx, devtemporal.Options{
		Binary:    binary,
		DBFile:    filepath.Join(d.folder, "temporal.db"),
		Port:      d.options.TemporalPort,
		UIPort:    d.options.TemporalUIPort,
		Namespace: d.cfg.Temporal.Namespace,
		SearchAttributes: map[string]string{
			"PlatformApplication": "Keyword", "PlatformService": "Keyword", "PlatformStatus": "Keyword"},
		Log:    d.tempLog,
		Logger: d.log,
	})
	if err != nil {
		return errors.Join(err, d.tempLog.Close())
	}
	return nil
}

func (d *dev) stopTemporal() error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	return errors.Join(d.temporal.Stop(ctx), d.tempLog.Close())
}

// prepare composes the app and creates what a first start creates.
func (d *dev) prepare(ctx context.Context) (err error) {
	d.cfg.PublicURL = "http://" + d.listener.Addr().String()
	d.cfg.API.Listen = d.listener.Addr().String()
	d.cfg.API.Limits = !d.options.NoLimits
	d.cfg.Temporal.Address = d.temporal.Address()
	d.cfg.Temporal.Deployment, d.cfg.Temporal.Build = "", "" // nobody here makes a build the current one
	d.cfg.Webhooks.AllowLoopback = append(d.cfg.Webhooks.AllowLoopback, d.options.loopback()...)
	if err := ensureMasterKey(d.cfg.MasterKeyFile); err != nil {
		return err
	}
	if d.app, err = New(ctx, d.cfg, Options{API: true, Worker: true, Listener: d.listener, Log: d.log}); err != nil {
		return err
	}
	if register, ok := d.app.Register.(*registry.SQL); ok {
		err = populate(ctx, register, d.options.Population, d.options.Progress)
	}
	if err == nil {
		err = d.ensureCredentials(ctx)
	}
	if err == nil {
		err = d.setWebhook(ctx)
	}
	if err == nil {
		err = writeSettings(d.folder, d.cfg)
	}
	if err != nil {
		return errors.Join(err, d.app.Close())
	}
	return nil
}

func (d *dev) run(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	ended := make(chan error, 1)
	go func() { ended <- d.app.Run(ctx) }()
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		d.watch(ctx, stop)
	}()
	err := <-ended
	stop(nil)
	<-watched
	if reason := context.Cause(ctx); err == nil && !errors.Is(reason, context.Canceled) {
		err = reason
	}
	return errors.Join(err, d.app.Close())
}

// watch says when everything is ready, and ends the run when Temporal is given up.
func (d *dev) watch(ctx context.Context, stop context.CancelCauseFunc) {
	if err := awaitReady(ctx, d.cfg.PublicURL); err != nil {
		stop(err)
		return
	}
	if d.options.Ready != nil && ctx.Err() == nil {
		d.options.Ready(d.cfg.PublicURL)
	}
	select {
	case <-ctx.Done():
	case err := <-d.temporal.Exited():
		stop(fmt.Errorf("temporal has ended: %w", err))
	}
}

// awaitReady asks /readyz until every part answers.
func awaitReady(ctx context.Context, baseURL string) error {
	ctx, cancel := context.WithTimeout(ctx, readyTime)
	defer cancel()
	asker := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, baseURL+"/readyz", nil)
		if err != nil {
			return err
		}
		answer, err := asker.Do(request)
		if err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return fmt.Errorf("the platform was not ready within %s; %s/readyz names the part that is not", readyTime, baseURL)
			}
			return nil
		case <-time.After(25 * time.Millisecond):
		}
	}
}
