package workflows_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"idplatform/activities"
	"idplatform/errs"
	"idplatform/models"
	"idplatform/workflows"
)

var (
	status  = temporal.NewSearchAttributeKeyKeyword("PlatformStatus")
	batches *activities.Batches
)

func aBatch(total int) workflows.BatchInput {
	return workflows.BatchInput{ApplicationID: "app_1", BatchID: "bat_1", Service: "kyc_validation", Total: total}
}

func finishes(env *testsuite.TestWorkflowEnvironment, end activities.BatchEnd) *testsuite.MockCallWrapper {
	return env.OnActivity(batches.FinishBatch, anything, activities.BatchInput{ApplicationID: "app_1", BatchID: "bat_1"}).Return(end, nil)
}

var complete = activities.BatchEnd{Status: models.BatchCompleted}

// Every item is in one chunk, and there are about twenty.
func TestBatch_Chunks(t *testing.T) {
	t.Parallel()
	for total, chunks := range map[int]int{1: 1, 24: 1, 25: 1, 26: 2, 499: 20, 500: 20, 501: 20, 9_999: 20, 10_000: 20} {
		t.Run(fmt.Sprint(total), func(t *testing.T) {
			t.Parallel()
			env := environment()
			taken := map[int]int{}
			largest := 0
			env.OnActivity(batches.RunSlice, anything, anything).Return(func(_ context.Context, in activities.SliceInput) (activities.SliceResult, error) {
				require.False(t, in.Last)
				taken[in.From] = in.To
				largest = max(largest, in.To-in.From)
				return activities.SliceResult{}, nil
			})
			finishes(env, complete).Once()
			env.ExecuteWorkflow(workflows.Batch, aBatch(total))
			require.NoError(t, env.GetWorkflowError())
			require.Len(t, taken, chunks)
			at := 0
			for at < total {
				next, ok := taken[at]
				require.True(t, ok, "nobody takes item %d", at)
				at = next
			}
			require.Equal(t, total, at)
			require.LessOrEqual(t, largest, 500)
			var result workflows.BatchResult
			require.NoError(t, env.GetWorkflowResult(&result))
			require.Equal(t, chunks, result.Chunks)
			env.AssertExpectations(t)
		})
	}
}

func TestBatch_ChunkIDs(t *testing.T) {
	t.Parallel()
	require.Equal(t, "bat_1/0007", workflows.ChunkID("bat_1", 7))
	env := environment()
	var ids []string
	env.OnWorkflow(workflows.BatchChunk, anything, anything).Return(func(ctx workflow.Context, _ workflows.BatchChunkInput) (workflows.BatchChunkResult, error) {
		ids = append(ids, workflow.GetInfo(ctx).WorkflowExecution.ID)
		return workflows.BatchChunkResult{}, nil
	})
	finishes(env, complete)
	env.ExecuteWorkflow(workflows.Batch, aBatch(75))
	require.NoError(t, env.GetWorkflowError())
	require.ElementsMatch(t, []string{"bat_1/0000", "bat_1/0001", "bat_1/0002"}, ids)
}

func TestBatch_Progress(t *testing.T) {
	t.Parallel()
	env := environment()
	env.OnActivity(batches.RunSlice, anything, anything).Return(func(_ context.Context, in activities.SliceInput) (activities.SliceResult, error) {
		return activities.SliceResult{}, nil
	}).After(time.Minute).Once()
	env.OnActivity(batches.RunSlice, anything, anything).Return(activities.SliceResult{}, nil).After(time.Hour)
	finishes(env, complete)
	var seen []workflows.BatchProgress
	for _, at := range []time.Duration{time.Second, 30 * time.Minute, 2 * time.Hour} {
		env.RegisterDelayedCallback(func() {
			answer, err := env.QueryWorkflow(workflows.QueryProgress)
			require.NoError(t, err)
			var progress workflows.BatchProgress
			require.NoError(t, answer.Get(&progress))
			seen = append(seen, progress)
		}, at)
	}
	env.RegisterDelayedCallback(func() {}, 3*time.Hour)
	env.ExecuteWorkflow(workflows.Batch, aBatch(60))
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []workflows.BatchProgress{{Chunks: 3}, {Chunks: 3, ChunksDone: 1}}, seen[:2])
}

func TestBatch_CancelledSettlesTheRest(t *testing.T) {
	t.Parallel()
	env := environment()
	env.OnActivity(batches.RunSlice, anything, anything).Return(activities.SliceResult{Aside: 1}, nil) // never done
	named := activities.BatchInput{ApplicationID: "app_1", BatchID: "bat_1"}
	env.OnActivity(batches.CancelBatch, anything, named).Return(away()).Times(3) // the database is slow to come back
	env.OnActivity(batches.CancelBatch, anything, named).Return(nil).Once()
	finishes(env, activities.BatchEnd{Status: models.BatchCompletedWithErrors, Failed: 60}).Once()
	env.OnUpsertTypedSearchAttributes(temporal.NewSearchAttributes(status.ValueSet("completed_with_errors"))).Return(nil).Once()
	env.RegisterDelayedCallback(env.CancelWorkflow, time.Minute)
	env.ExecuteWorkflow(workflows.Batch, aBatch(60))
	require.True(t, temporal.IsCanceledError(env.GetWorkflowError()))
	env.AssertExpectations(t)
}

