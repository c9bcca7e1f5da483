package wire_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/platform/wire"
)

// vectors were made by an implementation independent of this one; nothing here may be regenerated from it.
type vectors struct {
	Requests []struct {
		Name           string  `json:"name"`
		APISecret      []byte  `json:"api_secret"`
		EncryptionKey  []byte  `json:"encryption_key"`
		Method         string  `json:"method"`
		Target         string  `json:"target"`
		Timestamp      string  `json:"timestamp"`
		Nonce          string  `json:"nonce"`
		IdempotencyKey string  `json:"idempotency_key"`
		Prefer         string  `json:"prefer"`
		Plaintext      *string `json:"plaintext"`
		IV             string  `json:"iv"`
		AAD            string  `json:"aad"`
		Body           string  `json:"body"`
		Canonical      string  `json:"canonical_string"`
		Signature      string  `json:"signature_hex"`
	} `json:"requests"`
	Responses []struct {
		Name          string `json:"name"`
		EncryptionKey []byte `json:"encryption_key"`
		Status        int    `json:"status"`
		RequestNonce  string `json:"request_nonce"`
		Plaintext     string `json:"plaintext"`
		IV            string `json:"iv"`
		AAD           string `json:"aad"`
		Body          string `json:"body"`
	} `json:"responses"`
	Webhooks []struct {
		Name          string `json:"name"`
		EncryptionKey []byte `json:"encryption_key"`
		Timestamp     string `json:"timestamp"`
		Body          string `json:"body"`
		Signature     string `json:"signature_hex"`
	} `json:"webhooks"`
}

func loadVectors(t *testing.T) vectors {
	t.Helper()
	data, err := os.ReadFile("testdata/wire.json")
	require.NoError(t, err)
	var v vectors
	require.NoError(t, json.Unmarshal(data, &v))
	require.NotEmpty(t, v.Requests)
	require.NotEmpty(t, v.Responses)
	require.NotEmpty(t, v.Webhooks)
	return v
}

func newKey(t testing.TB, secret []byte) *wire.Key {
	t.Helper()
	key, err := wire.NewKey(secret)
	require.NoError(t, err)
	return key
}

// sealWith seals under a vector's own IV.
func sealWith(t *testing.T, secret []byte, iv, plaintext, aad string) (string, string) {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(iv)
	require.NoError(t, err)
	gotIV, body := newKey(t, secret).SealWith(raw, []byte(plaintext), []byte(aad))
	return gotIV, string(body)
}

func hashOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

func TestVectors_RequestSignature(t *testing.T) {
	t.Parallel()
	for _, v := range loadVectors(t).Requests {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			h := http.Header{}
			h.Set(wire.HeaderTimestamp, v.Timestamp)
			h.Set(wire.HeaderNonce, v.Nonce)
			for name, value := range map[string]string{
				wire.HeaderIV: v.IV, wire.HeaderIdempotencyKey: v.IdempotencyKey, wire.HeaderPrefer: v.Prefer,
			} {
				if value != "" {
					h.Set(name, value)
				}
			}
			canonical := wire.CanonicalOf(v.Method, v.Target, h, hashOf([]byte(v.Body)))
			require.Equal(t, v.Canonical, canonical.String())
			require.Equal(t, v.Signature, wire.Sign(v.APISecret, canonical))
			require.True(t, wire.Verify(v.APISecret, canonical, v.Signature))
			require.True(t, wire.IsSignature(v.Signature))
			require.True(t, wire.IsUUID(v.Nonce))
		})
	}
}

func TestVectors_RequestBody(t *testing.T) {
	t.Parallel()
	for _, v := range loadVectors(t).Requests {
		if v.Plaintext == nil {
			continue
		}
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			aad := wire.RequestAAD(v.Timestamp, v.Nonce, v.Method, v.Target)
			require.Equal(t, v.AAD, string(aad))

			plaintext, err := newKey(t, v.EncryptionKey).Open(v.IV, []byte(v.Body), aad)
			require.NoError(t, err)
			require.Equal(t, *v.Plaintext, string(plaintext))

			iv, body := sealWith(t, v.EncryptionKey, v.IV, *v.Plaintext, v.AAD)
			require.Equal(t, v.IV, iv)
			require.Equal(t, v.Body, body)
		})
	}
}

func TestVectors_ResponseBody(t *testing.T) {
	t.Parallel()
	for _, v := range loadVectors(t).Responses {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			aad := wire.ResponseAAD(v.RequestNonce, v.Status)
			require.Equal(t, v.AAD, string(aad))

			key := newKey(t, v.EncryptionKey)
			plaintext, err := key.Open(v.IV, []byte(v.Body), aad)
			require.NoError(t, err)
			require.Equal(t, v.Plaintext, string(plaintext))

			iv, body := sealWith(t, v.EncryptionKey, v.IV, v.Plaintext, v.AAD)
			require.Equal(t, v.IV, iv)
			require.Equal(t, v.Body, body)

			_, err = key.Open(v.IV, []byte(v.Body), wire.ResponseAAD(v.RequestNonce, v.Status+1))
			require.ErrorIs(t, err, wire.ErrDecryption)
		})
	}
}

func TestVectors_Webhook(t *testing.T) {
	t.Parallel()
	for _, v := range loadVectors(t).Webhooks {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, v.Signature, wire.SignWebhook(v.EncryptionKey, v.Timestamp, []byte(v.Body)))
			require.True(t, wire.VerifyWebhook(v.EncryptionKey, v.Timestamp, []byte(v.Body), v.Signature))

			otherKey := append([]byte{}, v.EncryptionKey...)
			otherKey[31] ^= 1
			require.False(t, wire.VerifyWebhook(otherKey, v.Timestamp, []byte(v.Body), v.Signature))
			require.False(t, wire.VerifyWebhook(v.EncryptionKey, v.Timestamp+"0", []byte(v.Body), v.Signature))
			for i := range v.Body {
				altered := []byte(v.Body)
				altered[i] ^= 1
				require.False(t, wire.VerifyWebhook(v.EncryptionKey, v.Timestamp, altered, v.Signature), "byte %d", i)
			}
			for i := range v.Signature {
				altered := []byte(v.Signature)
				altered[i] ^= 1
				require.False(t, wire.VerifyWebhook(v.EncryptionKey, v.Timestamp, []byte(v.Body), string(altered)), "digit %d", i)
			}
		})
	}
}

func TestSignStandardWebhook_OK(t *testing.T) {
	t.Parallel()
	// Computed with: printf 'evt_1.1767225700.{}' | openssl dgst -sha256 -mac HMAC -macopt hexkey:<32 zero bytes> -binary | base64
	require.Equal(t, "v1,LYbAu89+ldiUWoW1c6Gb1LhDwDHRxZ9u7y5612iSwQU=", wire.SignStandardWebhook(make([]byte, 32), "evt_1", "1767225700", []byte("{}")))
}

func TestEmptyBodyHash_OK(t *testing.T) {
	t.Parallel()
	require.Equal(t, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", wire.EmptyBodyHash)
}
