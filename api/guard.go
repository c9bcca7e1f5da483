package api

import (
	"container/list"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"idplatform/errs"
)

const (
	// failuresAllowed is how many failed authentications an address may make in a guardWindow.
	failuresAllowed = 100
	guardWindow     = time.Minute
	// addressesRemembered bounds the guard's memory; the address that failed longest ago is forgotten.
	addressesRemembered = 100_000
)

// guard slows down an address that keeps failing to authenticate. It counts failures only and stands
// before everything else, so that a guesser costs no query. Each instance counts for itself.
type guard struct {
	mu        sync.Mutex
	addresses map[netip.Addr]*list.Element
	order     *list.List // of *suspect, the latest failure first
}

type suspect struct {
	address netip.Addr
	since   time.Time
	count   int
}

func newGuard() *guard {
	return &guard{addresses: map[netip.Addr]*list.Element{}, order: list.New()}
}

// allow is rate_limited for an address that has used up its failures.
func (g *guard) allow(address netip.Addr, now time.Time) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	e, known := g.addresses[group(address)]
	if !known {
		return nil
	}
	s := e.Value.(*suspect)
	left := guardWindow - now.Sub(s.since)
	if left <= 0 || s.count < failuresAllowed {
		return nil
	}
	return errs.Newf(errs.RateLimited, "Too many requests of this address failed to authenticate.").
		With("retry_after", seconds(left)+"s")
}

// failed counts a failed authentication.
func (g *guard) failed(address netip.Addr, now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	address = group(address)
	e, known := g.addresses[address]
	if !known {
		if g.order.Len() >= addressesRemembered {
			oldest := g.order.Back()
			delete(g.addresses, oldest.Value.(*suspect).address)
			g.order.Remove(oldest)
		}
		e = g.order.PushFront(&suspect{address: address, since: now})
		g.addresses[address] = e
	}
	s := e.Value.(*suspect)
	if now.Sub(s.since) >= guardWindow {
		s.since, s.count = now, 0
	}
	s.count++
	g.order.MoveToFront(e)
}

// group makes one address of the /64 that an IPv6 host commonly has.
func group(a netip.Addr) netip.Addr {
	a = a.Unmap().WithZone("")
	if a.Is6() {
		if p, err := a.Prefix(64); err == nil {
			return p.Addr()
		}
	}
	return a
}

// seconds rounds a wait up to whole seconds, at least one.
func seconds(d time.Duration) string {
	return strconv.Itoa(max(1, int((d+time.Second-1)/time.Second)))
}
