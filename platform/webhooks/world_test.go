package webhooks_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/database"
	"idplatform/database/databasetest"
	"idplatform/models"
	"idplatform/platform/access"
	"idplatform/platform/outbound"
	"idplatform/platform/vault"
	"idplatform/platform/webhooks"
	"idplatform/store"
)

// world is a deployment's database with the parts of webhooks, as several processes would have them.
type world struct {
	t         testing.TB
	store     *store.Store
	vault     *vault.Vault
	admin     *access.Admin
	directory *access.Directory
	clock     *clock
	temporal  *temporal
	files     webhooks.Shower
	opened    []string
	patience  time.Duration
	log       *bytes.Buffer
}

func newWorld(t testing.TB, driver database.Driver) *world {
	t.Helper()
	cfg := database.Config{Driver: driver, DSN: filepath.Join(t.TempDir(), "platform.db")}
	if driver == database.Postgres {
		cfg.DSN, cfg.MaxConnections = databasetest.Postgres(t), 12
	}
	db, err := database.Open(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	s, err := store.New(t.Context(), db)
	require.NoError(t, err)
	w := &world{t: t, store: s, clock: &clock{}, temporal: &temporal{running: map[models.DeliveryID]bool{}}, patience: 300 * time.Millisecond, log: &bytes.Buffer{}}
	master := make([]byte, vault.KeySize)
	_, _ = rand.Read(master)
	w.vault, err = vault.Open(t.Context(), master, s.DataKeys, w.clock.Now())
	require.NoError(t, err)
	w.admin = access.NewAdmin(s, w.vault, []string{"kyc_validation"}, false, w.clock.Now)
	w.directory = access.NewDirectory(s.Applications, w.vault)
	return w
}

// each runs a test on both databases.
func each(t *testing.T, test func(t *testing.T, w *world)) {
	for _, driver := range []database.Driver{database.SQLite, database.Postgres} {
		t.Run(string(driver), func(t *testing.T) {
			t.Parallel()
			test(t, newWorld(t, driver))
		})
	}
}

// clock is the time of all processes: the real one, moved by an offset.
type clock struct {
	mu     sync.Mutex
	offset time.Duration
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.offset)
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offset += d
}

// temporal notes the workflows that are started.
type temporal struct {
	mu       sync.Mutex
	away     bool
	running  map[models.DeliveryID]bool
	started  []start
	restarts int
}

type start struct {
	app  models.ApplicationID
	id   models.DeliveryID
	wait time.Duration
}

var errAway = errors.New("temporal is away")

func (f *temporal) Start(_ context.Context, app models.ApplicationID, id models.DeliveryID, wait time.Duration) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.away {
		return errAway
	}
	if _, known := f.running[id]; known {
		return nil
	}
	f.running[id] = true
	f.started = append(f.started, start{app, id, wait})
	return nil
}

func (f *temporal) Restart(ctx context.Context, app models.ApplicationID, id models.DeliveryID, wait time.Duration) error {
	f.mu.Lock()
	delete(f.running, id)
	f.restarts++
	f.mu.Unlock()
	return f.Start(ctx, app, id, wait)
}

func (f *temporal) Running(_ context.Context, id models.DeliveryID) (bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.away {
		return false, errAway
	}
	return f.running[id], nil
}

func (f *temporal) all() []start {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]start(nil), f.started...)
}

func (f *temporal) set(away bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.away = away
}

func (f *temporal) end(id models.DeliveryID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.running[id] = false
}

// process is one process of the deployment.
type process struct {
	deliverer  *webhooks.Deliverer
	dispatcher *webhooks.Dispatcher
	recorder   *webhooks.Recorder
	stop       func()
}