func TestBatch_ChunkEndedByAnOperatorIsStartedAgain(t *testing.T) {
	t.Parallel()
	env := environment()
	started := map[int]int{}
	env.OnWorkflow(workflows.BatchChunk, anything, anything).Return(func(_ workflow.Context, in workflows.BatchChunkInput) (workflows.BatchChunkResult, error) {
		if started[in.From]++; in.From == 25 && started[25] < 3 {
			return workflows.BatchChunkResult{}, temporal.NewCanceledError()
		}
		return workflows.BatchChunkResult{}, nil
	})
	finishes(env, complete).Once()
	env.ExecuteWorkflow(workflows.Batch, aBatch(60))
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, map[int]int{0: 1, 25: 3, 50: 1}, started)
	env.AssertExpectations(t)
}

var aChunk = workflows.BatchChunkInput{ApplicationID: "app_1", BatchID: "bat_1", Service: "kyc_validation", From: 25, To: 50}

func TestBatchChunk_SetAside(t *testing.T) {
	t.Parallel()
	t.Run("TriedAgainUntilNoneIsLeft", func(t *testing.T) {
		env := environment()
		left := []int{3, 3, 1, 0}
		env.OnActivity(batches.RunSlice, anything, activities.SliceInput{ApplicationID: "app_1", BatchID: "bat_1", Service: "kyc_validation", From: 25, To: 50}).
			Return(func(context.Context, activities.SliceInput) (activities.SliceResult, error) {
				n := left[0]
				left = left[1:]
				return activities.SliceResult{Aside: n}, nil
			})
		began := env.Now()
		env.ExecuteWorkflow(workflows.BatchChunk, aChunk)
		require.NoError(t, env.GetWorkflowError())
		require.Empty(t, left)
		require.Equal(t, 7*time.Second, env.Now().Sub(began).Round(time.Second), "after 1, 2 and 4 seconds")
	})
	t.Run("LastTryAfterAQuarterOfAnHour", func(t *testing.T) {
		env := environment()
		var tries, last int
		env.OnActivity(batches.RunSlice, anything, anything).Return(func(_ context.Context, in activities.SliceInput) (activities.SliceResult, error) {
			if tries++; in.Last {
				last++
				return activities.SliceResult{}, nil
			}
			return activities.SliceResult{Aside: 2}, nil
		})
		began := env.Now()
		env.ExecuteWorkflow(workflows.BatchChunk, aChunk)
		require.NoError(t, env.GetWorkflowError())
		took := env.Now().Sub(began)
		require.GreaterOrEqual(t, took, workflows.Patience)
		require.Less(t, took, workflows.Patience+31*time.Second)
		require.Equal(t, 1, last, "the last try settles everything")
		require.Greater(t, tries, 30)
	})
	t.Run("PatienceBeginsWithTheFirstTry", func(t *testing.T) {
		env := environment()
		tries := 0
		env.OnActivity(batches.RunSlice, anything, anything).Return(func(_ context.Context, in activities.SliceInput) (activities.SliceResult, error) {
			require.False(t, in.Last, "an hour in the queue takes nothing of it")
			if tries++; tries < 5 {
				return activities.SliceResult{Aside: 1}, nil
			}
			return activities.SliceResult{}, nil
		}).After(time.Hour).Once()
		env.OnActivity(batches.RunSlice, anything, anything).Return(func(_ context.Context, in activities.SliceInput) (activities.SliceResult, error) {
			require.False(t, in.Last)
			return activities.SliceResult{}, nil
		})
		env.ExecuteWorkflow(workflows.BatchChunk, aChunk)
		require.NoError(t, env.GetWorkflowError())
	})
	t.Run("ADatabaseThatIsAwayIsWaitedFor", func(t *testing.T) {
		env := environment()
		env.OnActivity(batches.RunSlice, anything, anything).Return(activities.SliceResult{}, temporal.NewApplicationError("", string(errs.InternalError))).Times(50)
		env.OnActivity(batches.RunSlice, anything, anything).Return(activities.SliceResult{}, nil).Once()
		env.ExecuteWorkflow(workflows.BatchChunk, aChunk)
		require.NoError(t, env.GetWorkflowError())
		env.AssertExpectations(t)
	})
	t.Run("Cancelled", func(t *testing.T) {
		env := environment()
		env.OnActivity(batches.RunSlice, anything, anything).Return(activities.SliceResult{Aside: 1}, nil)
		env.RegisterDelayedCallback(env.CancelWorkflow, 10*time.Second)
		env.ExecuteWorkflow(workflows.BatchChunk, aChunk)
		require.True(t, temporal.IsCanceledError(env.GetWorkflowError()))
	})
}
