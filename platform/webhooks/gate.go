package webhooks

import (
	"context"
	"errors"
	"sync"

	"golang.org/x/sync/semaphore"

	"idplatform/models"
)

const (
	// inFlightPerEndpoint is how many attempts go to one endpoint at a time from one process (protocol, §10).
	inFlightPerEndpoint = 4
	// inFlight bounds the attempts of a process altogether. An endpoint that hangs holds four of them.
	inFlight = 512
)

// errBusy says that so many wait for the endpoint already that one more had better come back later.
var errBusy = errors.New("the endpoint is busy")

// gate lets a few attempts at a time through to each endpoint, in order of arrival.
type gate struct {
	mu    sync.Mutex
	lanes map[models.ApplicationID]*lane
	all   *semaphore.Weighted
}

// lane leads to one endpoint; it exists while somebody is in it.
type lane struct {
	slots *semaphore.Weighted
	users int
}

func newGate() *gate {
	return &gate{lanes: map[models.ApplicationID]*lane{}, all: semaphore.NewWeighted(inFlight)}
}

// enter waits for a place until the context ends. With most above 0 it is errBusy at once when as many wait
// already.
func (g *gate) enter(ctx context.Context, app models.ApplicationID, most int) (leave func(), err error) {
	l, err := g.join(app, most)
	if err != nil {
		return nil, err
	}
	if err := l.slots.Acquire(ctx, 1); err != nil {
		g.part(app, l)
		return nil, err
	}
	if err := g.all.Acquire(ctx, 1); err != nil {
		l.slots.Release(1)
		g.part(app, l)
		return nil, err
	}
	return sync.OnceFunc(func() {
		g.all.Release(1)
		l.slots.Release(1)
		g.part(app, l)
	}), nil
}

func (g *gate) join(app models.ApplicationID, most int) (*lane, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	l, ok := g.lanes[app]
	if !ok {
		l = &lane{slots: semaphore.NewWeighted(inFlightPerEndpoint)}
		g.lanes[app] = l
	}
	if most > 0 && l.users >= inFlightPerEndpoint+most {
		return nil, errBusy
	}
	l.users++
	return l, nil
}

func (g *gate) part(app models.ApplicationID, l *lane) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if l.users--; l.users == 0 {
		delete(g.lanes, app)
	}
}
