package client_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"idplatform/client"
)

func TestRetry_UntilItWorks(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]answer{
		"connection broken":    {drop: true},
		"rate_limited":         failing(429, client.RateLimited),
		"idempotency_conflict": failing(409, client.IdempotencyConflict),
		"nonce_reused":         failing(401, client.NonceReused),
		"500":                  failing(500, client.InternalError),
		"502":                  failing(502, client.RegistryUnavailable),
		"503":                  failing(503, client.AsyncUnavailable),
		"a proxy's 502":        {status: 502, plain: true, body: "<html>"},
		"a proxy's 504":        {status: 504, plain: true},
		"no answer in time":    {hang: true},
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			t.Run(name+" "+method, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					s := newServer(t, first, first, answer{body: `{}`})
					start := time.Now()
					_, err := inMemory(t, s, client.WithTimeout(10*time.Second)).Do(t.Context(), method, "/v1/x", []byte(`{}`))
					require.NoError(t, err)
					calls := s.calls()
					require.Len(t, calls, 3)
					require.Len(t, s.nonces, 3, "every attempt has a nonce of its own")
					require.Equal(t, calls[0].Key, calls[2].Key)
					if method == http.MethodPost {
						require.NoError(t, uuid.Validate(calls[0].Key))
					} else {
						require.Empty(t, calls[0].Key)
					}
					waited := time.Since(start)
					if first.hang {
						waited -= 20 * time.Second
					}
					require.GreaterOrEqual(t, waited, 300*time.Millisecond, "half of 200 ms and of 400 ms")
					require.LessOrEqual(t, waited, 600*time.Millisecond)
				})
			})
		}
	}
}

func TestRetry_SignsWithTheTimeOfTheAttempt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := failing(503, client.AsyncUnavailable)
		slow.body = `{"error":"async_unavailable","message":"No.","retry_after":"7s"}`
		s := newServer(t, slow, answer{body: `{}`})
		start := time.Now()
		_, err := inMemory(t, s).Do(t.Context(), http.MethodGet, "/v1/x", nil)
		require.NoError(t, err)
		require.Equal(t, 7*time.Second, time.Since(start), "retry_after is honoured")
		require.NotEqual(t, s.calls()[0].Time, s.calls()[1].Time)
	})
}

func TestRetry_HonoursTheHeader(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		byDate := failing(429, client.RateLimited)
		byDate.header = map[string]string{"Retry-After": time.Now().Add(9 * time.Second).UTC().Format(http.TimeFormat)}
		inSeconds := failing(429, client.RateLimited)
		inSeconds.header = map[string]string{"Retry-After": "5"}
		s := newServer(t, byDate, inSeconds, answer{body: `{}`})
		start := time.Now()
		_, err := inMemory(t, s).Do(t.Context(), http.MethodGet, "/v1/x", nil)
		require.NoError(t, err)
		require.Equal(t, 14*time.Second, time.Since(start))
	})
}

func TestRetry_GivesUpWhenAskedToWaitTooLong(t *testing.T) {
	t.Parallel()
	s := newServer(t, answer{status: 429, body: `{"error":"rate_limited","message":"No.","retry_after":"61s"}`})
	_, err := inMemory(t, s).Do(t.Context(), http.MethodGet, "/v1/x", nil)
	var e *client.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, 61*time.Second, e.RetryAfter)
	require.Len(t, s.calls(), 1)
}

func TestRetry_NotWhatWouldFailAgain(t *testing.T) {
	t.Parallel()
	for name, say := range map[string]answer{
		"400":                    failing(400, client.InvalidRequest),
		"401":                    failing(401, client.InvalidSignature),
		"402":                    failing(402, client.InsufficientBalance),
		"403":                    failing(403, client.ScopeNotGranted),
		"404":                    failing(404, client.NotFound),
		"409 of another kind":    failing(409, client.BatchAlreadyFinished),
		"422":                    failing(422, client.IdempotencyKeyReused),
		"429 of a quota":         failing(429, client.QuotaExceeded),
		"429 of the batch quota": failing(429, client.BatchQuotaExceeded),
		"501":                    {status: 501, plain: true},
		"a forged success":       {plain: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, say)
			_, err := inMemory(t, s).Do(t.Context(), http.MethodPost, "/v1/x", []byte(`{}`))
			require.Error(t, err)
			require.Len(t, s.calls(), 1)
		})
	}
}

func TestRetry_EndsAfterTheLastAttempt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, failing(502, client.RegistryUnavailable))
		_, err := inMemory(t, s).Do(t.Context(), http.MethodGet, "/v1/x", nil)
		require.True(t, client.IsCode(err, client.RegistryUnavailable))
		require.Len(t, s.calls(), 3)
	})
}

func TestRetry_NotWhenSwitchedOff(t *testing.T) {
	t.Parallel()
	s := newServer(t, failing(502, client.RegistryUnavailable))
	c := inMemory(t, s, client.WithRetry(client.NoRetry()))
	_, err := c.Do(t.Context(), http.MethodPost, "/v1/x", []byte(`{}`))
	require.Error(t, err)
	require.Len(t, s.calls(), 1)
	require.Empty(t, s.calls()[0].Key, "no key is made up when nothing will be repeated")
}

