// Package pipeline is the one way through the platform for every operation in every mode. Admit judges
// a request (grants, form, purpose, scopes, identifier: everything that can refuse it before the service
// is asked), Execute runs the service and commits, in one transaction, the result and all that is written
// with it. Synchronous calls do both at once; asynchronous ones admit first and execute later.
package pipeline

import (
	"log/slog"
	"time"

	"idplatform/catalog"
	"idplatform/models"
	"idplatform/platform/access"
	"idplatform/platform/vault"
	"idplatform/store"
)

// Retention is how long results can be read back (specification, Limits).
const Retention = 30 * 24 * time.Hour

// Config is what the pipeline works with.
type Config struct {
	Store *store.Store
	Vault *vault.Vault
	// Livemode is true in production.
	Livemode bool
	// Retention of results; 0 means 30 days.
	Retention time.Duration
	Now       func() time.Time
	Log       *slog.Logger
}

// Pipeline admits and executes calls. It is safe for concurrent use.
type Pipeline struct{ Config }

// New makes a pipeline.
func New(cfg Config) *Pipeline {
	if cfg.Retention == 0 {
		cfg.Retention = Retention
	}
	return &Pipeline{cfg}
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

func newCall(caller *access.Caller, op *catalog.Operation, request catalog.Request, scopes []string) *Call {
	common := request.Common()
	if common.Delivery == "" {
		common.Delivery = catalog.SignedURL
	}
	return &Call{ApplicationID: caller.ApplicationID, Operation: op, Request: request, Purpose: common.Purpose,
		Scopes: scopes, Delivery: common.Delivery, Reference: common.Reference}
}
