package client_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"idplatform/client"
	"idplatform/platform/wire"
)

func TestDo_OK(t *testing.T) {
	t.Parallel()
	s := newServer(t, answer{status: http.StatusAccepted, body: `{"id":"job_1"}`})
	c := overHTTP(t, s, client.WithUserAgent("shop/1.0"))
	key := uuid.NewString()

	resp, err := c.Do(t.Context(), "post", "/v1/kyc/validations", []byte(`{"a":1}`), client.Async(), client.IdempotencyKey(key))
	require.NoError(t, err)
	require.Equal(t, http.StatusAccepted, resp.Status)
	require.JSONEq(t, `{"id":"job_1"}`, string(resp.Body))
	require.Equal(t, "req_1", resp.RequestID)
	require.Equal(t, "application/json", resp.Header.Get("Content-Type"))
	require.True(t, resp.Encrypted)

	got := s.calls()[0]
	require.Equal(t, "POST", got.Method)
	require.JSONEq(t, `{"a":1}`, got.Body)
	require.Equal(t, "respond-async", got.Prefer)
	require.Equal(t, key, got.Key)
	require.Equal(t, "shop/1.0", got.Agent)
}

func TestDo_SignsTheTargetAsSent(t *testing.T) {
	t.Parallel()
	for _, target := range []string{
		"/", "/v1/kyc/validations/kyc%5F01?", "/v1/x?limit=500&cursor=abc%3D", "/v1/a%2Fb/c?q=a?b", "/v1/%C3%A9?x=%20",
		"//v1//x", "/v1/x;y=1", "/v1/a+b?c+d", "/v1/x?a=b&&=",
	} {
		t.Run(target, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, answer{body: `{}`})
			_, err := overHTTP(t, s).Do(t.Context(), http.MethodGet, target, nil)
			require.NoError(t, err)
			require.Equal(t, target, s.calls()[0].Target)
		})
	}
}

func TestDo_EncodesAPathThatIsNot(t *testing.T) {
	t.Parallel()
	s := newServer(t, answer{body: `{}`})
	_, err := overHTTP(t, s).Do(t.Context(), http.MethodGet, "/v1/é x#y", nil)
	require.NoError(t, err)
	require.Equal(t, "/v1/%C3%A9%20x%23y", s.calls()[0].Target)
}

func TestDo_ErrTarget(t *testing.T) {
	t.Parallel()
	s := newServer(t, answer{body: `{}`})
	c := overHTTP(t, s)
	for _, target := range []string{"", "v1/x", "http://elsewhere.example/v1/x", "/v1/%zz", "/v1/x?a b", "/v1/x?é", "/v1/x?a\nb"} {
		_, err := c.Do(t.Context(), http.MethodGet, target, nil)
		require.Error(t, err, target)
	}
	require.Empty(t, s.calls())
}

func TestDo_ErrUnencryptedAnswer(t *testing.T) {
	t.Parallel()
	for _, status := range []int{200, 202, 204} {
		s := newServer(t, answer{status: status, plain: true})
		_, err := overHTTP(t, s).Do(t.Context(), http.MethodGet, "/v1/x", nil)
		require.ErrorIs(t, err, client.ErrUnencryptedAnswer)
		require.Len(t, s.calls(), 1)
	}
}

func TestDo_ErrForeignAnswer(t *testing.T) {
	t.Parallel()
	for name, say := range map[string]answer{
		"of another nonce":        {body: `{}`, nonce: "7b6f1f0e-6c3e-4c0a-9d53-2f8f5f0f9a01"},
		"of another status":       {body: `{}`, sealed: http.StatusAccepted},
		"an error made a success": {status: 200, sealed: 404, body: `{}`},
		"a success made an error": {status: 404, sealed: 200, body: `{}`},
		"not encrypted at all":    {body: `{}`, plain: true, header: map[string]string{wire.HeaderIV: "AAAAAAAAAAAAAAAA"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, say)
			_, err := overHTTP(t, s).Do(t.Context(), http.MethodGet, "/v1/x", nil)
			require.ErrorIs(t, err, client.ErrForeignAnswer)
			require.Len(t, s.calls(), 1)
		})
	}
}