func TestRetry_NotAMethodThatMayNotBeRepeated(t *testing.T) {
	t.Parallel()
	s := newServer(t, failing(502, client.RegistryUnavailable))
	_, err := inMemory(t, s).Do(t.Context(), http.MethodPut, "/v1/x", []byte(`{}`))
	require.Error(t, err)
	require.Len(t, s.calls(), 1)
}

func TestRetry_PausesGrowUpToTheLongest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, failing(500, client.InternalError))
		policy := client.RetryPolicy{Attempts: 12, First: time.Second, Longest: 8 * time.Second}
		start := time.Now()
		_, err := inMemory(t, s, client.WithRetry(policy)).Do(t.Context(), http.MethodGet, "/v1/x", nil)
		require.Error(t, err)
		require.Len(t, s.calls(), 12)
		const most = (1 + 2 + 4 + 8*8) * time.Second
		require.LessOrEqual(t, time.Since(start), most)
		require.GreaterOrEqual(t, time.Since(start), most/2)
	})
}

func TestRetry_OverRealConnections(t *testing.T) {
	t.Parallel()
	quick := client.WithRetry(client.RetryPolicy{Attempts: 3, First: time.Millisecond, Longest: time.Millisecond})
	s := newServer(t, answer{body: `{}`}, answer{drop: true}, answer{body: `{}`, cut: true}, answer{body: `{}`})
	c := overHTTP(t, s, quick)
	for range 2 { // the second call meets a kept connection that breaks
		_, err := c.Do(t.Context(), http.MethodPost, "/v1/x", []byte(`{}`))
		require.NoError(t, err)
	}
	require.Len(t, s.calls(), 4)
	require.Len(t, s.nonces, 4, "net/http repeats nothing on its own")
}

func TestRetry_WhenTheConnectionRepeatedTheRequest(t *testing.T) {
	t.Parallel()
	// net/http sends a GET again when a kept connection breaks; the server takes the copy for a replay.
	s := newServer(t, answer{body: `{}`}, answer{drop: true}, answer{body: `{}`})
	c := overHTTP(t, s, client.WithRetry(client.RetryPolicy{Attempts: 3}))
	for range 2 {
		_, err := c.Do(t.Context(), http.MethodGet, "/v1/x", nil)
		require.NoError(t, err)
	}
	calls := s.calls()
	require.Len(t, calls, 4)
	require.Equal(t, calls[1].Nonce, calls[2].Nonce)
	require.NotEqual(t, calls[2].Nonce, calls[3].Nonce)
}

func TestClock_CorrectedOnceAndKept(t *testing.T) {
	t.Parallel()
	for name, wrong := range map[string]time.Duration{"behind": -time.Hour, "ahead": 6 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, answer{body: `{}`})
			c := overHTTP(t, s, client.WithRetry(client.NoRetry()),
				client.WithClock(func() time.Time { return time.Now().Add(wrong) }))
			_, err := c.Do(t.Context(), http.MethodPost, "/v1/x", []byte(`{}`))
			require.NoError(t, err)
			require.Len(t, s.calls(), 2)
			_, err = c.Do(t.Context(), http.MethodGet, "/v1/x", nil)
			require.NoError(t, err)
			require.Len(t, s.calls(), 3, "the correction is kept")
		})
	}
}

func TestClock_NotCorrectedAgainWhenItDoesNotHelp(t *testing.T) {
	t.Parallel()
	say := failing(401, client.TimestampOutOfWindow)
	say.plain = true
	s := newServer(t, say)
	_, err := inMemory(t, s).Do(t.Context(), http.MethodGet, "/v1/x", nil)
	require.True(t, client.IsCode(err, client.TimestampOutOfWindow))
	require.Len(t, s.calls(), 2)
}

func TestClock_NotCorrectedByAbsurdOrMissingDates(t *testing.T) {
	t.Parallel()
	for name, date := range map[string]string{"absurd": "Mon, 01 Jan 2125 00:00:00 GMT", "missing": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			say := failing(401, client.TimestampOutOfWindow)
			say.plain, say.header = true, map[string]string{"Date": date}
			s := newServer(t, say)
			_, err := inMemory(t, s).Do(t.Context(), http.MethodGet, "/v1/x", nil)
			require.True(t, client.IsCode(err, client.TimestampOutOfWindow))
			require.Len(t, s.calls(), 1)
		})
	}
}

func TestClock_UnconfirmedCorrectionIsForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		// Somebody on the way invents an answer with a date two hours ahead, then lets the calls through.
		forged := failing(401, client.TimestampOutOfWindow)
		forged.plain = true
		forged.header = map[string]string{"Date": time.Now().Add(2 * time.Hour).UTC().Format(http.TimeFormat)}
		s := newServer(t, forged, answer{body: `{}`})
		c := inMemory(t, s)
		_, err := c.Do(t.Context(), http.MethodGet, "/v1/x", nil)
		require.Error(t, err)
		require.Len(t, s.calls(), 2)
		_, err = c.Do(context.Background(), http.MethodGet, "/v1/x", nil)
		require.NoError(t, err)
		require.Len(t, s.calls(), 3)
	})
}
