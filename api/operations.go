package api

import (
	"idplatform/catalog"
)

// operations routes every operation of the catalog through the handlers of the modes.
func (s *Server) operations() {
	for _, op := range s.cfg.Catalog.Operations() {
		s.router.POST(op.Path, s.signed(singleLimit, s.call(op)))
		s.router.GET(op.Path+"/:id", s.signed(singleLimit, s.retrieve(op)))
	}
}

// call is a single synchronous call.
func (s *Server) call(op *catalog.Operation) handler {
	return func(x *exchange) (answer, error) {
		ctx := x.gin.Request.Context()
		call, err := s.cfg.Pipeline.Admit(ctx, x.caller, op, x.body)
		if err != nil {
			return answer{}, err
		}
		outcome, err := s.cfg.Pipeline.ExecuteOne(ctx, call)
		if err != nil {
			return answer{}, err
		}
		return ok(outcome.Body), nil
	}
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
		return ok(result), nil
	}
}
