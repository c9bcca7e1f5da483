package e2e_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/e2e/e2etest"
)

// failuresAllowed is how often an address may fail to authenticate in a minute.
const failuresAllowed = 100

// An address that keeps failing is turned away, with a valid request too, until the minute is over; others are not.
func TestWire_AddressGuard(t *testing.T) {
	t.Parallel()
	p := e2etest.Start(t, e2etest.Options{Driver: "sqlite", Limits: true})
	app := p.NewApplication()
	guesser, neighbour := p.Connect("127.0.0.7"), p.Connect("127.0.0.8")
	send := func(c *e2etest.Conn, request *e2etest.Request) *e2etest.Answer {
		t.Helper()
		answer, err := c.Send(request)
		require.NoError(t, err)
		return answer
	}
	for range 20 { // what is refused after authentication, and what succeeds, does not count
		requireRefused(t, send(guesser, app.Signed(http.MethodGet, validations+"/kyc_x", nil)), http.StatusNotFound, "not_found", true)
	}
	for i := range failuresAllowed {
		failing := []*e2etest.Request{
			app.Request(http.MethodGet, "/v1/nothing", nil),
			app.Signed(http.MethodGet, "/v1/nothing", nil).Set("X-Platform-Timestamp", "1"),
			app.Signed(http.MethodGet, "/v1/nothing", nil).Set("X-Platform-Key-Id", "nobody"),
		}[i%3]
		require.Equal(t, http.StatusUnauthorized, send(guesser, failing).Status, "failure %d", i+1)
	}
	valid := signed(t, app)
	for range 3 {
		answer := send(guesser, valid)
		problem := requireRefused(t, answer, http.StatusTooManyRequests, "rate_limited", false)
		wait, err := strconv.Atoi(answer.First("Retry-After"))
		require.NoError(t, err)
		require.InDelta(t, 55, wait, 6)
		require.Equal(t, strconv.Itoa(wait)+"s", problem.RetryAfter)
	}
	requireRefused(t, send(guesser, app.Request(http.MethodGet, "/v1/nothing", nil)), http.StatusTooManyRequests, "rate_limited", false)
	require.Equal(t, 200, send(neighbour, valid).Status, "the guard is each address's own, and what it refused spent no nonce")
	response, _ := p.Page("/healthz")
	require.Equal(t, 200, response.StatusCode)

	p.Clock.Advance(time.Minute)
	require.Equal(t, 200, send(guesser, signed(t, app)).Status)
	unauthenticated(t, send(guesser, app.Request(http.MethodGet, "/v1/nothing", nil)), "invalid_signature")
}

// Nobody chooses the address that failures are counted for.
func TestWire_AddressGuardBelievesNoHeader(t *testing.T) {
	t.Parallel()
	p := e2etest.Start(t, e2etest.Options{Driver: "sqlite", Limits: true})
	app := p.NewApplication()
	connection := p.Connect("127.0.0.9")
	for i := range failuresAllowed + 1 {
		request := app.Request(http.MethodGet, "/v1/nothing", nil).Set("X-Forwarded-For", "10.0.0."+strconv.Itoa(i)).Set("X-Real-IP", "10.0.1."+strconv.Itoa(i))
		answer, err := connection.Send(request)
		require.NoError(t, err)
		want := http.StatusUnauthorized
		if i == failuresAllowed {
			want = http.StatusTooManyRequests
		}
		require.Equal(t, want, answer.Status, "failure %d", i+1)
	}
}
