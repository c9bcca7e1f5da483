package webhooks_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/client"
	"idplatform/database"
	"idplatform/models"
	"idplatform/platform/webhooks"
)

func TestFirstAttempt_Delivered(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		tn := w.tenant(func(rw http.ResponseWriter, _ *http.Request) {
			rw.WriteHeader(http.StatusAccepted)
			_, _ = rw.Write([]byte("taken " + strings.Repeat("x", 2000)))
		})
		p := w.process()
		id, err := p.recorder.Record(t.Context(), tn.ID, models.EventFraudReportStatusChanged,
			json.RawMessage(`{"id":"frd_1","status":"confirmed","name":"<é&>"}`), map[string]any{"status": "under_review"})
		require.NoError(t, err)
		d := tn.await(id, delivered)
		require.Equal(t, 1, d.Attempts)
		require.False(t, d.WorkflowStarted)
		require.NotNil(t, d.FinishedAt)

		hooks := tn.receiver.hooks()
		require.Len(t, hooks, 1)
		got := hooks[0]
		require.Equal(t, "POST /hooks?a=b", got.target)
		require.Equal(t, "application/json", got.header.Get("Content-Type"))
		require.Equal(t, id, got.header.Get("X-Platform-Webhook-Id"))
		var event struct {
			ID, Object, Type string
			Livemode         *bool
			CreatedAt        string          `json:"created_at"`
			Data             json.RawMessage `json:"data"`
		}
		require.NoError(t, json.Unmarshal(got.body, &event))
		require.Equal(t, []string{id, "event", "fraud_report.status_changed", "false"}, []string{event.ID, event.Object, event.Type, strconv.FormatBool(*event.Livemode)})
		require.JSONEq(t, `{"object":{"id":"frd_1","status":"confirmed","name":"<é&>"},"previous_attributes":{"status":"under_review"}}`, string(event.Data))
		require.Regexp(t, `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`, event.CreatedAt)
		require.Contains(t, string(got.body), "<é&>")
		tn.verify(t, got, tn.creds.EncryptionKey)

		attempts := tn.attempts(id)
		require.Len(t, attempts, 1)
		require.Equal(t, 1, attempts[0].Number)
		require.Equal(t, http.StatusAccepted, attempts[0].HTTPStatus)
		require.Empty(t, attempts[0].Fault)
		require.Len(t, attempts[0].Text, 1024)
		require.Less(t, attempts[0].LatencyMS, int64(300))
		require.NotContains(t, string(attempts[0].Answer), "taken", "it is sealed")
		require.Empty(t, w.temporal.all())

		stored, err := webhooks.NewLog(w.store, w.vault, models.EventTypes(), w.clock.Now).Get(t.Context(), tn.ID, id)
		require.NoError(t, err)
		require.Equal(t, string(got.body), string(stored))
	})
}

// verify checks a webhook as the SDK does and as a library of the Standard Webhooks convention does.
func (tn *tenant) verify(t *testing.T, got hook, encryptionKey string) {
	t.Helper()
	_, err := client.VerifyWebhook(encryptionKey, got.header, got.body, 0, tn.world.clock.Now())
	require.NoError(t, err)
	require.NoError(t, standardVerify("whsec_"+encryptionKey, got.header, got.body, tn.world.clock.Now()))
}

// standardVerify follows the reference libraries of Standard Webhooks: the secret without its prefix is
// base64, a signature is "v1," and base64 over "id.timestamp.body", any of those in the header will do.
func standardVerify(secret string, h http.Header, body []byte, now time.Time) error {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return err
	}
	id, timestamp := h.Get("webhook-id"), h.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return errors.New("timestamp")
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "." + string(body)))
	want := base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for signature := range strings.SplitSeq(h.Get("webhook-signature"), " ") {
		version, value, ok := strings.Cut(signature, ",")
		if ok && version == "v1" && hmac.Equal([]byte(want), []byte(value)) {
			return nil
		}
	}
	return errors.New("no matching signature found")
}

