package e2etest

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// The wire format, written a second time: what the platform's own package gets wrong on both sides shows here.

// Canonical is the string that a signature covers.
func Canonical(timestamp, nonce, method, target, iv, idempotencyKey, prefer string, body []byte) string {
	path, query, _ := strings.Cut(target, "?")
	hash := sha256.Sum256(body)
	return strings.Join([]string{"PLATFORM-HMAC-SHA256", timestamp, nonce, method, path, query, iv, idempotencyKey, prefer,
		hex.EncodeToString(hash[:])}, "\n")
}

func sign(secret []byte, canonical string) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(canonical))
	return hex.EncodeToString(mac.Sum(nil))
}

func requestAAD(timestamp, nonce, method, target string) string {
	path, _, _ := strings.Cut(target, "?")
	return strings.Join([]string{"request", timestamp, nonce, method, path}, "\n")
}

func responseAAD(nonce string, status int) string {
	return "response\n" + nonce + "\n" + strconv.Itoa(status)
}

type envelope struct {
	Ciphertext string `json:"ciphertext"`
}

func sealBody(key, plaintext []byte, aad string) (iv string, body []byte) {
	random := make([]byte, 12)
	_, _ = rand.Read(random)
	sealed := gcm(key).Seal(nil, random, plaintext, []byte(aad))
	body, err := json.Marshal(envelope{base64.StdEncoding.EncodeToString(sealed)})
	if err != nil {
		panic(err) // a string always marshals
	}
	return base64.StdEncoding.EncodeToString(random), body
}

func openBody(key []byte, iv string, body []byte, aad string) ([]byte, error) {
	var e envelope
	random, err := base64.StdEncoding.DecodeString(iv)
	if err != nil || len(random) != 12 || json.Unmarshal(body, &e) != nil {
		return nil, errors.New("no encrypted body")
	}
	sealed, err := base64.StdEncoding.DecodeString(e.Ciphertext)
	if err != nil {
		return nil, err
	}
	return gcm(key).Open(nil, random, sealed, []byte(aad))
}

func gcm(key []byte) cipher.AEAD {
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // keys have 32 bytes
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		panic(err)
	}
	return aead
}
