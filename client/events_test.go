package client_test

import (
	"encoding/base64"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/client"
	"idplatform/platform/wire"
)

const eventJSON = `{"id":"evt_1","object":"event","type":"job.completed","livemode":false,"created_at":"2026-01-01T00:00:00.000Z",
"data":{"object":{"id":"job_1","object":"job","status":"completed"},"previous_attributes":{"status":"pending"}}}`

func TestEvent_OK(t *testing.T) {
	t.Parallel()
	s := newServer(t, answer{body: eventJSON})
	event, err := overHTTP(t, s).Event(t.Context(), "evt_1")
	require.NoError(t, err)
	require.Equal(t, client.EventJobCompleted, event.Type)
	require.Equal(t, "/v1/events/evt_1", s.calls()[0].Target)
	require.JSONEq(t, `{"status":"pending"}`, string(event.Data.PreviousAttributes))
	job, err := client.Decode[client.Job](event.Data.Object)
	require.NoError(t, err)
	require.Equal(t, "job_1", job.ID)
}

func TestAllEvents_EveryPage(t *testing.T) {
	t.Parallel()
	s := newServer(t,
		answer{body: `{"object":"list","data":[` + eventJSON + `],"next_cursor":"n"}`},
		answer{body: `{"object":"list","data":[` + eventJSON + `],"next_cursor":null}`})
	c := overHTTP(t, s)
	count := 0
	for event, err := range c.AllEvents(t.Context(), client.EventQuery{Type: client.EventJobCompleted, Limit: 1}) {
		require.NoError(t, err)
		require.Equal(t, "evt_1", event.ID)
		count++
	}
	require.Equal(t, 2, count)
	require.Equal(t, "/v1/events?limit=1&type=job.completed", s.calls()[0].Target)
	require.Equal(t, "/v1/events?cursor=n&limit=1&type=job.completed", s.calls()[1].Target)

	for range c.AllEvents(t.Context(), client.EventQuery{}) {
		break
	}
	require.Equal(t, "/v1/events", s.calls()[2].Target)
}

func TestAllEvents_EndsWithAnError(t *testing.T) {
	t.Parallel()
	c := overHTTP(t, newServer(t, failing(400, client.InvalidRequest)))
	count := 0
	for _, err := range c.AllEvents(t.Context(), client.EventQuery{Cursor: "foreign"}) {
		require.True(t, client.IsCode(err, client.InvalidRequest))
		count++
	}
	require.Equal(t, 1, count)
}

func webhook(now time.Time, body string) http.Header {
	timestamp := strconv.FormatInt(now.Unix(), 10)
	h := http.Header{}
	h.Set(wire.HeaderWebhookID, "evt_1")
	h.Set(wire.HeaderWebhookTimestamp, timestamp)
	h.Set(wire.HeaderWebhookSignature, wire.SignWebhook(testKey, timestamp, []byte(body)))
	return h
}

func TestVerifyWebhook_OK(t *testing.T) {
	t.Parallel()
	now := time.Unix(1767225700, 0)
	key := base64.StdEncoding.EncodeToString(testKey)
	for _, apart := range []time.Duration{0, 5 * time.Minute, -5 * time.Minute} {
		event, err := client.VerifyWebhook(key, webhook(now, eventJSON), []byte(eventJSON), 0, now.Add(apart))
		require.NoError(t, err)
		require.Equal(t, "evt_1", event.ID)
	}
}

func TestVerifyWebhook_Refused(t *testing.T) {
	t.Parallel()
	now := time.Unix(1767225700, 0)
	key := base64.StdEncoding.EncodeToString(testKey)
	otherKey := base64.StdEncoding.EncodeToString(testSecret)
	with := func(name, value string) http.Header {
		h := webhook(now, eventJSON)
		h.Set(name, value)
		return h
	}
	for name, c := range map[string]struct {
		key    string
		header http.Header
		body   string
		now    time.Time
		want   error
	}{
		"another key":        {otherKey, webhook(now, eventJSON), eventJSON, now, client.ErrWebhookSignature},
		"an altered body":    {key, webhook(now, eventJSON), eventJSON + " ", now, client.ErrWebhookSignature},
		"another timestamp":  {key, with(wire.HeaderWebhookTimestamp, "1767225701"), eventJSON, now, client.ErrWebhookSignature},
		"no headers":         {key, http.Header{}, eventJSON, now, client.ErrWebhookSignature},
		"another event's id": {key, with(wire.HeaderWebhookID, "evt_2"), eventJSON, now, client.ErrWebhookSignature},
		"too old":            {key, webhook(now, eventJSON), eventJSON, now.Add(301 * time.Second), client.ErrWebhookTimestamp},
		"too far ahead":      {key, webhook(now, eventJSON), eventJSON, now.Add(-301 * time.Second), client.ErrWebhookTimestamp},
		"not an event":       {key, webhook(now, "[]"), "[]", now, nil},
		"a malformed key":    {"short", webhook(now, eventJSON), eventJSON, now, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := client.VerifyWebhook(c.key, c.header, []byte(c.body), 5*time.Minute, c.now)
			require.Error(t, err)
			if c.want != nil {
				require.ErrorIs(t, err, c.want)
			}
		})
	}
}
