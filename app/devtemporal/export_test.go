package devtemporal

import "time"

// FindIn is Find with the executable's folder and PATH given.
func FindIn(beside, path string) (string, error) { return find(beside, path) }

// WithReadyWithin shortens the wait for readiness.
func (o Options) WithReadyWithin(d time.Duration) Options {
	o.limits = defaultLimits
	o.limits.ready = d
	return o
}

// WithRestarts shortens the restarts' delays and sets at which failure supervision gives up.
func (o Options) WithRestarts(first, longest time.Duration, failures int) Options {
	o.limits = defaultLimits
	o.limits.firstDelay, o.limits.maxDelay, o.limits.failures = first, longest, failures
	return o
}

// Delays returns the pauses that the default limits give to failures at these moments; -1 stands for giving up.
func Delays(at ...time.Duration) []time.Duration {
	r := restarts{limits: defaultLimits}
	var delays []time.Duration
	for _, t := range at {
		delay, ok := r.next(time.Unix(0, 0).Add(t))
		if !ok {
			delay = -1
		}
		delays = append(delays, delay)
	}
	return delays
}
