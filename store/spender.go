package store

import (
	"context"
	"sync"

	"idplatform/database"
	"idplatform/models"
)

// spender writes the nonces of concurrent requests on PostgreSQL together (docs/adr/0002-group-commit.md): while as many
// statements as may are on their way, what arrives waits, and goes with the next. A request alone waits for
// nobody.
type spender struct {
	db *database.DB

	mu      sync.Mutex
	running int
	waiting []*spending
}

const (
	// statementsAtOnce are on their way at a time; more would only stand in each other's way.
	statementsAtOnce = 2
	// noncesOfStatement bounds the rows of one.
	noncesOfStatement = 32
)

// spending is a nonce on its way; fresh and err hold once done is closed.
type spending struct {
	app   models.ApplicationID
	nonce []byte
	until models.Timestamp

	fresh bool
	err   error
	done  chan struct{}
}

func (r *spender) spend(ctx context.Context, s *spending) (bool, error) {
	r.mu.Lock()
	r.waiting = append(r.waiting, s)
	mine := r.running < statementsAtOnce
	if mine {
		r.running++
	}
	r.mu.Unlock()
	if mine && r.writeSome() {
		go func() {
			for r.writeSome() {
			}
		}()
	}
	select {
	case <-s.done:
		return s.fresh, s.err
	case <-ctx.Done(): // the nonce may be spent, as that of any request that breaks off
		return false, ctx.Err()
	}
}

// writeSome writes what waits, and reports whether more has come meanwhile; if not, its place is free.
func (r *spender) writeSome() (more bool) {
	r.mu.Lock()
	n := min(len(r.waiting), noncesOfStatement)
	batch := r.waiting[:n:n]
	r.waiting = r.waiting[n:]
	r.mu.Unlock()
	if n > 0 {
		// No caller's context: that of one must not end the others'.
		err := r.insert(context.Background(), batch)
		for _, s := range batch {
			s.err = err
			close(s.done)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.waiting) == 0 {
		r.running--
		return false
	}
	return true
}
