package webhooks_test

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// receiver notes what comes, and answers as it is told.
type receiver struct {
	address string

	mu                sync.Mutex
	got               []hook
	connections       int
	inFlight, highest int
}

type hook struct {
	header http.Header
	body   []byte
	target string
	at     time.Time
}

func newReceiver(t testing.TB, answer http.HandlerFunc) *receiver {
	r := &receiver{}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		r.mu.Lock()
		r.got = append(r.got, hook{request.Header.Clone(), body, request.Method + " " + request.RequestURI, time.Now()})
		r.inFlight++
		r.highest = max(r.highest, r.inFlight)
		r.mu.Unlock()
		defer func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.inFlight--
		}()
		if answer != nil {
			answer(rw, request)
		}
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.connections++
		}
	}
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)
	server.Start()
	t.Cleanup(server.Close)
	r.address = server.Listener.Addr().String()
	return r
}

func (r *receiver) hooks() []hook {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]hook(nil), r.got...)
}
