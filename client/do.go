package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"idplatform/platform/wire"
)

// Response is an answer of the platform, decrypted.
type Response struct {
	Status int
	Header http.Header
	// Body is the plaintext.
	Body []byte
	// RequestID names the call in the platform's logs; give it when you ask for help.
	RequestID string
	// Encrypted tells that the answer was encrypted for this very request, hence that it comes from the platform.
	Encrypted bool
}

// Do signs, encrypts and sends one call, and decrypts the answer. target is path and query, percent-encoded,
// such as /v1/batches/bat_…/results?limit=500. An empty body is no body.
//
// A status other than 2xx is an *Error. Do retries as its RetryPolicy says, each time signed anew; when
// that gave up, the error is that of the last attempt. A 2xx that was not encrypted is ErrUnencryptedAnswer,
// an answer that does not belong to the request ErrForeignAnswer.
func (c *Client) Do(ctx context.Context, method, target string, body []byte, opts ...CallOption) (*Response, error) {
	call, err := c.newCall(method, target, body, callSettingsOf(opts))
	if err != nil {
		return nil, err
	}
	for attempt := 1; ; {
		resp, err := c.attempt(ctx, call)
		c.learnClock(call, resp)
		if err == nil {
			return resp, nil
		}
		if ctx.Err() != nil {
			return nil, err
		}
		if c.correctClock(call, resp, err) {
			continue // nothing was done for a request refused for its timestamp: this one is no retry
		}
		wait, again := c.retry.next(attempt, call, err)
		if !again || !fits(ctx, wait) {
			return nil, err
		}
		if stopped := pause(ctx, wait); stopped != nil {
			return nil, fmt.Errorf("%w, waiting to try again after: %w", stopped, err)
		}
		attempt++
	}
}

// call is what all attempts of one call share.
type call struct {
	method         string
	url            *url.URL
	path, query    string // as they go over the wire, for signature and additional data
	body           []byte
	idempotencyKey string
	prefer         string

	skew      time.Duration
	corrected bool
}

func (c *Client) newCall(method, target string, body []byte, s callSettings) (*call, error) {
	method = strings.ToUpper(cmp.Or(method, http.MethodGet))
	if !strings.HasPrefix(target, "/") {
		return nil, fmt.Errorf("the target %q must be a path that begins with /", target)
	}
	u, err := url.ParseRequestURI(target)
	if err != nil {
		return nil, fmt.Errorf("the target is no path and query: %w", err)
	}
	sent := u.RequestURI()
	if strings.ContainsFunc(sent, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, fmt.Errorf("the target %q must be percent-encoded", target)
	}
	u.Scheme, u.Host = c.base.Scheme, c.base.Host

	call := &call{method: method, url: u, body: body, idempotencyKey: s.idempotencyKey, skew: time.Duration(c.skew.Load())}
	call.path, call.query, _ = strings.Cut(sent, "?")
	if s.async {
		call.prefer = "respond-async"
	}
	if method == http.MethodPost && call.idempotencyKey == "" && c.retry.Attempts > 1 {
		call.idempotencyKey = uuid.NewString()
	}
	return call, nil
}

// repeatable tells whether sending the call twice has the effect of sending it once.
func (c *call) repeatable() bool {
	return c.method == http.MethodGet || c.method == http.MethodPost && c.idempotencyKey != ""
}

// attempt sends the call once. The response is given beside an *Error too, for its headers.
func (c *Client) attempt(ctx context.Context, call *call) (*Response, error) {
	if c.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.timeout)
		defer cancel()
	}
	nonce := uuid.NewString()
	req, err := c.sign(ctx, call, nonce)
	if err != nil {
		return nil, err
	}
	answer, err := c.http.Do(req)
	if err != nil {
		return nil, &transportError{err}
	}
	defer func() { _ = answer.Body.Close() }()
	raw, err := c.read(answer)
	if err != nil {
		return nil, err
	}
	resp := &Response{
		Status: answer.StatusCode, Header: answer.Header, Body: raw, RequestID: answer.Header.Get(wire.HeaderRequestID),
	}
	if iv := answer.Header.Get(wire.HeaderIV); iv != "" {
		if resp.Body, err = c.signer.key.Open(iv, raw, wire.ResponseAAD(nonce, resp.Status)); err != nil {
			return nil, fmt.Errorf("%w (status %d, request %s)", ErrForeignAnswer, resp.Status, resp.RequestID)
		}
		resp.Encrypted = true
	}
	if resp.Status < 200 || resp.Status > 299 {
		return resp, errorOf(resp)
	}
	if !resp.Encrypted {
		return nil, fmt.Errorf("%w (status %d, request %s)", ErrUnencryptedAnswer, resp.Status, resp.RequestID)
	}
	return resp, nil
}

// transportError is a failure to send a request or to read its answer: it may have had its effect or not.
type transportError struct{ err error }

func (e *transportError) Error() string { return "call the platform: " + e.err.Error() }
func (e *transportError) Unwrap() error { return e.err }

// The answers that a Client refuses.
var (
	// ErrUnencryptedAnswer is a success without X-Platform-IV. The platform encrypts every success: something
	// between it and the caller made this answer.
	ErrUnencryptedAnswer = errors.New("the answer is not encrypted, so it is not the platform's")
	// ErrForeignAnswer is an encrypted answer that does not decrypt as the answer to this request: that of
	// another request, altered on the way, or made with another key.
	ErrForeignAnswer = errors.New("the answer does not decrypt as the answer to this request")
	// ErrAnswerTooLarge is an answer over the limit of WithResponseLimit.
	ErrAnswerTooLarge = errors.New("the answer is larger than the limit")
)
