package pipeline

import (
	"context"
	"time"

	"idplatform/models"
)

// Recorder records events in the transaction that the context carries, and sends them once it has committed.
type Recorder interface {
	Record(ctx context.Context, app models.ApplicationID, typ models.EventType, object any, previous map[string]any) (eventID string, err error)
}

// PatienceTime is how long asynchronous work is tried again while it fails for a passing reason.
const PatienceTime = 15 * time.Minute

// firstCheck is when the reconciler first looks whether recorded work was started; it is started right after
// the commit, so that this is for the rare case that it was not.
const firstCheck = 15 * time.Second

func (p *Pipeline) recordEvent(ctx context.Context, app models.ApplicationID, typ models.EventType, object any, previous map[string]any) (string, error) {
	if p.Events == nil {
		return "", nil
	}
	return p.Events.Record(ctx, app, typ, object, previous)
}
