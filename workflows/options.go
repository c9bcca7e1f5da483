// Package workflows orchestrates what takes longer than a call. Workflows are deterministic and know ids and
// counters only: everything personal stays in the database, where activities read it.
package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// Task queues keep the long from delaying the short.
const (
	QueueMaintenance = "maintenance"
)

// The time-outs and retry policies of every activity, by name. There are none anywhere else.

// sweeping is for housekeeping that goes over many rows: it may take long, says regularly that it is alive,
// and is repeated for as long as it fails, for the next run would have the same work.
var sweeping = workflow.ActivityOptions{
	TaskQueue:           QueueMaintenance,
	StartToCloseTimeout: time.Hour,
	HeartbeatTimeout:    10 * time.Second,
	RetryPolicy: &temporal.RetryPolicy{
		InitialInterval:    time.Second,
		BackoffCoefficient: 2,
		MaximumInterval:    time.Minute,
		MaximumAttempts:    10,
	},
}
