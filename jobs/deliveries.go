package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"idplatform/activities"
	"idplatform/models"
	"idplatform/workflows"
)

// serviceWebhooks is the service under which operators find deliveries.
const serviceWebhooks = "webhooks"

// Deliveries starts and watches the workflows that deliver webhooks.
type Deliveries struct{ temporal client.Client }

// NewDeliveries works through a Temporal client.
func NewDeliveries(c client.Client) *Deliveries { return &Deliveries{c} }

// Start starts the workflow of a delivery, which makes the next attempt after wait. One that was started
// before, whatever became of it, is as good: the reconciler sees to those that are closed.
func (d *Deliveries) Start(ctx context.Context, app models.ApplicationID, id models.DeliveryID, wait time.Duration) error {
	return d.start(ctx, app, id, wait, enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE)
}

// Restart starts it again where it was closed or is gone.
func (d *Deliveries) Restart(ctx context.Context, app models.ApplicationID, id models.DeliveryID, wait time.Duration) error {
	return d.start(ctx, app, id, wait, enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE)
}

func (d *Deliveries) start(ctx context.Context, app models.ApplicationID, id models.DeliveryID, wait time.Duration, reuse enumspb.WorkflowIdReusePolicy) error {
	ctx, stop := context.WithTimeout(ctx, startTime)
	defer stop()
	options := startOptions(app, workflows.DeliveryID(id), serviceWebhooks, workflows.QueueWebhooks)
	options.WorkflowIDReusePolicy = reuse
	options.StaticSummary = "Webhook"
	if id.Resend > 0 {
		options.StaticSummary = fmt.Sprintf("Webhook, repetition %d", id.Resend)
	}
	_, err := d.temporal.ExecuteWorkflow(ctx, options, workflows.WebhookDelivery, workflows.WebhookDeliveryInput{
		DeliveryInput: activities.DeliveryInput{ApplicationID: app, EventID: id.EventID, Resend: id.Resend}, Wait: wait})
	var started *serviceerror.WorkflowExecutionAlreadyStarted
	if errors.As(err, &started) {
		return nil
	}
	return err
}

// Running reports whether the workflow of a delivery runs; false also when there is none.
func (d *Deliveries) Running(ctx context.Context, id models.DeliveryID) (bool, error) {
	ctx, stop := context.WithTimeout(ctx, startTime)
	defer stop()
	answer, err := d.temporal.DescribeWorkflowExecution(ctx, workflows.DeliveryID(id), "")
	var unknown *serviceerror.NotFound
	if errors.As(err, &unknown) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	status := answer.GetWorkflowExecutionInfo().GetStatus()
	return status == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING || status == enumspb.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW, nil
}
