package webhooks

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"idplatform/models"
)

const (
	// mostPending bounds the first attempts that wait in a process; those beyond are left to the reconciler.
	mostPending = 8192
	// queueTime is how long a first attempt waits for its turn before a workflow takes over; what is left of
	// the first lease suffices for an attempt.
	queueTime = firstLease - attemptLease
	// startsAtOnce bounds the workflows that are being started, and startTime each start.
	startsAtOnce = 8
	startTime    = 3 * time.Second
	// stopTime is how long attempts under way get when the process stops.
	stopTime = AcknowledgeTime
)

// Starter starts the workflow that carries on with a delivery: the next attempt after wait. One that was
// started before, whatever became of it, is no error.
type Starter interface {
	Start(ctx context.Context, app models.ApplicationID, id models.DeliveryID, wait time.Duration) error
}

// Dispatcher makes the first attempt of deliveries in the process that recorded them. It implements Offerer.
type Dispatcher struct {
	deliverer *Deliverer
	starter   Starter
	holder    string
	log       *slog.Logger
	starts    *semaphore.Weighted

	ctx  context.Context // ends when the dispatcher stops
	stop context.CancelFunc

	mu      sync.Mutex
	pending int
	stopped bool
	idle    chan struct{} // closed when it has stopped and nothing is pending
}

// NewDispatcher makes a Dispatcher. It works from the first Offer on; Run sees to its end.
func NewDispatcher(d *Deliverer, starter Starter) *Dispatcher {
	ctx, stop := context.WithCancel(context.Background())
	return &Dispatcher{deliverer: d, starter: starter, holder: models.NewID("prc_", d.Now()), log: d.Log,
		starts: semaphore.NewWeighted(startsAtOnce), ctx: ctx, stop: stop, idle: make(chan struct{})}
}

// Holder implements Offerer.
func (d *Dispatcher) Holder() string { return d.holder }

// Offer implements Offerer. A delivery that cannot be taken waits for its lease to end and the reconciler to come.
func (d *Dispatcher) Offer(app models.ApplicationID, id models.DeliveryID, recorded time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stopped || d.pending >= mostPending {
		return
	}
	d.pending++
	go d.deliver(app, id, recorded)
}

// Run waits for the context to end, lets attempts under way finish, and gives back what was not begun.
func (d *Dispatcher) Run(ctx context.Context) error {
	<-ctx.Done()
	d.mu.Lock()
	if !d.stopped {
		d.stopped = true
		if d.pending == 0 {
			close(d.idle)
		}
	}
	d.mu.Unlock()
	d.stop()
	select {
	case <-d.idle:
	case <-time.After(stopTime):
	}
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if _, err := d.deliverer.Store.Deliveries.ReleaseHeld(after, d.holder, models.At(d.deliverer.Now())); err != nil {
		d.log.Warn("the leases of deliveries were not given back; they end by themselves", "cause", err.Error())
	}
	return nil
}

func (d *Dispatcher) done() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.pending--; d.stopped && d.pending == 0 {
		close(d.idle)
	}
}

// deliver makes the first attempt, or hands it on when its turn does not come.
func (d *Dispatcher) deliver(app models.ApplicationID, id models.DeliveryID, recorded time.Time) {
	defer d.done()
	waiting, cancel := context.WithTimeout(d.ctx, queueTime-d.deliverer.Now().Sub(recorded))
	defer cancel()
	leave, err := d.deliverer.gate.enter(waiting, app, 0)
	if err != nil {
		d.handOn(app, id)
		return
	}
	defer leave()
	_, err = d.deliverer.attempt(d.ctx, app, id, d.holder, leave, func(ctx context.Context, wait time.Duration) bool {
		return d.start(ctx, app, id, wait)
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		d.log.Error("a webhook's first attempt failed here; a workflow makes it", "event", id.EventID, "cause", err.Error())
	}
}

// handOn lets a workflow make the first attempt once the lease has ended. When the dispatcher stops, leases
// are given back instead.
func (d *Dispatcher) handOn(app models.ApplicationID, id models.DeliveryID) {
	if d.ctx.Err() != nil || !d.start(d.ctx, app, id, firstLease-queueTime) {
		return
	}
	check := models.At(d.deliverer.Now().Add(firstLease - queueTime + checkSlack))
	if err := d.deliverer.Store.Deliveries.PutOff(d.ctx, app, id, true, check); err != nil {
		d.log.Warn("it was not noted that a delivery has its workflow; the reconciler finds out", "event", id.EventID, "cause", err.Error())
	}
}

func (d *Dispatcher) start(ctx context.Context, app models.ApplicationID, id models.DeliveryID, wait time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	if d.starts.Acquire(ctx, 1) != nil {
		return false
	}
	defer d.starts.Release(1)
	if err := d.starter.Start(ctx, app, id, wait); err != nil {
		d.log.Warn("a delivery's workflow was not started; the reconciler does it", "event", id.EventID, "cause", err.Error())
		return false
	}
	return true
}

var _ Offerer = (*Dispatcher)(nil)
