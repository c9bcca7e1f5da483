package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Error is an answer of the platform that is not a success. Branch on Code, never on Message.
type Error struct {
	// Status is the HTTP status.
	Status int
	// Code is the machine-readable name, one of the constants of this package or one that came later. It is
	// empty when the answer was not the platform's, such as a proxy's error page.
	Code string
	// Message is for people.
	Message string
	// RequestID names the call in the platform's logs.
	RequestID string
	// Fields lists every fault of the request, with invalid_request.
	Fields []Field
	// RetryAfter is how long the platform asks to wait; zero when it does not say.
	RetryAfter time.Duration
	// Context holds what else the answer says, such as scope, service or reset_at.
	Context map[string]any
	// Encrypted tells that the error is certainly the platform's. It is false for what is refused before
	// authentication ends and for what a proxy on the way answers.
	Encrypted bool
	// Body is the whole answer, decrypted.
	Body []byte
}

// Field is one fault of a request: a path such as items[3].identifier.type, and what is wrong there.
type Field struct {
	Field   string `json:"field"`
	Problem string `json:"problem"`
}

// Error implements error.
func (e *Error) Error() string {
	text := e.Message
	if e.Code != "" {
		text = e.Code + ": " + text
	}
	if e.RequestID != "" {
		return fmt.Sprintf("%s (status %d, request %s)", text, e.Status, e.RequestID)
	}
	return fmt.Sprintf("%s (status %d)", text, e.Status)
}

// Failure is why a job or an item of a batch failed.
type Failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Error implements error.
func (f *Failure) Error() string { return f.Code + ": " + f.Message }

// IsCode reports whether err is an Error or a Failure with this code.
func IsCode(err error, code string) bool {
	var answer *Error
	if errors.As(err, &answer) {
		return answer.Code == code
	}
	var failure *Failure
	return errors.As(err, &failure) && failure.Code == code
}

// errorOf reads the error that an answer tells of.
func errorOf(resp *Response) *Error {
	e := &Error{Status: resp.Status, RequestID: resp.RequestID, Encrypted: resp.Encrypted, Body: resp.Body}
	var members map[string]json.RawMessage
	if json.Unmarshal(resp.Body, &members) == nil {
		take(members, "error", &e.Code)
		take(members, "message", &e.Message)
		take(members, "request_id", &e.RequestID)
		take(members, "fields", &e.Fields)
		var text string
		if take(members, "retry_after", &text) {
			if wait, err := time.ParseDuration(text); err == nil {
				e.RetryAfter = max(wait, 0)
			}
		}
		e.Context = remaining(members)
	}
	if e.Message == "" {
		e.Message = "the server answered " + http.StatusText(resp.Status)
	}
	if e.RetryAfter == 0 {
		e.RetryAfter = retryAfter(resp.Header)
	}
	return e
}

// take moves a member into target. One of another type stays, for the context.
func take(members map[string]json.RawMessage, name string, target any) bool {
	raw, ok := members[name]
	if !ok || json.Unmarshal(raw, target) != nil {
		return false
	}
	delete(members, name)
	return true
}

func remaining(members map[string]json.RawMessage) map[string]any {
	if len(members) == 0 {
		return nil
	}
	rest := make(map[string]any, len(members))
	for name, raw := range members {
		var value any
		if json.Unmarshal(raw, &value) == nil {
			rest[name] = value
		}
	}
	return rest
}

// retryAfter reads the header in both its forms: seconds, or a date, which is set against the answer's own.
func retryAfter(h http.Header) time.Duration {
	text := h.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	until, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	date, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return 0
	}
	return max(until.Sub(date), 0)
}
