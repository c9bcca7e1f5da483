package workflows

import (
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"idplatform/activities"
)

// JobInput is the input of Job.
type JobInput = activities.JobInput

// JobResult is the result of Job: how the job itself ended stands in its row.
type JobResult struct{}

// Job executes an asynchronous single request: one activity, tried again for a quarter of an hour while it
// fails for a passing reason. A job that fails is a workflow that completes.
func Job(ctx workflow.Context, in JobInput) (JobResult, error) {
	var jobs *activities.Jobs
	err := workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, patient), jobs.RunJob, in).Get(ctx, nil)
	if err == nil || temporal.IsCanceledError(err) {
		return JobResult{}, err
	}
	workflow.SetCurrentDetails(ctx, "Given up after repeated failures")
	fail := activities.FailInput{JobInput: in, Code: activities.CodeOf(err)}
	return JobResult{}, workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, settling), jobs.FailJob, fail).Get(ctx, nil)
}
