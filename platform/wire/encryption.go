package wire

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"strconv"
)

const (
	ivSize  = 12
	tagSize = 16
)

// ErrDecryption says that a body is not the ciphertext of its key, IV and additional data, or no ciphertext
// at all. It tells no more, so that nothing can be learnt from it.
var ErrDecryption = errors.New("the body cannot be decrypted")

// RequestAAD is the additional authenticated data of a request's body.
func RequestAAD(timestamp, nonce, method, path string) []byte {
	return []byte("request\n" + timestamp + "\n" + nonce + "\n" + method + "\n" + path)
}

// ResponseAAD is the additional authenticated data of an answer's body.
func ResponseAAD(requestNonce string, status int) []byte {
	return []byte("response\n" + requestNonce + "\n" + strconv.Itoa(status))
}

// Key is an encryption key made ready. It is safe for concurrent use.
type Key struct{ aead cipher.AEAD }

// NewKey prepares a key of 32 bytes.
func NewKey(secret []byte) (*Key, error) {
	if len(secret) != SecretSize {
		return nil, errors.New("an encryption key has 32 bytes")
	}
	block, err := aes.NewCipher(secret)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	return &Key{aead: aead}, nil
}

const (
	bodyPrefix = `{"ciphertext":"`
	bodySuffix = `"}`
)

// Seal encrypts plaintext under a random IV and gives the value of X-Platform-IV and the body as sent:
// {"ciphertext":"<base64>"}.
func (k *Key) Seal(plaintext, aad []byte) (iv string, body []byte) {
	nonce := make([]byte, ivSize)
	_, _ = rand.Read(nonce) // crypto/rand does not fail
	return k.sealWith(nonce, plaintext, aad)
}

func (k *Key) sealWith(nonce, plaintext, aad []byte) (iv string, body []byte) {
	sealed := k.aead.Seal(make([]byte, 0, len(plaintext)+tagSize), nonce, plaintext, aad)
	body = make([]byte, 0, len(bodyPrefix)+base64.StdEncoding.EncodedLen(len(sealed))+len(bodySuffix))
	body = append(body, bodyPrefix...)
	body = base64.StdEncoding.AppendEncode(body, sealed)
	return base64.StdEncoding.EncodeToString(nonce), append(body, bodySuffix...)
}

// Open decrypts a body as sent. It fails with ErrDecryption only.
func (k *Key) Open(iv string, body, aad []byte) ([]byte, error) {
	nonce, err := decodeBase64([]byte(iv))
	if err != nil || len(nonce) != ivSize || hasLineEnd([]byte(iv)) {
		return nil, ErrDecryption
	}
	sealed, err := ciphertext(body)
	if err != nil || len(sealed) < tagSize {
		return nil, ErrDecryption
	}
	plaintext, err := k.aead.Open(sealed[:0], nonce, sealed, aad)
	if err != nil {
		return nil, ErrDecryption
	}
	return plaintext, nil
}

// ciphertext takes the sealed bytes out of the envelope: an object with the one member ciphertext.
func ciphertext(body []byte) ([]byte, error) {
	// The form that clients write is read without a JSON parser, which matters for a batch of megabytes.
	// A backslash may be a JSON escape; line ends are what the base64 decoder would skip.
	if inner, ok := bytes.CutPrefix(body, []byte(bodyPrefix)); ok {
		if inner, ok = bytes.CutSuffix(inner, []byte(bodySuffix)); ok && !hasLineEnd(inner) && bytes.IndexByte(inner, '\\') < 0 {
			return decodeBase64(inner)
		}
	}
	// Token by token: decoding into a struct would take the name in any case, and repeated members.
	dec := json.NewDecoder(bytes.NewReader(body))
	if !next(dec, json.Delim('{')) || !next(dec, "ciphertext") {
		return nil, ErrDecryption
	}
	token, err := dec.Token()
	text, ok := token.(string)
	if err != nil || !ok || hasLineEnd([]byte(text)) || !next(dec, json.Delim('}')) {
		return nil, ErrDecryption
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, ErrDecryption
	}
	return decodeBase64([]byte(text))
}

// next reads one token and reports whether it is the wanted one.
func next(dec *json.Decoder, want json.Token) bool {
	token, err := dec.Token()
	return err == nil && token == want
}

func hasLineEnd(text []byte) bool {
	return bytes.IndexByte(text, '\n') >= 0 || bytes.IndexByte(text, '\r') >= 0
}

func decodeBase64(text []byte) ([]byte, error) {
	decoded := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
	n, err := base64.StdEncoding.Strict().Decode(decoded, text)
	return decoded[:n], err
}
