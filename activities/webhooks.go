package activities

import (
	"context"
	"log/slog"
	"time"

	"idplatform/models"
	"idplatform/platform/webhooks"
)

// Deliverer makes the next attempt of a delivery when it is due. An error means that the platform itself
// failed, not the receiver.
type Deliverer interface {
	Attempt(ctx context.Context, app models.ApplicationID, id models.DeliveryID) (webhooks.Verdict, error)
}

// Webhooks delivers events.
type Webhooks struct {
	Deliverer Deliverer
	Log       *slog.Logger
}

// DeliveryInput names a delivery.
type DeliveryInput struct {
	ApplicationID models.ApplicationID
	EventID       string
	// Resend is 0 for an event's first delivery, else the number of the repetition.
	Resend int
}

// DeliveryVerdict says how a delivery stands.
type DeliveryVerdict struct {
	Done, Delivered bool
	// Attempts is how many were made so far.
	Attempts int
	// Wait is when to call again; 0 when Busy.
	Wait time.Duration
	// Busy: no attempt was made, since too many wait for the endpoint.
	Busy bool
}

// Deliver makes one attempt of a delivery, or says when to come back. What the receiver does is no error.
func (a *Webhooks) Deliver(ctx context.Context, in DeliveryInput) (DeliveryVerdict, error) {
	verdict, err := a.Deliverer.Attempt(ctx, in.ApplicationID, models.DeliveryID{EventID: in.EventID, Resend: in.Resend})
	return DeliveryVerdict(verdict), logged(a.Log, err, "event", in.EventID)
}
