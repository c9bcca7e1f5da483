package files

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strings"
	"sync/atomic"
	"time"

	"idplatform/models"
)

// A token is, in base64url without padding: version (1 byte, 1), end of validity (8 bytes, milliseconds since
// 1970, big endian), IV (12 bytes), AES-256-GCM ciphertext and tag (16 bytes). The plaintext is the reference,
// filled up with NULs to a multiple of 64 bytes so that its length tells nothing; version and end are the
// additional authenticated data. There is a key for each hour in which tokens end, which keeps the values
// under one key far below the 2^32 that random IVs allow.
const (
	tokenVersion = 1
	ivAt         = 9
	ivSize       = 12
	sealedAt     = ivAt + ivSize
	tagSize      = 16
	padding      = 64
	longest      = sealedAt + maxRef + tagSize
	hour         = int64(time.Hour / time.Millisecond)
)

// base64 decoders of the library skip line ends; Resolve refuses them itself.
var encoding = base64.RawURLEncoding.Strict()

// signer makes and reads tokens.
type signer struct {
	root    []byte
	current atomic.Pointer[hourKey]
}

type hourKey struct {
	hour int64
	aead cipher.AEAD
}

func newSigner(root []byte) *signer { return &signer{root: root} }

// key is that of the hour in which tokens end at end. Only signing remembers it: a forged token must not make
// the next caller derive it again.
func (s *signer) key(end int64, remember bool) cipher.AEAD {
	wanted := end / hour
	if k := s.current.Load(); k != nil && k.hour == wanted {
		return k.aead
	}
	mac := hmac.New(sha256.New, s.root)
	mac.Write(binary.BigEndian.AppendUint64([]byte("hour\n"), uint64(wanted)))
	block, _ := aes.NewCipher(mac.Sum(nil)) // 32 bytes are always a key
	aead, _ := cipher.NewGCM(block)
	if remember {
		s.current.Store(&hourKey{wanted, aead})
	}
	return aead
}

// sign appends the token of a usable reference to dst.
func (s *signer) sign(dst []byte, end models.Timestamp, ref string) []byte {
	padded := (len(ref) + padding - 1) / padding * padding
	token := make([]byte, sealedAt+padded, sealedAt+padded+tagSize)
	token[0] = tokenVersion
	binary.BigEndian.PutUint64(token[1:], uint64(end.UnixMilli()))
	iv := token[ivAt:sealedAt]
	_, _ = rand.Read(iv) // crypto/rand does not fail
	copy(token[sealedAt:], ref)
	token = s.key(end.UnixMilli(), true).Seal(token[:sealedAt], iv, token[sealedAt:], token[:ivAt])
	return encoding.AppendEncode(dst, token)
}

// signedLength is the number of characters of a token.
func signedLength(ref string) int {
	return encoding.EncodedLen(sealedAt + (len(ref)+padding-1)/padding*padding + tagSize)
}

// Resolve gives the reference in a token. A token that was not made here, was changed in any character or has
// ended (it is valid before its end, not at it) fails with ErrNoFile.
func (f *Files) Resolve(token string) (ref string, err error) {
	if len(token) > encoding.EncodedLen(longest) || strings.ContainsAny(token, "\r\n") {
		return "", ErrNoFile
	}
	raw, err := encoding.DecodeString(token)
	if err != nil || len(raw) < sealedAt+tagSize || raw[0] != tokenVersion {
		return "", ErrNoFile
	}
	end := int64(binary.BigEndian.Uint64(raw[1:]))
	if f.now().UnixMilli() >= end {
		return "", ErrNoFile
	}
	plain, err := f.signer.key(end, false).Open(raw[sealedAt:sealedAt], raw[ivAt:sealedAt], raw[sealedAt:], raw[:ivAt])
	if err != nil {
		return "", ErrNoFile
	}
	return strings.TrimRight(string(plain), "\x00"), nil
}
