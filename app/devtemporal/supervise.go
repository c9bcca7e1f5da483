package devtemporal

import (
	"context"
	"fmt"
	"time"
)

// Stop ends the server for good: SIGTERM, and SIGKILL after 5 s or as soon as ctx ends. It returns when the process is
// gone. The error says that it had to be killed; nothing is lost by that. Calling it again waits for the same end.
func (s *Server) Stop(ctx context.Context) error {
	s.stop()
	select {
	case <-s.done:
		return s.stopErr
	case <-ctx.Done():
	}
	if s.hurrying.CompareAndSwap(false, true) {
		close(s.hurry)
	}
	<-s.done
	return s.stopErr
}

// supervise keeps a child running until Stop, or until it gives up.
func (s *Server) supervise(c *child) {
	defer close(s.done)
	defer s.pid.Store(0)
	failing := restarts{limits: s.opts.limits}
	for c != nil {
		select {
		case <-s.ctx.Done():
			s.stopErr = c.stop(s.opts.limits.grace, s.hurry)
			return
		case <-c.exited:
			s.pid.Store(0)
			c = s.revive(&failing, fmt.Errorf("the Temporal server ended (%s); %s", c.ended(), s.output.last()))
		}
	}
}

// revive starts a new child on the same ports, again and again. It returns nil when Stop was called or it has given up.
func (s *Server) revive(r *restarts, why error) *child {
	for s.ctx.Err() == nil {
		delay, ok := r.next(time.Now())
		if !ok {
			err := fmt.Errorf("the Temporal server failed %d times within %s and is not started again: %w", s.opts.limits.failures, s.opts.limits.window, why)
			s.opts.Logger.Error("Temporal keeps failing and is not started again", "error", why)
			s.exited <- err
			return nil
		}
		s.opts.Logger.Warn("Temporal ended unexpectedly and is started again", "error", why, "after", delay, "failures", len(r.failures))
		select {
		case <-time.After(delay):
		case <-s.ctx.Done():
			return nil
		}
		c, err := s.launch(s.ctx)
		if err == nil {
			s.opts.Logger.Info("Temporal is back", "pid", s.PID(), "address", s.Address())
			return c
		}
		why = err
	}
	return nil
}

// restarts decides when a child that ended is started again, by the failures of the last minute.
type restarts struct {
	limits   limits
	failures []time.Time
}

// next counts a failure at the time now. It returns the pause before the next start, or false to give up.
func (r *restarts) next(now time.Time) (time.Duration, bool) {
	recent := r.failures[:0]
	for _, t := range r.failures {
		if now.Sub(t) < r.limits.window {
			recent = append(recent, t)
		}
	}
	r.failures = append(recent, now)
	if len(r.failures) >= r.limits.failures {
		return 0, false
	}
	delay := r.limits.firstDelay
	for range len(r.failures) - 1 {
		delay = min(2*delay, r.limits.maxDelay)
	}
	return delay, true
}
