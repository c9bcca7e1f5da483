package jobs

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"go.temporal.io/sdk/client"
)

const (
	probeEvery = time.Second
	probeTime  = 2 * time.Second
)

// Health knows whether Temporal is there, by asking it regularly, so that a call need not wait to find out.
type Health struct {
	temporal client.Client
	log      *slog.Logger
	away     atomic.Bool
}

// NewHealth takes Temporal to be there until it is found away.
func NewHealth(c client.Client, log *slog.Logger) *Health { return &Health{temporal: c, log: log} }

// Check is async_unavailable while Temporal is known to be away.
func (h *Health) Check() error {
	if h.away.Load() {
		return errAway()
	}
	return nil
}

// Suspect asks at once, after something failed.
func (h *Health) Suspect(ctx context.Context) { h.probe(context.WithoutCancel(ctx)) }

// Run asks until the context ends.
func (h *Health) Run(ctx context.Context) error {
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	for {
		h.probe(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

func (h *Health) probe(ctx context.Context) {
	ctx, stop := context.WithTimeout(ctx, probeTime)
	defer stop()
	_, err := h.temporal.CheckHealth(ctx, &client.CheckHealthRequest{})
	if away := err != nil; h.away.Swap(away) != away {
		if away {
			h.log.Warn("Temporal is away: asynchronous calls are refused until it is back", "cause", err.Error())
		} else {
			h.log.Info("Temporal is back")
		}
	}
}
