package activities

import (
	"context"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
)

// pulseEvery is how often a slice says that it is alive while a group of items takes long, as it does when a
// register answers slowly. It is well below the heartbeat's time-out.
const pulseEvery = 500 * time.Millisecond

// pulse heartbeats a position whenever it changes, and now and then when it does not.
type pulse struct {
	ctx  context.Context
	mu   sync.Mutex
	at   position
	done chan struct{}
	end  sync.WaitGroup
}

func startPulse(ctx context.Context, at position) *pulse {
	p := &pulse{ctx: ctx, at: at, done: make(chan struct{})}
	p.end.Go(p.run)
	return p
}

func (p *pulse) run() {
	tick := time.NewTicker(pulseEvery)
	defer tick.Stop()
	for {
		select {
		case <-p.done:
			return
		case <-tick.C:
			p.mu.Lock()
			activity.RecordHeartbeat(p.ctx, p.at)
			p.mu.Unlock()
		}
	}
}

// beat tells the position.
func (p *pulse) beat(at position) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at = at
	activity.RecordHeartbeat(p.ctx, at)
}

func (p *pulse) stop() {
	close(p.done)
	p.end.Wait()
}
