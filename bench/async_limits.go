package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	temporal "go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"idplatform/catalog"
	"idplatform/database"
	"idplatform/models"
	"idplatform/pipeline"
	"idplatform/platform/access"
	"idplatform/platform/vault"
	"idplatform/services"
	"idplatform/store"
	"idplatform/workflows"
)

// loop is the pipeline alone, on a database of its own and the platform's register.
type loop struct {
	*place
	pipeline *pipeline.Pipeline
	caller   *access.Caller
	request  func(i int) ([]byte, error)
}

// noFiles shows results that have no files.
type noFiles struct{}

// Show implements pipeline.Files.
func (noFiles) Show(_ context.Context, stored []byte) ([]byte, error) { return stored, nil }

func newLoop(ctx context.Context, s settings, a *async) (_ *loop, err error) {
	at, err := newPlace(ctx, s, string(a.driver))
	if err != nil {
		return nil, err
	}
	l := &loop{place: at, request: func(i int) ([]byte, error) { return json.Marshal(a.request(i)) }}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.close())
		}
	}()
	db, err := database.Open(ctx, database.Config{Driver: at.driver, DSN: at.dsn})
	if err != nil {
		return nil, err
	}
	l.onClose(db.Close)
	rows, err := store.New(ctx, db)
	if err != nil {
		return nil, err
	}
	sealed, err := vault.Open(ctx, a.master, rows.DataKeys, time.Now())
	if err != nil {
		return nil, err
	}
	operations, err := services.All(services.Engines{Register: a.app.Register})
	if err != nil {
		return nil, err
	}
	if l.caller, err = anyone(ctx, rows, sealed, operations); err != nil {
		return nil, err
	}
	l.pipeline = pipeline.New(pipeline.Config{Store: rows, Vault: sealed, Catalog: operations, Files: noFiles{}, Now: time.Now,
		Log: slog.New(slog.DiscardHandler)})
	return l, nil
}

// anyone is a caller who may do everything.
func anyone(ctx context.Context, rows *store.Store, sealed *vault.Vault, operations *catalog.Catalog) (*access.Caller, error) {
	admin := access.NewAdmin(rows, sealed, operations.Services(), false, time.Now)
	organisation, err := admin.CreateOrganisation(ctx, "Loop", admin.Everything())
	if err != nil {
		return nil, err
	}
	_, shown, err := admin.CreateApplication(ctx, organisation, "Loop", admin.Everything())
	if err != nil {
		return nil, err
	}
	return access.NewDirectory(rows.Applications, sealed).Find(ctx, shown.KeyID, models.At(time.Now()))
}

// call makes one call as a synchronous request does, without the wire.
func (l *loop) call(ctx context.Context, i int) error {
	body, err := l.request(i)
	if err != nil {
		return err
	}
	_, err = l.pipeline.Single(ctx, pipeline.Request{Caller: l.caller, Operation: l.pipeline.Catalog.Find("kyc_validation"), Body: body, ID: "req"})
	return err
}

// run makes the calls one after the other.
func (l *loop) run(ctx context.Context, calls int) (time.Duration, error) {
	began := time.Now()
	for i := range calls {
		if err := l.call(ctx, i); err != nil {
			return 0, err
		}
	}
	return time.Since(began), nil
}

const naiveQueue = "naive"

// naive makes the calls with a child workflow for each, all started by one parent.
func (l *loop) naive(ctx context.Context, a *async, calls int) (time.Duration, error) {
	pollers := worker.NewPollerBehaviorAutoscaling(worker.PollerBehaviorAutoscalingOptions{ // as the platform's own workers
		InitialNumberOfPollers: 2, MinimumNumberOfPollers: 1, MaximumNumberOfPollers: 32})
	w := worker.New(a.temporal, naiveQueue, worker.Options{WorkflowTaskPollerBehavior: pollers, ActivityTaskPollerBehavior: pollers})
	w.RegisterWorkflowWithOptions(naiveParent, workflow.RegisterOptions{Name: "NaiveParent"})
	w.RegisterWorkflowWithOptions(naiveChild, workflow.RegisterOptions{Name: "NaiveChild"})
	w.RegisterActivity(&naiveCalls{l})
	if err := w.Start(); err != nil {
		return 0, err
	}
	defer w.Stop()
	began := time.Now()
	run, err := a.temporal.ExecuteWorkflow(ctx, temporal.StartWorkflowOptions{ID: "naive", TaskQueue: naiveQueue}, "NaiveParent", calls)
	if err != nil {
		return 0, err
	}
	err = run.Get(ctx, nil)
	return time.Since(began), err
}

type naiveCalls struct{ loop *loop }

// Call is the activity of one item.
func (n *naiveCalls) Call(ctx context.Context, i int) error { return n.loop.call(ctx, i) }

func naiveParent(ctx workflow.Context, calls int) error {
	children := make([]workflow.Future, calls)
	for i := range children {
		children[i] = workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{WorkflowID: fmt.Sprint("naive/", i)}), "NaiveChild", i)
	}
	for _, child := range children {
		if err := child.Get(ctx, nil); err != nil {
			return err
		}
	}
	return nil
}

func naiveChild(ctx workflow.Context, i int) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute})
	return workflow.ExecuteActivity(ctx, "Call", i).Get(ctx, nil)
}

// actions counts what a batch and its chunks did in Temporal that is an action: starts, activities, timers,
// signals, updates of search attributes.
func (a *async) actions(ctx context.Context, batch string) (n int, err error) {
	ids := []string{batch}
	for i := 0; i < len(ids); i++ {
		events := a.temporal.GetWorkflowHistory(ctx, ids[i], "", false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		for events.HasNext() {
			event, err := events.Next()
			if err != nil {
				return 0, err
			}
			switch event.GetEventType() {
			case enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED, enumspb.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED, enumspb.EVENT_TYPE_TIMER_STARTED,
				enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED, enumspb.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES:
				n++
			case enumspb.EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_INITIATED:
				ids = append(ids, workflows.ChunkID(batch, len(ids)-1))
			}
		}
	}
	return n, nil
}