func TestRecord_OnlyWhatIsWanted(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		tn := w.tenant(nil, string(models.EventJobFailed), string(models.EventBatchCompleted))
		p := w.process()
		unwanted := tn.record(p.recorder)
		wanted, err := p.recorder.Record(t.Context(), tn.ID, models.EventJobFailed, map[string]any{}, nil)
		require.NoError(t, err)
		tn.await(wanted, delivered)
		all, err := w.store.Deliveries.Of(t.Context(), tn.ID, unwanted)
		require.NoError(t, err)
		require.Empty(t, all)
		_, err = webhooks.NewLog(w.store, w.vault, models.EventTypes(), w.clock.Now).Get(t.Context(), tn.ID, unwanted)
		require.NoError(t, err, "it is an event all the same")

		removed, err := w.store.Endpoints.Remove(t.Context(), tn.ID)
		require.NoError(t, err)
		require.True(t, removed)
		_, err = p.recorder.Record(t.Context(), tn.ID, models.EventJobFailed, map[string]any{}, nil)
		require.NoError(t, err)
		require.Len(t, tn.receiver.hooks(), 1)
	})
}

func TestRecord_BelongsToTheTransaction(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		tn := w.tenant(nil)
		p := w.process()
		rolledBack := errors.New("rolled back")
		var id string
		err := w.store.Tx(t.Context(), func(ctx context.Context) (err error) {
			id, err = p.recorder.Record(ctx, tn.ID, models.EventJobCompleted, map[string]any{}, nil)
			require.NoError(t, err)
			return rolledBack
		})
		require.ErrorIs(t, err, rolledBack)
		tn.await(tn.record(p.recorder), delivered)
		require.Len(t, tn.receiver.hooks(), 1)
		_, err = w.store.Events.Owner(t.Context(), id)
		require.Error(t, err)
	})
}

func TestFirstAttempt_Faults(t *testing.T) {
	t.Parallel()
	hijack := func(rw http.ResponseWriter, write string) {
		conn, _, err := http.NewResponseController(rw).Hijack()
		if err == nil {
			_, _ = conn.Write([]byte(write))
			_ = conn.Close()
		}
	}
	var elsewhere atomic.Int64
	for name, tc := range map[string]struct {
		answer http.HandlerFunc
		status int
		fault  string
		ok     bool
	}{
		"OK 204": {answer: func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusNoContent) }, status: 204, ok: true},
		"OK a huge body": {answer: func(rw http.ResponseWriter, _ *http.Request) {
			for range 200 {
				if _, err := rw.Write(make([]byte, 64<<10)); err != nil {
					return
				}
			}
		}, status: 200, ok: true},
		"OK a body that never ends": {answer: func(rw http.ResponseWriter, r *http.Request) {
			_, _ = rw.Write([]byte("taken"))
			_ = http.NewResponseController(rw).Flush()
			<-r.Context().Done()
		}, status: 200, ok: true},
		"500": {answer: func(rw http.ResponseWriter, _ *http.Request) { http.Error(rw, "down", http.StatusInternalServerError) }, status: 500},
		"404": {answer: func(rw http.ResponseWriter, _ *http.Request) { http.NotFound(rw, nil) }, status: 404},
		"a redirect": {answer: func(rw http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/hooks" {
				elsewhere.Add(1)
			}
			http.Redirect(rw, r, "/other", http.StatusTemporaryRedirect)
		}, status: 307},
		"a hang": {answer: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, fault: "timeout"},
		"slow headers": {answer: func(rw http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(rw).Hijack()
			if err != nil {
				return
			}
			_, _ = conn.Write([]byte("HTTP/1.1 200 OK\r\n"))
			for range 100 {
				if _, err := conn.Write([]byte("X: y\r\n")); err != nil {
					return
				}
				time.Sleep(20 * time.Millisecond)
			}
		}, fault: "timeout"},
		"large headers":  {answer: func(rw http.ResponseWriter, _ *http.Request) { rw.Header().Set("X", strings.Repeat("y", 64<<10)) }, fault: "not_sent"},
		"a reset":        {answer: func(rw http.ResponseWriter, _ *http.Request) { hijack(rw, "") }, fault: "connection_lost"},
		"no HTTP":        {answer: func(rw http.ResponseWriter, _ *http.Request) { hijack(rw, "hello\r\n\r\n") }, fault: "not_sent"},
		"half an answer": {answer: func(rw http.ResponseWriter, _ *http.Request) { hijack(rw, "HTTP/1.1 200 O") }, fault: "connection_lost"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, database.SQLite)
			tn := w.tenant(tc.answer)
			id := tn.record(w.process().recorder)
			d := tn.await(id, attempted)
			attempts := tn.attempts(id)
			require.Len(t, attempts, 1)
			require.Equal(t, tc.status, attempts[0].HTTPStatus)
			require.Equal(t, tc.fault, attempts[0].Fault)
			require.LessOrEqual(t, len(attempts[0].Text), 1024)
			if tc.ok {
				require.Equal(t, models.DeliveryDelivered, d.Status)
				require.Empty(t, w.temporal.all())
				return
			}
			require.Equal(t, models.DeliveryPending, d.Status)
			require.True(t, d.WorkflowStarted)
			require.WithinDuration(t, w.clock.Now().Add(time.Minute), d.NextAttemptAt.Time, 5*time.Second)
			require.Equal(t, []start{{tn.ID, models.DeliveryID{EventID: id}, time.Minute}}, w.temporal.all())
		})
	}
	t.Cleanup(func() { require.Zero(t, elsewhere.Load()) })
}

