package models

import (
	"crypto/rand"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"
)

// NewID makes an object id: the prefix (such as "kyc_") and a lower-case ULID of 26 characters, ordered by
// the millisecond of t and random (80 bits) within it.
func NewID(prefix string, t time.Time) string {
	return prefix + strings.ToLower(ulid.MustNew(ulid.Timestamp(t), rand.Reader).String())
}

// IsID reports whether s looks like an object id with the given prefix.
func IsID(prefix, s string) bool {
	rest, ok := strings.CutPrefix(s, prefix)
	if !ok || len(rest) != ulid.EncodedSize || rest != strings.ToLower(rest) {
		return false
	}
	_, err := ulid.ParseStrict(strings.ToUpper(rest))
	return err == nil
}
