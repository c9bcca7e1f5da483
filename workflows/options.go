// Package workflows orchestrates what takes longer than a call. Workflows are deterministic and know ids and
// counters only: everything personal stays in the database, where activities read it.
package workflows

import (
	"math"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// Task queues keep the long from delaying the short.
const (
	QueueInteractive = "interactive"
	QueueBulk        = "bulk"
	QueueWebhooks    = "webhooks"
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

// untilDone is the number of attempts of what is tried until it succeeds or its time ends. It says what 0 says
// too, but for the SDK's test suite, which takes 0 for ten.
const untilDone = math.MaxInt32

// Patience is how long work that fails for a passing reason is tried again.
const Patience = 15 * time.Minute

// patient is for a job: each try may take a minute, and tries go on, at growing intervals, until the
// platform's patience ends.
var patient = workflow.ActivityOptions{
	TaskQueue:              QueueInteractive,
	ScheduleToCloseTimeout: Patience,
	StartToCloseTimeout:    time.Minute,
	RetryPolicy: &temporal.RetryPolicy{
		InitialInterval:    100 * time.Millisecond,
		BackoffCoefficient: 2,
		MaximumInterval:    15 * time.Second,
		MaximumAttempts:    untilDone,
	},
}

// settling is for writing how something ended. It is tried until the database takes it.
var settling = workflow.ActivityOptions{
	TaskQueue:           QueueInteractive,
	StartToCloseTimeout: time.Minute,
	RetryPolicy: &temporal.RetryPolicy{
		InitialInterval:    100 * time.Millisecond,
		BackoffCoefficient: 2,
		MaximumInterval:    10 * time.Second,
		MaximumAttempts:    untilDone,
	},
}

// slicing is for going over the items of a chunk. The heartbeat's time-out is when a crashed worker's slice
// goes to another one; cancellation reaches the activity with a heartbeat too.
var slicing = workflow.ActivityOptions{
	TaskQueue:           QueueBulk,
	StartToCloseTimeout: time.Hour,
	HeartbeatTimeout:    5 * time.Second,
	WaitForCancellation: true,
	RetryPolicy: &temporal.RetryPolicy{
		InitialInterval:    100 * time.Millisecond,
		BackoffCoefficient: 2,
		MaximumInterval:    10 * time.Second,
		MaximumAttempts:    untilDone,
	},
}

// delivering is for one attempt of a webhook: the receiver has 5 s, its turn and the writing of what came of it
// take a little more. It is tried again only when the platform itself fails, and then until it does not.
var delivering = workflow.ActivityOptions{
	TaskQueue:           QueueWebhooks,
	StartToCloseTimeout: 30 * time.Second,
	RetryPolicy: &temporal.RetryPolicy{
		InitialInterval:    time.Second,
		BackoffCoefficient: 2,
		MaximumInterval:    time.Minute,
	},
}

// crowded is how long a webhook stays away from an endpoint that too many wait for, after having been turned
// away some times before: 15 s, then twice as long each time, up to 10 minutes.
func crowded(times int) time.Duration {
	return min(15*time.Second<<min(times, 10), 10*time.Minute)
}
