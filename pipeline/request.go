package pipeline

import (
	"encoding/json"

	"idplatform/catalog"
	"idplatform/errs"
	"idplatform/platform/access"
)

// Request is an authenticated request for an operation, in any mode.
type Request struct {
	Caller    *access.Caller
	Operation *catalog.Operation
	// Body is the plaintext.
	Body []byte
	// ID is the request's id.
	ID string
	// IdempotencyKey is empty when the request has none.
	IdempotencyKey string
	// Line is what a repeated request must have in common besides the body: method, path, query and Prefer.
	Line string
}

// Answer is what a request is answered: a body in the stored form (see Pipeline.Show).
type Answer struct {
	Body []byte
	// Shown is Body with the files read that are delivered in the answer; nil when there are none, or when they
	// are still to be read.
	Shown []byte
	// Unkept says that the answer is not to be kept under the idempotency key: the same request may fare better.
	Unkept bool
	// Accepted says that the work was taken (202) rather than done (200).
	Accepted bool
	// Replayed says that this is the answer to an earlier request with the same key.
	Replayed bool
}

// kept is an answer as it is remembered under an idempotency key: a success or a refusal of the service.
type kept struct {
	Body     json.RawMessage `json:"body,omitempty"`
	Accepted bool            `json:"accepted,omitempty"`
	Refusal  *keptRefusal    `json:"refusal,omitempty"`
}

type keptRefusal struct {
	Code    errs.Code      `json:"code"`
	Message string         `json:"message"`
	Fields  []errs.Field   `json:"fields,omitempty"`
	Context map[string]any `json:"context,omitempty"`
}
