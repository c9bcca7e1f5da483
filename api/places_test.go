package api_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/api"
	"idplatform/errs"
	"idplatform/models"
	"idplatform/platform/access"
)

func TestPlaces_AreBoundedByKeyAndInAll(t *testing.T) {
	t.Parallel()
	enter := api.Places(20 * time.Millisecond)
	full := func(key string) {
		t.Helper()
		_, err := enter(t.Context(), key)
		require.ErrorIs(t, err, errs.New(errs.RateLimited))
		require.Equal(t, "5s", errs.From(err).Context["retry_after"])
	}
	var leave []func()
	for i := range api.PlacesInAll {
		if i > 0 && i%api.PlacesPerKey == 0 {
			full(strconv.Itoa(i/api.PlacesPerKey - 1)) // which keeps nobody else's place
		}
		out, err := enter(t.Context(), strconv.Itoa(i/api.PlacesPerKey))
		require.NoError(t, err)
		leave = append(leave, out)
	}
	full("another")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := enter(gone, "another")
	require.ErrorIs(t, err, context.Canceled)
	for _, out := range leave {
		out()
	}
	for range api.PlacesPerKey {
		_, err := enter(t.Context(), "another")
		require.NoError(t, err)
	}
}

func TestPlaces_AreWaitedFor(t *testing.T) {
	t.Parallel()
	enter := api.Places(time.Minute)
	var first func()
	for range api.PlacesPerKey {
		out, err := enter(t.Context(), "key")
		require.NoError(t, err)
		first = out
	}
	time.AfterFunc(20*time.Millisecond, first)
	_, err := enter(t.Context(), "key")
	require.NoError(t, err)
}

// hungUp is a directory that finds its callers gone.
type hungUp struct{ nobody }

func (hungUp) Find(ctx context.Context, _ string, _ models.Timestamp) (*access.Caller, error) {
	return nil, context.Canceled
}

// A caller who hangs up is no outage; the same error with the caller still there is one.
func TestHungUpIsNoOutage(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_795_000_000, 0)
	for _, gone := range []bool{true, false} {
		var log bytes.Buffer
		cfg := config(&nobody{}, now)
		cfg.Callers, cfg.Log = hungUp{}, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		server, err := api.New(cfg)
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if gone {
			cancel()
		}
		request := httptest.NewRequestWithContext(ctx, "GET", "/v1/x", nil)
		for name, value := range map[string]string{"Key-Id": "x", "Timestamp": strconv.FormatInt(now.Unix(), 10),
			"Nonce": "00000000-0000-4000-8000-000000000000", "Signature": strings.Repeat("0", 64)} {
			request.Header.Set("X-Platform-"+name, value)
		}
		server.ServeHTTP(httptest.NewRecorder(), request)
		require.Equal(t, gone, !strings.Contains(log.String(), "level=ERROR"), log.String())
		require.Equal(t, gone, strings.Contains(log.String(), "the caller left"), log.String())
	}
}
