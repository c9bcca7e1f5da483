// Package e2etest runs the whole platform for end-to-end tests: the real App on real databases, behind a real
// listener, with clients beside it. Every exchange that goes through its clients is held against the platform's
// own OpenAPI document.
package e2etest

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/app"
	"idplatform/catalog"
	"idplatform/config"
	"idplatform/database"
	"idplatform/database/databasetest"
	"idplatform/engines/registry"
	"idplatform/store"
)

// Population is how many citizens the register of a platform has: the test identities and a few more.
const Population = 300

// Options change what Start starts; the zero value is a sandbox on SQLite without limits.
type Options struct {
	Driver database.Driver
	// Limits switches the guards on.
	Limits bool
	// Operations are added to the platform's own.
	Operations []*catalog.Operation
	// Environment is sandbox unless told.
	Environment string
	// Temporal is the address of a Temporal server; empty: none is there.
	Temporal string
	// Worker runs the workers as well.
	Worker bool
	// Change has the last word on the configuration.
	Change func(*config.Config)
}

// Platform is a running platform. Instances of one deployment share databases, master key and clock.
type Platform struct {
	App *app.App
	URL string
	// Clock is what the platform goes by.
	Clock *Clock

	t        testing.TB
	cfg      config.Config
	options  Options
	logs     *logs
	stop     func()
	document *Document
}

// Each runs a test on a platform of its own for each database.
func Each(t *testing.T, test func(t *testing.T, p *Platform)) {
	t.Helper()
	EachWith(t, Options{}, test)
}

// EachWith is Each with options.
func EachWith(t *testing.T, o Options, test func(t *testing.T, p *Platform)) {
	t.Helper()
	for _, driver := range []database.Driver{database.SQLite, database.Postgres} {
		t.Run(string(driver), func(t *testing.T) {
			t.Parallel()
			own := o
			own.Driver = driver
			test(t, Start(t, own))
		})
	}
}

// Start runs a platform on fresh databases until the test ends.
func Start(t testing.TB, o Options) *Platform {
	t.Helper()
	dir := t.TempDir()
	cfg, err := config.Dev(dir, "")
	require.NoError(t, err)
	cfg.MasterKeyFile = masterKey(t, dir)
	cfg.Register.DSN = populated(t)
	cfg.API.SpoolDir = dir
	cfg.API.Limits = o.Limits
	cfg.Temporal.Address = "127.0.0.1:1"
	if o.Temporal != "" {
		cfg.Temporal.Address = o.Temporal
	}
	if o.Environment != "" {
		cfg.Environment = o.Environment
	}
	if o.Driver == database.Postgres {
		cfg.Database.Driver, cfg.Database.DSN = "postgres", databasetest.Postgres(t)
		cfg.Database.MaxConnections = 8
	}
	if o.Change != nil {
		o.Change(&cfg)
	}
	return run(t, cfg, o, &Clock{})
}

// Beside starts another instance of the same deployment.
func (p *Platform) Beside() *Platform {
	p.t.Helper()
	return run(p.t, p.cfg, p.options, p.Clock)
}

// Restart stops the platform and starts it again, on another port.
func (p *Platform) Restart() *Platform {
	p.t.Helper()
	p.stop()
	return p.Beside()
}

func run(t testing.TB, cfg config.Config, o Options, clock *Clock) *Platform {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	cfg.PublicURL = "http://" + listener.Addr().String()
	p := &Platform{URL: cfg.PublicURL, Clock: clock, t: t, cfg: cfg, options: o, logs: &logs{}}
	p.App, err = app.New(t.Context(), cfg, app.Options{API: true, Worker: o.Worker, Listener: listener, Now: clock.Now,
		Operations: o.Operations, Log: slog.New(slog.NewTextHandler(p.logs, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- p.App.Run(ctx) }()
	p.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the platform ended: %v", err)
		}
		if err := p.App.Close(); err != nil {
			t.Errorf("close the platform: %v", err)
		}
	})
	t.Cleanup(func() {
		p.stop()
		if t.Failed() {
			t.Logf("warnings and errors of the platform:\n%s", p.logs.faults())
		}
	})
	p.document = documentOf(t, p)
	return p
}

func masterKey(t testing.TB, dir string) string {
	key := make([]byte, 32)
	_, _ = rand.Read(key)
	path := filepath.Join(dir, "master.key")
	require.NoError(t, os.WriteFile(path, []byte(base64.StdEncoding.EncodeToString(key)), 0o600))
	return path
}

// Store opens the platform's database beside the platform, for a look at the rows.
func (p *Platform) Store() *store.Store {
	p.t.Helper()
	db, err := database.Open(p.t.Context(), database.Config{
		Driver: database.Driver(p.cfg.Database.Driver), DSN: p.cfg.Database.DSN, MaxConnections: 2})
	require.NoError(p.t, err)
	p.t.Cleanup(func() { require.NoError(p.t, db.Close()) })
	s, err := store.New(p.t.Context(), db)
	require.NoError(p.t, err)
	return s
}

// Citizen is a citizen of the register, by the place in the population.
func Citizen(k int) registry.Record { return registry.SyntheticCitizen(k) }

// Page gets a path that needs no signature.
func (p *Platform) Page(path string) (*http.Response, []byte) {
	p.t.Helper()
	request, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, p.URL+path, nil)
	require.NoError(p.t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(p.t, err)
	defer response.Body.Close()
	var body bytes.Buffer
	_, err = body.ReadFrom(response.Body)
	require.NoError(p.t, err)
	return response, body.Bytes()
}

// Clock is the platform's clock: the real one, moved by an offset.
type Clock struct {
	mu     sync.Mutex
	offset time.Duration
}

// Now is the time of the platform.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.offset)
}

// Advance moves the clock on.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offset += d
}

// Logs is what the platform has logged so far.
func (p *Platform) Logs() string { return p.logs.String() }

type logs struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (l *logs) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

// String is everything.
func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// faultsShown bounds how many lines faults gives.
const faultsShown = 20

// faults are the first lines that tell of a fault.
func (l *logs) faults() string {
	var faults bytes.Buffer
	shown := 0
	for line := range bytes.Lines([]byte(l.String())) {
		if shown == faultsShown {
			break
		}
		if bytes.Contains(line, []byte("level=ERROR")) || bytes.Contains(line, []byte("level=WARN")) {
			faults.Write(line)
			shown++
		}
	}
	return faults.String()
}

// AwaitReady waits until every part answers.
func (p *Platform) AwaitReady() {
	p.t.Helper()
	require.Eventually(p.t, func() bool {
		response, _ := p.Page("/readyz")
		return response.StatusCode == http.StatusOK
	}, 30*time.Second, 50*time.Millisecond, "every part answers")
}
