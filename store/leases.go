package store

import (
	"context"

	"idplatform/database"
	"idplatform/models"
)

// Leases let one process of many do a thing that only one may do at a time.
type Leases struct{ db *database.DB }

// Acquire takes or renews a lease for the holder until the given time and reports whether the holder has it.
func (r Leases) Acquire(ctx context.Context, name, holder string, now, until models.Timestamp) (held bool, err error) {
	err = r.db.Tx(ctx, func(ctx context.Context) error {
		upsert := r.db.Write(ctx).Exec(`INSERT INTO leases (name, holder, until) VALUES (?, ?, ?)
			ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
			WHERE leases.holder = excluded.holder OR leases.until <= ?`, name, holder, until, now)
		held = upsert.RowsAffected == 1
		return upsert.Error
	})
	return held, err
}

// Held reports, inside a transaction, whether the holder still has a lease, and keeps others from taking it
// before the transaction ends.
func (r Leases) Held(ctx context.Context, name, holder string) (bool, error) {
	rows, err := r.db.Exec(ctx, "UPDATE leases SET until = until WHERE name = ? AND holder = ?", name, holder)
	return rows == 1, err
}

// Release gives a lease back before its time.
func (r Leases) Release(ctx context.Context, name, holder string) error {
	return r.db.Tx(ctx, func(ctx context.Context) error {
		return r.db.Write(ctx).Exec("DELETE FROM leases WHERE name = ? AND holder = ?", name, holder).Error
	})
}
