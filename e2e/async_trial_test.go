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
	// Do is succeed, missing, refuse, away (fails for a passing reason until the trial is released), absent (the
	// whole look-up does so), hold (takes until the trial is released), panic.
	Do        string         `json:"do"`
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

// trial is the service. Its zero value holds nobody up.
type trial struct {
	mu       sync.Mutex
	closed   chan struct{} // nil: nothing is held; closed by release
	tries    atomic.Int64  // look-ups in which a call was turned away
	holding  atomic.Int64  // look-ups held at the moment
	panicked atomic.Int64
}

func (s *trial) operation() *catalog.Operation {
	return catalog.Define(catalog.Spec{
		Service: "trial", Object: "trial", IDPrefix: "tri_", Path: trials,
		Event: string(models.EventFaceRecognitionCompleted), Title: "Trial", Description: "Behaves as told.",
	}, s)
}

// close makes calls that are away fail and calls that hold wait, until the function it gives is called.
func (s *trial) close() (release func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	closed := make(chan struct{})
	s.closed = closed
	return sync.OnceFunc(func() { close(closed) })
}

// away reports whether the trial is closed, with what opens it.
func (s *trial) away() (<-chan struct{}, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed == nil {
		return nil, false
	}
	select {
	case <-s.closed:
		return nil, false
	default:
		return s.closed, true
	}
}

// Load implements catalog.Service.
func (s *trial) Load(ctx context.Context, calls []*catalog.Call[*trialRequest]) ([]struct{}, error) {
	opened, away := s.away()
	for _, call := range calls {
		switch call.Request.Do {
		case "absent":
			if away {
				s.tries.Add(1)
				return nil, errs.New(errs.RegistryUnavailable)
			}
		case "panic":
			s.panicked.Add(1)
			panic("a trial that panics")
		case "hold":
			if away {
				s.holding.Add(1)
				select {
				case <-opened:
				case <-ctx.Done():
				}
				s.holding.Add(-1)
				away = false
			}
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
		if _, away := s.away(); away {
			s.tries.Add(1)
			return nil, errs.New(errs.RegistryUnavailable)
		}
	}
	return &catalog.Answer[*trialResult]{Result: &trialResult{Result: outcome}, Outcome: outcome}, nil
}
