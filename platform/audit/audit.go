// Package audit keeps the log of who looked up whom, for which purpose and with which scopes. Entries are
// written in the transaction of the result they tell of; a sealer then chains them (sealer.go), so that an
// entry that was changed, removed, exchanged or put in later is found by anybody who has the log (verify.go),
// also offline, from an export (export.go).
package audit

import (
	"crypto/sha256"
	"encoding/binary"

	"idplatform/models"
	"idplatform/platform/vault"
)

// SubjectIndex is the field of the blind index by which a citizen's entries are found.
const SubjectIndex = "platform_id"

// Subject is the blind index of a citizen.
func Subject(v *vault.Vault, platformID string) []byte { return v.Index(SubjectIndex, platformID) }

// hashVersion begins what is hashed, so that another form can follow one day.
const hashVersion = "audit-entry-1"

// Hash is the link of an entry in the chain: SHA-256 over the form's version, the link before, the place
// and every field of the entry, each preceded by its length.
func Hash(previous []byte, seq int64, e models.AuditEntry) []byte {
	h := sha256.New()
	field := func(b []byte) {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(b)))
		h.Write(size[:])
		h.Write(b)
	}
	number := func(n int64) {
		var b [8]byte
		binary.BigEndian.PutUint64(b[:], uint64(n))
		field(b[:])
	}
	field([]byte(hashVersion))
	field(previous)
	number(seq)
	for _, text := range []string{e.ID, string(e.ApplicationID), e.Service, e.ResultID, string(e.Purpose)} {
		field([]byte(text))
	}
	number(int64(len(e.Scopes)))
	for _, scope := range e.Scopes {
		field([]byte(scope))
	}
	field([]byte(e.Outcome))
	field(e.Subject)
	number(e.CreatedAt.UnixMilli())
	return h.Sum(nil)
}

// genesis is the link before the first entry.
var genesis = make([]byte, sha256.Size)
