package wire_test

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/platform/wire"
)

const (
	sampleNonce = "7b6f1f0e-6c3e-4c0a-9d53-2f8f5f0f9a01"
	samplePlain = `{"purpose":"customer_onboarding"}`
)

func TestSealAndOpen_OK(t *testing.T) {
	t.Parallel()
	key := newKey(t, make([]byte, 32))
	aad := wire.RequestAAD("1767225600", sampleNonce, "POST", "/v1/x")
	for _, plaintext := range []string{"", "{}", samplePlain, strings.Repeat("é", 100_000)} {
		iv, body := key.Seal([]byte(plaintext), aad)
		opened, err := key.Open(iv, body, aad)
		require.NoError(t, err)
		require.Equal(t, plaintext, string(opened))
	}
}

func TestSeal_NeverRepeatsAnIV(t *testing.T) {
	t.Parallel()
	key := newKey(t, make([]byte, 32))
	seen := map[string]bool{}
	for range 1000 {
		iv, _ := key.Seal(nil, nil)
		require.False(t, seen[iv])
		seen[iv] = true
	}
}

func TestNewKey_ErrSize(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 16, 31, 33} {
		_, err := wire.NewKey(make([]byte, size))
		require.Error(t, err, size)
	}
}

func TestOpen_OKInOtherSpellingsOfTheJSON(t *testing.T) {
	t.Parallel()
	key := newKey(t, make([]byte, 32))
	// A plaintext of this size has a ciphertext with slashes, which some JSON writers escape.
	plaintext := bytes.Repeat([]byte{'x'}, 4096)
	iv, body := key.SealWith(make([]byte, 12), plaintext, nil)
	text := ciphertextOf(t, body)
	require.Contains(t, text, "/")
	for name, spelling := range map[string]string{
		"spaced":            "{ \"ciphertext\" : \"" + text + "\" }\n",
		"escaped slashes":   `{"ciphertext":"` + strings.ReplaceAll(text, "/", `\/`) + `"}`,
		"escaped in \\u":    `{"ciphertext":"` + strings.ReplaceAll(text, "+", `\u002b`) + `"}`,
		"name in \\u":       `{"\u0063iphertext":"` + text + `"}`,
		"newline after all": string(body) + "\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opened, err := key.Open(iv, []byte(spelling), nil)
			require.NoError(t, err)
			require.Equal(t, plaintext, opened)
		})
	}
}

func TestOpen_ErrDecryptionWhenBoundToAnother(t *testing.T) {
	t.Parallel()
	key := newKey(t, make([]byte, 32))
	aad := wire.RequestAAD("1767225600", sampleNonce, "POST", "/v1/x")
	iv, body := key.Seal([]byte(samplePlain), aad)
	for name, other := range map[string][]byte{
		"none":      nil,
		"timestamp": wire.RequestAAD("1767225601", sampleNonce, "POST", "/v1/x"),
		"nonce":     wire.RequestAAD("1767225600", strings.ToUpper(sampleNonce), "POST", "/v1/x"),
		"method":    wire.RequestAAD("1767225600", sampleNonce, "PUT", "/v1/x"),
		"path":      wire.RequestAAD("1767225600", sampleNonce, "POST", "/v1/y"),
		"response":  wire.ResponseAAD(sampleNonce, 200),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := key.Open(iv, body, other)
			require.ErrorIs(t, err, wire.ErrDecryption)
		})
	}
	t.Run("another key", func(t *testing.T) {
		t.Parallel()
		_, err := newKey(t, append(make([]byte, 31), 1)).Open(iv, body, aad)
		require.ErrorIs(t, err, wire.ErrDecryption)
	})
}

func TestOpen_ErrDecryptionForAnyChangedByte(t *testing.T) {
	t.Parallel()
	key := newKey(t, make([]byte, 32))
	iv, body := key.Seal([]byte(samplePlain), nil)
	for i := range body {
		altered := bytes.Clone(body)
		altered[i] ^= 1
		_, err := key.Open(iv, altered, nil)
		require.ErrorIs(t, err, wire.ErrDecryption, "byte %d", i)
		_, err = key.Open(iv, body[:i], nil)
		require.ErrorIs(t, err, wire.ErrDecryption, "cut to %d", i)
	}
}

