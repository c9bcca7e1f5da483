package pipeline

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"idplatform/catalog"
	"idplatform/errs"
	"idplatform/models"
)

// The tables whose rows hold frozen calls, to the vault.
const (
	tableJobs       = "jobs"
	tableBatchItems = "batch_items"
)

// frozen is an admitted call as it is stored, sealed, until it is executed: the request in canonical form
// and the scopes as they were granted at submission. A refused batch item keeps its reference only.
type frozen struct {
	Request   json.RawMessage `json:"request,omitempty"`
	Scopes    []string        `json:"scopes,omitempty"`
	Reference *string         `json:"reference,omitempty"`
}

func (p *Pipeline) freeze(table, id string, call *Call) ([]byte, error) {
	request, err := json.Marshal(call.Request)
	if err != nil {
		return nil, fmt.Errorf("freeze a request of %s: %w", call.Operation.Service, err)
	}
	return p.sealFrozen(table, id, frozen{Request: request, Scopes: call.Scopes, Reference: call.Reference})
}

func (p *Pipeline) sealFrozen(table, id string, f frozen) ([]byte, error) {
	text, err := json.Marshal(f)
	if err != nil {
		return nil, fmt.Errorf("freeze a request: %w", err)
	}
	return p.Vault.Seal(table, id, text), nil
}

func (p *Pipeline) openFrozen(ctx context.Context, table, id string, sealed []byte) (frozen, error) {
	var f frozen
	text, err := p.Vault.Open(ctx, table, id, sealed)
	if err != nil {
		return f, err
	}
	return f, json.Unmarshal(text, &f)
}

// thaw makes the admitted call again.
func (p *Pipeline) thaw(ctx context.Context, table, id string, sealed []byte, app models.ApplicationID, op *catalog.Operation) (*Call, error) {
	f, err := p.openFrozen(ctx, table, id, sealed)
	if err != nil {
		return nil, err
	}
	request := reflect.New(op.RequestType).Interface().(catalog.Request)
	if err := json.Unmarshal(f.Request, request); err != nil {
		return nil, fmt.Errorf("thaw a request of %s: %w", op.Service, err)
	}
	return newCall(app, op, request, f.Scopes), nil
}

// operation is the operation of a stored service name.
func (p *Pipeline) operation(service string) (*catalog.Operation, error) {
	op := p.Catalog.Find(service)
	if op == nil {
		return nil, errs.Internal(fmt.Errorf("the service %s is not in the catalog", service))
	}
	return op, nil
}
