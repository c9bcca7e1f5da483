// Package catalog is the contract between a service and everything that serves it: a service describes its
// one operation as data and typed code, and the pipeline, the API, the workflows and the documents work from
// that description alone.
package catalog

import (
	"context"
	"fmt"
	"reflect"

	"idplatform/errs"
	"idplatform/models"
)

// Spec describes an operation.
type Spec struct {
	// Service names the service on grants, jobs and quotas, such as kyc_validation.
	Service string
	// Object is the result's object type.
	Object string
	// IDPrefix begins the ids of results, such as kyc_.
	IDPrefix string
	// Path of the single call; batches are at Path/batches, results at Path/{id}.
	Path string
	// Event is sent when an asynchronous single call completes.
	Event string
	// Title and Description are for the reference.
	Title, Description string
	// Purpose says which purposes the service takes.
	Purpose PurposeRule
	// Family holds the additional scopes that requests may select; nil when the service has none.
	Family *Family
}

// PurposeRule says whether a request must declare a purpose, and whether only one will do.
type PurposeRule struct {
	Optional bool
	Only     models.Purpose
}

// Common is what requests of all services have in common; fields that a service does not have stay zero.
type Common struct {
	Purpose models.Purpose
	// Scopes is nil when the request did not narrow them.
	Scopes    *[]string
	Delivery  Delivery
	Reference *string
}

// Request is a typed request of a service, a pointer to a struct whose tags are its schema.
type Request interface {
	// Common gives the fields that the pipeline judges.
	Common() Common
	// Validate lists the faults that the schema cannot express.
	Validate() []errs.Field
	// Normalize brings identifiers into canonical form or fails with unsupported_identifier_type or
	// invalid_identifier.
	Normalize() error
}

// Result is a typed result of a service, a pointer to a struct whose tags are its schema.
type Result interface {
	// Stamp writes what the pipeline knows of every result.
	Stamp(Stamp)
}

// Stamp is what the pipeline puts on a result.
type Stamp struct {
	ID        string
	Object    string
	Livemode  bool
	Reference *string
	Purpose   models.Purpose
	CreatedAt models.Timestamp
}

// Facts is what a service may know of the call beside its request. Time and id are given, so that
// a service decides the same again from the same facts.
type Facts struct {
	ApplicationID string
	ID            string
	Now           models.Timestamp
	Livemode      bool
	Purpose       models.Purpose
	// Scopes are the additional scopes to apply: granted, and not narrowed away; in the family's order.
	Scopes   []string
	Delivery Delivery
}

// Today is the day of the call in UTC, on which ages are counted.
func (f Facts) Today() models.Date { return models.DateOf(f.Now.Time) }

// Call is one call of a service.
type Call[Req Request] struct {
	Facts
	Request Req
}

// Lookup tells that the record of a citizen was looked at: an entry in that citizen's audit trail.
type Lookup struct {
	PlatformID string
	Scopes     []string
}

// Answer is a service's answer to one call.
type Answer[Res Result] struct {
	Result Res
	// Outcome is the result's value, for the audit: verified, not_found, match …
	Outcome string
	// Lookups are the citizens whose records were looked at.
	Lookups []Lookup
	// Records counts the records of each additional scope that the result returns, for billing.
	Records map[string]int
	// Save writes the service's own rows in the transaction of the result; nil when there are none.
	Save func(context.Context) error
}

// Service is the logic of an operation in two steps, so that a batch costs one look-up and not one an item.
type Service[Req Request, Subject any, Res Result] interface {
	// Load reads what the calls are about, in their order, in as few queries as the source allows.
	// An error is every call's: registry_unavailable when the source is unreachable.
	Load(ctx context.Context, calls []*Call[Req]) ([]Subject, error)
	// Decide answers one call. An error is this call's own refusal.
	Decide(ctx context.Context, call *Call[Req], subject Subject) (*Answer[Res], error)
}

// Invocation is a call with its request's type forgotten.
type Invocation struct {
	Facts
	Request Request
}

// Reply is an answer with its type forgotten; Err is set instead when the service refused the call.
type Reply struct {
	Answer[Result]
	Err error
}

// Operation is a service's operation with its types forgotten: what all the modes work with.
type Operation struct {
	Spec
	RequestType reflect.Type
	ResultType  reflect.Type
	shape       *shape
	batch       *shape
	run         func(context.Context, []*Invocation) ([]Reply, error)
}

// Define makes an operation of a description and a service. Request and result types must be pointers to
// structs; anything else is a programming error and panics at start.
func Define[Req Request, Subject any, Res Result](spec Spec, service Service[Req, Subject, Res]) *Operation {
	requestType, resultType := reflect.TypeFor[Req](), reflect.TypeFor[Res]()
	if requestType.Kind() != reflect.Pointer || resultType.Kind() != reflect.Pointer {
		panic(fmt.Sprintf("%s: request and result must be pointers to structs", spec.Service))
	}
	op := &Operation{
		Spec:        spec,
		RequestType: requestType.Elem(),
		ResultType:  resultType.Elem(),
		shape:       newShape(requestType.Elem()),
		run: func(ctx context.Context, invocations []*Invocation) ([]Reply, error) {
			return runService(ctx, service, invocations)
		},
	}
	op.batch = op.batchShape()
	return op
}

// Run answers the invocations in their order. An error means that none could be answered.
func (o *Operation) Run(ctx context.Context, invocations []*Invocation) ([]Reply, error) {
	return o.run(ctx, invocations)
}

func runService[Req Request, Subject any, Res Result](ctx context.Context, s Service[Req, Subject, Res], invocations []*Invocation) ([]Reply, error) {
	calls := make([]*Call[Req], len(invocations))
	for i, inv := range invocations {
		calls[i] = &Call[Req]{Facts: inv.Facts, Request: inv.Request.(Req)}
	}
	subjects, err := s.Load(ctx, calls)
	if err != nil {
		return nil, err
	}
	replies := make([]Reply, len(calls))
	for i, call := range calls {
		answer, err := s.Decide(ctx, call, subjects[i])
		if err != nil {
			replies[i].Err = err
			continue
		}
		replies[i].Answer = Answer[Result]{Result: answer.Result, Outcome: answer.Outcome,
			Lookups: answer.Lookups, Records: answer.Records, Save: answer.Save}
	}
	return replies, nil
}
