package e2e_test

import (
	"bytes"
	"net/http"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/catalog"
	"idplatform/config"
	"idplatform/e2e/e2etest"
)

const inMemory = 1 << 20

// large is a request to the echo with a body that does not fit into memory.
func large(t *testing.T, a *e2etest.Application, word string) *e2etest.Request {
	t.Helper()
	request := a.Request(http.MethodPost, echoes, text(t, say(word)))
	request.Body = append(request.Body, bytes.Repeat([]byte(" "), inMemory+1)...)
	return request.Sign()
}

func sendFrom(t *testing.T, p *e2etest.Platform, address string, request *e2etest.Request) *e2etest.Answer {
	t.Helper()
	answer, err := p.Connect(address).Send(request)
	require.NoError(t, err)
	return answer
}

// Anybody can make up key ids without end. None of them gets a file, whatever is announced; up to what is held in memory
// they are answered as a known key is.
func TestWire_StrangersGetNoFiles(t *testing.T) {
	t.Parallel()
	nowhere := filepath.Join(t.TempDir(), "missing") // to spool would be an internal error
	p := e2etest.Start(t, e2etest.Options{Driver: "sqlite", Change: func(c *config.Config) { c.API.SpoolDir = nowhere }})
	app := p.NewApplication()
	known := signed(t, app)
	known.Body = bytes.Repeat([]byte("x"), inMemory+1)
	requireRefused(t, p.Send(known), http.StatusInternalServerError, "internal_error", false)
	for i := range 40 {
		keyID := []string{"nobody", "pk_sandbox_" + strconv.Itoa(100_000_000_000_000_000+i) + "abcdef"}[i%2]
		request := signed(t, app).Set("X-Platform-Key-Id", keyID)
		connection := p.Connect("")
		head := request.Head("Content-Length: 12000000\r\n") // most of which never comes
		require.NoError(t, connection.Write(append(head, bytes.Repeat([]byte("x"), inMemory+1)...)))
		answer, err := connection.Read(request)
		require.NoError(t, err)
		problem := unauthenticated(t, answer, "invalid_signature")
		require.Nil(t, problem.CanonicalString, "the hash of the body is not known")
		require.Equal(t, "close", answer.First("Connection"))
	}
	t.Run("WithinMemoryLikeAnybody", func(t *testing.T) {
		for _, size := range []int{1, inMemory} {
			request := signed(t, app)
			request.Body = bytes.Repeat([]byte("x"), size)
			wrong := unauthenticated(t, p.Send(request), "invalid_signature")
			request.Set("X-Platform-Key-Id", "pk_sandbox_"+"0123456789abcdef01234567")
			unknown := unauthenticated(t, p.Send(request), "invalid_signature")
			require.Equal(t, wrong.Message, unknown.Message)
			require.Equal(t, request.Canonical(), *unknown.CanonicalString)
			require.Equal(t, *wrong.CanonicalString, *unknown.CanonicalString)
		}
	})
}

// Four large bodies of a key at an address are taken at a time, each until it is answered. The fifth waits a while and is
// sent away; from elsewhere the key's owner is served.
func TestWire_LargeBodiesWaitForAPlace(t *testing.T) {
	t.Parallel()
	e := newEcho()
	p := e2etest.Start(t, e2etest.Options{Driver: "sqlite", Operations: []*catalog.Operation{e.operation()}})
	app := p.NewApplication()
	answers := make(chan *e2etest.Answer, 4)
	for range 4 {
		request, connection := large(t, app, "wait"), p.Connect("127.0.0.7")
		go func() {
			answer, err := connection.Send(request)
			if err != nil {
				t.Error(err)
			}
			answers <- answer
		}()
	}
	for range 4 {
		<-e.waiting // read, verified and with the service
	}
	began := time.Now()
	fifth := sendFrom(t, p, "127.0.0.7", large(t, app, "yes"))
	problem := requireRefused(t, fifth, http.StatusTooManyRequests, "rate_limited", false)
	require.Equal(t, "5s", problem.RetryAfter)
	require.Equal(t, "5", fifth.First("Retry-After"))
	require.Greater(t, time.Since(began), 4*time.Second, "it waited")
	require.Equal(t, 200, sendFrom(t, p, "127.0.0.8", large(t, app, "yes")).Status)
	require.Equal(t, 200, sendFrom(t, p, "127.0.0.7", app.Signed(http.MethodPost, echoes, text(t, say("yes")))).Status, "small ones need no place")
	close(e.goOn)
	for range 4 {
		require.Equal(t, 200, (<-answers).Status)
	}
	require.Equal(t, 200, sendFrom(t, p, "127.0.0.7", large(t, app, "yes")).Status)
}

// A key pair that has encrypted all it may is refused in clear words, and does not shut its address out.
func TestWire_WornOutKeyPair(t *testing.T) {
	t.Parallel()
	p := e2etest.Start(t, e2etest.Options{Driver: "sqlite", Limits: true})
	worn, fresh := p.NewApplication(), p.NewApplication()
	pool, err := p.Store().DB().SQL()
	require.NoError(t, err)
	_, err = pool.ExecContext(t.Context(), "UPDATE key_pairs SET messages = ? WHERE application_id = ?", int64(1)<<32, worn.Model.ID)
	require.NoError(t, err)
	connection := p.Connect("127.0.0.11")
	for range failuresAllowed + 5 {
		answer, err := connection.Send(signed(t, worn))
		require.NoError(t, err)
		require.Contains(t, unauthenticated(t, answer, "invalid_signature").Message, "rotate it")
	}
	require.Equal(t, 200, sendFrom(t, p, "127.0.0.11", signed(t, fresh)).Status)
}

// A key that is no UUID is refused on every POST, not on operations alone.
func TestWire_KeysOfOtherPostsAreUUIDs(t *testing.T) {
	t.Parallel()
	p := onSQLite(t)
	app := p.NewApplication()
	cancel := func(key string) *e2etest.Answer {
		return p.Send(app.Request(http.MethodPost, "/v1/batches/bat_x/cancel", nil).Set("Idempotency-Key", key).Sign())
	}
	problem := requireRefused(t, cancel("order-4711"), http.StatusBadRequest, "invalid_request", true)
	require.Equal(t, "Idempotency-Key", problem.Fields[0].Field)
	requireRefused(t, cancel("0b5cbd2f-5c0e-4a53-9bb1-0e4a51c4d0a7"), http.StatusNotFound, "batch_not_found", true)
}
