package workflows_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"google.golang.org/protobuf/encoding/protojson"

	"idplatform/activities"
	"idplatform/app/devtemporal"
	"idplatform/app/devtemporal/devtemporaltest"
	"idplatform/errs"
	"idplatform/models"
	"idplatform/workflows"
)

// record writes the committed histories anew. Do so for a new workflow, or after a change that old runs need not
// survive, for every workflow of the platform but a long one is pinned to the version that began it.
var record = flag.Bool("record", false, "write the histories of jobs, batches and retention anew")

const histories = "testdata/histories"

// TestReplay runs every committed history through today's code: what a worker did then it must decide again.
func TestReplay(t *testing.T) {
	t.Parallel()
	if *record {
		recordAll(t)
	}
	replayer := worker.NewWorkflowReplayer()
	wanted := map[string]bool{}
	for name, workflow := range map[string]any{"Job": workflows.Job, "Batch": workflows.Batch, "BatchChunk": workflows.BatchChunk,
		"Retention": workflows.Retention, "WebhookDelivery": workflows.WebhookDelivery} {
		replayer.RegisterWorkflow(workflow)
		wanted[name] = true
	}
	files, err := filepath.Glob(histories + "/*.json")
	require.NoError(t, err)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			require.NoError(t, replayer.ReplayWorkflowHistoryFromJSONFile(nil, file))
		})
		delete(wanted, typeOf(t, file))
	}
	require.Empty(t, wanted, "each workflow has a history")
}

func typeOf(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var h history.History
	require.NoError(t, protojson.Unmarshal(text, &h))
	return h.GetEvents()[0].GetWorkflowExecutionStartedEventAttributes().GetWorkflowType().GetName()
}

// recorder is a real server with workers whose activities only answer.
type recorder struct {
	client client.Client
	tries  map[int]int
}

func recordAll(t *testing.T) {
	server, err := devtemporal.Start(t.Context(), devtemporal.Options{Binary: devtemporaltest.Binary(t), Namespace: "record",
		SearchAttributes: map[string]string{"PlatformApplication": "Keyword", "PlatformService": "Keyword", "PlatformStatus": "Keyword"}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = server.Stop(context.Background()) })
	r := &recorder{tries: map[int]int{}}
	r.client, err = client.Dial(client.Options{HostPort: server.Address(), Namespace: "record"})
	require.NoError(t, err)
	t.Cleanup(r.client.Close)
	for _, queue := range []string{workflows.QueueInteractive, workflows.QueueBulk, workflows.QueueMaintenance} {
		w := worker.New(r.client, queue, worker.Options{MaxHeartbeatThrottleInterval: 200 * time.Millisecond, MaxConcurrentActivityExecutionSize: 1})
		for _, workflow := range []any{workflows.Job, workflows.Batch, workflows.BatchChunk, workflows.Retention} {
			w.RegisterWorkflow(workflow)
		}
		for name, do := range map[string]any{"RunJob": r.runJob, "FailJob": r.failJob, "RunSlice": r.runSlice, "FinishBatch": r.finish, "CancelBatch": r.cancel, "Purge": r.purge} {
			w.RegisterActivityWithOptions(do, activity.RegisterOptions{Name: name})
		}
		require.NoError(t, w.Start())
		t.Cleanup(w.Stop)
	}
	r.run(t, "job", workflows.QueueInteractive, workflows.Job, workflows.JobInput{ApplicationID: "app_1", JobID: "job_1"})
	r.run(t, "job_given_up", workflows.QueueInteractive, workflows.Job, workflows.JobInput{ApplicationID: "app_1", JobID: "job_broken"})
	in := aBatch(60)
	in.BatchID = "bat_quick"
	r.run(t, "batch", workflows.QueueBulk, workflows.Batch, in)
	r.save(t, "batch_chunk", workflows.ChunkID(in.BatchID, 1))
	in.BatchID = "bat_aside"
	r.run(t, "batch_aside", workflows.QueueBulk, workflows.Batch, in)
	r.save(t, "batch_chunk_aside", workflows.ChunkID(in.BatchID, 1))
	in.BatchID = "bat_slow"
	r.cancelled(t, in)
	r.run(t, "retention", workflows.QueueMaintenance, workflows.Retention, workflows.RetentionInput{})
}

