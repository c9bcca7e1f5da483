package api

import (
	"context"
	"net/http"
	"strings"

	"idplatform/catalog"
	"idplatform/pipeline"
	"idplatform/platform/wire"
)

// headerReplayed marks the answer to an earlier request with the same idempotency key.
const headerReplayed = "Idempotent-Replayed"

// operations routes every operation of the catalog through the handlers of the modes.
func (s *Server) operations() {
	for _, op := range s.cfg.Catalog.Operations() {
		s.router.POST(op.Path, s.signed(singleLimit, serve(op, s.cfg.Pipeline.Single, s.cfg.Jobs.SubmitJob)))
		s.router.POST(op.Path+"/batches", s.signed(batchLimit, serve(op, s.cfg.Pipeline.SyncBatch, s.cfg.Jobs.SubmitBatch)))
		s.router.GET(op.Path+"/:id", s.signed(singleLimit, s.retrieve(op)))
	}
}

// mode is a way through the pipeline.
type mode func(context.Context, pipeline.Request) (pipeline.Answer, error)

// request is the exchange as the pipeline knows it.
func (x *exchange) request(op *catalog.Operation) pipeline.Request {
	r := x.gin.Request
	return pipeline.Request{
		Caller: x.caller, Operation: op, Body: x.body, ID: x.id,
		IdempotencyKey: strings.TrimSpace(r.Header.Get(wire.HeaderIdempotencyKey)),
		Line:           r.Method + "\n" + target(r.RequestURI) + "\n" + wire.Prefer(r.Header),
	}
}

// shown renders a stored answer.
func (x *exchange) shown(out pipeline.Answer) (answer, error) {
	stored := out.Body
	if out.Shown != nil { // its files are read already; what is left to show are URLs
		stored = out.Shown
	}
	body, err := x.server.cfg.Pipeline.Show(x.gin.Request.Context(), stored)
	if err != nil {
		return answer{}, err
	}
	if out.Accepted {
		return answer{status: http.StatusAccepted, body: body}, nil
	}
	return answer{status: http.StatusOK, body: body}, nil
}

// retrieve gives a previous result by id.
func (s *Server) retrieve(op *catalog.Operation) handler {
	return func(x *exchange) (answer, error) {
		if err := x.noBody(); err != nil {
			return answer{}, err
		}
		result, err := s.cfg.Pipeline.Retrieve(x.gin.Request.Context(), x.caller, op, x.gin.Param("id"))
		if err != nil {
			return answer{}, err
		}
		return x.shown(pipeline.Answer{Body: result})
	}
}
