package app

import (
	"context"

	"idplatform/jobs"
	"idplatform/platform/access"
	"idplatform/platform/outbound"
	"idplatform/platform/webhooks"
)

// delivery are the parts that take events to their endpoints.
type delivery struct {
	deliverer  *webhooks.Deliverer
	dispatcher *webhooks.Dispatcher // nil in a process that serves nothing
	reconciler *webhooks.Reconciler
	log        *webhooks.Log
	office     *webhooks.Office
}

// openWebhooks puts the parts of events and webhooks together.
func (a *App) openWebhooks() error {
	guard, err := outbound.New(outbound.Options{AllowLoopback: a.cfg.Webhooks.AllowLoopback})
	if err != nil {
		return err
	}
	a.Outbound = guard
	now, log := a.opts.Now, a.opts.Log
	workflows := jobs.NewDeliveries(a.temporal)
	client := webhooks.NewClient(guard)
	a.onClose(func() error { client.CloseIdleConnections(); return nil })
	a.delivery.deliverer = webhooks.NewDeliverer(webhooks.DelivererConfig{
		Store: a.store, Vault: a.vault, Keys: access.NewDirectory(a.store.Applications, a.vault), Client: client,
		Files: a.files, Schedule: a.cfg.Webhooks.Schedule, Now: now, Log: log})
	recorder := webhooks.RecorderConfig{Store: a.store, Vault: a.vault, Livemode: a.cfg.Livemode(), Retention: a.cfg.Retention.Results, Now: now}
	if a.opts.API || a.opts.Worker {
		a.delivery.dispatcher = webhooks.NewDispatcher(a.delivery.deliverer, workflows)
		recorder.Dispatcher = a.delivery.dispatcher
	}
	a.Events = webhooks.NewRecorder(recorder)
	a.Endpoints = webhooks.NewEndpoints(a.store.Endpoints, guard, a.Catalog.EventTypes(), now)
	a.delivery.reconciler = webhooks.NewReconciler(a.store.Deliveries, workflows, now, log)
	a.delivery.log = webhooks.NewLog(a.store, a.vault, a.Catalog.EventTypes(), now)
	a.delivery.office = webhooks.NewOffice(a.store, a.vault, now)
	return nil
}

// repairDeliveries is the reconciler's part for webhooks.
func (a *App) repairDeliveries(ctx context.Context) error {
	_, err := a.delivery.reconciler.Reconcile(ctx)
	return err
}
