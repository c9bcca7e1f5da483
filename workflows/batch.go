package workflows

import (
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
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
}

// runChunks starts every chunk and waits for all of them. How many run at a time is the workers' matter (they
// share their places fairly among applications), so that a chunk that waits for a register to come back
// holds nobody up.
func (b *batch) runChunks(ctx workflow.Context) error {
	size := max(chunkLeast, (b.in.Total+chunksWanted-1)/chunksWanted)
	b.progress.Chunks = (b.in.Total + size - 1) / size
	all := workflow.NewSelector(ctx)
	var first error
	for n := range b.progress.Chunks {
		chunk := BatchChunkInput{ApplicationID: b.in.ApplicationID, BatchID: b.in.BatchID, Service: b.in.Service,
			From: n * size, To: min((n+1)*size, b.in.Total)}
		child := workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{
			WorkflowID:          ChunkID(b.in.BatchID, n),
			TaskQueue:           QueueBulk,
			WaitForCancellation: true,
			ParentClosePolicy:   enumspb.PARENT_CLOSE_POLICY_TERMINATE,
			// A chunk of a batch that is started again, after somebody terminated it, has its old id.
			WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
			StaticSummary:         fmt.Sprintf("Items %d to %d", chunk.From+1, chunk.To),
		}), BatchChunk, chunk)
		all.AddFuture(child, func(f workflow.Future) {
			if err := f.Get(ctx, nil); err != nil && first == nil {
				first = err
			}
			b.progress.ChunksDone++
			workflow.SetCurrentDetails(ctx, fmt.Sprintf("%d of %d chunks done", b.progress.ChunksDone, b.progress.Chunks))
		})
	}
	for range b.progress.Chunks {
		all.Select(ctx)
	}
	return first
}

func (b *batch) finish(ctx workflow.Context) error {
	var batches *activities.Batches
	var left activities.FinishResult
	ctx = workflow.WithActivityOptions(ctx, settling)
	if err := workflow.ExecuteActivity(ctx, batches.FinishBatch, b.named()).Get(ctx, &left); err != nil {
		return err
	}
	if left.Pending > 0 {
		return fmt.Errorf("%d items are still pending although every chunk is done", left.Pending)
	}
	return nil
}

func (b *batch) cancel(ctx workflow.Context) error {
	reason := ctx.Err()
	ctx, done := workflow.NewDisconnectedContext(ctx)
	defer done()
	var batches *activities.Batches
	ctx = workflow.WithActivityOptions(ctx, settling)
	if err := workflow.ExecuteActivity(ctx, batches.CancelBatch, b.named()).Get(ctx, nil); err != nil {
		return err
	}
	return reason
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
