package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/models"
	"idplatform/store"
)

// What events and deliveries are asked for goes by an index, however many there are; a page of events also
// comes in the index's order.
func TestPlans_OfEvents(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, s *store.Store) {
		for name, statement := range map[string]string{
			"Endpoints.Get":       `SELECT * FROM webhook_endpoints WHERE application_id = 'app_ours'`,
			"Events.Get":          `SELECT * FROM events WHERE id = 'evt_1' AND application_id = 'app_ours' AND expires_at > 1`,
			"Events.List":         `SELECT * FROM events WHERE application_id = 'app_ours' AND expires_at > 1 AND (created_at, id) < (5, 'evt_1') ORDER BY created_at DESC, id DESC LIMIT 101`,
			"Events.List of type": `SELECT * FROM events WHERE application_id = 'app_ours' AND expires_at > 1 AND type = 'job.completed' ORDER BY created_at DESC, id DESC LIMIT 101`,
			"Events.Purge":        `SELECT id FROM events WHERE expires_at < 1 ORDER BY expires_at LIMIT 100`,
			"Deliveries.Work": `SELECT d.status, e.body, w.url FROM deliveries d JOIN events e ON e.id = d.event_id
				LEFT JOIN webhook_endpoints w ON w.application_id = d.application_id WHERE d.event_id = 'evt_1' AND d.resend = 0 AND d.application_id = 'app_ours'`,
			"Deliveries.Due": `SELECT * FROM deliveries WHERE status = 'pending' AND check_at <= 1 ORDER BY check_at LIMIT 200`,
			"Deliveries.Failed": `SELECT d.* FROM deliveries d WHERE d.status = 'failed' AND d.finished_at >= 1 AND d.expires_at > 1
				AND NOT EXISTS (SELECT 1 FROM deliveries n WHERE n.event_id = d.event_id AND n.resend > d.resend) ORDER BY d.finished_at, d.event_id LIMIT 200`,
			"Deliveries.Attempts": `SELECT * FROM delivery_attempts WHERE event_id = 'evt_1' AND application_id = 'app_ours' ORDER BY resend, number`,
			"Deliveries.Purge":    `SELECT event_id, resend FROM deliveries WHERE expires_at < 1 ORDER BY expires_at LIMIT 100`,
		} {
			t.Run(name, func(t *testing.T) { requireIndexed(t, s, statement) })
		}
	})
}

func TestDeliveries_Contract(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		for i := range 3 {
			id := fmt.Sprintf("evt_%d", i)
			require.NoError(t, s.Events.Insert(ctx, ours, models.Event{ID: id, Type: models.EventJobFailed, Body: []byte("sealed"), CreatedAt: start, ExpiresAt: later}))
			require.NoError(t, s.Deliveries.Insert(ctx, ours, models.Delivery{DeliveryID: models.DeliveryID{EventID: id}, LeaseHolder: "p1", LeaseUntil: later,
				NextAttemptAt: start, CheckAt: later, CreatedAt: start, ExpiresAt: later}))
		}
		first := models.DeliveryID{EventID: "evt_0"}
		require.Error(t, s.Deliveries.Insert(ctx, ours, models.Delivery{DeliveryID: first}), "there is one of each number")

		_, err := s.Deliveries.Work(ctx, theirs, first)
		require.ErrorIs(t, err, store.ErrNotFound)
		work, err := s.Deliveries.Work(ctx, ours, first)
		require.NoError(t, err)
		require.Equal(t, []byte("sealed"), work.Body)
		require.Empty(t, work.URL)
		require.Equal(t, "p1", work.LeaseHolder)
		require.Equal(t, models.EventJobFailed, work.Type)

		lease := func(holder string, now models.Timestamp) bool {
			held, err := s.Deliveries.Lease(ctx, ours, first, holder, now, models.At(later.Add(time.Second)))
			require.NoError(t, err)
			return held
		}
		require.False(t, lease("p2", start), "it is another's")
		require.True(t, lease("p1", start), "one's own is renewed")
		require.False(t, lease("p2", later))
		require.True(t, lease("p2", models.At(later.Add(time.Second))), "it has ended")
		held, err := s.Deliveries.Lease(ctx, theirs, first, "p3", models.At(later.Add(5*time.Second)), models.At(later.Add(9*time.Second)))
		require.NoError(t, err)
		require.False(t, held)

		outcome := store.Outcome{Attempt: models.DeliveryAttempt{DeliveryID: first, At: start, HTTPStatus: 500, Answer: []byte{}, ExpiresAt: later},
			Holder: "p1", Status: models.DeliveryPending, NextAttemptAt: later, CheckAt: later}
		held, err = s.Deliveries.Record(ctx, ours, outcome)
		require.NoError(t, err)
		require.False(t, held, "the lease was lost, and the attempt is written all the same")
		outcome.Holder, outcome.Status = "p2", models.DeliveryFailed
		held, err = s.Deliveries.Record(ctx, ours, outcome)
		require.NoError(t, err)
		require.True(t, held)
		attempts, err := s.Deliveries.Attempts(ctx, ours, "evt_0")
		require.NoError(t, err)
		require.Len(t, attempts, 2)
		require.Equal(t, 2, attempts[1].Number)
		attempts, err = s.Deliveries.Attempts(ctx, theirs, "evt_0")
		require.NoError(t, err)
		require.Empty(t, attempts)

		failed, err := s.Deliveries.Failed(ctx, start, start, 10)
		require.NoError(t, err)
		require.Len(t, failed, 1)
		number, err := s.Deliveries.Resend(ctx, ours, models.Delivery{DeliveryID: first, NextAttemptAt: start, CheckAt: start, CreatedAt: start, ExpiresAt: later})
		require.NoError(t, err)
		require.Equal(t, 1, number)
		failed, err = s.Deliveries.Failed(ctx, start, start, 10)
		require.NoError(t, err)
		require.Empty(t, failed)

		due, err := s.Deliveries.Due(ctx, start, later, 10)
		require.NoError(t, err)
		require.Len(t, due, 1)
		require.Equal(t, models.DeliveryID{EventID: "evt_0", Resend: 1}, due[0].DeliveryID)
		due, err = s.Deliveries.Due(ctx, start, later, 10)
		require.NoError(t, err)
		require.Empty(t, due, "it was put off")
		released, err := s.Deliveries.ReleaseHeld(ctx, "p1", start)
		require.NoError(t, err)
		require.EqualValues(t, 2, released)
		due, err = s.Deliveries.Due(ctx, start, later, 10)
		require.NoError(t, err)
		require.Len(t, due, 2)
	})
}
