package database

import (
	"context"
	"sync"
)

type bulkKey struct{}

// Bulk marks the writes made under the returned context as part of a long-running batch: on SQLite, where
// one connection writes, they let interactive writes go first.
func Bulk(ctx context.Context) context.Context { return context.WithValue(ctx, bulkKey{}, true) }

// writerQueue orders the transactions that want SQLite's single writer: interactive ones first, each class
// in order of arrival. PostgreSQL needs no such queue.
type writerQueue struct {
	mu          sync.Mutex
	busy        bool
	interactive []chan struct{}
	bulk        []chan struct{}
}

func (q *writerQueue) enter(ctx context.Context, driver Driver) (release func(), err error) {
	if driver != SQLite {
		return func() {}, nil
	}
	q.mu.Lock()
	if !q.busy {
		q.busy = true
		q.mu.Unlock()
		return q.leave, nil
	}
	turn := make(chan struct{})
	waiting := &q.interactive
	if ctx.Value(bulkKey{}) != nil {
		waiting = &q.bulk
	}
	*waiting = append(*waiting, turn)
	q.mu.Unlock()
	select {
	case <-turn:
		return q.leave, nil
	case <-ctx.Done():
		q.abandon(turn, waiting)
		return nil, ctx.Err()
	}
}

// abandon takes a waiter out of its line; one that was given its turn meanwhile passes it on.
func (q *writerQueue) abandon(turn chan struct{}, waiting *[]chan struct{}) {
	q.mu.Lock()
	for i, t := range *waiting {
		if t == turn {
			*waiting = append((*waiting)[:i], (*waiting)[i+1:]...)
			q.mu.Unlock()
			return
		}
	}
	q.mu.Unlock()
	q.leave()
}

func (q *writerQueue) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, waiting := range []*[]chan struct{}{&q.interactive, &q.bulk} {
		if len(*waiting) > 0 {
			next := (*waiting)[0]
			*waiting = (*waiting)[1:]
			close(next)
			return
		}
	}
	q.busy = false
}
