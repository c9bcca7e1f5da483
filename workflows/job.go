package workflows

import (
	"errors"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"idplatform/activities"
	"idplatform/models"
)

// JobInput is the input of Job.
type JobInput = activities.JobInput

// JobResult is the result of Job: how the job itself ended stands in its row.
type JobResult struct{}

// Job executes an asynchronous single request: one activity, tried again for a quarter of an hour while it
// fails for a passing reason. A job that fails is a workflow that completes.
func Job(ctx workflow.Context, in JobInput) (JobResult, error) {
	var jobs *activities.Jobs
	var end activities.JobEnd
	run := func() error {
		return workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, patient), jobs.RunJob, in).Get(ctx, &end)
	}
	err := run()
	for untried(err) {
		err = run()
	}
	if err == nil {
		return JobResult{}, showStatus(ctx, string(end.Status))
	}
	if temporal.IsCanceledError(err) {
		return JobResult{}, err
	}
	workflow.SetCurrentDetails(ctx, "Given up after repeated failures")
	fail := activities.FailInput{JobInput: in, Code: activities.CodeOf(err)}
	if err := workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, settling), jobs.FailJob, fail).Get(ctx, nil); err != nil {
		return JobResult{}, err
	}
	return JobResult{}, showStatus(ctx, string(models.JobFailed))
}

// untried reports whether an activity's time ended before any worker had taken it: a job waits for the workers
// for as long as they are away.
func untried(err error) bool {
	var timeout *temporal.TimeoutError
	if !errors.As(err, &timeout) || timeout.Unwrap() != nil {
		return false
	}
	kind := timeout.TimeoutType()
	return kind == enumspb.TIMEOUT_TYPE_SCHEDULE_TO_START || kind == enumspb.TIMEOUT_TYPE_SCHEDULE_TO_CLOSE
}
