// Package jobs takes asynchronous work: it has the pipeline record what was asked, starts the workflow that
// does it once that has committed, and repairs what was recorded but not started (reconciler.go).
package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"idplatform/errs"
	"idplatform/models"
	"idplatform/pipeline"
	"idplatform/platform/access"
	"idplatform/workflows"
)

// startTime bounds the start of a workflow after a commit. A start that takes longer is left to the
// reconciler: the caller has the job already.
const startTime = 3 * time.Second

// Service takes, shows and cancels asynchronous work.
type Service struct {
	pipeline *pipeline.Pipeline
	temporal client.Client
	health   *Health
	log      *slog.Logger
}

// New makes a service that starts workflows through a Temporal client.
func New(p *pipeline.Pipeline, c client.Client, health *Health, log *slog.Logger) *Service {
	return &Service{pipeline: p, temporal: c, health: health, log: log}
}

// SubmitJob takes a single asynchronous call. With Temporal known to be away it is async_unavailable, before
// anything is committed; after the commit the answer is always the job.
func (s *Service) SubmitJob(ctx context.Context, r pipeline.Request) (pipeline.Answer, error) {
	id, answer, err := s.pipeline.SubmitJob(ctx, r, s.health.Check)
	if err == nil && id != "" {
		s.started(ctx, id, s.startJob(ctx, r.Caller.ApplicationID, id, r.Operation.Service))
	}
	return answer, err
}

// SubmitBatch takes an asynchronous batch, on the same terms.
func (s *Service) SubmitBatch(ctx context.Context, r pipeline.Request) (pipeline.Answer, error) {
	batch, answer, err := s.pipeline.SubmitBatch(ctx, r, s.health.Check)
	if err == nil && batch.ID != "" {
		s.started(ctx, batch.ID, s.startBatch(ctx, &batch))
	}
	return answer, err
}

// CancelBatch cancels a batch of the caller. The items are settled here and now; the workflow is told so that
// it stops working on them.
func (s *Service) CancelBatch(ctx context.Context, caller *access.Caller, id string) ([]byte, error) {
	body, cancelled, err := s.pipeline.CancelBatch(ctx, caller.ApplicationID, id)
	if err == nil && cancelled {
		ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), startTime)
		defer stop()
		if err := s.temporal.CancelWorkflow(ctx, id, ""); err != nil {
			s.log.Info("the workflow of a cancelled batch was not told; it finds nothing left to do", "batch", id, "cause", err.Error())
		}
	}
	return body, err
}

// started notes a start that failed: the reconciler will see to it.
func (s *Service) started(ctx context.Context, id string, err error) {
	if err != nil {
		s.health.Suspect(ctx)
		s.log.Warn("recorded work was not started; the reconciler will start it", "workflow", id, "cause", err.Error())
	}
}

func (s *Service) startJob(ctx context.Context, app models.ApplicationID, id, service string) error {
	options := startOptions(app, id, service, workflows.QueueInteractive)
	options.StaticSummary = "Job of " + service
	options.EnableEagerStart = true
	return s.start(ctx, options, workflows.Job, workflows.JobInput{ApplicationID: app, JobID: id})
}

func (s *Service) startBatch(ctx context.Context, b *models.Batch) error {
	options := startOptions(b.ApplicationID, b.ID, b.Service, workflows.QueueBulk)
	options.StaticSummary = fmt.Sprintf("Batch of %d items of %s", b.Total, b.Service)
	return s.start(ctx, options, workflows.Batch, workflows.BatchInput{ApplicationID: b.ApplicationID, BatchID: b.ID,
		Service: b.Service, Total: int(b.Total)})
}

// startOptions are what the starts of all workflows have in common. The workflow's id is the object's; the
// database's row decides what is done, so that a second start does no harm.
func startOptions(app models.ApplicationID, id, service, queue string) client.StartWorkflowOptions {
	return client.StartWorkflowOptions{
		ID: id, TaskQueue: queue,
		WorkflowIDReusePolicy:                    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		WorkflowExecutionErrorWhenAlreadyStarted: true,
		TypedSearchAttributes:                    workflows.Attributes(app, service),
		StaticDetails:                            "Application " + string(app),
		Priority:                                 temporal.Priority{FairnessKey: string(app)},
	}
}

// start starts a workflow; one that is running already is as good.
func (s *Service) start(ctx context.Context, options client.StartWorkflowOptions, workflow, input any) error {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), startTime)
	defer stop()
	_, err := s.temporal.ExecuteWorkflow(ctx, options, workflow, input)
	var running *serviceerror.WorkflowExecutionAlreadyStarted
	if errors.As(err, &running) {
		return nil
	}
	return err
}

// errAway is what asynchronous calls get while Temporal is away.
func errAway() error { return errs.New(errs.AsyncUnavailable).With("retry_after", "10s") }
