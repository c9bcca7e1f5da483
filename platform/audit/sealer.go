package audit

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"log/slog"
	"time"

	"idplatform/database"
	"idplatform/models"
	"idplatform/platform/vault"
	"idplatform/store"
)

const (
	sealEvery = 500 * time.Millisecond
	// How many entries one transaction chains. On SQLite, where one transaction writes at a time, they are few
	// enough that a caller never waits for them.
	groupSQLite   = 500
	groupPostgres = 2000
	leaseName     = "audit-sealer"
	leaseTime     = 10 * time.Second
)

// Sealer chains the entries that have no seal yet. Any number of processes may run one; a lease lets one
// of them work at a time, and the places in the chain are unique in the database besides.
type Sealer struct {
	store  *store.Store
	signer ed25519.PrivateKey
	holder string
	group  int
	now    func() time.Time
	log    *slog.Logger
}

// NewSealer makes a sealer; holder names this process.
func NewSealer(s *store.Store, v *vault.Vault, holder string, now func() time.Time, log *slog.Logger) *Sealer {
	group := groupSQLite
	if s.DB().Driver == database.Postgres {
		group = groupPostgres
	}
	return &Sealer{store: s, signer: signingKey(v), holder: holder, group: group, now: now, log: log}
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
	waiting, err := s.store.Audit.Unsealed(ctx, "", 1)
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
		if err != nil || n < s.group {
			return err
		}
	}
}

// sealGroup chains one group in one transaction and gives its size. The lease is held until it commits, so
// that two sealers never chain side by side, however slow one of them is.
func (s *Sealer) sealGroup(ctx context.Context) (sealed int, err error) {
	err = s.store.Tx(ctx, func(ctx context.Context) error {
		sealed = 0
		if held, err := s.store.Leases.Held(ctx, leaseName, s.holder); err != nil || !held {
			return err
		}
		entries, err := s.store.Audit.Unsealed(ctx, "", s.group)
		if err != nil || len(entries) == 0 {
			return err
		}
		end, err := s.end(ctx)
		if err != nil {
			return err
		}
		for i := range entries {
			if err := s.closeDay(ctx, end, entries[i].CreatedAt); err != nil {
				return err
			}
			end = end.add(&entries[i])
		}
		if err := s.store.Audit.Seal(ctx, entries); err != nil {
			return err
		}
		sealed = len(entries)
		return s.store.Audit.SetHead(ctx, s.head(latestHead, end.place, end.link))
	})
	return sealed, err
}

// chainEnd is where the next entry is chained.
type chainEnd struct {
	place int64
	link  []byte
	// day is that of the last entry; none before the first.
	day models.Date
}

// add chains an entry and gives the end behind it.
func (c chainEnd) add(e *models.AuditEntry) chainEnd {
	place := c.place + 1
	e.Seq, e.Hash = &place, Hash(c.link, place, *e)
	return chainEnd{place: place, link: e.Hash, day: models.DateOf(e.CreatedAt.Time)}
}

// end is the end of the chain as it was signed. Where the last entry is another one, the log was tampered with:
// the chain goes on from what was signed, behind all places taken, so that the break stays to be found; to go
// on from the entry would make it good.
func (s *Sealer) end(ctx context.Context) (chainEnd, error) {
	head, err := s.store.Audit.Head(ctx, latestHead)
	if err != nil {
		return chainEnd{}, err
	}
	last, err := s.store.Audit.Last(ctx)
	if err != nil {
		return chainEnd{}, err
	}
	end := chainEnd{link: genesis}
	if last != nil {
		end = chainEnd{place: *last.Seq, link: last.Hash, day: models.DateOf(last.CreatedAt.Time)}
	}
	signed := head != nil && ed25519.Verify(s.signer.Public().(ed25519.PublicKey), headText(*head), head.Signature)
	switch {
	case signed && end.place == head.Seq && bytes.Equal(end.link, head.Hash), head == nil && last == nil:
		return end, nil
	case signed:
		end.place, end.link = max(end.place, head.Seq), head.Hash
	default:
		end.place++ // the place left empty tells that the signed end was lost
	}
	s.log.Error("the end of the audit log is not the one that was signed: entries were changed, removed or put in; verify the log", "place", end.place)
	return end, nil
}

// closeDay signs the head of a day's chain when the next entry is of a later day (UTC). An entry that was
// committed late belongs to a day that is closed: that day's head stays.
func (s *Sealer) closeDay(ctx context.Context, end chainEnd, next models.Timestamp) error {
	if end.day.IsZero() || !end.day.Before(models.DateOf(next.Time)) {
		return nil
	}
	return s.store.Audit.AddHead(ctx, s.head(end.day.String(), end.place, end.link))
}

// latestHead stands in place of a day for the head that is signed anew with every group, so that entries
// missing at the end are noticed as well.
const latestHead = "latest"

func (s *Sealer) head(day string, seq int64, hash []byte) models.AuditHead {
	head := models.AuditHead{Day: day, Seq: seq, Hash: hash}
	head.Signature = ed25519.Sign(s.signer, headText(head))
	return head
}
