package api

import (
	"encoding/hex"
	"errors"
	"net/netip"
	"strings"

	"idplatform/errs"
	"idplatform/models"
	"idplatform/platform/access"
	"idplatform/platform/wire"
)

// credentials are the signature headers of a request, in their right shape.
type credentials struct {
	keyID, timestamp, nonce, signature string
	nonceBytes                         []byte
}

// authenticate runs the checks that come before any service: per-address guard, header shape and
// timestamp, size, key and signature, nonce, decryption. The first that fails answers.
func (x *exchange) authenticate(limit int64) error {
	s, now := x.server, x.server.cfg.Now()
	address, _ := netip.ParseAddr(x.gin.ClientIP())
	if s.cfg.Limits {
		if err := s.guard.allow(address, now); err != nil {
			return err
		}
	}
	err := x.identify(limit)
	// A worn-out key pair has proven who it is: it must not turn away its neighbours behind the same address.
	if err != nil && errs.From(err).Kind() == errs.KindUnauthenticated && !errors.Is(err, access.ErrKeyWornOut) {
		s.guard.failed(address, now)
	}
	return err
}

func (x *exchange) identify(limit int64) error {
	creds, err := x.readCredentials()
	if err != nil {
		return err
	}
	s, r := x.server, x.gin.Request
	sent, err := begin(x.gin.Writer, r, limit)
	if err != nil {
		return err
	}
	defer sent.close()
	caller, err := s.cfg.Callers.Find(r.Context(), creds.keyID, models.At(s.cfg.Now()))
	if err != nil {
		return err
	}
	if err := x.readRest(sent, caller, creds.keyID); err != nil {
		return err
	}
	pair, err := x.verify(caller, creds, sent.sum())
	if err != nil {
		return err
	}
	fresh, err := s.cfg.Nonces.Spend(r.Context(), caller.ApplicationID, creds.nonceBytes, models.At(s.cfg.Now().Add(2*wire.Window+clockMargin)))
	if err != nil {
		return err
	}
	if !fresh {
		return errs.New(errs.NonceReused)
	}
	if err := x.meter(caller, pair, sent); err != nil {
		return err
	}
	x.caller, x.pair, x.nonce = caller, pair, creds.nonce
	return x.decrypt(creds, sent)
}

// readRest spools what is more than memory holds, once there is a place for it. The place is kept until the answer is
// written, for the body takes memory until then. A stranger's is not read: anybody can make up key ids without end.
func (x *exchange) readRest(sent *body, caller *access.Caller, keyID string) (err error) {
	if !sent.more {
		return nil
	}
	if caller.ApplicationID == "" {
		x.unread = true
		return errMismatch
	}
	if x.leave, err = x.server.spools.enter(x.gin.Request.Context(), x.place(keyID)); err != nil {
		x.unread = true
		return err
	}
	return sent.spool(x.gin.Writer, x.server.cfg.SpoolDir)
}

// place names who shares the few places for large bodies: a key id at an address. The key is not proven yet
// when a body arrives, so that a stranger who knows a key id must not be able to take its owner's places.
func (x *exchange) place(keyID string) string {
	address, _ := netip.ParseAddr(x.gin.ClientIP())
	return keyID + " " + group(address).String()
}

// readCredentials checks the headers' presence and shape and the timestamp.
func (x *exchange) readCredentials() (credentials, error) {
	r := x.gin.Request
	for _, name := range []string{wire.HeaderKeyID, wire.HeaderTimestamp, wire.HeaderNonce, wire.HeaderSignature} {
		if strings.TrimSpace(r.Header.Get(name)) == "" {
			return credentials{}, errs.Newf(errs.InvalidSignature, "The header %s is missing.", name)
		}
	}
	for _, name := range []string{wire.HeaderKeyID, wire.HeaderTimestamp, wire.HeaderNonce, wire.HeaderSignature, wire.HeaderIV, wire.HeaderIdempotencyKey} {
		if len(r.Header.Values(name)) > 1 {
			return credentials{}, errs.Newf(errs.InvalidSignature, "The header %s is sent more than once.", name)
		}
	}
	creds := credentials{
		keyID:     strings.TrimSpace(r.Header.Get(wire.HeaderKeyID)),
		timestamp: strings.TrimSpace(r.Header.Get(wire.HeaderTimestamp)),
		nonce:     strings.TrimSpace(r.Header.Get(wire.HeaderNonce)),
		signature: strings.TrimSpace(r.Header.Get(wire.HeaderSignature)),
	}
	if !wire.IsUUID(creds.nonce) {
		return creds, errs.Newf(errs.InvalidSignature, "%s must have the shape of a UUID.", wire.HeaderNonce)
	}
	creds.nonceBytes, _ = hex.DecodeString(strings.ReplaceAll(creds.nonce, "-", "")) // its shape is checked
	timestamp, ok := wire.ParseTimestamp(creds.timestamp)
	if !ok || !wire.InWindow(timestamp, x.server.cfg.Now()) {
		return creds, errs.New(errs.TimestampOutOfWindow)
	}
	return creds, nil
}

var errMismatch = errs.Newf(errs.InvalidSignature, "The signature does not match: check the key id, the API secret and the canonical string.")

// verify finds the key pair whose secret made the signature.
func (x *exchange) verify(caller *access.Caller, creds credentials, bodyHash string) (*access.Pair, error) {
	r := x.gin.Request
	canonical := wire.CanonicalOf(r.Method, target(r.RequestURI), r.Header, bodyHash)
	pair, ok := caller.Verify(canonical, creds.signature)
	switch {
	case ok:
		return pair, nil
	case x.server.cfg.Livemode:
		return nil, errMismatch
	}
	return nil, errMismatch.With("canonical_string", canonical.String())
}

// meter counts the messages of this exchange against the encryption key.
func (x *exchange) meter(caller *access.Caller, pair *access.Pair, sent *body) error {
	messages := int64(1) // the answer
	if !sent.empty() {
		messages++
	}
	err := x.server.cfg.Meter.Spend(x.gin.Request.Context(), caller.ApplicationID, pair, messages)
	if errors.Is(err, access.ErrKeyWornOut) {
		return errs.Newf(errs.InvalidSignature, "This key pair has encrypted as many messages as it may; rotate it.").Because(err)
	}
	return err
}

// decrypt puts the plaintext into the exchange.
func (x *exchange) decrypt(creds credentials, sent *body) error {
	iv := strings.TrimSpace(x.gin.Request.Header.Get(wire.HeaderIV))
	if sent.empty() && iv == "" {
		return nil
	}
	if iv == "" {
		return errs.New(errs.EncryptionRequired)
	}
	ciphertext, err := sent.bytes()
	if err != nil {
		return err
	}
	path, _, _ := strings.Cut(target(x.gin.Request.RequestURI), "?")
	plaintext, err := x.pair.Key.Open(iv, ciphertext, wire.RequestAAD(creds.timestamp, creds.nonce, x.gin.Request.Method, path))
	if err != nil {
		return errs.New(errs.DecryptionFailed)
	}
	x.body = plaintext
	return nil
}

// target is the request target in origin form: a proxy may send the absolute form, which clients do not sign.
func target(requestURI string) string {
	if strings.HasPrefix(requestURI, "/") {
		return requestURI
	}
	if _, rest, ok := strings.Cut(requestURI, "://"); ok {
		if slash := strings.IndexByte(rest, '/'); slash >= 0 {
			return rest[slash:]
		}
		return "/"
	}
	return requestURI
}
