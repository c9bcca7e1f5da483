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

// firstCheck is when the reconciler first looks whether recorded work was started; it is started right after
// the commit, so that this is for the rare case that it was not.
const firstCheck = 15 * time.Second
