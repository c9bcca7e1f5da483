package wire_test

import (
	"bytes"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"idplatform/platform/wire"
)

// BenchmarkRoundTrip is all the cryptography of one call with 1 KiB of body each way, on both sides: the
// client seals and signs, the server checks, verifies and opens, seals the answer, and the client opens it.
func BenchmarkRoundTrip(b *testing.B) {
	secret := bytes.Repeat([]byte{1}, wire.SecretSize)
	key := newKey(b, bytes.Repeat([]byte{2}, wire.SecretSize))
	plaintext := bytes.Repeat([]byte{'x'}, 1024)
	const method, target = http.MethodPost, "/v1/kyc/validations"
	now := time.Unix(1767225600, 0)
	b.ReportAllocs()
	for b.Loop() {
		nonce, timestamp := uuid.NewString(), strconv.FormatInt(now.Unix(), 10)
		iv, body := key.Seal(plaintext, wire.RequestAAD(timestamp, nonce, method, target))
		h := http.Header{}
		h.Set(wire.HeaderTimestamp, timestamp)
		h.Set(wire.HeaderNonce, nonce)
		h.Set(wire.HeaderIV, iv)
		signature := wire.Sign(secret, wire.CanonicalOf(method, target, h, hashOf(body)))

		sent, ok := wire.ParseTimestamp(h.Get(wire.HeaderTimestamp))
		shaped := ok && wire.InWindow(sent, now) && wire.IsUUID(nonce) && wire.IsSignature(signature)
		canonical := wire.CanonicalOf(method, target, h, hashOf(body))
		if !shaped || !wire.Verify(secret, canonical, signature) {
			b.Fatal("the request was refused")
		}
		opened, err := key.Open(iv, body, wire.RequestAAD(timestamp, nonce, method, canonical.Path))
		require.NoError(b, err)

		aad := wire.ResponseAAD(nonce, http.StatusOK)
		iv, body = key.Seal(opened, aad)
		opened, err = key.Open(iv, body, aad)
		require.NoError(b, err)
		if len(opened) != len(plaintext) {
			b.Fatal("the answer is not the one sent")
		}
	}
}
