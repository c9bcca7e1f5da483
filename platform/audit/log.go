package audit

import (
	"context"
	"crypto/ed25519"

	"idplatform/models"
	"idplatform/platform/vault"
	"idplatform/store"
)

// page is how many entries are read at a time.
const page = 1000

// Log reads the log of a deployment.
type Log struct {
	store *store.Store
	vault *vault.Vault
}

// NewLog reads the entries of a store.
func NewLog(s *store.Store, v *vault.Vault) *Log { return &Log{store: s, vault: v} }

// Public is the key that the heads of days are verified with.
func (l *Log) Public() ed25519.PublicKey { return signingKey(l.vault).Public().(ed25519.PublicKey) }

// Verify goes over the whole chain. It may run beside a platform at work: what is sealed meanwhile is read
// too, or counts as unsealed.
func (l *Log) Verify(ctx context.Context) (Report, error) {
	heads, err := l.store.Audit.Heads(ctx)
	if err != nil {
		return Report{}, err
	}
	v := newVerifier(l.Public(), heads)
	err = l.walk(ctx, func(e models.AuditEntry) error { v.entry(e); return nil })
	return v.finish(), err
}

// walk visits the chain in its order, then the entries that have no seal.
func (l *Log) walk(ctx context.Context, visit func(models.AuditEntry) error) error {
	for after := int64(0); ; {
		entries, err := l.store.Audit.Chain(ctx, after, page)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := visit(e); err != nil {
				return err
			}
			after = *e.Seq
		}
		if len(entries) < page {
			break
		}
	}
	unsealed, err := l.store.Audit.Unsealed(ctx, page)
	if err != nil {
		return err
	}
	for _, e := range unsealed {
		if err := visit(e); err != nil {
			return err
		}
	}
	return nil
}

// OfCitizen reads the newest entries of a citizen, by platform id.
func (l *Log) OfCitizen(ctx context.Context, platformID string, limit int) ([]models.AuditEntry, error) {
	return l.store.Audit.OfSubject(ctx, Subject(l.vault, platformID), limit)
}

// OfApplication reads the newest entries of an application.
func (l *Log) OfApplication(ctx context.Context, app models.ApplicationID, limit int) ([]models.AuditEntry, error) {
	return l.store.Audit.Recent(ctx, app, limit)
}
