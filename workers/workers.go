// Package workers runs the workflows and activities on their task queues and keeps the schedules.
package workers

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"

	"idplatform/activities"
	"idplatform/workflows"
)

// stopTime is how long running activities get to finish when the workers stop.
const stopTime = 5 * time.Second

// Activities are what the workers execute.
type Activities struct {
	Jobs        *activities.Jobs
	Batches     *activities.Batches
	Webhooks    *activities.Webhooks
	Maintenance *activities.Maintenance
}

// Workers polls the task queues.
type Workers struct {
	client  client.Client
	workers []worker.Worker
	stop    sync.Once
}

// Queues lists the task queues that must be polled for the platform to work.
func Queues() []string {
	return []string{workflows.QueueInteractive, workflows.QueueBulk, workflows.QueueWebhooks, workflows.QueueMaintenance}
}

// bulkAtOnce is how many slices of batches one process works on at a time: few, for each is a loop over items
// that keeps a core and the database busy, and single jobs must not wait behind them.
const bulkAtOnce = 4

// webhooksAtOnce is how many attempts of webhooks one process has open: they wait for receivers and cost little.
const webhooksAtOnce = 512

// New registers everything; Start begins to poll.
func New(c client.Client, a Activities) *Workers {
	w := &Workers{client: c}

	interactive := w.add(workflows.QueueInteractive, options(64))
	interactive.RegisterWorkflow(workflows.Job)
	interactive.RegisterActivity(a.Jobs)
	interactive.RegisterActivity(a.Batches)

	bulk := w.add(workflows.QueueBulk, options(bulkAtOnce))
	bulk.RegisterWorkflow(workflows.Batch)
	bulk.RegisterWorkflow(workflows.BatchChunk)
	bulk.RegisterActivity(a.Batches)

	webhooks := w.add(workflows.QueueWebhooks, options(webhooksAtOnce))
	webhooks.RegisterWorkflow(workflows.WebhookDelivery)
	webhooks.RegisterActivity(a.Webhooks)

	maintenance := w.add(workflows.QueueMaintenance, options(4))
	maintenance.RegisterWorkflow(workflows.Retention)
	maintenance.RegisterActivity(a.Maintenance)
	return w
}

func (w *Workers) add(queue string, o worker.Options) worker.Worker {
	added := worker.New(w.client, queue, o)
	w.workers = append(w.workers, added)
	return added
}

func options(activitiesAtOnce int) worker.Options {
	pollers := worker.NewPollerBehaviorAutoscaling(worker.PollerBehaviorAutoscalingOptions{
		InitialNumberOfPollers: 2, MinimumNumberOfPollers: 1, MaximumNumberOfPollers: 32})
	return worker.Options{
		MaxConcurrentActivityExecutionSize: activitiesAtOnce,
		WorkflowTaskPollerBehavior:         pollers,
		ActivityTaskPollerBehavior:         pollers,
		WorkerStopTimeout:                  stopTime,
		// A dead worker's sticky queue delays the next one for as long as this.
		StickyScheduleToStartTimeout: time.Second,
		// Cancellation reaches an activity with a heartbeat, so heartbeats are not held back for long.
		MaxHeartbeatThrottleInterval: 200 * time.Millisecond,
	}
}

// Start polls all queues and makes sure that the schedules exist.
func (w *Workers) Start(ctx context.Context) error {
	for _, each := range w.workers {
		if err := each.Start(); err != nil {
			return fmt.Errorf("start a worker: %w", err)
		}
	}
	return w.ensureSchedules(ctx)
}

// Stop ends polling and waits for running activities.
func (w *Workers) Stop() {
	w.stop.Do(func() {
		var all sync.WaitGroup
		for _, each := range w.workers {
			all.Go(each.Stop)
		}
		all.Wait()
	})
}

func (w *Workers) ensureSchedules(ctx context.Context) error {
	_, err := w.client.ScheduleClient().Create(ctx, client.ScheduleOptions{
		ID:      "retention",
		Spec:    client.ScheduleSpec{Intervals: []client.ScheduleIntervalSpec{{Every: 5 * time.Minute}}},
		Overlap: enums.SCHEDULE_OVERLAP_POLICY_SKIP,
		Action: &client.ScheduleWorkflowAction{
			ID:        "retention",
			Workflow:  workflows.Retention,
			Args:      []any{workflows.RetentionInput{}},
			TaskQueue: workflows.QueueMaintenance,
		},
	})
	var exists *serviceerror.AlreadyExists
	if errors.Is(err, temporal.ErrScheduleAlreadyRunning) || errors.As(err, &exists) {
		return nil
	}
	return err
}

// Polled reports whether somebody polls every task queue: this process or another.
func Polled(ctx context.Context, c client.Client) error {
	for _, queue := range Queues() {
		for _, kind := range []enums.TaskQueueType{enums.TASK_QUEUE_TYPE_WORKFLOW, enums.TASK_QUEUE_TYPE_ACTIVITY} {
			answer, err := c.DescribeTaskQueue(ctx, queue, kind)
			if err != nil {
				return err
			}
			if len(answer.GetPollers()) == 0 {
				return fmt.Errorf("nobody polls the %s queue", queue)
			}
		}
	}
	return nil
}
