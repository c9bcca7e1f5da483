package webhooks

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"

	"idplatform/platform/outbound"
	"idplatform/platform/wire"
)

const (
	// AcknowledgeTime is how long a receiver has to answer (specification, Limits).
	AcknowledgeTime = 5 * time.Second
	// keptAnswer is how much of an answer is recorded, in bytes.
	keptAnswer = 1 << 10
	// readAnswer is how much of an answer is read on, so that its connection can be used again.
	readAnswer = 64 << 10
	// bodyTime bounds the reading of an answer that has already told what counts.
	bodyTime = time.Second

	userAgent = "platform-webhooks/1"
)

// The headers after the Standard Webhooks convention.
const (
	headerStandardID        = "webhook-id"
	headerStandardTimestamp = "webhook-timestamp"
	headerStandardSignature = "webhook-signature"
)

// The faults of attempts that got no answer.
const (
	faultTimeout    = "timeout"
	faultAddress    = "address_refused"
	faultHost       = "host_unknown"
	faultRefused    = "connection_refused"
	faultLost       = "connection_lost"
	faultTLS        = "tls"
	faultOther      = "not_sent"
	faultNoEndpoint = "no_endpoint"
)

// NewClient is the client that deliveries go out with.
func NewClient(g *outbound.Guard) *http.Client {
	return g.Client(outbound.Limits{Time: AcknowledgeTime, Body: readAnswer})
}

// reply is what came of one POST.
type reply struct {
	status  int
	fault   string
	latency time.Duration
	body    []byte
}

// acknowledged reports whether the receiver has taken the event: any 2xx.
func (r reply) acknowledged() bool { return r.status >= 200 && r.status <= 299 }

// post sends an event once. keys sign it: the first in the platform's own header, all of them in the standard one.
func post(ctx context.Context, client *http.Client, url, id string, body []byte, keys [][]byte, at time.Time) reply {
	ctx, cancel := context.WithTimeout(ctx, AcknowledgeTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return reply{fault: faultOther}
	}
	Sign(request.Header, id, body, keys, at)
	start := time.Now()
	answer, err := client.Do(request)
	r := reply{latency: time.Since(start)}
	if err != nil {
		r.fault = faultOf(err)
		return r
	}
	defer answer.Body.Close()
	r.status = answer.StatusCode
	defer time.AfterFunc(bodyTime, cancel).Stop()
	r.body, _ = io.ReadAll(io.LimitReader(answer.Body, keptAnswer)) // as much of it as comes
	_, _ = io.Copy(io.Discard, answer.Body)                         // for the connection's sake
	return r
}

// Sign writes the headers of a webhook: those of the specification, signed with the first key, and those of the
// Standard Webhooks convention, signed with every key.
func Sign(h http.Header, id string, body []byte, keys [][]byte, at time.Time) {
	timestamp := strconv.FormatInt(at.Unix(), 10)
	h.Set("Content-Type", "application/json")
	h.Set("User-Agent", userAgent)
	h.Set(wire.HeaderWebhookID, id)
	h.Set(wire.HeaderWebhookTimestamp, timestamp)
	h.Set(wire.HeaderWebhookSignature, wire.SignWebhook(keys[0], timestamp, body))
	standard := make([]string, len(keys))
	for i, key := range keys {
		standard[i] = wire.SignStandardWebhook(key, id, timestamp, body)
	}
	h.Set(headerStandardID, id)
	h.Set(headerStandardTimestamp, timestamp)
	h.Set(headerStandardSignature, strings.Join(standard, " "))
}

// faultOf names the kind of a failure. The error itself may hold the URL and is not kept.
func faultOf(err error) string {
	var (
		refused     *outbound.RefusedError
		timeout     net.Error
		host        *net.DNSError
		certificate *tls.CertificateVerificationError
		record      tls.RecordHeaderError
		alert       tls.AlertError
	)
	switch {
	case errors.As(err, &refused):
		return faultAddress
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return faultTimeout
	case errors.As(err, &host):
		return faultHost
	case errors.As(err, &certificate), errors.As(err, &record), errors.As(err, &alert), errors.Is(err, http.ErrSchemeMismatch):
		return faultTLS
	case errors.Is(err, syscall.ECONNREFUSED):
		return faultRefused
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return faultLost
	}
	return faultOther
}