func TestDo_ErrForeignAnswerWhenReplayed(t *testing.T) {
	t.Parallel()
	s := newServer(t, answer{body: `{"of":"the first call"}`})
	c := overHTTP(t, s)
	_, err := c.Do(t.Context(), http.MethodGet, "/v1/x", nil)
	require.NoError(t, err)
	s.mu.Lock()
	s.answers[0].nonce = s.seen[0].Nonce
	s.mu.Unlock()
	_, err = c.Do(t.Context(), http.MethodGet, "/v1/x", nil)
	require.ErrorIs(t, err, client.ErrForeignAnswer)
}

func TestDo_ErrAnswerTooLarge(t *testing.T) {
	t.Parallel()
	say := answer{body: `{"x":"` + strings.Repeat("y", 2000) + `"}`}
	_, err := overHTTP(t, newServer(t, say), client.WithResponseLimit(1000)).Do(t.Context(), http.MethodGet, "/v1/x", nil)
	require.ErrorIs(t, err, client.ErrAnswerTooLarge)
	_, err = inMemory(t, newServer(t, say), client.WithResponseLimit(1000)).Do(t.Context(), http.MethodGet, "/v1/x", nil)
	require.ErrorIs(t, err, client.ErrAnswerTooLarge, "also when the length is not announced")
	_, err = overHTTP(t, newServer(t, say), client.WithResponseLimit(3000)).Do(t.Context(), http.MethodGet, "/v1/x", nil)
	require.NoError(t, err)
}

func TestDo_DoesNotFollowRedirects(t *testing.T) {
	t.Parallel()
	s := newServer(t, answer{status: http.StatusTemporaryRedirect, plain: true, header: map[string]string{"Location": "/elsewhere"}})
	_, err := overHTTP(t, s, client.WithHTTPClient(&http.Client{})).Do(t.Context(), http.MethodGet, "/v1/x", nil)
	var e *client.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, http.StatusTemporaryRedirect, e.Status)
	require.Len(t, s.calls(), 1)
}

func TestDo_EndsWithTheContext(t *testing.T) {
	t.Parallel()
	t.Run("cancelled while waiting for the answer", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			s := newServer(t, answer{hang: true})
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			_, err := inMemory(t, s).Do(ctx, http.MethodGet, "/v1/x", nil)
			require.ErrorIs(t, err, context.Canceled)
			require.Len(t, s.calls(), 1)
		})
	})
	t.Run("cancelled between two attempts", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			say := failing(429, client.RateLimited)
			say.header = map[string]string{"Retry-After": "30"}
			s := newServer(t, say)
			ctx, cancel := context.WithCancel(t.Context())
			start := time.Now()
			time.AfterFunc(time.Second, cancel)
			_, err := inMemory(t, s).Do(ctx, http.MethodGet, "/v1/x", nil)
			require.ErrorIs(t, err, context.Canceled)
			require.True(t, client.IsCode(err, client.RateLimited), "and why it waited")
			require.Equal(t, time.Second, time.Since(start))
			require.Len(t, s.calls(), 1)
		})
	})
	t.Run("a deadline before the next attempt ends the call at once", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			say := failing(429, client.RateLimited)
			say.header = map[string]string{"Retry-After": "30"}
			s := newServer(t, say)
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			start := time.Now()
			_, err := inMemory(t, s).Do(ctx, http.MethodGet, "/v1/x", nil)
			require.True(t, client.IsCode(err, client.RateLimited))
			require.Zero(t, time.Since(start))
		})
	})
}

func TestDo_IsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	s := newServer(t, answer{body: verifiedJSON})
	c := overHTTP(t, s)
	done := make(chan error)
	const callers = 16
	for range callers {
		go func() {
			_, err := c.ValidateKYC(context.Background(), client.KYCRequest{})
			done <- err
		}()
	}
	for range callers {
		require.NoError(t, <-done)
	}
	require.Len(t, s.nonces, callers)
}
