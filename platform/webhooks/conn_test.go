package webhooks_test

import (
	"net"
	"net/http"
)

func countNew(r *receiver) func(net.Conn, http.ConnState) {
	return func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.connections++
		}
	}
}
