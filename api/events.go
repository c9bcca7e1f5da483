package api

import (
	"context"
	"net/url"
	"strconv"

	"idplatform/errs"
	"idplatform/models"
	"idplatform/pipeline"
	"idplatform/platform/webhooks"
)

// Events reads what applications were told of, in the stored form.
type Events interface {
	// List is a page, newest first; invalid_request for a type that does not exist, a limit out of range and
	// a cursor that is not of this list.
	List(ctx context.Context, app models.ApplicationID, q webhooks.Query) ([]byte, error)
	// Get is one event; not_found.
	Get(ctx context.Context, app models.ApplicationID, id string) ([]byte, error)
}

// events serves the events of the last 30 days (protocol, §7).
func (s *Server) events() {
	s.router.GET("/v1/events", s.signed(singleLimit, s.listEvents))
	s.router.GET("/v1/events/:id", s.signed(singleLimit, s.retrieveEvent))
}

func (s *Server) listEvents(x *exchange) (answer, error) {
	if err := x.noBody(); err != nil {
		return answer{}, err
	}
	query, err := eventQuery(x.gin.Request.URL.RawQuery)
	if err != nil {
		return answer{}, err
	}
	list, err := s.cfg.Events.List(x.gin.Request.Context(), x.caller.ApplicationID, query)
	if err != nil {
		return answer{}, err
	}
	return x.shown(pipeline.Answer{Body: list})
}

// eventQuery binds the parameters of the list. One that does not exist is refused: a mistyped type must not
// silently mean all of them.
func eventQuery(raw string) (webhooks.Query, error) {
	q := webhooks.Query{Limit: webhooks.PageDefault}
	values, err := url.ParseQuery(raw)
	if err != nil {
		return q, errs.Invalid(errs.Field{Field: "query", Problem: "is malformed"})
	}
	var faults []errs.Field
	for name, given := range values {
		value := given[0]
		switch {
		case name != "type" && name != "cursor" && name != "limit":
			faults = append(faults, errs.Field{Field: "query", Problem: "has a parameter that does not exist: there are type, cursor and limit"})
		case len(given) > 1:
			faults = append(faults, errs.Field{Field: name, Problem: "is given more than once"})
		case name == "type":
			q.Type = value
		case name == "cursor":
			q.Cursor = &value
		case name == "limit":
			if q.Limit, err = strconv.Atoi(value); err != nil {
				q.Limit = 0 // out of range, which is told with the rest
			}
		}
	}
	if len(faults) > 0 {
		return q, errs.Invalid(faults...)
	}
	return q, nil
}

func (s *Server) retrieveEvent(x *exchange) (answer, error) {
	if err := x.noBody(); err != nil {
		return answer{}, err
	}
	event, err := s.cfg.Events.Get(x.gin.Request.Context(), x.caller.ApplicationID, x.gin.Param("id"))
	if err != nil {
		return answer{}, err
	}
	return x.shown(pipeline.Answer{Body: event})
}
