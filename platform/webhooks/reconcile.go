package webhooks

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"idplatform/models"
	"idplatform/store"
)

const (
	// reconcileGroup is how many deliveries are taken up at a time, and reconcileTime how long one Reconcile goes on.
	reconcileGroup = 200
	reconcileTime  = 8 * time.Second
	// recheck is when a delivery is looked at again that could not be seen to.
	recheck = 10 * time.Second
)

// Workflows are the workflows of deliveries. An error means that Temporal is away.
type Workflows interface {
	Starter
	// Restart starts a workflow in place of one that is closed or gone; one that runs is no error.
	Restart(ctx context.Context, app models.ApplicationID, id models.DeliveryID, wait time.Duration) error
	// Running reports whether the workflow of a delivery runs; false also when there is none.
	Running(ctx context.Context, id models.DeliveryID) (bool, error)
}

// Reconciler finds the deliveries that nobody is working on.
type Reconciler struct {
	deliveries store.Deliveries
	workflows  Workflows
	now        func() time.Time
	log        *slog.Logger
}

// NewReconciler makes a Reconciler.
func NewReconciler(deliveries store.Deliveries, workflows Workflows, now func() time.Time, log *slog.Logger) *Reconciler {
	return &Reconciler{deliveries: deliveries, workflows: workflows, now: now, log: log}
}

// Reconcile starts the workflow of every pending delivery that has none though its lease has ended (its process
// died before the first attempt, or Temporal was away), and starts again those whose workflow was closed or
// is gone. It is to be called every few seconds, by one process at a time; a second one does no harm. It works
// for about 8 s at most, and gives how many workflows it started. The error says that Temporal or the database
// is away.
func (r *Reconciler) Reconcile(ctx context.Context) (started int, err error) {
	end := time.Now().Add(reconcileTime)
	for {
		now := r.now()
		due, err := r.deliveries.Due(ctx, models.At(now), models.At(now.Add(recheck)), reconcileGroup)
		if err != nil {
			return started, fmt.Errorf("find due deliveries: %w", err)
		}
		n, err := r.see(ctx, due)
		started += n
		if err != nil || len(due) < reconcileGroup || time.Now().After(end) {
			return started, err
		}
	}
}

// see sees to each of a group, a few at a time. The first failure ends it: what is left is due again soon.
func (r *Reconciler) see(ctx context.Context, due []models.Delivery) (int, error) {
	var started atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(startsAtOnce)
	for _, d := range due {
		group.Go(func() error {
			again, err := r.seeTo(ctx, d)
			if again {
				started.Add(1)
			}
			return err
		})
	}
	err := group.Wait()
	return int(started.Load()), err
}

func (r *Reconciler) seeTo(ctx context.Context, d models.Delivery) (started bool, err error) {
	now := r.now()
	if d.LeaseUntil.After(now) { // an attempt is under way
		return false, r.deliveries.PutOff(ctx, d.ApplicationID, d.DeliveryID, d.WorkflowStarted, d.LeaseUntil)
	}
	wait := max(0, d.NextAttemptAt.Sub(now))
	start := r.workflows.Start
	if d.WorkflowStarted {
		running, err := r.workflows.Running(ctx, d.DeliveryID)
		if err != nil {
			return false, err
		}
		if running {
			return false, r.deliveries.PutOff(ctx, d.ApplicationID, d.DeliveryID, true, models.At(now.Add(wait+checkSlack)))
		}
		start = r.workflows.Restart
		r.log.Warn("a delivery's workflow was closed or gone; it is started again", "event", d.EventID, "resend", d.Resend)
	}
	if err := start(ctx, d.ApplicationID, d.DeliveryID, wait); err != nil {
		return false, err
	}
	return true, r.deliveries.PutOff(ctx, d.ApplicationID, d.DeliveryID, true, models.At(now.Add(wait+checkSlack)))
}
