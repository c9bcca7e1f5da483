package workflows_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"idplatform/activities"
	"idplatform/errs"
	"idplatform/models"
	"idplatform/workflows"
)

// away is how an activity fails while a register is unreachable.
func away() error {
	return temporal.NewApplicationError(errs.RegistryUnavailable.Message(), string(errs.RegistryUnavailable))
}

// environment runs workflows with time that skips whenever nothing is left but to wait.
func environment() *testsuite.TestWorkflowEnvironment {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := suite.NewTestWorkflowEnvironment()
	env.SetTestTimeout(time.Minute)
	env.RegisterWorkflow(workflows.BatchChunk)
	var jobs *activities.Jobs
	env.RegisterActivity(jobs)
	env.RegisterActivity(batches)
	return env
}

var aJob = workflows.JobInput{ApplicationID: "app_1", JobID: "job_1"}

func TestJob(t *testing.T) {
	t.Parallel()
	var jobs *activities.Jobs
	for name, c := range map[string]struct {
		status models.JobStatus
		shown  string
	}{
		"OK":            {models.JobCompleted, "completed"},
		"RefusedIsDone": {models.JobFailed, "failed"},
	} {
		t.Run(name, func(t *testing.T) {
			env := environment()
			env.OnActivity(jobs.RunJob, anything, aJob).Return(activities.JobEnd{Status: c.status}, nil).Once()
			env.OnUpsertTypedSearchAttributes(temporal.NewSearchAttributes(status.ValueSet(c.shown))).Return(nil).Once()
			env.ExecuteWorkflow(workflows.Job, aJob)
			require.NoError(t, env.GetWorkflowError())
			env.AssertExpectations(t)
		})
	}
	t.Run("PatientWhileTheRegisterIsAway", func(t *testing.T) {
		env := environment()
		tries := 0
		env.OnActivity(jobs.RunJob, anything, aJob).Return(func(context.Context, activities.JobInput) (activities.JobEnd, error) {
			if tries++; tries < 20 {
				return activities.JobEnd{}, away()
			}
			return activities.JobEnd{Status: models.JobCompleted}, nil
		})
		began := env.Now()
		env.ExecuteWorkflow(workflows.Job, aJob)
		require.NoError(t, env.GetWorkflowError())
		require.Equal(t, 20, tries)
		require.Less(t, env.Now().Sub(began), workflows.Patience)
	})
	t.Run("GivenUpAfterAQuarterOfAnHour", func(t *testing.T) {
		env := environment()
		tries := 0
		env.OnActivity(jobs.RunJob, anything, aJob).Return(func(context.Context, activities.JobInput) (activities.JobEnd, error) {
			tries++
			return activities.JobEnd{}, away()
		})
		env.OnActivity(jobs.FailJob, anything, activities.FailInput{JobInput: aJob, Code: errs.RegistryUnavailable}).Return(nil).Once()
		began := env.Now()
		env.ExecuteWorkflow(workflows.Job, aJob)
		require.NoError(t, env.GetWorkflowError(), "a job that fails is a workflow that completes")
		env.AssertExpectations(t)
		took := env.Now().Sub(began)
		require.InDelta(t, workflows.Patience.Seconds(), took.Seconds(), 16, "one interval before the end, or at it")
		require.Greater(t, tries, 60, "every 15 s at the latest")
	})
	t.Run("FaultThatIsNoneOfOursIsInternal", func(t *testing.T) {
		env := environment()
		env.OnActivity(jobs.RunJob, anything, aJob).Return(activities.JobEnd{}, temporal.NewNonRetryableApplicationError("", string(errs.InternalError), nil))
		env.OnActivity(jobs.FailJob, anything, activities.FailInput{JobInput: aJob, Code: errs.InternalError}).Return(nil).Once()
		env.ExecuteWorkflow(workflows.Job, aJob)
		require.NoError(t, env.GetWorkflowError())
		env.AssertExpectations(t)
	})
	t.Run("WaitsForWorkersThatAreAway", func(t *testing.T) {
		env := environment()
		tries := 0
		env.OnActivity(jobs.RunJob, anything, aJob).Return(func(context.Context, activities.JobInput) (activities.JobEnd, error) {
			if tries++; tries < 4 {
				return activities.JobEnd{}, temporal.NewTimeoutError(enumspb.TIMEOUT_TYPE_SCHEDULE_TO_START, nil)
			}
			return activities.JobEnd{Status: models.JobCompleted}, nil
		})
		env.ExecuteWorkflow(workflows.Job, aJob)
		require.NoError(t, env.GetWorkflowError())
		require.Equal(t, 4, tries)
	})
	t.Run("Cancelled", func(t *testing.T) {
		env := environment()
		env.OnActivity(jobs.RunJob, anything, aJob).Return(activities.JobEnd{}, away())
		env.RegisterDelayedCallback(env.CancelWorkflow, time.Minute)
		env.ExecuteWorkflow(workflows.Job, aJob)
		require.True(t, temporal.IsCanceledError(env.GetWorkflowError()), "the reconciler starts it again")
	})
}
