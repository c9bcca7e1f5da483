package client

import (
	"context"
	"time"
)

// pace is the growing interval between two questions.
type pace struct{ next, longest time.Duration }

func (c *Client) pace() *pace { return &pace{next: c.pollFirst, longest: c.pollLongest} }

func (p *pace) pause(ctx context.Context) error {
	wait := min(p.next, p.longest)
	p.next = wait + wait/2
	return pause(ctx, wait)
}

// poll reads until what was read is done.
func poll[T any](ctx context.Context, c *Client, read func() (T, error), done func(T) bool) (T, error) {
	pace := c.pace()
	for {
		value, err := read()
		if err != nil || done(value) {
			return value, err
		}
		if err := pace.pause(ctx); err != nil {
			return value, err
		}
	}
}