// run records a workflow that ends by itself.
func (r *recorder) run(t *testing.T, name, queue string, workflow, in any) {
	t.Helper()
	run, err := r.client.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: name, TaskQueue: queue,
		TypedSearchAttributes: workflows.Attributes("app_1", "kyc_validation")}, workflow, in)
	require.NoError(t, err)
	require.NoError(t, run.Get(t.Context(), nil))
	r.save(t, name, name)
}

// cancelled records a batch, one chunk of which is ended by an operator and begun again, before all of it is cancelled.
func (r *recorder) cancelled(t *testing.T, in workflows.BatchInput) {
	t.Helper()
	run, err := r.client.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: in.BatchID, TaskQueue: workflows.QueueBulk}, workflows.Batch, in)
	require.NoError(t, err)
	chunk := workflows.ChunkID(in.BatchID, 1)
	require.Eventually(t, func() bool { return r.client.TerminateWorkflow(t.Context(), chunk, "", "") == nil }, time.Minute, 50*time.Millisecond)
	require.Eventually(t, func() bool {
		again, err := r.client.DescribeWorkflowExecution(t.Context(), chunk, "")
		return err == nil && again.GetWorkflowExecutionInfo().GetStatus() == enums.WORKFLOW_EXECUTION_STATUS_RUNNING
	}, time.Minute, 50*time.Millisecond)
	require.NoError(t, r.client.CancelWorkflow(t.Context(), in.BatchID, ""))
	require.True(t, temporal.IsCanceledError(errors.Unwrap(run.Get(t.Context(), nil))))
	r.save(t, "batch_cancelled", in.BatchID)
	r.save(t, "batch_chunk_cancelled", chunk)
}

func (r *recorder) save(t *testing.T, name, id string) {
	t.Helper()
	var all history.History
	events := r.client.GetWorkflowHistory(t.Context(), id, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		require.NoError(t, err)
		all.Events = append(all.Events, event)
	}
	text, err := protojson.MarshalOptions{Multiline: true}.Marshal(&all)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(histories, name+".json"), text, 0o644))
}

func (r *recorder) runJob(_ context.Context, in activities.JobInput) (activities.JobEnd, error) {
	if in.JobID == "job_broken" {
		return activities.JobEnd{}, temporal.NewNonRetryableApplicationError("", string(errs.InternalError), nil)
	}
	return activities.JobEnd{Status: models.JobCompleted}, nil
}

func (r *recorder) failJob(context.Context, activities.FailInput) error { return nil }

// runSlice sets items aside once, in the middle of the batch that is about it, and never ends in the slow one.
func (r *recorder) runSlice(ctx context.Context, in activities.SliceInput) (activities.SliceResult, error) {
	for in.BatchID == "bat_slow" {
		activity.RecordHeartbeat(ctx, in.From)
		select {
		case <-ctx.Done():
			return activities.SliceResult{}, ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
	if in.BatchID == "bat_aside" && in.From == 25 {
		if r.tries[in.From]++; r.tries[in.From] < 3 {
			return activities.SliceResult{Aside: 3}, nil
		}
	}
	return activities.SliceResult{}, nil
}

func (r *recorder) finish(context.Context, activities.BatchInput) (activities.BatchEnd, error) {
	return activities.BatchEnd{Status: models.BatchCompletedWithErrors, Succeeded: 59, Failed: 1}, nil
}

func (r *recorder) cancel(context.Context, activities.BatchInput) error { return nil }

func (r *recorder) purge(context.Context, activities.PurgeInput) (activities.PurgeResult, error) {
	return activities.PurgeResult{Nonces: 7}, nil
}
