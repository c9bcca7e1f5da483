package e2etest

import (
	"bytes"
	"io"
	"net/http"
)

// recorder is the transport of SDK clients: it reads along, decrypts both ways and holds every exchange against
// the OpenAPI document.
type recorder struct {
	application *Application
	next        http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	a := r.application
	sent := &Request{Method: request.Method, Target: request.URL.RequestURI(), Key: a.encryptionKey(), Nonce: request.Header.Get("X-Platform-Nonce")}
	if request.Body != nil {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return nil, err
		}
		request.Body = io.NopCloser(bytes.NewReader(body))
		if iv := request.Header.Get("X-Platform-IV"); iv != "" {
			aad := requestAAD(request.Header.Get("X-Platform-Timestamp"), sent.Nonce, sent.Method, sent.Target)
			if sent.Plain, err = openBody(sent.Key, iv, body, aad); err != nil {
				a.platform.t.Errorf("the client's body does not open: %v", err)
			}
		}
	}
	response, err := r.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	_ = response.Body.Close()
	response.Body = io.NopCloser(bytes.NewReader(raw))
	answer, err := opened(sent, response.StatusCode, response.Header, raw)
	if err != nil {
		return response, nil // a wrong key: the client says so itself
	}
	a.platform.document.exchange(a.platform.t, exchange{method: sent.Method, target: sent.Target, request: sent.Plain, answer: answer})
	return response, nil
}
