package webhooks_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/errs"
	"idplatform/models"
	"idplatform/platform/outbound"
	"idplatform/platform/webhooks"
)

func TestResend_KeepsTheID(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		tn, other := w.tenant(nil), w.tenant(nil)
		p := w.process()
		office := webhooks.NewOffice(w.store, w.vault, w.clock.Now)
		event := tn.record(p.recorder)
		tn.await(event, delivered)
		for n := 1; n <= 2; n++ {
			id, err := office.Resend(t.Context(), tn.ID, event)
			require.NoError(t, err)
			require.Equal(t, models.DeliveryID{EventID: event, Resend: n}, id)
			started, err := w.reconciler().Reconcile(t.Context())
			require.NoError(t, err)
			require.Equal(t, 1, started)
			verdict, err := p.deliverer.Attempt(t.Context(), tn.ID, id)
			require.NoError(t, err)
			require.True(t, verdict.Delivered)
		}
		hooks := tn.receiver.hooks()
		require.Len(t, hooks, 3)
		for _, h := range hooks {
			require.Equal(t, event, h.header.Get("X-Platform-Webhook-Id"))
			require.Equal(t, event, h.header.Get("webhook-id"))
			require.Equal(t, string(hooks[0].body), string(h.body))
		}
		report, err := office.Report(t.Context(), tn.ID, event)
		require.NoError(t, err)
		require.Len(t, report.Deliveries, 3)
		require.Len(t, report.Attempts, 3)

		_, err = office.Resend(t.Context(), other.ID, event)
		require.ErrorIs(t, err, errs.New(errs.NotFound))
		_, err = w.store.Endpoints.Remove(t.Context(), tn.ID)
		require.NoError(t, err)
		_, err = office.Resend(t.Context(), tn.ID, event)
		require.ErrorContains(t, err, "no webhook endpoint")
	})
}

func TestRecover_WhatFailedSince(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		var healed atomic.Bool
		tn := w.tenant(func(rw http.ResponseWriter, _ *http.Request) {
			if !healed.Load() {
				rw.WriteHeader(http.StatusBadGateway)
			}
		})
		removed := w.tenant(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(500) })
		p := w.process()
		fail := func(tn *tenant) string {
			id := tn.record(p.recorder)
			tn.await(id, attempted)
			for _, wait := range webhooks.DefaultSchedule() {
				w.clock.advance(wait)
				tn.attempt(p, id)
			}
			require.Equal(t, models.DeliveryFailed, tn.delivery(id).Status)
			return id
		}
		before := fail(tn)
		w.clock.advance(time.Hour)
		since := w.clock.Now()
		lost := []string{fail(tn), fail(tn)}
		fail(removed)
		_, err := w.store.Endpoints.Remove(t.Context(), removed.ID)
		require.NoError(t, err)
		healed.Store(true)

		office := webhooks.NewOffice(w.store, w.vault, w.clock.Now)
		resent, left, err := office.Recover(t.Context(), since)
		require.NoError(t, err)
		require.Equal(t, 2, resent)
		require.Equal(t, 1, left)
		resent, _, err = office.Recover(t.Context(), since)
		require.NoError(t, err)
		require.Zero(t, resent, "they are repeated already")
		for _, id := range lost {
			verdict, err := p.deliverer.Attempt(t.Context(), tn.ID, models.DeliveryID{EventID: id, Resend: 1})
			require.NoError(t, err)
			require.True(t, verdict.Delivered)
		}
		require.Equal(t, models.DeliveryFailed, tn.delivery(before).Status)
	})
}

func TestEndpoints_Check(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		tn := w.tenant(nil)
		guard, err := outbound.New(outbound.Options{})
		require.NoError(t, err)
		endpoints := webhooks.NewEndpoints(w.store.Endpoints, guard, models.EventTypes(), w.clock.Now)
		err = endpoints.Set(t.Context(), tn.ID, "http://127.0.0.1/", []string{"job.completed", "x"})
		var refused *errs.Error
		require.ErrorAs(t, err, &refused)
		require.Len(t, refused.Fields, 2)
		require.Equal(t, []string{"url", "types"}, []string{refused.Fields[0].Field, refused.Fields[1].Field})

		require.NoError(t, endpoints.Set(t.Context(), tn.ID, "https://41.243.1.1/", []string{"job.failed", "job.completed", "job.failed"}))
		endpoint, err := endpoints.Get(t.Context(), tn.ID)
		require.NoError(t, err)
		require.Equal(t, models.Words{"job.completed", "job.failed"}, endpoint.Types)
		require.Equal(t, "https://41.243.1.1/", endpoint.URL)
		had, err := endpoints.Remove(t.Context(), tn.ID)
		require.NoError(t, err)
		require.True(t, had)
		had, err = endpoints.Remove(t.Context(), tn.ID)
		require.NoError(t, err)
		require.False(t, had)
	})
}
