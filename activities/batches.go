package activities

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"idplatform/errs"
	"idplatform/models"
	"idplatform/pipeline"
)

// Batches executes asynchronous batches.
type Batches struct {
	Pipeline *pipeline.Pipeline
	Log      *slog.Logger
}

// SliceInput names a slice of a batch: places From (included) to To (excluded).
type SliceInput struct {
	ApplicationID models.ApplicationID
	BatchID       string
	Service       string
	From, To      int
	// Last says that there is no other try.
	Last bool
}

// SliceResult counts the items that were set aside for another try.
type SliceResult struct {
	Aside int
}

// position is the heartbeat of a slice: where to go on after a crash, and how many were set aside before.
type position struct {
	Next  int
	Aside int
}

// RunSlice executes the pending items of a slice. It heartbeats its position and goes on from there.
func (a *Batches) RunSlice(ctx context.Context, in SliceInput) (SliceResult, error) {
	from := position{Next: in.From}
	if activity.HasHeartbeatDetails(ctx) {
		if err := activity.GetHeartbeatDetails(ctx, &from); err != nil {
			from = position{Next: in.From} // a position that cannot be read is none: settled items are passed over anyway
		}
	}
	working, stop := untilWorkerStops(ctx)
	defer stop()
	pulse := startPulse(ctx, from)
	defer pulse.stop()
	aside, err := a.Pipeline.RunSlice(working, pipeline.Slice{
		ApplicationID: in.ApplicationID, BatchID: in.BatchID, Service: in.Service, From: from.Next, To: in.To, Last: in.Last,
	}, func(next, aside int) { pulse.beat(position{Next: next, Aside: from.Aside + aside}) })
	if err != nil && ctx.Err() == nil && working.Err() != nil {
		// The worker stops: another one goes on at once, from the heartbeat.
		return SliceResult{}, temporal.NewApplicationErrorWithOptions("the worker stops", "worker_stopping",
			temporal.ApplicationErrorOptions{NextRetryDelay: 50 * time.Millisecond, Category: temporal.ApplicationErrorCategoryBenign})
	}
	if errors.Is(err, context.Canceled) {
		return SliceResult{}, err
	}
	return SliceResult{Aside: from.Aside + aside}, logged(a.Log, err, "batch", in.BatchID)
}

// untilWorkerStops ends when the activity's context does or its worker begins to stop.
func untilWorkerStops(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	stopping := activity.GetWorkerStopChannel(ctx)
	go func() {
		select {
		case <-stopping:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// BatchInput names a batch.
type BatchInput struct {
	ApplicationID models.ApplicationID
	BatchID       string
}

// BatchEnd is how a batch ended, or, while items are pending, how it stands.
type BatchEnd struct {
	Status                     models.BatchStatus
	Pending, Succeeded, Failed int64
}

// FinishBatch ends a batch whose items are all settled.
func (a *Batches) FinishBatch(ctx context.Context, in BatchInput) (BatchEnd, error) {
	end, err := a.Pipeline.FinishBatch(ctx, in.ApplicationID, in.BatchID)
	return BatchEnd(end), logged(a.Log, err, "batch", in.BatchID)
}

// CancelBatch settles what is left of a batch as cancelled. A batch that has finished, or is past its
// retention, is left alone.
func (a *Batches) CancelBatch(ctx context.Context, in BatchInput) error {
	_, _, err := a.Pipeline.CancelBatch(ctx, in.ApplicationID, in.BatchID)
	if err != nil && (errs.From(err).Code == errs.BatchAlreadyFinished || errs.From(err).Code == errs.BatchNotFound) {
		return nil
	}
	return logged(a.Log, err, "batch", in.BatchID)
}
