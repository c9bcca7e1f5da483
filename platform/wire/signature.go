// Package wire is the form of requests and answers on the wire: the request signature, the encryption of
// bodies both ways, and the signature of webhooks. Server and client share it.
//
// A signature is the lower-case hex HMAC-SHA256, under the application's API secret, of the canonical
// string: ten lines joined by a line feed (see Canonical). A body is AES-256-GCM under the application's
// encryption key with a random 12-byte IV; the tag follows the ciphertext; the additional authenticated
// data binds it to its request (see RequestAAD, ResponseAAD).
package wire

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// The headers of a signed request.
const (
	HeaderKeyID          = "X-Platform-Key-Id"
	HeaderTimestamp      = "X-Platform-Timestamp"
	HeaderNonce          = "X-Platform-Nonce"
	HeaderSignature      = "X-Platform-Signature"
	HeaderIV             = "X-Platform-IV"
	HeaderRequestID      = "X-Platform-Request-Id"
	HeaderIdempotencyKey = "Idempotency-Key"
	HeaderPrefer         = "Prefer"
)

// Window is how far a request's timestamp may be from the server's clock, on both sides.
const Window = 300 * time.Second

// SecretSize is the size in bytes of an API secret and of an encryption key.
const SecretSize = 32

const scheme = "PLATFORM-HMAC-SHA256"

// EmptyBodyHash is the hex SHA-256 of no bytes: the body hash of a request without a body.
var EmptyBodyHash = hex.EncodeToString(sha256.New().Sum(nil))

// Canonical is what a request's signature covers. A header that is absent is an empty string.
type Canonical struct {
	Timestamp      string
	Nonce          string
	Method         string
	Path           string // exactly as sent, percent-encoding included, without the query
	Query          string // exactly as sent, without the question mark
	IV             string
	IdempotencyKey string
	Prefer         string
	BodyHash       string // lower-case hex SHA-256 of the body as sent
}

// CanonicalOf collects the parts from a request's line and headers. target is the request target as
// sent: path and, after the first question mark, query.
func CanonicalOf(method, target string, h http.Header, bodyHash string) Canonical {
	path, query, _ := strings.Cut(target, "?")
	return Canonical{
		Timestamp:      headerValue(h, HeaderTimestamp),
		Nonce:          headerValue(h, HeaderNonce),
		Method:         method,
		Path:           path,
		Query:          query,
		IV:             headerValue(h, HeaderIV),
		IdempotencyKey: headerValue(h, HeaderIdempotencyKey),
		Prefer:         Prefer(h),
		BodyHash:       bodyHash,
	}
}

// Prefer joins the request's Prefer lines with ", ", each trimmed of outer white space.
func Prefer(h http.Header) string {
	lines := h.Values(HeaderPrefer)
	trimmed := make([]string, len(lines))
	for i, l := range lines {
		trimmed[i] = strings.TrimSpace(l)
	}
	return strings.Join(trimmed, ", ")
}

func headerValue(h http.Header, name string) string { return strings.TrimSpace(h.Get(name)) }

// String is the canonical string itself.
func (c Canonical) String() string {
	return strings.Join([]string{scheme, c.Timestamp, c.Nonce, c.Method, c.Path, c.Query, c.IV,
		c.IdempotencyKey, c.Prefer, c.BodyHash}, "\n")
}

// Sign is the value of X-Platform-Signature.
func Sign(secret []byte, c Canonical) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(c.String()))
	return hex.EncodeToString(mac.Sum(nil))
}

// Verify compares a signature in constant time.
func Verify(secret []byte, c Canonical, signature string) bool {
	return hmac.Equal([]byte(Sign(secret, c)), []byte(signature))
}

var (
	nonceShape     = regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`)
	signatureShape = regexp.MustCompile(`^[0-9a-f]{64}$`)
	keyIDShape     = regexp.MustCompile(`^pk_(sandbox|live)_[0-9A-Za-z]{24}$`)
)

// IsUUID reports whether s has the shape of a UUID, as nonces and idempotency keys have.
func IsUUID(s string) bool { return nonceShape.MatchString(s) }

// IsSignature reports whether s has the shape of a signature.
func IsSignature(s string) bool { return signatureShape.MatchString(s) }

// IsKeyID reports whether s has the shape of a key id.
func IsKeyID(s string) bool { return keyIDShape.MatchString(s) }

// ParseTimestamp reads a header's Unix seconds: decimal digits only.
func ParseTimestamp(s string) (time.Time, bool) {
	if s == "" || len(s) > 12 || strings.Trim(s, "0123456789") != "" {
		return time.Time{}, false
	}
	seconds, err := strconv.ParseInt(s, 10, 64)
	return time.Unix(seconds, 0), err == nil
}

// InWindow reports whether a timestamp is close enough to now.
func InWindow(t, now time.Time) bool {
	apart := now.Sub(t).Abs()
	return apart <= Window
}
