// Package pipeline is the one way through the platform for every operation in every mode. Admit judges
// a request (grants, form, purpose, scopes, identifier: everything that can refuse it before the service
// is asked), Execute runs the service and commits, in one transaction, the result and all that is written
// with it. Synchronous calls do both at once; asynchronous ones admit first and execute later.
package pipeline

import (
	"context"
	"log/slog"
	"time"

	"idplatform/catalog"
	"idplatform/models"
	"idplatform/platform/vault"
	"idplatform/store"
)

// Retention is how long results can be read back (specification, Limits).
const Retention = 30 * 24 * time.Hour

// Config is what the pipeline works with.
type Config struct {
	Store   *store.Store
	Vault   *vault.Vault
	Catalog *catalog.Catalog
	Events  Recorder
	// Livemode is true in production.
	Livemode bool
	// Retention of results; 0 means 30 days.
	Retention time.Duration
	// IdempotencyWindow is how long answers are kept under their key; 0 means 24 hours.
	IdempotencyWindow time.Duration
	// Files puts URLs or data into the file objects of stored results.
	Files Files
	Now   func() time.Time
	Log   *slog.Logger
}

// Files shows the file objects of a stored result: it replaces references by signed URLs or data.
type Files interface {
	Show(ctx context.Context, stored []byte) ([]byte, error)
}

// Pipeline admits and executes calls. It is safe for concurrent use.
type Pipeline struct{ Config }

// New makes a pipeline.
func New(cfg Config) *Pipeline {
	if cfg.Retention == 0 {
		cfg.Retention = Retention
	}
	if cfg.IdempotencyWindow == 0 {
		cfg.IdempotencyWindow = IdempotencyWindow
	}
	return &Pipeline{cfg}
}

// Show is a stored answer as callers see it, with file objects made anew.
func (p *Pipeline) Show(ctx context.Context, stored []byte) ([]byte, error) {
	return p.Files.Show(ctx, stored)
}

// Call is an admitted call: nothing about it can be refused any more but by the service itself.
type Call struct {
	ApplicationID models.ApplicationID
	Operation     *catalog.Operation
	Request       catalog.Request
	Purpose       models.Purpose
	Scopes        []string
	Delivery      catalog.Delivery
	Reference     *string
}

func newCall(app models.ApplicationID, op *catalog.Operation, request catalog.Request, scopes []string) *Call {
	common := request.Common()
	if common.Delivery == "" {
		common.Delivery = catalog.SignedURL
	}
	return &Call{ApplicationID: app, Operation: op, Request: request, Purpose: common.Purpose,
		Scopes: scopes, Delivery: common.Delivery, Reference: common.Reference}
}
