// Package errs is the platform's one kind of error: a stable code for machines, a safe message for people and
// a private cause for the log. The codes stand in one catalogue (codes.go); HTTP statuses are the API's matter.
package errs

import (
	"errors"
	"fmt"
	"maps"
	"strings"
)

// Field is one fault of a request body: where (a path such as items[3].identifier.type) and what to change.
type Field struct {
	Field   string `json:"field"`
	Problem string `json:"problem"`
}

// Error is what a caller may learn of a failure. Values are never changed after they are made; the With
// methods copy.
type Error struct {
	Code    Code
	Message string
	Fields  []Field
	Context map[string]any
	cause   error
}

// New is an error of the catalogue with its standing message.
func New(code Code) *Error {
	return &Error{Code: code, Message: code.definition().message}
}

// Newf is an error of the catalogue with a message of its own. The message goes to the caller: nothing
// personal, nothing internal.
func Newf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// faultsWorded bounds how many faults a message words, faultsListed how many Fields holds: enough for people, and
// no answer larger than its request.
const (
	faultsWorded = 8
	faultsListed = 100
)

// Invalid is invalid_request with every fault found.
func Invalid(fields ...Field) *Error {
	e := New(InvalidRequest)
	if more := len(fields) - faultsListed; more > 0 {
		fields = append(fields[:faultsListed:faultsListed], Field{Field: "body", Problem: fmt.Sprintf("has %d more faults", more)})
	}
	e.Fields = fields
	words := make([]string, 0, faultsWorded)
	for _, f := range fields[:min(len(fields), faultsWorded)] {
		words = append(words, f.String())
	}
	e.Message = "The request is not valid: " + strings.Join(words, "; ") + "."
	if more := len(fields) - faultsWorded; more > 0 {
		e.Message += fmt.Sprintf(" %d more faults are in fields.", more)
	}
	return e
}

// String joins path and problem.
func (f Field) String() string {
	if f.Field == "" {
		return f.Problem
	}
	return f.Field + " " + f.Problem
}

// Internal hides a cause that callers must not see.
func Internal(cause error) *Error { return New(InternalError).Because(cause) }

// Error implements error. It is for logs: it names the cause.
func (e *Error) Error() string {
	if e.cause != nil {
		return fmt.Sprintf("%s: %s (%v)", e.Code, e.Message, e.cause)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Message)
}

// Unwrap gives the private cause.
func (e *Error) Unwrap() error { return e.cause }

// Is makes errors.Is compare codes.
func (e *Error) Is(target error) bool {
	other, ok := target.(*Error)
	return ok && other.Code == e.Code
}

// Kind is the catalogue's kind of the code.
func (e *Error) Kind() Kind { return e.Code.definition().kind }

// Because is a copy with a private cause.
func (e *Error) Because(cause error) *Error {
	c := e.copy()
	c.cause = cause
	return c
}

// With is a copy with a context field, shown to the caller beside code and message.
func (e *Error) With(key string, value any) *Error {
	c := e.copy()
	if c.Context == nil {
		c.Context = map[string]any{}
	}
	c.Context[key] = value
	return c
}

func (e *Error) copy() *Error {
	c := *e
	c.Context = maps.Clone(e.Context)
	return &c
}

// From is err as an Error: itself when it is one, else internal_error with err as the private cause.
func From(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return Internal(err)
}
