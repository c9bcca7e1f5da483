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
	"go.temporal.io/sdk/workflow"

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

// Version names what the workers of a release are: the deployment that they belong to, and the build. The zero
// value has no versions.
type Version struct{ Deployment, Build string }

// Workers polls the task queues.
type Workers struct {
	client  client.Client
	version Version
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
//
// With a version, a run is pinned to the build that began it, for jobs and batches are over soon; a delivery,
// which may last for hours, goes on with the newest build.
func New(c client.Client, version Version, a Activities) *Workers {
	w := &Workers{client: c, version: version}

	interactive := w.add(workflows.QueueInteractive, options(64))
	interactive.RegisterWorkflow(workflows.Job)
	interactive.RegisterActivity(a.Jobs)
	interactive.RegisterActivity(a.Batches)

	bulk := w.add(workflows.QueueBulk, options(bulkAtOnce))
	bulk.RegisterWorkflow(workflows.Batch)
	bulk.RegisterWorkflow(workflows.BatchChunk)
	bulk.RegisterActivity(a.Batches)

	webhooks := w.add(workflows.QueueWebhooks, options(webhooksAtOnce))
	webhooks.RegisterWorkflowWithOptions(workflows.WebhookDelivery, w.upgraded())
	webhooks.RegisterActivity(a.Webhooks)

	maintenance := w.add(workflows.QueueMaintenance, options(4))
	maintenance.RegisterWorkflow(workflows.Retention)
	maintenance.RegisterActivity(a.Maintenance)
	return w
}

// upgraded are the options of a workflow that goes on with the newest build.
func (w *Workers) upgraded() workflow.RegisterOptions {
	if w.version == (Version{}) {
		return workflow.RegisterOptions{}
	}
	return workflow.RegisterOptions{VersioningBehavior: workflow.VersioningBehaviorAutoUpgrade}
}

func (w *Workers) add(queue string, o worker.Options) worker.Worker {
	if w.version != (Version{}) {
		o.DeploymentOptions = worker.DeploymentOptions{
			UseVersioning:             true,
			Version:                   worker.WorkerDeploymentVersion{DeploymentName: w.version.Deployment, BuildID: w.version.Build},
			DefaultVersioningBehavior: workflow.VersioningBehaviorPinned,
		}
	}
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