func TestFirstAttempt_NowhereToGo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, database.SQLite)
	for fault, url := range map[string]string{
		"address_refused": "https://127.0.0.1:1/", "connection_refused": "http://127.0.0.1:1/", "tls": "",
	} {
		tn := w.tenant(nil)
		if url == "" {
			url = "https://" + tn.receiver.address + "/" // which speaks no TLS
		}
		w.opened = append(w.opened, "127.0.0.1:1")
		if fault == "address_refused" {
			url = "https://127.0.0.1:2/" // not opened
		}
		require.NoError(t, w.store.Endpoints.Set(t.Context(), tn.ID, models.WebhookEndpoint{URL: url, Types: models.Words{}, UpdatedAt: models.At(w.clock.Now())}))
		id := tn.record(w.process().recorder)
		tn.await(id, attempted)
		require.Equal(t, fault, tn.attempts(id)[0].Fault)
	}
}

func TestSchedule(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		tn := w.tenant(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusServiceUnavailable) })
		p := w.process()
		id := tn.record(p.recorder)
		tn.await(id, attempted)
		for i, wait := range webhooks.DefaultSchedule() {
			verdict := tn.attempt(p, id) // too early
			require.False(t, verdict.Done)
			require.InDelta(t, wait.Seconds(), verdict.Wait.Seconds(), 5)
			require.Len(t, tn.receiver.hooks(), i+1)
			w.clock.advance(wait)
			verdict = tn.attempt(p, id)
			require.Equal(t, i+2, verdict.Attempts)
			require.Equal(t, i == 3, verdict.Done)
		}
		d := tn.delivery(id)
		require.Equal(t, models.DeliveryFailed, d.Status)
		require.Equal(t, 5, d.Attempts)
		require.Equal(t, webhooks.Verdict{Done: true, Attempts: 5}, tn.attempt(p, id))
		hooks := tn.receiver.hooks()
		require.Len(t, hooks, 5)
		for i, h := range hooks {
			require.Equal(t, id, h.header.Get("X-Platform-Webhook-Id"))
			require.Equal(t, string(hooks[0].body), string(h.body))
			if i > 0 {
				require.NotEqual(t, hooks[i-1].header.Get("X-Platform-Webhook-Timestamp"), h.header.Get("X-Platform-Webhook-Timestamp"))
			}
		}
		require.Len(t, tn.attempts(id), 5)
	})
}

func TestAttempt_EndpointRemoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t, database.SQLite)
	tn := w.tenant(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusInternalServerError) })
	p := w.process()
	id := tn.record(p.recorder)
	tn.await(id, attempted)
	_, err := w.store.Endpoints.Remove(t.Context(), tn.ID)
	require.NoError(t, err)
	w.clock.advance(time.Minute)
	require.Equal(t, webhooks.Verdict{Done: true, Attempts: 2}, tn.attempt(p, id))
	require.Equal(t, "no_endpoint", tn.attempts(id)[1].Fault)
}
