package api

import (
	"context"
	"sync"
	"time"

	"idplatform/errs"
)

const (
	// placesPerKey bounds the large bodies of one key id at one address that are taken at the same time.
	placesPerKey = 4
	// placesInAll bounds those of everybody together, and with them the disk and memory they take.
	placesInAll = 64
	// placeTime is how long a request waits for a place.
	placeTime = 5 * time.Second
)

// places lets a few large bodies in at a time: so many for each key, so many in all.
type places struct {
	all  chan struct{}
	wait time.Duration

	mu   sync.Mutex
	keys map[string]*place
}

type place struct {
	taken chan struct{}
	users int
}

func newPlaces(wait time.Duration) *places {
	return &places{all: make(chan struct{}, placesInAll), wait: wait, keys: map[string]*place{}}
}

// enter waits for a place and gives the way to leave it; rate_limited when none becomes free. Its key's own place
// comes first: who waits for that must not hold one of everybody's.
func (p *places) enter(ctx context.Context, key string) (leave func(), err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, p.wait, errFull)
	defer cancel()
	own := p.of(key)
	if err := take(ctx, own.taken); err != nil {
		p.forget(key, own)
		return nil, err
	}
	if err := take(ctx, p.all); err != nil {
		<-own.taken
		p.forget(key, own)
		return nil, err
	}
	return func() { <-p.all; <-own.taken; p.forget(key, own) }, nil
}

var errFull = errs.Newf(errs.RateLimited, "Too many large bodies are being sent at the same time; retry after the given time.").
	With("retry_after", seconds(placeTime)+"s")

func take(ctx context.Context, from chan<- struct{}) error {
	select {
	case from <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (p *places) of(key string) *place {
	p.mu.Lock()
	defer p.mu.Unlock()
	pl, ok := p.keys[key]
	if !ok {
		pl = &place{taken: make(chan struct{}, placesPerKey)}
		p.keys[key] = pl
	}
	pl.users++
	return pl
}

// forget keeps the memory of places to those in use.
func (p *places) forget(key string, pl *place) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if pl.users--; pl.users == 0 {
		delete(p.keys, key)
	}
}
