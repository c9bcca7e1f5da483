package webhooks_test

import (
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/database"
	"idplatform/models"
	"idplatform/platform/webhooks"
)

func TestDispatcher_FourInFlight(t *testing.T) {
	t.Parallel()
	w := newWorld(t, database.SQLite)
	tn := w.tenant(func(http.ResponseWriter, *http.Request) { time.Sleep(10 * time.Millisecond) })
	p := w.process()
	var ids []string
	for range 40 {
		ids = append(ids, tn.record(p.recorder))
	}
	for _, id := range ids {
		tn.await(id, delivered)
	}
	require.Len(t, tn.receiver.hooks(), 40)
	tn.receiver.mu.Lock()
	defer tn.receiver.mu.Unlock()
	require.Equal(t, 4, tn.receiver.highest)
	require.LessOrEqual(t, tn.receiver.connections, 4, "connections are kept alive")
}

func TestDispatcher_ADeadEndpointDelaysNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t, database.SQLite)
	w.patience = 2 * time.Second
	dead := w.tenant(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	quick := w.tenant(nil)
	p := w.process()
	for range 100 {
		dead.record(p.recorder)
	}
	start := time.Now()
	for range 20 {
		quick.await(quick.record(p.recorder), delivered)
	}
	require.Less(t, time.Since(start), 1500*time.Millisecond)
	require.LessOrEqual(t, len(dead.receiver.hooks()), 4)

	// A retry does not wait behind the queue for long either.
	began := time.Now()
	verdict := dead.attempt(p, dead.record(p.recorder))
	require.True(t, verdict.Busy)
	require.Less(t, time.Since(began), 3*time.Second)
}

func TestDispatcher_StopsInTime(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		release := make(chan struct{})
		tn := w.tenant(func(http.ResponseWriter, *http.Request) { <-release })
		t.Cleanup(sync.OnceFunc(func() { close(release) }))
		w.patience = 5 * time.Second
		p := w.process()
		var ids []string
		for range 10 {
			ids = append(ids, tn.record(p.recorder))
		}
		require.Eventually(t, func() bool { return len(tn.receiver.hooks()) == 4 }, 5*time.Second, time.Millisecond)
		go func() {
			time.Sleep(50 * time.Millisecond)
			for range 4 {
				release <- struct{}{}
			}
		}()
		p.stop()
		late := tn.record(p.recorder)
		require.Len(t, tn.receiver.hooks(), 4, "what was not begun is not begun any more")
		finished := 0
		for _, id := range ids {
			d := tn.delivery(id)
			if delivered(d) {
				finished++
				continue
			}
			require.Zero(t, d.Attempts)
			require.Empty(t, d.LeaseHolder, "it is given back")
		}
		require.Equal(t, 4, finished, "what was begun is finished")
		started, err := w.reconciler().Reconcile(t.Context())
		require.NoError(t, err)
		require.Equal(t, 6, started)
		require.Equal(t, models.DeliveryPending, tn.delivery(late).Status)
	})
}

// crashed takes deliveries and does nothing, as a process that dies right after the commit.
type crashed struct{}

func (crashed) Holder() string                                           { return "prc_crashed" }
func (crashed) Offer(models.ApplicationID, models.DeliveryID, time.Time) {}

func TestLease_TakeoverAfterACrash(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		tn := w.tenant(nil)
		p := w.process()
		id := tn.record(w.recorder(crashed{}))
		r := w.reconciler()
		started, err := r.Reconcile(t.Context())
		require.NoError(t, err)
		require.Zero(t, started, "the lease still runs")
		verdict := tn.attempt(p, id)
		require.False(t, verdict.Done)
		require.Positive(t, verdict.Wait)
		require.Empty(t, tn.receiver.hooks())

		w.clock.advance(31 * time.Second)
		started, err = r.Reconcile(t.Context())
		require.NoError(t, err)
		require.Equal(t, 1, started)
		require.Equal(t, []start{{tn.ID, models.DeliveryID{EventID: id}, 0}}, w.temporal.all())
		require.True(t, tn.delivery(id).WorkflowStarted)
		verdict = tn.attempt(p, id)
		require.Equal(t, webhooks.Verdict{Done: true, Delivered: true, Attempts: 1}, verdict)
		require.Len(t, tn.receiver.hooks(), 1)
		started, err = r.Reconcile(t.Context())
		require.NoError(t, err)
		require.Zero(t, started)
	})
}

