package workflows

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/workflow"

	"idplatform/activities"
	"idplatform/models"
)

// WebhookDeliveryInput is the input of WebhookDelivery.
type WebhookDeliveryInput struct {
	activities.DeliveryInput
	// Wait is how long after the start the next attempt is due.
	Wait time.Duration
}

// WebhookDeliveryResult is the result of WebhookDelivery.
type WebhookDeliveryResult struct {
	Delivered bool
	Attempts  int
}

// DeliveryID is the workflow id of a delivery: the event's, and for a repetition evt_…/resend/2.
func DeliveryID(id models.DeliveryID) string {
	if id.Resend == 0 {
		return id.EventID
	}
	return fmt.Sprintf("%s/resend/%d", id.EventID, id.Resend)
}

// WebhookDelivery carries on with a delivery whose first attempt failed, or was not made: one activity an
// attempt, and between them durable timers. The delivery's row knows the schedule and how many attempts were
// made, so that a delivery that is started again goes on where it was. A delivery that fails is a workflow
// that completes.
func WebhookDelivery(ctx workflow.Context, in WebhookDeliveryInput) (WebhookDeliveryResult, error) {
	d := &webhookDelivery{in: in.DeliveryInput}
	return d.run(ctx, in.Wait)
}

type webhookDelivery struct {
	in activities.DeliveryInput
	// turnedAway counts the times in a row that too many waited for the endpoint.
	turnedAway int
}

func (d *webhookDelivery) run(ctx workflow.Context, wait time.Duration) (WebhookDeliveryResult, error) {
	for {
		if err := workflow.Sleep(ctx, wait); err != nil {
			return WebhookDeliveryResult{}, err
		}
		verdict, err := d.attempt(ctx)
		if err != nil {
			return WebhookDeliveryResult{}, err
		}
		if verdict.Done {
			return d.end(ctx, verdict)
		}
		wait = d.next(ctx, verdict)
	}
}

func (d *webhookDelivery) attempt(ctx workflow.Context) (verdict activities.DeliveryVerdict, err error) {
	var webhooks *activities.Webhooks
	err = workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, delivering), webhooks.Deliver, d.in).Get(ctx, &verdict)
	return verdict, err
}

// next is how long to wait for the next attempt.
func (d *webhookDelivery) next(ctx workflow.Context, verdict activities.DeliveryVerdict) time.Duration {
	wait := verdict.Wait
	if verdict.Busy {
		wait = crowded(d.turnedAway)
		d.turnedAway++
	} else {
		d.turnedAway = 0
	}
	at := workflow.Now(ctx).Add(wait).UTC().Format(time.RFC3339)
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("%d attempts made; the next is due at %s", verdict.Attempts, at))
	return wait
}

func (d *webhookDelivery) end(ctx workflow.Context, verdict activities.DeliveryVerdict) (WebhookDeliveryResult, error) {
	status := models.DeliveryFailed
	if verdict.Delivered {
		status = models.DeliveryDelivered
	}
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("%s after %d attempts", status, verdict.Attempts))
	err := workflow.UpsertTypedSearchAttributes(ctx, attributeStatus.ValueSet(string(status)))
	return WebhookDeliveryResult{Delivered: verdict.Delivered, Attempts: verdict.Attempts}, err
}
