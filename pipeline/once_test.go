package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"idplatform/errs"
	"idplatform/models"
	"idplatform/pipeline"
)

// ending is how the work of a request ends.
type ending int

const (
	commits  ending = iota // the work and its answer are committed
	refuses                // the service's own 422
	fails                  // any other refusal
	breaks                 // our own fault
	lostHead               // the commit stands, but the process never learns of it
	dies                   // the process is gone: nothing more is heard of the request
)

// flight is a request that is being worked on.
type flight struct {
	key, body int
	number    int
	began     time.Time
	end       chan ending
	done      chan outcome
}

type outcome struct {
	answer pipeline.Answer
	err    error
}

// held is what a key is known to hold.
type held struct {
	body   int
	holder *flight // while unanswered
	answer string  // once it is answered; the refusal's code for one
	since  time.Time
}

// history plays requests under few keys against a pipeline, and holds what each is told against what a careful
// reader of the documentation expects.
type history struct {
	w       *world
	keys    map[int]*held
	flights []*flight
	numbers int
	names   [3]string
}

// Whatever the order in which requests come, end, break and die, and time goes by: what was committed is answered
// again and never done twice, and a key that holds nothing is free.
func TestOnce_AnyInterleaving(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rapid.Check(t, func(r *rapid.T) {
		h := &history{w: w, keys: map[int]*held{}}
		for i := range h.names {
			h.names[i] = uuid.NewString()
		}
		r.Repeat(map[string]func(*rapid.T){
			"begin":   h.begin,
			"end":     h.end,
			"advance": h.advance,
		})
		for _, f := range h.flights {
			f.end <- dies
		}
	})
}

func (h *history) advance(r *rapid.T) {
	h.w.now = h.w.now.Add(rapid.SampledFrom([]time.Duration{time.Second, 20 * time.Second, time.Minute, 12 * time.Hour}).Draw(r, "time"))
}

func (h *history) begin(r *rapid.T) {
	h.numbers++
	f := &flight{key: rapid.IntRange(0, len(h.names)-1).Draw(r, "key"), body: rapid.IntRange(0, 1).Draw(r, "body"), number: h.numbers,
		began: h.w.now, end: make(chan ending), done: make(chan outcome, 1)}
	begun := make(chan struct{})
	request := h.w.request(fmt.Sprint("body ", f.body))
	request.IdempotencyKey = h.names[f.key]
	go func() {
		var out outcome
		out.answer, out.err = h.w.Once(context.Background(), request, func(ctx context.Context, keep pipeline.Keep) (pipeline.Answer, error) {
			close(begun)
			return f.work(ctx, h.w, keep)
		})
		f.done <- out
	}()
	select {
	case <-begun:
		h.requireFree(r, f)
		h.keys[f.key] = &held{body: f.body, holder: f, since: h.w.now}
		h.flights = append(h.flights, f)
	case out := <-f.done:
		h.requireTaken(r, f, out)
	}
}

// work does what a service's work does, once it is told how it ends.
func (f *flight) work(ctx context.Context, w *world, keep pipeline.Keep) (pipeline.Answer, error) {
	answer := pipeline.Answer{Body: fmt.Appendf(nil, `{"number":%d,"text":"<&>"}`, f.number)}
	how := <-f.end
	switch how {
	case refuses:
		return pipeline.Answer{}, errs.New(errs.ImageUnreadable).With("number", f.number)
	case fails:
		return pipeline.Answer{}, errs.New(errs.RegistryUnavailable)
	case breaks:
		return pipeline.Answer{}, errors.New("broken")
	case dies:
		select {} // nothing is freed, nothing answered
	}
	err := w.Store.Tx(ctx, func(ctx context.Context) error {
		row := models.Result{ID: models.NewID("kyc_", w.now), Body: []byte{1}, CreatedAt: models.At(w.now), ExpiresAt: models.At(w.now)}
		if err := w.Store.Results.Insert(ctx, w.caller.ApplicationID, []models.Result{row}); err != nil {
			return err
		}
		return keep(ctx, answer)
	})
	if err == nil && how == lostHead {
		err = errors.New("the connection broke after the commit")
	}
	return answer, err
}

// expired reports whether a key's answer or lock has had its day.
func (h *history) expired(k *held) bool { return !h.w.now.Before(k.since.Add(24 * time.Hour)) }

// requireFree says that a request may be worked on only under a key that holds nothing.
func (h *history) requireFree(r *rapid.T, f *flight) {
	k := h.keys[f.key]
	if k == nil || h.expired(k) {
		return
	}
	require.Empty(r, k.answer, "it was answered before")
	require.NotNil(r, k.holder)
	require.Equal(r, k.body, f.body, "another request took over the lock")
	require.GreaterOrEqual(r, h.w.now.Sub(k.since), time.Minute, "the lock of the first still stands")
}

// requireTaken says what a request is told under a key that holds something.
func (h *history) requireTaken(r *rapid.T, f *flight, out outcome) {
	k := h.keys[f.key]
	require.NotNil(r, k, "nothing is held, and yet: %v", out.err)
	require.False(r, h.expired(k))
	switch {
	case k.body != f.body:
		require.ErrorIs(r, out.err, errs.New(errs.IdempotencyKeyReused))
	case k.answer == "":
		require.ErrorIs(r, out.err, errs.New(errs.IdempotencyConflict))
		require.Less(r, h.w.now.Sub(k.since), time.Minute)
	case k.answer == string(errs.ImageUnreadable):
		require.ErrorIs(r, out.err, errs.New(errs.ImageUnreadable))
		require.True(r, out.answer.Replayed)
	default:
		require.NoError(r, out.err)
		require.Equal(r, k.answer, string(out.answer.Body))
		require.True(r, out.answer.Replayed)
	}
}

// end lets one of the requests under way come to its end, in any order.
func (h *history) end(r *rapid.T) {
	if len(h.flights) == 0 {
		r.Skip("nothing is under way")
	}
	i := rapid.IntRange(0, len(h.flights)-1).Draw(r, "request")
	f := h.flights[i]
	how := ending(rapid.IntRange(int(commits), int(dies)).Draw(r, "ending"))
	h.flights = append(h.flights[:i:i], h.flights[i+1:]...)
	before := h.results(r)
	f.end <- how
	if how == dies {
		return
	}
	out := <-f.done
	require.False(r, out.answer.Replayed)
	k := h.keys[f.key]
	holds := k != nil && k.holder == f
	written := h.results(r) - before
	switch how {
	case commits, lostHead:
		if !holds {
			require.ErrorIs(r, out.err, errs.New(errs.IdempotencyConflict))
			require.Zero(r, written, "a late holder's work is undone")
			return
		}
		require.Equal(r, how == commits, out.err == nil, "%v", out.err)
		require.Equal(r, 1, written)
		*k = held{body: f.body, answer: fmt.Sprintf(`{"number":%d,"text":"<&>"}`, f.number), since: k.since}
	case refuses:
		require.ErrorIs(r, out.err, errs.New(errs.ImageUnreadable))
		if holds {
			*k = held{body: f.body, answer: string(errs.ImageUnreadable), since: k.since}
		}
	default:
		require.Error(r, out.err)
		if holds {
			delete(h.keys, f.key)
		}
	}
	if how != commits && how != lostHead {
		require.Zero(r, written)
	}
}

func (h *history) results(r *rapid.T) (n int) {
	pool, err := h.w.Store.DB().SQL()
	require.NoError(r, err)
	require.NoError(r, pool.QueryRow("SELECT COUNT(*) FROM results").Scan(&n))
	return n
}
