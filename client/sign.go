package client

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"idplatform/platform/wire"
)

// sign builds the request of one attempt: body encrypted, headers signed, under a nonce of its own.
func (c *Client) sign(ctx context.Context, call *call, nonce string) (*http.Request, error) {
	timestamp := strconv.FormatInt(c.now().Add(call.skew).Unix(), 10)
	h := http.Header{}
	h.Set("User-Agent", c.userAgent)
	h.Set("Accept", "application/json")
	h.Set(wire.HeaderKeyID, c.signer.keyID)
	h.Set(wire.HeaderTimestamp, timestamp)
	h.Set(wire.HeaderNonce, nonce)
	if call.idempotencyKey != "" {
		h.Set(wire.HeaderIdempotencyKey, call.idempotencyKey)
	}
	if call.prefer != "" {
		h.Set(wire.HeaderPrefer, call.prefer)
	}

	var body io.Reader
	bodyHash := wire.EmptyBodyHash
	if len(call.body) > 0 {
		iv, sealed := c.signer.key.Seal(call.body, wire.RequestAAD(timestamp, nonce, call.method, call.path))
		h.Set(wire.HeaderIV, iv)
		h.Set("Content-Type", "application/json")
		sum := sha256.Sum256(sealed)
		body, bodyHash = bytes.NewReader(sealed), hex.EncodeToString(sum[:])
	}
	target := call.path
	if call.query != "" {
		target += "?" + call.query
	}
	h.Set(wire.HeaderSignature, wire.Sign(c.signer.secret, wire.CanonicalOf(call.method, target, h, bodyHash)))

	req, err := http.NewRequestWithContext(ctx, call.method, call.url.String(), body)
	if err != nil {
		return nil, fmt.Errorf("build the request: %w", err)
	}
	req.URL = call.url // as it was signed
	req.Header = h
	// net/http would send a request with an Idempotency-Key again on a broken connection, nonce and all.
	req.GetBody = nil
	return req, nil
}

// read takes an answer's body, up to the limit.
func (c *Client) read(answer *http.Response) ([]byte, error) {
	if answer.ContentLength > c.responseLimit {
		return nil, ErrAnswerTooLarge
	}
	raw, err := io.ReadAll(io.LimitReader(answer.Body, c.responseLimit+1))
	if err != nil {
		return nil, &transportError{fmt.Errorf("read the answer: %w", err)}
	}
	if int64(len(raw)) > c.responseLimit {
		return nil, ErrAnswerTooLarge
	}
	return raw, nil
}
