// Package activities holds the side effects of workflows: thin methods that load what an id names and call
// the part of the platform that does the work.
package activities

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/activity"

	"idplatform/database"
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

// Purge deletes expired rows in short transactions until none is left. A kind of rows that cannot be deleted
// does not keep those behind it from going; and callers who want to write go first.
func (m *Maintenance) Purge(ctx context.Context, _ PurgeInput) (result PurgeResult, err error) {
	now := models.At(m.Now())
	bulk := database.Bulk(ctx)
	var failures []error
	for _, part := range []struct {
		name  string
		rows  Purger
		count *int64
	}{{"nonces", m.Nonces, &result.Nonces}, {"results", m.Results, &result.Results},
		{"idempotency keys", m.Idempotency, &result.IdempotencyKeys}, {"jobs", m.Jobs, &result.Jobs}, {"batches", m.Batches, &result.Batches},
		{"events", m.Events, &result.Events}, {"deliveries", m.Deliveries, &result.Deliveries}} {
		for {
			n, err := part.rows.Purge(bulk, now, purgeGroup)
			*part.count += n
			if err != nil {
				failures = append(failures, fmt.Errorf("purge %s: %w", part.name, err))
			}
			if err != nil || n == 0 {
				break
			}
			activity.RecordHeartbeat(ctx, result)
		}
	}
	return result, errors.Join(failures...)
}
