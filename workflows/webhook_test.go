package workflows_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"idplatform/activities"
	"idplatform/models"
	"idplatform/workflows"
)

var delivery = activities.DeliveryInput{ApplicationID: "app_1", EventID: "evt_1"}

// deliver runs a delivery through verdicts, one an activity, and gives the times of the activities since the start.
func deliver(t *testing.T, wait time.Duration, verdicts ...any) (workflows.WebhookDeliveryResult, []time.Duration, error) {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := suite.NewTestWorkflowEnvironment()
	env.SetTestTimeout(10 * time.Second)
	env.RegisterWorkflow(workflows.WebhookDelivery)
	var webhooks *activities.Webhooks
	env.RegisterActivity(webhooks)
	start := env.Now()
	var at []time.Duration
	env.OnActivity(webhooks.Deliver, anything, delivery).Return(func(context.Context, activities.DeliveryInput) (activities.DeliveryVerdict, error) {
		at = append(at, env.Now().Sub(start).Round(time.Second))
		next := verdicts[0]
		if len(verdicts) > 1 {
			verdicts = verdicts[1:]
		}
		if err, failed := next.(error); failed {
			return activities.DeliveryVerdict{}, err
		}
		return next.(activities.DeliveryVerdict), nil
	})
	env.ExecuteWorkflow(workflows.WebhookDelivery, workflows.WebhookDeliveryInput{DeliveryInput: delivery, Wait: wait})
	require.True(t, env.IsWorkflowCompleted())
	if err := env.GetWorkflowError(); err != nil {
		return workflows.WebhookDeliveryResult{}, at, err
	}
	var result workflows.WebhookDeliveryResult
	require.NoError(t, env.GetWorkflowResult(&result))
	return result, at, nil
}

func TestWebhookDelivery_TheWholeSchedule(t *testing.T) {
	t.Parallel()
	result, at, err := deliver(t, time.Minute,
		activities.DeliveryVerdict{Attempts: 2, Wait: 10 * time.Minute},
		activities.DeliveryVerdict{Attempts: 3, Wait: time.Hour},
		activities.DeliveryVerdict{Attempts: 4, Wait: 6 * time.Hour},
		activities.DeliveryVerdict{Attempts: 5, Done: true})
	require.NoError(t, err)
	require.Equal(t, workflows.WebhookDeliveryResult{Attempts: 5}, result, "a delivery that fails is a workflow that completes")
	require.Equal(t, []time.Duration{time.Minute, 11 * time.Minute, 71 * time.Minute, 431 * time.Minute}, at)
}

func TestWebhookDelivery_AtOnce(t *testing.T) {
	t.Parallel()
	result, at, err := deliver(t, 0, activities.DeliveryVerdict{Attempts: 1, Done: true, Delivered: true})
	require.NoError(t, err)
	require.Equal(t, workflows.WebhookDeliveryResult{Attempts: 1, Delivered: true}, result)
	require.Equal(t, []time.Duration{0}, at)
}

func TestWebhookDelivery_AnothersLease(t *testing.T) {
	t.Parallel()
	_, at, err := deliver(t, 0, activities.DeliveryVerdict{Wait: 12 * time.Second}, activities.DeliveryVerdict{Attempts: 1, Done: true, Delivered: true})
	require.NoError(t, err)
	require.Equal(t, []time.Duration{0, 12 * time.Second}, at)
}

func TestWebhookDelivery_ACrowdedEndpoint(t *testing.T) {
	t.Parallel()
	busy := activities.DeliveryVerdict{Busy: true}
	_, at, err := deliver(t, 0, busy, busy, busy, activities.DeliveryVerdict{Attempts: 1, Wait: time.Minute}, busy,
		activities.DeliveryVerdict{Attempts: 2, Done: true, Delivered: true})
	require.NoError(t, err)
	require.Equal(t, []time.Duration{0, 15 * time.Second, 45 * time.Second, 105 * time.Second, 165 * time.Second, 180 * time.Second}, at)
}

func TestWebhookDelivery_ThePlatformFails(t *testing.T) {
	t.Parallel()
	away := temporal.NewApplicationError("Something went wrong on our side.", "internal_error")
	failures := make([]any, 5)
	for i := range failures {
		failures[i] = away
	}
	result, at, err := deliver(t, 0, append(failures, activities.DeliveryVerdict{Attempts: 1, Done: true, Delivered: true})...)
	require.NoError(t, err)
	require.True(t, result.Delivered, "it is tried until the platform is well again")
	require.Len(t, at, 6)
}

func TestDeliveryID(t *testing.T) {
	t.Parallel()
	require.Equal(t, "evt_1", workflows.DeliveryID(models.DeliveryID{EventID: "evt_1"}))
	require.Equal(t, "evt_1/resend/2", workflows.DeliveryID(models.DeliveryID{EventID: "evt_1", Resend: 2}))
}

func TestWebhookDeliveryInput_HoldsIDsOnly(t *testing.T) {
	t.Parallel()
	input, err := json.Marshal(workflows.WebhookDeliveryInput{DeliveryInput: delivery, Wait: time.Minute})
	require.NoError(t, err)
	require.JSONEq(t, `{"ApplicationID":"app_1","EventID":"evt_1","Resend":0,"Wait":60000000000}`, string(input))
}
