package api

import (
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"time"

	"idplatform/errs"
)

// statuses is the one map from kinds of errors to HTTP.
var statuses = map[errs.Kind]int{
	errs.KindInternal:         http.StatusInternalServerError,
	errs.KindInvalid:          http.StatusBadRequest,
	errs.KindUnauthenticated:  http.StatusUnauthorized,
	errs.KindPayment:          http.StatusPaymentRequired,
	errs.KindForbidden:        http.StatusForbidden,
	errs.KindNotFound:         http.StatusNotFound,
	errs.KindMethodNotAllowed: http.StatusMethodNotAllowed,
	errs.KindConflict:         http.StatusConflict,
	errs.KindTooLarge:         http.StatusRequestEntityTooLarge,
	errs.KindUnprocessable:    http.StatusUnprocessableEntity,
	errs.KindLimited:          http.StatusTooManyRequests,
	errs.KindUnavailable:      http.StatusBadGateway,
	errs.KindAsyncUnavailable: http.StatusServiceUnavailable,
	errs.KindCancelled:        http.StatusConflict,
}

// errorBody renders an error as callers see it and gives its status. The cause is logged here, and only
// when the fault is ours or of something behind us.
func (s *Server) errorBody(err error, requestID string, log *slog.Logger) (status int, body []byte, header http.Header) {
	e := errs.From(err)
	status = statuses[e.Kind()]
	switch {
	case status == http.StatusInternalServerError:
		log.Error("a request failed", "code", string(e.Code), "cause", e.Error())
	case status > http.StatusInternalServerError: // something behind us is away, which is told where it is noticed
		log.Info("a request could not be served", "code", string(e.Code), "cause", e.Error())
	}
	fields := maps.Clone(e.Context)
	if fields == nil {
		fields = map[string]any{}
	}
	if len(e.Fields) > 0 {
		fields["fields"] = e.Fields
	}
	fields["error"], fields["message"] = e.Code, e.Message
	if _, replayed := fields["request_id"]; !replayed { // the answer to an earlier request keeps its id
		fields["request_id"] = requestID
	}
	body, err = json.Marshal(fields)
	if err != nil {
		return s.errorBody(errs.Internal(err), requestID, log)
	}
	return status, body, retryHeader(e)
}

// retryHeader is Retry-After in whole seconds where the error says when to come back.
func retryHeader(e *errs.Error) http.Header {
	header := http.Header{}
	if text, ok := e.Context["retry_after"].(string); ok {
		if wait, err := time.ParseDuration(text); err == nil {
			header.Set("Retry-After", seconds(wait))
		}
	}
	return header
}
