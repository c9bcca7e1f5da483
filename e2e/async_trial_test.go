package e2e_test

import (
	"context"
	"sync"
	"sync/atomic"

	"idplatform/catalog"
	"idplatform/errs"
	"idplatform/models"
)

// A service whose calls behave as they are told, to try what asynchronous work does with every behaviour.

const trials = "/v1/trials"

type trialRequest struct {
	// Do is succeed, missing, refuse, panic, or one that lasts until Gate opens: away (fails for a passing
	// reason), absent (the whole look-up does so), hold (is not answered).
	Do        string         `json:"do"`
	Gate      string         `json:"gate,omitempty"`
	Purpose   models.Purpose `json:"purpose"`
	Reference *string        `json:"reference,omitempty" minLength:"1" maxLength:"255"`
}

// Common implements catalog.Request.
func (r *trialRequest) Common() catalog.Common {
	return catalog.Common{Purpose: r.Purpose, Reference: r.Reference}
}

// Validate implements catalog.Request.
func (r *trialRequest) Validate() []errs.Field { return nil }

// Normalize implements catalog.Request.
func (r *trialRequest) Normalize() error { return nil }

type trialResult struct {
	catalog.Envelope
	Result string `json:"result"`
}

// trial is the service.
type trial struct {
	mu    sync.Mutex
	gates map[string]*gate
}

// gate holds calls up until it opens.
type gate struct {
	opened  chan struct{}
	tries   atomic.Int64 // look-ups in which a call was turned away
	holding atomic.Int64 // look-ups held at the moment
}

// gate closes a gate; open opens it.
func (s *trial) gate(name string) (g *gate, open func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g = &gate{opened: make(chan struct{})}
	if s.gates == nil {
		s.gates = map[string]*gate{}
	}
	s.gates[name] = g
	return g, sync.OnceFunc(func() { close(g.opened) })
}

// shut is a gate that is closed; nil when it is open or there is none.
func (s *trial) shut(name string) *gate {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.gates[name]
	if g == nil {
		return nil
	}
	select {
	case <-g.opened:
		return nil
	default:
		return g
	}
}

func (s *trial) operation() *catalog.Operation {
	return catalog.Define(catalog.Spec{
		Service: "trial", Object: "trial", IDPrefix: "tri_", Path: trials,
		Event: "trial.completed", Title: "Trial", Description: "Behaves as told.",
	}, s)
}

// Load implements catalog.Service.
func (s *trial) Load(ctx context.Context, calls []*catalog.Call[*trialRequest]) ([]struct{}, error) {
	for _, call := range calls {
		g := s.shut(call.Request.Gate)
		switch do := call.Request.Do; {
		case do == "panic":
			panic("a trial that panics")
		case do == "absent" && g != nil:
			g.tries.Add(1)
			return nil, errs.New(errs.RegistryUnavailable)
		case do == "hold" && g != nil:
			g.holding.Add(1)
			select {
			case <-g.opened:
			case <-ctx.Done():
			}
			g.holding.Add(-1)
		}
	}
	return make([]struct{}, len(calls)), ctx.Err()
}

// Decide implements catalog.Service.
func (s *trial) Decide(_ context.Context, call *catalog.Call[*trialRequest], _ struct{}) (*catalog.Answer[*trialResult], error) {
	outcome := "verified"
	switch call.Request.Do {
	case "refuse":
		return nil, errs.New(errs.NoFaceDetected)
	case "missing":
		outcome = "not_found"
	case "away":
		if g := s.shut(call.Request.Gate); g != nil {
			g.tries.Add(1)
			return nil, errs.New(errs.RegistryUnavailable)
		}
	}
	return &catalog.Answer[*trialResult]{Result: &trialResult{Result: outcome}, Outcome: outcome}, nil
}
