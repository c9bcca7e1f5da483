package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"

	"idplatform/platform/access"
	"idplatform/platform/wire"
)

const kycPath = "/v1/kyc/validations"

// signer makes requests ready to be sent, outside the time that is measured.
type signer struct {
	keyID  string
	secret []byte
	key    *wire.Key
	raw    []byte // the encryption key itself
}

func newSigner(c access.Credentials) (*signer, error) {
	secret, err := base64.StdEncoding.DecodeString(c.APISecret)
	if err != nil {
		return nil, err
	}
	raw, err := base64.StdEncoding.DecodeString(c.EncryptionKey)
	if err != nil {
		return nil, err
	}
	key, err := wire.NewKey(raw)
	return &signer{keyID: c.KeyID, secret: secret, key: key, raw: raw}, err
}

// request is one signed call with an encrypted body, as it goes over the wire.
func (s *signer) request(plaintext []byte) []byte { return s.requestTo(kycPath, "", plaintext) }

// requestTo is a request to a path, under an idempotency key unless that is empty.
func (s *signer) requestTo(path, idempotencyKey string, plaintext []byte) []byte {
	nonce, timestamp := uuid.NewString(), strconv.FormatInt(time.Now().Unix(), 10)
	iv, body := s.key.Seal(plaintext, wire.RequestAAD(timestamp, nonce, http.MethodPost, path))
	sum := sha256.Sum256(body)
	signature := wire.Sign(s.secret, wire.Canonical{Timestamp: timestamp, Nonce: nonce, Method: http.MethodPost,
		Path: path, IV: iv, IdempotencyKey: idempotencyKey, BodyHash: hex.EncodeToString(sum[:])})
	var b bytes.Buffer
	fmt.Fprintf(&b, "POST %s HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: %d\r\n", path, len(body))
	for _, header := range [][2]string{{wire.HeaderKeyID, s.keyID}, {wire.HeaderTimestamp, timestamp},
		{wire.HeaderNonce, nonce}, {wire.HeaderIV, iv}, {wire.HeaderSignature, signature}} {
		fmt.Fprintf(&b, "%s: %s\r\n", header[0], header[1])
	}
	if idempotencyKey != "" {
		fmt.Fprintf(&b, "%s: %s\r\n", wire.HeaderIdempotencyKey, idempotencyKey)
	}
	b.WriteString("\r\n")
	b.Write(body)
	return b.Bytes()
}
