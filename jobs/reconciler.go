package jobs

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"golang.org/x/sync/errgroup"

	"idplatform/errs"
	"idplatform/models"
	"idplatform/store"
)

const (
	reconcileEvery = 5 * time.Second
	reconcileLease = 20 * time.Second
	// checkAgain is when a pending row that was looked at is looked at again: with reconcileEvery it bounds
	// how long after Temporal's return recorded work waits for its start.
	checkAgain    = 30 * time.Second
	checkedAtOnce = 200
	// checkStarted is when a job that is being worked on is looked at again: rarely, for its workflow sees to it.
	checkStarted   = 2 * time.Minute
	repairedAtOnce = 8
	reconcilerName = "reconciler"
)

// Repair repairs one more kind of recorded work; webhooks are one.
type Repair func(ctx context.Context) error

// Reconciler starts what was recorded but never started (a crash between commit and start, Temporal away),
// and starts again what is unsettled although its workflow is closed or gone. It is no workflow itself, so
// that it can repair even a lost Temporal store. Any number of processes may run one; a lease lets one work.
type Reconciler struct {
	service *Service
	store   *store.Store
	holder  string
	now     func() time.Time
	log     *slog.Logger
	repairs []Repair
}

// NewReconciler makes a reconciler; holder names this process.
func NewReconciler(s *Service, st *store.Store, holder string, now func() time.Time, log *slog.Logger, repairs ...Repair) *Reconciler {
	return &Reconciler{service: s, store: st, holder: holder, now: now, log: log, repairs: repairs}
}

// Run repairs until the context ends.
func (r *Reconciler) Run(ctx context.Context) error {
	tick := time.NewTicker(reconcileEvery)
	defer tick.Stop()
	for {
		if err := r.Reconcile(ctx); err != nil && ctx.Err() == nil {
			r.log.Error("recorded work was not reconciled; it is tried again", "cause", err.Error())
		}
		select {
		case <-ctx.Done():
			return r.store.Leases.Release(context.WithoutCancel(ctx), reconcilerName, r.holder)
		case <-tick.C:
		}
	}
}

// Reconcile looks once at everything that is due, if this process has the lease and Temporal is there.
func (r *Reconciler) Reconcile(ctx context.Context) error {
	if r.service.health.Check() != nil {
		return nil
	}
	now := models.At(r.now())
	held, err := r.store.Leases.Acquire(ctx, reconcilerName, r.holder, now, models.At(now.Add(reconcileLease)))
	if err != nil || !held {
		return err
	}
	all := []error{r.jobs(ctx, now), r.batches(ctx, now)}
	for _, repair := range r.repairs {
		all = append(all, repair(ctx))
	}
	return errors.Join(all...)
}

// jobs goes over all jobs that are due, group by group. One that is being worked on is not looked at again for
// minutes, so that a register's outage, which keeps thousands pending, does not hide the few that were never
// started.
func (r *Reconciler) jobs(ctx context.Context, now models.Timestamp) error {
	for {
		due, err := r.store.Jobs.Due(ctx, now, models.At(now.Add(checkAgain)), checkedAtOnce)
		if err != nil {
			return err
		}
		started, err := each(ctx, r, due, r.job)
		ids := make([]string, len(started))
		for i, job := range started {
			ids[i] = job.ID
		}
		err = errors.Join(err, r.store.Jobs.PutOff(ctx, ids, models.At(r.now().Add(checkStarted))))
		if err != nil || len(due) < checkedAtOnce {
			return err
		}
		at := r.now()
		if held, err := r.store.Leases.Acquire(ctx, reconcilerName, r.holder, models.At(at), models.At(at.Add(reconcileLease))); err != nil || !held {
			return err
		}
	}
}

func (r *Reconciler) batches(ctx context.Context, now models.Timestamp) error {
	due, err := r.store.Batches.Due(ctx, now, models.At(now.Add(checkAgain)), checkedAtOnce)
	if err == nil {
		_, err = each(ctx, r, due, r.batch)
	}
	return err
}

// each repairs all that is due, a few at a time, and gives those back that are worked on now. One that cannot
// be repaired does not keep the others from it, unless Temporal itself is away.
func each[T any](ctx context.Context, r *Reconciler, due []T, repair func(context.Context, *T) error) (worked []*T, err error) {
	var (
		mu    sync.Mutex
		all   []error
		group errgroup.Group
	)
	group.SetLimit(repairedAtOnce)
	for i := range due {
		if ctx.Err() != nil || r.service.health.Check() != nil {
			break
		}
		group.Go(func() error {
			err := repair(ctx, &due[i])
			if err != nil {
				r.service.health.Suspect(ctx)
			}
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				all = append(all, err)
			} else {
				worked = append(worked, &due[i])
			}
			return nil
		})
	}
	_ = group.Wait() // the errors are in all
	return worked, errors.Join(all...)
}

// job starts a job again, whoever ended its workflow: a job is not cancelled.
func (r *Reconciler) job(ctx context.Context, job *models.Job) error {
	state, err := r.state(ctx, job.ID)
	if err != nil || state == running {
		return err
	}
	r.log.Info("a job is started again", "job", job.ID)
	return r.service.startJob(ctx, job.ApplicationID, job.ID, job.Service)
}

// batch starts a batch again, unless an operator ended its workflow: that cancels it.
func (r *Reconciler) batch(ctx context.Context, b *models.Batch) error {
	state, err := r.state(ctx, b.ID)
	switch {
	case err != nil || state == running:
		return err
	case state == ended:
		r.log.Info("a batch whose workflow was ended by an operator is cancelled", "batch", b.ID)
		_, _, err := r.service.pipeline.CancelBatch(ctx, b.ApplicationID, b.ID)
		if code := errs.From(err).Code; err != nil && (code == errs.BatchNotFound || code == errs.BatchAlreadyFinished) {
			return nil // past its retention, or ended meanwhile
		}
		return err
	}
	r.log.Info("a batch is started again", "batch", b.ID)
	return r.service.startBatch(ctx, b)
}

// state is what Temporal says of a workflow.
type state int

const (
	gone    state = iota // unknown, or closed by itself
	running              // being worked on
	ended                // cancelled or terminated by an operator
)

func (r *Reconciler) state(ctx context.Context, id string) (state, error) {
	ctx, stop := context.WithTimeout(ctx, startTime)
	defer stop()
	answer, err := r.service.temporal.DescribeWorkflowExecution(ctx, id, "")
	var unknown *serviceerror.NotFound
	if errors.As(err, &unknown) {
		return gone, nil
	}
	if err != nil {
		return gone, err
	}
	switch answer.GetWorkflowExecutionInfo().GetStatus() {
	case enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, enumspb.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW:
		return running, nil
	case enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED, enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED:
		return ended, nil
	}
	return gone, nil
}
