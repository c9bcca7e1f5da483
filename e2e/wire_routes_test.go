package e2e_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/e2e/e2etest"
	"idplatform/models"
)

func TestWire_UnknownRoutes(t *testing.T) {
	t.Parallel()
	p := onSQLite(t)
	app := p.NewApplication()
	for _, target := range []string{"/v1", "/v1/", "/v1/nothing", "/v1/kyc", validations + "/", validations + "/a/b", "/v1/../healthz", "/%761/x", "/v1/%2e%2e/healthz", "/v1//kyc/validations"} {
		t.Run(target, func(t *testing.T) {
			stranger := &e2etest.Request{Method: http.MethodGet, Target: target}
			unauthenticated(t, p.Send(stranger.Set("Host", "x")), "invalid_signature")
			requireRefused(t, p.Send(app.Signed(http.MethodGet, target, nil)), http.StatusNotFound, "not_found", true)
		})
	}
	for _, target := range []string{"/", "/v2/kyc/validations", "/V1/kyc/validations", "/v1x", "/favicon.ico", "/.git/config", "/healthz/", "//v1/x"} {
		t.Run(target, func(t *testing.T) {
			requireRefused(t, p.Send(app.Signed(http.MethodGet, target, nil)), http.StatusNotFound, "not_found", false)
		})
	}
}

func TestWire_MethodNotAllowed(t *testing.T) {
	t.Parallel()
	p := onSQLite(t)
	app := p.NewApplication()
	for _, c := range []struct{ method, target, allow string }{
		{http.MethodGet, validations, "POST"}, {http.MethodDelete, validations, "POST"}, {"OPTIONS", validations, "POST"},
		{"post", validations, "POST"}, {"FROB", validations, "POST"}, {http.MethodPatch, validations + "/kyc_x", "GET"},
	} {
		t.Run(c.method+c.target, func(t *testing.T) {
			stranger := &e2etest.Request{Method: c.method, Target: c.target}
			answer := p.Send(stranger.Set("Host", "x"))
			unauthenticated(t, answer, "invalid_signature")
			require.Empty(t, answer.First("Allow"), "a stranger learns nothing of the routes")

			answer = p.Send(app.Signed(c.method, c.target, nil))
			requireRefused(t, answer, http.StatusMethodNotAllowed, "method_not_allowed", true)
			require.Equal(t, c.allow, answer.First("Allow"))
		})
	}
	t.Run("OutsideV1", func(t *testing.T) {
		answer := p.Send((&e2etest.Request{Method: http.MethodPost, Target: "/healthz"}).Set("Host", "x"))
		requireRefused(t, answer, http.StatusMethodNotAllowed, "method_not_allowed", false)
		require.Equal(t, "GET", answer.First("Allow"))
	})
	t.Run("HEAD", func(t *testing.T) {
		answer := p.Send(app.Signed(http.MethodHead, validations, nil))
		require.Equal(t, http.StatusMethodNotAllowed, answer.Status)
	})
}

// Every answer names its request, whatever it is an answer to, and no two alike.
func TestWire_RequestIDs(t *testing.T) {
	t.Parallel()
	p := onSQLite(t)
	app := p.NewApplication()
	seen := map[string]bool{}
	for _, target := range []string{"/healthz", "/readyz", "/openapi.json", "/docs", "/docs/boot.js", "/nothing", "/v1/nothing", validations} {
		for _, request := range []*e2etest.Request{app.Signed(http.MethodGet, target, nil), app.Signed(http.MethodPost, target, []byte(`{}`)), app.Request(http.MethodGet, target, nil)} {
			id := p.Send(request.Set("X-Platform-Request-Id", "req_mine")).First("X-Platform-Request-Id")
			require.True(t, models.IsID("req_", id), "%s %s: %s", request.Method, target, id)
			require.False(t, seen[id])
			seen[id] = true
		}
	}
}

func TestWire_Forms(t *testing.T) {
	t.Parallel()
	p := onSQLite(t)
	app := p.NewApplication()
	t.Run("ConnectionClose", func(t *testing.T) {
		answer := p.Send(signed(t, app).Set("Connection", "close"))
		require.Equal(t, 200, answer.Status)
		require.Equal(t, "close", strings.ToLower(answer.First("Connection")))
	})
	t.Run("KeepAlive", func(t *testing.T) {
		connection := p.Connect("")
		for range 3 {
			answer, err := connection.Send(signed(t, app))
			require.NoError(t, err)
			require.Equal(t, 200, answer.Status)
			answer, err = connection.Send(signed(t, app).Without("X-Platform-Signature"))
			require.NoError(t, err)
			unauthenticated(t, answer, "invalid_signature")
		}
	})
	t.Run("Chunked", func(t *testing.T) {
		request := signed(t, app)
		answer, err := p.Connect("").SendRaw(request, append(request.Head("Transfer-Encoding: chunked\r\n"), chunked(request.Body, 7)...))
		require.NoError(t, err)
		require.Equal(t, 200, answer.Status)
	})
	t.Run("AbsoluteTarget", func(t *testing.T) {
		request := signed(t, app)
		head := strings.Replace(string(request.Head("Content-Length: "+length(request.Body)+"\r\n")), " /v1", " "+p.URL+"/v1", 1)
		answer, err := p.Connect("").SendRaw(request, append([]byte(head), request.Body...))
		require.NoError(t, err)
		require.Equal(t, 200, answer.Status, "%s", answer.Body)
	})
	t.Run("Query", func(t *testing.T) {
		for _, query := range []string{"?", "?a", "?a=b&a=%ff", "?a;b", "?%zz", "?a=b?c=d", "?" + strings.Repeat("x", 5000)} {
			answer := p.Send(app.Signed(http.MethodPost, validations+query, text(t, kyc(0, nil))))
			require.Equal(t, 200, answer.Status, "%s: %s", query, answer.Body)
		}
	})
	t.Run("ContentType", func(t *testing.T) {
		for _, contentType := range []string{"", "text/plain", "application/json; charset=utf-16"} {
			require.Equal(t, 200, p.Send(signed(t, app).Set("Content-Type", contentType)).Status, contentType)
		}
	})
	t.Run("Health", func(t *testing.T) {
		response, body := p.Page("/healthz")
		require.Equal(t, 200, response.StatusCode)
		require.JSONEq(t, `{"status":"ok"}`, string(body))
	})
}