func TestOpen_ErrDecryptionForMalformedInput(t *testing.T) {
	t.Parallel()
	key := newKey(t, make([]byte, 32))
	// 17 bytes of ciphertext end in one padding character whose two spare bits may hide a second spelling.
	iv, body := key.SealWith(make([]byte, 12), []byte("x"), nil)
	text := ciphertextOf(t, body)
	require.True(t, strings.HasSuffix(text, "=") && !strings.HasSuffix(text, "=="))
	spare := text[:len(text)-2] + string(nextBase64(text[len(text)-2])) + "="

	for name, c := range map[string]struct{ iv, body string }{
		"nothing":                    {iv, ""},
		"no object":                  {iv, `"` + text + `"`},
		"null":                       {iv, `null`},
		"empty object":               {iv, `{}`},
		"empty ciphertext":           {iv, `{"ciphertext":""}`},
		"null ciphertext":            {iv, `{"ciphertext":null}`},
		"number":                     {iv, `{"ciphertext":1}`},
		"array":                      {iv, `{"ciphertext":["` + text + `"]}`},
		"shorter than a tag":         {iv, `{"ciphertext":"` + base64.StdEncoding.EncodeToString(make([]byte, 15)) + `"}`},
		"member after":               {iv, `{"ciphertext":"` + text + `","iv":"x"}`},
		"member before":              {iv, `{"iv":"x","ciphertext":"` + text + `"}`},
		"repeated member":            {iv, `{"ciphertext":"` + text + `","ciphertext":"` + text + `"}`},
		"name in other case":         {iv, `{"Ciphertext":"` + text + `"}`},
		"text after":                 {iv, string(body) + `x`},
		"second object":              {iv, string(body) + string(body)},
		"byte order mark":            {iv, "\ufeff" + string(body)},
		"newline in base64":          {iv, `{"ciphertext":"` + text[:4] + "\n" + text[4:] + `"}`},
		"escaped newline in base64":  {iv, `{"ciphertext":"` + text[:4] + `\n` + text[4:] + `"}`},
		"escaped return in base64":   {iv, `{"ciphertext":"` + text[:4] + `\u000d` + text[4:] + `"}`},
		"space in base64":            {iv, `{"ciphertext":" ` + text + `"}`},
		"no padding":                 {iv, `{"ciphertext":"` + strings.TrimRight(text, "=") + `"}`},
		"spare bits":                 {iv, `{"ciphertext":"` + spare + `"}`},
		"spare bits, other spelling": {iv, `{ "ciphertext":"` + spare + `"}`},
		"URL alphabet":               {iv, `{"ciphertext":"` + strings.Repeat("-_", 12) + `"}`},
		"IV missing":                 {"", string(body)},
		"IV of 11 bytes":             {base64.StdEncoding.EncodeToString(make([]byte, 11)), string(body)},
		"IV of 13 bytes":             {base64.StdEncoding.EncodeToString(make([]byte, 13)), string(body)},
		"IV with a newline":          {iv[:4] + "\n" + iv[4:], string(body)},
		"IV no base64":               {"????????????????", string(body)},
		"IV of another message":      {base64.StdEncoding.EncodeToString(append(make([]byte, 11), 1)), string(body)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := key.Open(c.iv, []byte(c.body), nil)
			require.ErrorIs(t, err, wire.ErrDecryption)
		})
	}
}

func ciphertextOf(t *testing.T, body []byte) string {
	t.Helper()
	text, ok := strings.CutPrefix(string(body), `{"ciphertext":"`)
	require.True(t, ok)
	text, ok = strings.CutSuffix(text, `"}`)
	require.True(t, ok)
	return text
}

// nextBase64 is the digit after c in the base64 alphabet.
func nextBase64(c byte) byte {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	return alphabet[strings.IndexByte(alphabet, c)+1]
}
