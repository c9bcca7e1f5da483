package client

import (
	"context"
	"crypto/tls"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"
)

// RetryPolicy says how often and how patiently a failed call is sent again.
//
// Only what may be repeated without harm is: GET, and POST with an Idempotency-Key, which a Client that
// retries gives to every POST. Tried again are connections that fail or break, time-outs of an attempt, the
// statuses 500, 502, 503 and 504, and the codes rate_limited, idempotency_conflict and nonce_reused.
// Everything else would fail the same way again.
type RetryPolicy struct {
	// Attempts is how often a call is sent at most, the first time included.
	Attempts int
	// First is the pause after the first failure. It doubles with each further one up to Longest; chance
	// shortens each by up to a half, so that many clients do not come back at the same moment.
	First, Longest time.Duration
	// Patience is the longest pause that the server may ask for with retry_after or Retry-After. Asked for
	// more, the call fails at once; Error.RetryAfter tells how long it would have been.
	Patience time.Duration
}

// DefaultRetry is three attempts, pauses of about 200 ms and 400 ms, and a minute of patience.
func DefaultRetry() RetryPolicy {
	return RetryPolicy{Attempts: 3, First: 200 * time.Millisecond, Longest: 5 * time.Second, Patience: time.Minute}
}

// NoRetry sends every call once.
func NoRetry() RetryPolicy { return RetryPolicy{Attempts: 1} }

// next tells whether a call that failed for the nth time is sent again, and after what pause.
func (p RetryPolicy) next(failures int, call *call, err error) (time.Duration, bool) {
	if failures >= p.Attempts || !call.repeatable() || !passing(err) {
		return 0, false
	}
	wait := p.backoff(failures)
	var answer *Error
	if errors.As(err, &answer) && answer.RetryAfter > 0 {
		if answer.RetryAfter > p.Patience {
			return 0, false
		}
		wait = max(wait, answer.RetryAfter)
	}
	return wait, true
}

func (p RetryPolicy) backoff(failures int) time.Duration {
	wait := min(p.First<<min(failures-1, 20), p.Longest)
	if wait <= 0 {
		return 0
	}
	return wait - rand.N(wait/2+1)
}

// passing tells whether an error may be gone the next time.
func passing(err error) bool {
	var answer *Error
	if errors.As(err, &answer) {
		switch answer.Status {
		case http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
			return true
		}
		// A new nonce is as good as none reused: the connection must have repeated the request.
		return answer.Code == RateLimited || answer.Code == IdempotencyConflict || answer.Code == NonceReused
	}
	var transport *transportError
	var certificate *tls.CertificateVerificationError
	return errors.As(err, &transport) && !errors.As(err, &certificate)
}

// fits tells whether a pause ends before the context does.
func fits(ctx context.Context, wait time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return !ok || time.Until(deadline) > wait
}

// pause waits, or fails with the context's error.
func pause(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
