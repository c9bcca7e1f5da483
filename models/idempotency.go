package models

// IdempotencyKey remembers that an application made a request under a key, and once it is answered, how. While
// Answer is nil the request is running, and the key is locked for its holder.
type IdempotencyKey struct {
	ApplicationID ApplicationID `gorm:"primaryKey"`
	Key           []byte        `gorm:"primaryKey"`
	// Fingerprint tells another request under the same key apart.
	Fingerprint []byte
	Holder      string
	LockedUntil Timestamp
	// Answer is the sealed answer.
	Answer    []byte
	ExpiresAt Timestamp
}
