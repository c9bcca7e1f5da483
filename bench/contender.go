package main

import (
	"context"
	"runtime"
	"slices"
	"time"
)

// contender is something that answers the same requests.
type contender struct {
	name    string
	address string
	// request makes the next request to send.
	request func() []byte
	// repeats says that it takes the same request twice, so that few need be made.
	repeats bool

	rounds   []round
	prepared [][]byte
}

// most bounds the requests made for a round; at more than this a second a round ends sooner.
const (
	most        = 200_000
	repeatedSet = 512
)

// compete lets the contenders take turns, so that what else the machine does hits all of them.
func compete(ctx context.Context, all []*contender, conns, rounds int, duration time.Duration) error {
	for _, c := range all {
		c.rounds = nil
		warmUp, err := c.run(conns, duration/4, 1_000+4_000*int(duration/time.Second+1)/4)
		if err != nil {
			return err
		}
		c.rounds = append(c.rounds, warmUp)
	}
	for range rounds {
		for _, c := range all {
			if err := ctx.Err(); err != nil {
				return err
			}
			last := c.rounds[len(c.rounds)-1]
			r, err := c.run(conns, duration, int(last.rate*duration.Seconds()*1.5)+100)
			if err != nil {
				return err
			}
			c.rounds = append(c.rounds, r)
		}
	}
	for _, c := range all {
		c.rounds = c.rounds[1:]
	}
	return nil
}

// run measures one round of at most n requests.
func (c *contender) run(conns int, duration time.Duration, n int) (round, error) {
	n = min(n, most)
	requests := make([][]byte, n)
	for i := range requests {
		if !c.repeats {
			requests[i] = c.request()
			continue
		}
		if len(c.prepared) < repeatedSet {
			c.prepared = append(c.prepared, c.request())
		}
		requests[i] = c.prepared[i%len(c.prepared)]
	}
	runtime.GC() // nobody pays for the making of requests
	return load(c.address, requests, conns, duration)
}

// median is the middle of what the rounds measured, figure by figure.
func (c *contender) median() round {
	middle := func(of func(round) float64) float64 {
		values := make([]float64, len(c.rounds))
		for i, r := range c.rounds {
			values[i] = of(r)
		}
		slices.Sort(values)
		return values[len(values)/2]
	}
	return round{
		rate: middle(func(r round) float64 { return r.rate }),
		p50:  time.Duration(middle(func(r round) float64 { return float64(r.p50) })),
		p99:  time.Duration(middle(func(r round) float64 { return float64(r.p99) })),
		size: c.rounds[0].size,
	}
}
