package wire_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/platform/wire"
)

func sampleCanonical() wire.Canonical {
	return wire.Canonical{
		Timestamp: "1767225600", Nonce: "7b6f1f0e-6c3e-4c0a-9d53-2f8f5f0f9a01", Method: "POST",
		Path: "/v1/kyc/validations", Query: "a=b", IV: "bKtzTjFdCvKx4/FU",
		IdempotencyKey: "0d8f7a4e-2f6c-4a7b-8a52-9f3f0d6b7c11", Prefer: "respond-async", BodyHash: wire.EmptyBodyHash,
	}
}

func TestVerify_FalseWhenAnyLineChanges(t *testing.T) {
	t.Parallel()
	secret := make([]byte, wire.SecretSize)
	signature := wire.Sign(secret, sampleCanonical())
	require.True(t, wire.Verify(secret, sampleCanonical(), signature))

	for name, change := range map[string]func(*wire.Canonical){
		"timestamp":       func(c *wire.Canonical) { c.Timestamp = "1767225601" },
		"nonce":           func(c *wire.Canonical) { c.Nonce = strings.ToUpper(c.Nonce) },
		"method":          func(c *wire.Canonical) { c.Method = "PUT" },
		"path":            func(c *wire.Canonical) { c.Path += "/" },
		"query":           func(c *wire.Canonical) { c.Query = "a=c" },
		"iv":              func(c *wire.Canonical) { c.IV = "" },
		"idempotency key": func(c *wire.Canonical) { c.IdempotencyKey = "" },
		"prefer":          func(c *wire.Canonical) { c.Prefer = "" },
		"body hash":       func(c *wire.Canonical) { c.BodyHash = strings.Repeat("0", 64) },
		"lines swapped":   func(c *wire.Canonical) { c.IdempotencyKey, c.Prefer = c.Prefer, c.IdempotencyKey },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			changed := sampleCanonical()
			change(&changed)
			require.False(t, wire.Verify(secret, changed, signature))
		})
	}
}

func TestVerify_FalseForAnotherSignature(t *testing.T) {
	t.Parallel()
	secret := make([]byte, wire.SecretSize)
	signature := wire.Sign(secret, sampleCanonical())
	for name, other := range map[string]string{
		"empty": "", "truncated": signature[:63], "upper case": strings.ToUpper(signature), "longer": signature + "0",
		"of another secret": wire.Sign(append(make([]byte, 31), 1), sampleCanonical()),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.False(t, wire.Verify(secret, sampleCanonical(), other))
		})
	}
}

func TestCanonicalOf_TrimsAndJoinsHeaders(t *testing.T) {
	t.Parallel()
	h := http.Header{}
	h.Set(wire.HeaderTimestamp, " 1767225600\t")
	h.Add(wire.HeaderPrefer, " respond-async ")
	h.Add(wire.HeaderPrefer, "wait=10")
	c := wire.CanonicalOf("POST", "/v1/x?a=b?c&d", h, wire.EmptyBodyHash)
	require.Equal(t, wire.Canonical{
		Timestamp: "1767225600", Method: "POST", Path: "/v1/x", Query: "a=b?c&d",
		Prefer: "respond-async, wait=10", BodyHash: wire.EmptyBodyHash,
	}, c)
	require.Len(t, strings.Split(c.String(), "\n"), 10)
}

func TestParseTimestamp(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{"0": 0, "1767225600": 1767225600, "007": 7, "999999999999": 999999999999} {
		at, ok := wire.ParseTimestamp(text)
		require.True(t, ok, text)
		require.Equal(t, want, at.Unix(), text)
	}
	for _, text := range []string{"", "-1", "+1", "1.0", "1e3", " 1", "1 ", "12a34", "0x10", "1_000", "١٢٣", "1000000000000", "9999999999999999999999"} {
		_, ok := wire.ParseTimestamp(text)
		require.False(t, ok, text)
	}
}

func TestInWindow_BothSides(t *testing.T) {
	t.Parallel()
	now := time.Unix(1767225600, 0)
	for apart, want := range map[time.Duration]bool{
		0: true, wire.Window: true, -wire.Window: true, wire.Window + time.Second: false, -wire.Window - time.Second: false,
	} {
		require.Equal(t, want, wire.InWindow(now.Add(apart), now), apart)
	}
	farthest, ok := wire.ParseTimestamp("999999999999")
	require.True(t, ok)
	require.False(t, wire.InWindow(farthest, now))
}

func TestShapes(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"7b6f1f0e-6c3e-4c0a-9d53-2f8f5f0f9a01", "7B6F1F0E-6C3E-4C0A-9D53-2F8F5F0F9A01"} {
		require.True(t, wire.IsUUID(s), s)
	}
	for _, s := range []string{
		"", "7b6f1f0e6c3e4c0a9d532f8f5f0f9a01", "{7b6f1f0e-6c3e-4c0a-9d53-2f8f5f0f9a01}", "7b6f1f0e-6c3e-4c0a-9d53-2f8f5f0f9a0g",
		"7b6f1f0e-6c3e-4c0a-9d53-2f8f5f0f9a01\n", "7b6f1f0e-6c3e-4c0a-9d53-2f8f5f0f9a0", "7b6f1f0-e6c3e-4c0a-9d53-2f8f5f0f9a01",
	} {
		require.False(t, wire.IsUUID(s), s)
	}
	require.True(t, wire.IsSignature(strings.Repeat("0a", 32)))
	for _, s := range []string{"", strings.Repeat("0A", 32), strings.Repeat("0a", 31), strings.Repeat("0a", 32) + "\n", strings.Repeat("0g", 32)} {
		require.False(t, wire.IsSignature(s), s)
	}
	require.True(t, wire.IsKeyID("pk_sandbox_0123456789abcdefABCDEFGH"))
	require.True(t, wire.IsKeyID("pk_live_0123456789abcdefABCDEFGH"))
	for _, s := range []string{"", "pk_test_0123456789abcdefABCDEFGH", "pk_live_0123456789abcdefABCDEFG", "pk_live_0123456789abcdefABCDEFGH\n", "pk_live_0123456789abcdefABCDEFG-"} {
		require.False(t, wire.IsKeyID(s), s)
	}
}
