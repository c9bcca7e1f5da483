// Package activities holds the side effects of workflows: thin methods that load what an id names and call
// the part of the platform that does the work.
package activities

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"

	"idplatform/models"
)

// purgeGroup is how many rows one transaction deletes: few enough that a caller never waits for it.
const purgeGroup = 500

// Purger deletes up to limit rows that expired before now and gives their number.
type Purger interface {
	Purge(ctx context.Context, now models.Timestamp, limit int) (int64, error)
}

// Maintenance is housekeeping.
type Maintenance struct {
	Nonces      Purger
	Results     Purger
	Idempotency Purger
	Jobs        Purger
	Batches     Purger
	Events      Purger
	Deliveries  Purger
	Now         func() time.Time
}

// PurgeInput is the input of Purge.
type PurgeInput struct{}

// PurgeResult counts what was deleted.
type PurgeResult struct {
	Nonces          int64
	Results         int64
	IdempotencyKeys int64
	Jobs            int64
	Batches         int64
	Events          int64
	Deliveries      int64
}

// Purge deletes expired rows in short transactions until none is left.
func (m *Maintenance) Purge(ctx context.Context, _ PurgeInput) (result PurgeResult, err error) {
	now := models.At(m.Now())
	for _, part := range []struct {
		rows  Purger
		count *int64
	}{{m.Nonces, &result.Nonces}, {m.Results, &result.Results}, {m.Idempotency, &result.IdempotencyKeys},
		{m.Jobs, &result.Jobs}, {m.Batches, &result.Batches},
		{m.Events, &result.Events}, {m.Deliveries, &result.Deliveries}} {
		for {
			n, err := part.rows.Purge(ctx, now, purgeGroup)
			*part.count += n
			if err != nil {
				return result, err
			}
			if n == 0 {
				break
			}
			activity.RecordHeartbeat(ctx, result)
		}
	}
	return result, nil
}
