package audit

import (
	"context"
	"crypto/ed25519"
	"log/slog"
	"time"

	"idplatform/models"
	"idplatform/platform/vault"
	"idplatform/store"
)

const (
	sealEvery = 500 * time.Millisecond
	// sealGroup is how many entries one transaction chains: few enough that a caller never waits for it.
	sealGroup = 500
	leaseName = "audit-sealer"
	leaseTime = 10 * time.Second
)

// Sealer chains the entries that have no seal yet. Any number of processes may run one; a lease lets one
// of them work at a time, and the places in the chain are unique in the database besides.
type Sealer struct {
	store  *store.Store
	signer ed25519.PrivateKey
	holder string
	now    func() time.Time
	log    *slog.Logger
}

// NewSealer makes a sealer; holder names this process.
func NewSealer(s *store.Store, v *vault.Vault, holder string, now func() time.Time, log *slog.Logger) *Sealer {
	return &Sealer{store: s, signer: signingKey(v), holder: holder, now: now, log: log}
}

// signingKey signs the heads of days. It is derived from the deployment's index key, so that it survives
// with the database and the master key and needs no file of its own.
func signingKey(v *vault.Vault) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(v.Index("audit", "head signing key"))
}

// Run seals until the context ends.
func (s *Sealer) Run(ctx context.Context) error {
	tick := time.NewTicker(sealEvery)
	defer tick.Stop()
	for {
		if err := s.Seal(ctx); err != nil && ctx.Err() == nil {
			s.log.Error("audit entries were not sealed; it is tried again", "cause", err.Error())
		}
		select {
		case <-ctx.Done():
			return s.store.Leases.Release(context.WithoutCancel(ctx), leaseName, s.holder)
		case <-tick.C:
		}
	}
}

// Seal chains every entry that was committed before now and has no seal, if this process has the lease.
func (s *Sealer) Seal(ctx context.Context) error {
	waiting, err := s.store.Audit.Unsealed(ctx, 1)
	if err != nil || len(waiting) == 0 {
		return err
	}
	for {
		now := s.now()
		held, err := s.store.Leases.Acquire(ctx, leaseName, s.holder, models.At(now), models.At(now.Add(leaseTime)))
		if err != nil || !held {
			return err
		}
		n, err := s.sealGroup(ctx)
		if err != nil || n < sealGroup {
			return err
		}
	}
}

// sealGroup chains one group in one transaction and gives its size.
func (s *Sealer) sealGroup(ctx context.Context) (sealed int, err error) {
	err = s.store.Tx(ctx, func(ctx context.Context) error {
		entries, err := s.store.Audit.Unsealed(ctx, sealGroup)
		if err != nil || len(entries) == 0 {
			return err
		}
		last, err := s.store.Audit.Last(ctx)
		if err != nil {
			return err
		}
		if err := s.closeDay(ctx, last, entries[0].CreatedAt); err != nil {
			return err
		}
		seq, link := int64(0), genesis
		if last != nil {
			seq, link = *last.Seq, last.Hash
		}
		for i := range entries {
			seq++
			link = Hash(link, seq, entries[i])
			at := seq
			entries[i].Seq, entries[i].Hash = &at, link
		}
		sealed = len(entries)
		if err := s.store.Audit.Seal(ctx, entries); err != nil {
			return err
		}
		return s.store.Audit.SetHead(ctx, s.head(latestHead, seq, link))
	})
	return sealed, err
}

// closeDay signs the head of the chain when the next entry is of a later day (UTC) than the last head's.
func (s *Sealer) closeDay(ctx context.Context, last *models.AuditEntry, next models.Timestamp) error {
	if last == nil {
		return nil
	}
	day := models.DateOf(last.CreatedAt.Time)
	if !day.Before(models.DateOf(next.Time)) {
		return nil
	}
	// An entry that was committed late belongs to a day that is closed: that day's head stays.
	return s.store.Audit.AddHead(ctx, s.head(day.String(), *last.Seq, last.Hash))
}

// latestHead stands in place of a day for the head that is signed anew with every group, so that entries
// missing at the end are noticed as well.
const latestHead = "latest"

func (s *Sealer) head(day string, seq int64, hash []byte) models.AuditHead {
	head := models.AuditHead{Day: day, Seq: seq, Hash: hash}
	head.Signature = ed25519.Sign(s.signer, headText(head))
	return head
}
