package api

import (
	"context"
	"net/http"
	"strings"

	"idplatform/catalog"
	"idplatform/pipeline"
	"idplatform/platform/access"
	"idplatform/platform/wire"
)

// Jobs takes, shows and cancels asynchronous work.
type Jobs interface {
	// SubmitJob and SubmitBatch record the work and start it; async_unavailable while that is impossible.
	SubmitJob(ctx context.Context, r pipeline.Request) (pipeline.Answer, error)
	SubmitBatch(ctx context.Context, r pipeline.Request) (pipeline.Answer, error)
	// CancelBatch gives the batch as it is then; batch_not_found, batch_already_finished.
	CancelBatch(ctx context.Context, caller *access.Caller, id string) ([]byte, error)
}

// asyncPreference is the preference (RFC 7240) for an answer before the work is done.
const asyncPreference = "respond-async"

// serve handles an operation in one of two modes: now, or, when the caller prefers it, asynchronously.
func serve(op *catalog.Operation, now, async mode) handler {
	return func(x *exchange) (answer, error) {
		run := now
		if prefersAsync(x.gin.Request.Header) {
			run = async
		}
		out, err := run(x.gin.Request.Context(), x.request(op))
		if out.Replayed {
			x.gin.Header(headerReplayed, "true")
		}
		if err != nil {
			return answer{}, err
		}
		if out.Accepted {
			x.gin.Header("Preference-Applied", asyncPreference)
		}
		return x.shown(out)
	}
}

// prefersAsync reads the preferences as RFC 7240 writes them: name, optional value, parameters. An empty value
// is as good as none.
func prefersAsync(h http.Header) bool {
	for _, preference := range unquotedSplit(wire.Prefer(h), ',') {
		name, value, _ := strings.Cut(unquotedSplit(preference, ';')[0], "=")
		value = strings.TrimSpace(value)
		if strings.EqualFold(strings.TrimSpace(name), asyncPreference) && (value == "" || value == `""`) {
			return true
		}
	}
	return false
}

// unquotedSplit splits at a separator, except inside of quoted strings.
func unquotedSplit(text string, separator byte) (parts []string) {
	quoted, from := false, 0
	for i := 0; i < len(text); i++ {
		switch {
		case quoted && text[i] == '\\':
			i++
		case text[i] == '"':
			quoted = !quoted
		case text[i] == separator && !quoted:
			parts = append(parts, text[from:i])
			from = i + 1
		}
	}
	return append(parts, text[from:])
}

// asynchronous serves jobs and batches.
func (s *Server) asynchronous() {
	p := s.cfg.Pipeline
	s.router.GET("/v1/jobs/:id", s.signed(singleLimit, owned(p.Job)))
	s.router.GET("/v1/batches/:id", s.signed(singleLimit, owned(p.Batch)))
	s.router.GET("/v1/batches/:id/results", s.signed(singleLimit, s.batchResults))
	s.router.POST("/v1/batches/:id/cancel", s.signed(singleLimit, keyed(owned(s.cfg.Jobs.CancelBatch))))
}

// owned handles a request for an object of the caller, by id and without a body.
func owned(get func(ctx context.Context, caller *access.Caller, id string) ([]byte, error)) handler {
	return func(x *exchange) (answer, error) {
		if err := x.noBody(); err != nil {
			return answer{}, err
		}
		body, err := get(x.gin.Request.Context(), x.caller, x.gin.Param("id"))
		if err != nil {
			return answer{}, err
		}
		return x.shown(pipeline.Answer{Body: body})
	}
}

func (s *Server) batchResults(x *exchange) (answer, error) {
	query := x.gin.Request.URL.Query()
	return owned(func(ctx context.Context, caller *access.Caller, id string) ([]byte, error) {
		return s.cfg.Pipeline.BatchResults(ctx, caller, id, query)
	})(x)
}
