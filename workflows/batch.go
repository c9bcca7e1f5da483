package workflows

import (
	"errors"
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"idplatform/activities"
	"idplatform/models"
)

// QueryProgress is the query that tells how far a batch is.
const QueryProgress = "progress"

const (
	chunksWanted = 20
	chunkLeast   = 25
)

// BatchInput is the input of Batch.
type BatchInput struct {
	ApplicationID models.ApplicationID
	BatchID       string
	Service       string
	Total         int
}

// BatchProgress is the answer to QueryProgress.
type BatchProgress struct {
	Chunks     int
	ChunksDone int
}

// BatchResult is the result of Batch.
type BatchResult struct {
	Chunks int
}

// ChunkID is the workflow id of a chunk: the batch's and its number, such as bat_…/0007.
func ChunkID(batch string, number int) string { return fmt.Sprintf("%s/%04d", batch, number) }

// Batch executes an asynchronous batch: a child workflow for each of about twenty chunks of its items, then
// the end of the batch with its one event. When it is cancelled, what is left is settled as cancelled.
func Batch(ctx workflow.Context, in BatchInput) (BatchResult, error) {
	b := &batch{in: in}
	if err := workflow.SetQueryHandler(ctx, QueryProgress, func() (BatchProgress, error) { return b.progress, nil }); err != nil {
		return BatchResult{}, err
	}
	err := b.runChunks(ctx)
	if ctx.Err() != nil {
		return BatchResult{}, b.cancel(ctx)
	}
	if err != nil {
		return BatchResult{}, err
	}
	return BatchResult{Chunks: b.progress.Chunks}, b.finish(ctx)
}

type batch struct {
	in       BatchInput
	progress BatchProgress
	// fault is why a chunk failed; nil as long as none did.
	fault error
}

// runChunks starts every chunk and waits for all of them. How many run at a time is the workers' matter (they
// share their places fairly among applications), so that a chunk that waits for a register to come back
// holds nobody up.
func (b *batch) runChunks(ctx workflow.Context) error {
	size := max(chunkLeast, (b.in.Total+chunksWanted-1)/chunksWanted)
	b.progress.Chunks = (b.in.Total + size - 1) / size
	all := workflow.NewSelector(ctx)
	for n := range b.progress.Chunks {
		b.start(ctx, all, n, BatchChunkInput{ApplicationID: b.in.ApplicationID, BatchID: b.in.BatchID, Service: b.in.Service,
			From: n * size, To: min((n+1)*size, b.in.Total)})
	}
	for b.progress.ChunksDone < b.progress.Chunks {
		all.Select(ctx)
	}
	return b.fault
}

// start starts a chunk; one that an operator ended, although the batch goes on, is started again.
func (b *batch) start(ctx workflow.Context, all workflow.Selector, number int, chunk BatchChunkInput) {
	child := workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{
		WorkflowID:          ChunkID(b.in.BatchID, number),
		TaskQueue:           QueueBulk,
		WaitForCancellation: true,
		ParentClosePolicy:   enumspb.PARENT_CLOSE_POLICY_TERMINATE,
		// A chunk that is started again, after somebody terminated it or its batch, has its old id.
		WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		StaticSummary:         fmt.Sprintf("Items %d to %d", chunk.From+1, chunk.To),
	}), BatchChunk, chunk)
	all.AddFuture(child, func(f workflow.Future) {
		err := f.Get(ctx, nil)
		var terminated *temporal.TerminatedError
		if ctx.Err() == nil && (temporal.IsCanceledError(err) || errors.As(err, &terminated)) {
			b.start(ctx, all, number, chunk)
			return
		}
		if b.fault == nil {
			b.fault = err
		}
		b.progress.ChunksDone++
		workflow.SetCurrentDetails(ctx, fmt.Sprintf("%d of %d chunks done", b.progress.ChunksDone, b.progress.Chunks))
	})
}

func (b *batch) finish(ctx workflow.Context) error {
	var batches *activities.Batches
	var end activities.BatchEnd
	if err := workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, settling), batches.FinishBatch, b.named()).Get(ctx, &end); err != nil {
		return err
	}
	if end.Pending > 0 {
		return fmt.Errorf("%d items are still pending although every chunk is done", end.Pending)
	}
	return b.show(ctx, end)
}

// cancel settles what is left, then ends the workflow as cancelled.
func (b *batch) cancel(ctx workflow.Context) error {
	reason := ctx.Err()
	ctx, done := workflow.NewDisconnectedContext(ctx)
	defer done()
	var batches *activities.Batches
	settling := workflow.WithActivityOptions(ctx, settling)
	if err := workflow.ExecuteActivity(settling, batches.CancelBatch, b.named()).Get(settling, nil); err != nil {
		return err
	}
	var end activities.BatchEnd
	if err := workflow.ExecuteActivity(settling, batches.FinishBatch, b.named()).Get(settling, &end); err != nil {
		return err
	}
	if err := b.show(ctx, end); err != nil {
		return err
	}
	return reason
}

// show tells operators how the batch ended.
func (b *batch) show(ctx workflow.Context, end activities.BatchEnd) error {
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("%d items succeeded, %d failed", end.Succeeded, end.Failed))
	return showStatus(ctx, string(end.Status))
}

func (b *batch) named() activities.BatchInput {
	return activities.BatchInput{ApplicationID: b.in.ApplicationID, BatchID: b.in.BatchID}
}

// BatchChunkInput is the input of BatchChunk: the items with places From (included) to To (excluded).
type BatchChunkInput struct {
	ApplicationID models.ApplicationID
	BatchID       string
	Service       string
	From, To      int
}

// BatchChunkResult is the result of BatchChunk.
type BatchChunkResult struct {
	Tries int
}

const (
	asideFirst = time.Second
	asideMost  = 30 * time.Second
)

// BatchChunk executes a chunk of a batch: one activity goes over its items. Items that failed for a passing
// reason are tried again, at growing intervals, until the platform's patience ends. It begins with the first
// try: a chunk that waited long for a worker has as much of it as any other.
func BatchChunk(ctx workflow.Context, in BatchChunkInput) (BatchChunkResult, error) {
	var batches *activities.Batches
	var deadline time.Time
	wait := asideFirst
	for try := 1; ; try++ {
		last := try > 1 && !workflow.Now(ctx).Before(deadline)
		slice := activities.SliceInput{ApplicationID: in.ApplicationID, BatchID: in.BatchID, Service: in.Service,
			From: in.From, To: in.To, Last: last}
		var left activities.SliceResult
		if err := workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, slicing), batches.RunSlice, slice).Get(ctx, &left); err != nil {
			return BatchChunkResult{}, err
		}
		if left.Aside == 0 || last {
			return BatchChunkResult{Tries: try}, nil
		}
		if try == 1 {
			deadline = workflow.Now(ctx).Add(Patience)
		}
		workflow.SetCurrentDetails(ctx, fmt.Sprintf("%d items wait for another try", left.Aside))
		if err := workflow.Sleep(ctx, wait); err != nil {
			return BatchChunkResult{}, err
		}
		wait = min(2*wait, asideMost)
	}
}