func TestLease_OneAttemptAmongMany(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		tn := w.tenant(func(http.ResponseWriter, *http.Request) { time.Sleep(20 * time.Millisecond) })
		first, second := w.process(), w.process()
		var ids []string
		var attempts sync.WaitGroup
		var made atomic.Int64
		for range 8 {
			id := tn.record(first.recorder)
			ids = append(ids, id)
			for _, p := range []*process{first, second, first, second} {
				attempts.Go(func() {
					verdict, err := p.deliverer.Attempt(t.Context(), tn.ID, models.DeliveryID{EventID: id})
					if err == nil && verdict.Done {
						made.Add(1)
					}
				})
			}
		}
		attempts.Wait()
		for _, id := range ids {
			require.Equal(t, 1, tn.await(id, delivered).Attempts)
			require.Len(t, tn.attempts(id), 1)
		}
		require.Len(t, tn.receiver.hooks(), len(ids), "each is sent exactly once")
	})
}

func TestLease_ASuccessCountsAfterTheLeaseHasEnded(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		tn := w.tenant(func(http.ResponseWriter, *http.Request) { w.clock.advance(time.Minute) })
		p := w.process()
		id := tn.record(w.recorder(crashed{}))
		w.clock.advance(31 * time.Second)
		verdict := tn.attempt(p, id)
		require.True(t, verdict.Delivered)
		require.Equal(t, models.DeliveryDelivered, tn.delivery(id).Status)
	})
}

func TestReconcile_TemporalAway(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		tn := w.tenant(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusInternalServerError) })
		p := w.process()
		w.temporal.set(true)
		var ids []string
		for range 5 {
			ids = append(ids, tn.record(p.recorder))
		}
		for _, id := range ids {
			require.False(t, tn.await(id, attempted).WorkflowStarted)
		}
		r := w.reconciler()
		_, err := r.Reconcile(t.Context())
		require.ErrorIs(t, err, errAway)
		w.clock.advance(11 * time.Second)
		w.temporal.set(false)
		started, err := r.Reconcile(t.Context())
		require.NoError(t, err)
		require.Equal(t, 5, started)
		for _, s := range w.temporal.all() {
			require.InDelta(t, (49 * time.Second).Seconds(), s.wait.Seconds(), 5, "what is left of the minute")
		}
		started, err = r.Reconcile(t.Context())
		require.NoError(t, err)
		require.Zero(t, started)
	})
}

func TestReconcile_ClosedWorkflowsAreStartedAgain(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		tn := w.tenant(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusInternalServerError) })
		p := w.process()
		alive, terminated := tn.record(p.recorder), tn.record(p.recorder)
		tn.await(alive, func(d models.Delivery) bool { return d.WorkflowStarted })
		tn.await(terminated, func(d models.Delivery) bool { return d.WorkflowStarted })
		w.temporal.end(models.DeliveryID{EventID: terminated})
		r := w.reconciler()
		w.clock.advance(time.Minute)
		started, err := r.Reconcile(t.Context())
		require.NoError(t, err)
		require.Zero(t, started, "nothing is overdue")
		w.clock.advance(3 * time.Minute)
		started, err = r.Reconcile(t.Context())
		require.NoError(t, err)
		require.Equal(t, 1, started)
		require.Equal(t, 1, w.temporal.restarts)
		all := w.temporal.all()
		require.Equal(t, start{tn.ID, models.DeliveryID{EventID: terminated}, 0}, all[len(all)-1])
	})
}

func TestReconcile_ManyAreTakenByOne(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		tn := w.tenant(nil)
		recorder := w.recorder(nil) // a process without a dispatcher
		const events = 450
		for range events {
			tn.record(recorder)
		}
		var total atomic.Int64
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				n, err := w.reconciler().Reconcile(t.Context())
				total.Add(int64(n))
				if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		require.Len(t, w.temporal.all(), events)
	})
}
