package database

import (
	"context"
	"database/sql"
	"errors"
	"sync"
)

type bulkKey struct{}

// Bulk marks the writes made under the returned context as part of a long-running batch: on SQLite, where
// one connection writes, they let interactive writes go first.
func Bulk(ctx context.Context) context.Context { return context.WithValue(ctx, bulkKey{}, true) }

// mostInGroup bounds the functions of one transaction, and with it how long the first of them waits for the
// commit.
const mostInGroup = 64

// writerGroup lets those who want SQLite's single writer take turns: interactive ones first, each class in
// order of arrival. Whoever is done while interactive ones wait does not commit but hands on the open
// transaction; the last commits for all (docs/adr/0002-group-commit.md). Everybody runs on their own
// goroutine behind a savepoint of their own, so that an error or a panic undoes only what that one did, and
// nobody is told of success before the commit. Bulk writers commit alone.
type writerGroup struct {
	mu          sync.Mutex
	busy        bool
	interactive []chan *shared
	bulk        []chan *shared
	// passed counts the transactions of interactive writers since a bulk writer began to wait.
	passed int
}

// mostPassed is how many transactions of interactive writers a bulk writer lets go first: many, but a batch
// moves on however busy the platform is.
const mostPassed = 8

// shared is a transaction on its way from one to the next. Only its holder touches it, but for done.
type shared struct {
	// conn is nil as long as nothing is begun.
	conn *sql.Conn
	tx   *transaction
	// members have done something that stands; turns counts all who had the transaction handed on to them.
	members, turns int
	// done is closed once the transaction has ended; err is then how.
	done chan struct{}
	err  error
}

const savepoint = "member"

// errRolledBack is what the members of a transaction learn that SQLite itself has given up.
var errRolledBack = errors.New("the shared transaction was rolled back by the database")

func (g *writerGroup) run(ctx context.Context, db *DB, fn func(context.Context) error) (err error) {
	bulk := ctx.Value(bulkKey{}) != nil
	s, err := g.enter(ctx, bulk)
	if err != nil {
		return err
	}
	kept, finished := false, false
	// Also when fn panics or ends its goroutine, the others must go on.
	defer func() {
		if !finished {
			g.hand(s, bulk)
		}
	}()
	if kept, err = s.member(ctx, db, fn); !kept {
		return err
	}
	finished = true
	if g.hand(s, bulk) {
		return s.err
	}
	<-s.done
	return s.err
}

// member runs fn in the transaction, begun if need be, and reports whether what it did stands.
func (s *shared) member(ctx context.Context, db *DB, fn func(context.Context) error) (kept bool, err error) {
	if s.conn == nil {
		if err := s.begin(ctx, db); err != nil {
			return false, err
		}
	} else if err := s.exec("SAVEPOINT " + savepoint); err != nil {
		s.fail(err)
		return false, err
	}
	defer func() {
		if !kept {
			s.undo()
		}
	}()
	if err = fn(context.WithValue(ctx, txKey{db}, s.tx)); err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return false, err
	}
	if s.members > 0 {
		if err := s.exec("RELEASE " + savepoint); err != nil {
			return false, errors.Join(errRolledBack, err)
		}
	}
	s.members++
	return true, nil
}

// begin opens the transaction on a connection rather than as a sql.Tx, which would watch the context with
// a goroutine: one caller's leaving must not end the transaction of the others.
func (s *shared) begin(ctx context.Context, db *DB) (err error) {
	ctx = context.WithoutCancel(ctx)
	if s.conn, err = db.writePool.Conn(ctx); err != nil {
		return err
	}
	if err = s.exec("BEGIN IMMEDIATE"); err != nil {
		s.release()
		return err
	}
	s.tx = db.newTransaction(ctx, s.conn)
	return nil
}

func (s *shared) exec(statement string) error {
	_, err := s.conn.ExecContext(context.Background(), statement)
	return err
}

// release gives the connection back, with nothing open on it.
func (s *shared) release() {
	_ = s.conn.Close() // a connection that is given back does not fail
	s.conn = nil
}

// undo takes back what the present holder did.
func (s *shared) undo() {
	if s.members == 0 {
		_ = s.exec("ROLLBACK") // nothing of anybody else is in it; it may be rolled back already
		s.release()
		return
	}
	if s.err != nil {
		return
	}
	err := s.exec("ROLLBACK TO " + savepoint)
	if err == nil {
		err = s.exec("RELEASE " + savepoint)
	}
	if err != nil { // SQLite has rolled back everything: a full disk, an I/O error
		s.fail(err)
	}
}

// fail gives the transaction up for all its members.
func (s *shared) fail(err error) { s.err = errors.Join(errRolledBack, err) }

// enter waits for the turn to write.
func (g *writerGroup) enter(ctx context.Context, bulk bool) (*shared, error) {
	g.mu.Lock()
	if !g.busy {
		g.busy = true
		g.mu.Unlock()
		return newShared(), nil
	}
	turn := make(chan *shared, 1)
	line := g.line(bulk)
	*line = append(*line, turn)
	g.mu.Unlock()
	select {
	case s := <-turn:
		return s, nil
	case <-ctx.Done():
		g.abandon(turn, bulk)
		return nil, ctx.Err()
	}
}

func newShared() *shared { return &shared{done: make(chan struct{})} }

func (g *writerGroup) line(bulk bool) *[]chan *shared {
	if bulk {
		return &g.bulk
	}
	return &g.interactive
}

// abandon takes a waiter out of its line; one that was given its turn meanwhile passes it on.
func (g *writerGroup) abandon(turn chan *shared, bulk bool) {
	g.mu.Lock()
	line := g.line(bulk)
	for i, t := range *line {
		if t == turn {
			*line = append((*line)[:i], (*line)[i+1:]...)
			g.mu.Unlock()
			return
		}
	}
	g.mu.Unlock()
	g.hand(<-turn, bulk)
}

// hand passes the transaction on to who waits for it, or ends it and lets the next begin another. It reports
// whether the transaction has ended.
func (g *writerGroup) hand(s *shared, bulk bool) (ended bool) {
	if s.conn != nil && s.err == nil && !bulk && s.turns < mostInGroup {
		g.mu.Lock()
		if next := take(&g.interactive); next != nil {
			g.mu.Unlock()
			s.turns++
			next <- s
			return false
		}
		g.mu.Unlock()
	}
	s.end()
	g.leave()
	return true
}

// end commits, or rolls back what was given up, and tells the members.
func (s *shared) end() {
	if s.conn != nil {
		if s.err == nil {
			s.err = s.exec("COMMIT")
		}
		if s.err != nil {
			_ = s.exec("ROLLBACK") // it may be rolled back already
		}
		s.release()
	}
	close(s.done)
}

// leave lets the next one in.
func (g *writerGroup) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	lines := []*[]chan *shared{&g.interactive, &g.bulk}
	if len(g.bulk) > 0 && g.passed >= mostPassed {
		lines[0], lines[1] = lines[1], lines[0]
	}
	for _, line := range lines {
		if next := take(line); next != nil {
			g.passed++
			if line == &g.bulk || len(g.bulk) == 0 {
				g.passed = 0
			}
			next <- newShared()
			return
		}
	}
	g.busy = false
}

func take(line *[]chan *shared) chan *shared {
	if len(*line) == 0 {
		return nil
	}
	next := (*line)[0]
	*line = (*line)[1:]
	return next
}
