package audit

import (
	"context"
	"crypto/ed25519"
	"math"

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

// Verify goes over the whole chain. It may run beside a platform at work: what is sealed meanwhile is left to
// the next time.
func (l *Log) Verify(ctx context.Context) (Report, error) {
	heads, err := l.store.Audit.Heads(ctx)
	if err != nil {
		return Report{}, err
	}
	v := newVerifier(l.Public(), heads)
	err = l.walk(ctx, heads, func(e models.AuditEntry) error { v.entry(e); return nil })
	return v.finish(), err
}

// walk visits the chain in its order up to its signed end, then the entries that have no seal.
func (l *Log) walk(ctx context.Context, heads []models.AuditHead, visit func(models.AuditEntry) error) error {
	end := placeOf(heads, latestHead)
	if err := l.chain(ctx, math.MinInt64, end, visit); err != nil {
		return err
	}
	if err := l.behind(ctx, end, visit); err != nil {
		return err
	}
	for after := ""; ; {
		entries, err := l.store.Audit.Unsealed(ctx, after, page)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := visit(e); err != nil {
				return err
			}
			after = e.ID
		}
		if len(entries) < page {
			return nil
		}
	}
}

// chain visits the entries behind a place and up to another.
func (l *Log) chain(ctx context.Context, after, to int64, visit func(models.AuditEntry) error) error {
	for {
		entries, err := l.store.Audit.Chain(ctx, after, to, page)
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
			return nil
		}
	}
}

// behind visits what stands behind the signed end, unless it was sealed after the end was read: then the end
// has moved on with it.
func (l *Log) behind(ctx context.Context, end int64, visit func(models.AuditEntry) error) error {
	last, err := l.store.Audit.Last(ctx)
	if err != nil || last == nil || *last.Seq <= end {
		return err
	}
	heads, err := l.store.Audit.Heads(ctx)
	if err != nil || placeOf(heads, latestHead) >= *last.Seq {
		return err
	}
	return l.chain(ctx, end, math.MaxInt64, visit)
}

// placeOf is where the chain was when a head was signed; 0 without the head.
func placeOf(heads []models.AuditHead, day string) int64 {
	for _, h := range heads {
		if h.Day == day {
			return h.Seq
		}
	}
	return 0
}

// OfCitizen reads the newest entries of a citizen, by platform id.
func (l *Log) OfCitizen(ctx context.Context, platformID string, limit int) ([]models.AuditEntry, error) {
	return l.store.Audit.OfSubject(ctx, Subject(l.vault, platformID), limit)
}

// OfApplication reads the newest entries of an application.
func (l *Log) OfApplication(ctx context.Context, app models.ApplicationID, limit int) ([]models.AuditEntry, error) {
	return l.store.Audit.Recent(ctx, app, limit)
}
