package wire_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/platform/wire"
)

// FuzzOpen feeds the envelope's decoder: nothing but ErrDecryption ever comes back, and what opens is an
// object with the one member ciphertext.
func FuzzOpen(f *testing.F) {
	key := newKey(f, make([]byte, wire.SecretSize))
	iv, body := key.SealWith(make([]byte, 12), []byte(samplePlain), nil)
	f.Add(iv, body)
	f.Add(iv, append([]byte(" "), body...))
	f.Fuzz(func(t *testing.T, iv string, body []byte) {
		before := bytes.Clone(body)
		plaintext, err := key.Open(iv, body, nil)
		require.Equal(t, before, body, "the caller's body is never written to")
		if err != nil {
			require.True(t, errors.Is(err, wire.ErrDecryption))
			return
		}
		var members map[string]string
		require.NoError(t, json.Unmarshal(body, &members))
		require.Len(t, members, 1)
		again, err := key.Open(iv, body, nil)
		require.NoError(t, err)
		require.Equal(t, plaintext, again)
	})
}

// FuzzSeal checks that whatever was sealed opens again, and only with its own additional data.
func FuzzSeal(f *testing.F) {
	key := newKey(f, make([]byte, wire.SecretSize))
	f.Add([]byte(samplePlain), []byte("response\n"+sampleNonce+"\n200"))
	f.Fuzz(func(t *testing.T, plaintext, aad []byte) {
		iv, body := key.Seal(plaintext, aad)
		opened, err := key.Open(iv, body, aad)
		require.NoError(t, err)
		require.True(t, bytes.Equal(plaintext, opened))
		_, err = key.Open(iv, body, append(bytes.Clone(aad), 0))
		require.ErrorIs(t, err, wire.ErrDecryption)
	})
}

// FuzzCanonical checks that the canonical string has ten lines from which the parts can be read back, so that
// no two requests share one.
func FuzzCanonical(f *testing.F) {
	f.Add("POST", "/v1/kyc/validations", "1767225600", sampleNonce, "bKtzTjFdCvKx4/FU", "", "respond-async")
	f.Add("GET", "/v1/batches/b/results?limit=500&cursor=abc%3D", "1767225602", sampleNonce, "", "", "")
	f.Add("GET", "/v1/x?", " 1 ", "\t", "", sampleNonce, " a, b ")
	f.Fuzz(func(t *testing.T, method, target, timestamp, nonce, iv, idempotencyKey, prefer string) {
		h := http.Header{}
		for name, value := range map[string]string{
			wire.HeaderTimestamp: timestamp, wire.HeaderNonce: nonce, wire.HeaderIV: iv,
			wire.HeaderIdempotencyKey: idempotencyKey, wire.HeaderPrefer: prefer,
		} {
			h.Set(name, value)
		}
		if strings.Contains(method+target+timestamp+nonce+iv+idempotencyKey+prefer, "\n") {
			return // HTTP carries no line feed inside a request line or a header
		}
		c := wire.CanonicalOf(method, target, h, wire.EmptyBodyHash)
		lines := strings.Split(c.String(), "\n")
		require.Len(t, lines, 10)
		require.Equal(t, c, wire.Canonical{
			Timestamp: lines[1], Nonce: lines[2], Method: lines[3], Path: lines[4], Query: lines[5],
			IV: lines[6], IdempotencyKey: lines[7], Prefer: lines[8], BodyHash: lines[9],
		})
		require.NotContains(t, c.Path, "?")
		secret := make([]byte, wire.SecretSize)
		require.True(t, wire.Verify(secret, c, wire.Sign(secret, c)))
	})
}

// FuzzTimestamp checks that only plain decimal numbers are timestamps.
func FuzzTimestamp(f *testing.F) {
	for _, seed := range []string{"1767225600", "0", "-1", "1e3", "12a34", "999999999999"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at, ok := wire.ParseTimestamp(text)
		if !ok {
			return
		}
		require.NotEmpty(t, text)
		digits := strings.TrimLeft(text, "0")
		if digits == "" {
			digits = "0"
		}
		require.Equal(t, digits, strconv.FormatInt(at.Unix(), 10))
	})
}

// FuzzShapes checks that the shapes of UUIDs, signatures and key ids admit nothing that would be unsafe to log
// or to store.
func FuzzShapes(f *testing.F) {
	for _, seed := range []string{sampleNonce, strings.Repeat("0a", 32), "pk_sandbox_0123456789abcdefABCDEFGH", "pk_live_\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if wire.IsUUID(text) {
			require.Len(t, text, 36)
		}
		if wire.IsSignature(text) {
			require.Len(t, text, 64)
			require.Equal(t, strings.ToLower(text), text)
		}
		if wire.IsUUID(text) || wire.IsSignature(text) || wire.IsKeyID(text) {
			require.Empty(t, strings.Trim(text, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-"))
		}
	})
}
