package workflows_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/activities"
	"idplatform/workflows"
)

func TestRetention(t *testing.T) {
	t.Parallel()
	var maintenance *activities.Maintenance
	t.Run("OK", func(t *testing.T) {
		t.Parallel()
		env := environment()
		env.RegisterActivity(maintenance)
		purged := activities.PurgeResult{Nonces: 1, Results: 2, IdempotencyKeys: 3, Jobs: 4, Batches: 5, Events: 6, Deliveries: 7}
		env.OnActivity(maintenance.Purge, anything, activities.PurgeInput{}).Return(purged, nil).Once()
		env.ExecuteWorkflow(workflows.Retention, workflows.RetentionInput{})
		require.NoError(t, env.GetWorkflowError())
		var result workflows.RetentionResult
		require.NoError(t, env.GetWorkflowResult(&result))
		require.Equal(t, workflows.RetentionResult(purged), result)
	})
	t.Run("GoesOnAfterFailures", func(t *testing.T) {
		t.Parallel()
		env := environment()
		env.RegisterActivity(maintenance)
		env.OnActivity(maintenance.Purge, anything, anything).Return(activities.PurgeResult{}, errors.New("the database is away")).Times(4)
		env.OnActivity(maintenance.Purge, anything, anything).Return(activities.PurgeResult{Results: 1}, nil).Once()
		began := env.Now()
		env.ExecuteWorkflow(workflows.Retention, workflows.RetentionInput{})
		require.NoError(t, env.GetWorkflowError())
		require.GreaterOrEqual(t, env.Now().Sub(began), 10*time.Second, "it waits longer each time")
		env.AssertExpectations(t)
	})
}