func (w *world) process() *process {
	w.t.Helper()
	guard, err := outbound.New(outbound.Options{AllowLoopback: w.opened})
	require.NoError(w.t, err)
	client := guard.Client(outbound.Limits{Time: w.patience, Body: 64 << 10})
	p := &process{deliverer: webhooks.NewDeliverer(webhooks.DelivererConfig{Store: w.store, Vault: w.vault, Keys: w.directory, Client: client,
		Files: w.files, Schedule: webhooks.DefaultSchedule(), Now: w.clock.Now, Log: slog.New(slog.DiscardHandler)})}
	p.dispatcher = webhooks.NewDispatcher(p.deliverer, w.temporal)
	p.recorder = w.recorder(p.dispatcher)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- p.dispatcher.Run(ctx) }()
	p.stop = sync.OnceFunc(func() {
		cancel()
		require.NoError(w.t, <-ended)
		client.CloseIdleConnections()
	})
	w.t.Cleanup(p.stop)
	return p
}

func (w *world) recorder(o webhooks.Offerer) *webhooks.Recorder {
	return webhooks.NewRecorder(webhooks.RecorderConfig{Store: w.store, Vault: w.vault, Now: w.clock.Now, Dispatcher: o})
}

func (w *world) reconciler() *webhooks.Reconciler {
	return webhooks.NewReconciler(w.store.Deliveries, w.temporal, w.clock.Now, slog.New(slog.DiscardHandler))
}

// tenant is an application with its receiver.
type tenant struct {
	*models.Application
	world    *world
	creds    access.Credentials
	receiver *receiver
}

func (w *world) tenant(answer http.HandlerFunc, types ...string) *tenant {
	w.t.Helper()
	org, err := w.admin.CreateOrganisation(w.t.Context(), "Organisation", access.Grants{})
	require.NoError(w.t, err)
	app, creds, err := w.admin.CreateApplication(w.t.Context(), org, "Application", access.Grants{})
	require.NoError(w.t, err)
	tn := &tenant{Application: app, world: w, creds: creds, receiver: newReceiver(w.t, answer)}
	w.opened = append(w.opened, tn.receiver.address)
	guard, err := outbound.New(outbound.Options{AllowLoopback: []string{tn.receiver.address}})
	require.NoError(w.t, err)
	require.NoError(w.t, webhooks.NewEndpoints(w.store.Endpoints, guard, models.EventTypes(), w.clock.Now).Set(w.t.Context(), app.ID, "http://"+tn.receiver.address+"/hooks?a=b", types))
	return tn
}

// record records an event about a job in a transaction of its own.
func (tn *tenant) record(r *webhooks.Recorder) string {
	tn.world.t.Helper()
	id, err := tn.tryRecord(r)
	require.NoError(tn.world.t, err)
	return id
}

func (tn *tenant) tryRecord(r *webhooks.Recorder) (id string, err error) {
	err = tn.world.store.Tx(tn.world.t.Context(), func(ctx context.Context) error {
		id, err = r.Record(ctx, tn.ID, models.EventJobCompleted, map[string]any{"id": "job_1", "object": "job", "status": "completed"}, nil)
		return err
	})
	return id, err
}

func (tn *tenant) delivery(event string) models.Delivery {
	tn.world.t.Helper()
	all, err := tn.world.store.Deliveries.Of(tn.world.t.Context(), tn.ID, event)
	require.NoError(tn.world.t, err)
	require.NotEmpty(tn.world.t, all)
	return all[len(all)-1]
}

// await waits until a delivery is as wanted.
func (tn *tenant) await(event string, want func(models.Delivery) bool) models.Delivery {
	tn.world.t.Helper()
	var d models.Delivery
	require.Eventually(tn.world.t, func() bool { d = tn.delivery(event); return want(d) }, 10*time.Second, 2*time.Millisecond)
	return d
}

func delivered(d models.Delivery) bool { return d.Status == models.DeliveryDelivered }
func attempted(d models.Delivery) bool { return d.Attempts > 0 }

func (tn *tenant) attempts(event string) []webhooks.AttemptReport {
	tn.world.t.Helper()
	report, err := webhooks.NewOffice(tn.world.store, tn.world.vault, tn.world.clock.Now).Report(tn.world.t.Context(), tn.ID, event)
	require.NoError(tn.world.t, err)
	return report.Attempts
}

func (tn *tenant) attempt(p *process, event string) webhooks.Verdict {
	tn.world.t.Helper()
	verdict, err := p.deliverer.Attempt(tn.world.t.Context(), tn.ID, models.DeliveryID{EventID: event})
	require.NoError(tn.world.t, err)
	return verdict
}
