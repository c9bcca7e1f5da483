package workflows

import (
	"go.temporal.io/sdk/workflow"

	"idplatform/activities"
)

// RetentionInput is the input of Retention.
type RetentionInput struct{}

// RetentionResult counts what Retention deleted.
type RetentionResult struct {
	Nonces          int64
	Results         int64
	IdempotencyKeys int64
	Jobs            int64
	Batches         int64
	Events          int64
	Deliveries      int64
}

// Retention deletes what has been kept for its time: results past their retention, nonces past their window.
// A schedule starts it.
func Retention(ctx workflow.Context, _ RetentionInput) (RetentionResult, error) {
	var maintenance *activities.Maintenance
	var purged activities.PurgeResult
	ctx = workflow.WithActivityOptions(ctx, sweeping)
	err := workflow.ExecuteActivity(ctx, maintenance.Purge, activities.PurgeInput{}).Get(ctx, &purged)
	return RetentionResult(purged), err
}
