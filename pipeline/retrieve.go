package pipeline

import (
	"context"
	"errors"

	"idplatform/catalog"
	"idplatform/errs"
	"idplatform/models"
	"idplatform/platform/access"
	"idplatform/store"
)

// Retrieve gives a result as it was first returned, in the stored form, to the application that made it.
// Ids of other applications, other services or past retention are not_found.
func (p *Pipeline) Retrieve(ctx context.Context, caller *access.Caller, op *catalog.Operation, id string) ([]byte, error) {
	if err := p.Enter(caller, op); err != nil {
		return nil, err
	}
	if !models.IsID(op.IDPrefix, id) {
		return nil, errs.New(errs.NotFound)
	}
	result, err := p.Store.Results.Get(ctx, caller.ApplicationID, id, models.At(p.Now()))
	if errors.Is(err, store.ErrNotFound) {
		return nil, errs.New(errs.NotFound)
	}
	if err != nil {
		return nil, err
	}
	return p.Vault.Open(ctx, tableResults, id, result.Body)
}
