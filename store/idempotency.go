package store

import (
	"context"
	"errors"

	"gorm.io/gorm"

	"idplatform/database"
	"idplatform/models"
)

// Idempotency keeps the idempotency keys of requests and the answers given under them.
type Idempotency struct{ db *database.DB }

// Claim locks a key for the holder named in the row, unless it is taken: then the row that holds it is given
// back. A row that has expired, or whose lock has ended unanswered, is not in the way when its fingerprint is
// the same or it has expired.
func (r Idempotency) Claim(ctx context.Context, app models.ApplicationID, claim models.IdempotencyKey, now models.Timestamp) (taken *models.IdempotencyKey, err error) {
	if inserted, err := r.insert(ctx, app, claim); err != nil || inserted {
		return nil, err
	}
	err = r.db.Tx(ctx, func(ctx context.Context) error {
		for {
			takeover := r.db.Write(ctx).Model(&models.IdempotencyKey{}).
				Where("application_id = ? AND key = ?", app, claim.Key).
				Where("expires_at <= ? OR (answer IS NULL AND locked_until <= ? AND fingerprint = ?)", now, now, claim.Fingerprint).
				Updates(map[string]any{"fingerprint": claim.Fingerprint, "holder": claim.Holder,
					"locked_until": claim.LockedUntil, "answer": nil, "expires_at": claim.ExpiresAt})
			if takeover.Error != nil || takeover.RowsAffected == 1 {
				return takeover.Error
			}
			var row models.IdempotencyKey
			err := r.db.Write(ctx).Where("application_id = ? AND key = ?", app, claim.Key).Take(&row).Error
			if !errors.Is(err, gorm.ErrRecordNotFound) {
				taken = &row
				return found("idempotency key", err)
			}
			// Its holder freed it since it was in the way.
			if inserted, err := r.insert(ctx, app, claim); err != nil || inserted {
				return err
			}
		}
	})
	return taken, err
}

// insert reports whether the key was free.
func (r Idempotency) insert(ctx context.Context, app models.ApplicationID, claim models.IdempotencyKey) (bool, error) {
	rows, err := r.db.Exec(ctx, `INSERT INTO idempotency_keys (application_id, key, fingerprint, holder, locked_until, expires_at)
		VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		app, claim.Key, claim.Fingerprint, claim.Holder, claim.LockedUntil, claim.ExpiresAt)
	return rows == 1, err
}

// Answer stores the sealed answer under a key that the holder still has, or fails with ErrNotFound: the lock
// ended and somebody else took it, so that the transaction must not commit.
func (r Idempotency) Answer(ctx context.Context, app models.ApplicationID, key []byte, holder string, answer []byte) error {
	rows, err := r.db.Exec(ctx,
		"UPDATE idempotency_keys SET answer = ? WHERE application_id = ? AND key = ? AND holder = ? AND answer IS NULL",
		answer, app, key, holder)
	if err == nil && rows == 0 {
		return ErrNotFound
	}
	return err
}

// Release frees a key that the holder still has and that was not answered.
func (r Idempotency) Release(ctx context.Context, app models.ApplicationID, key []byte, holder string) error {
	return r.db.Tx(ctx, func(ctx context.Context) error {
		return r.db.Write(ctx).Exec(
			"DELETE FROM idempotency_keys WHERE application_id = ? AND key = ? AND holder = ? AND answer IS NULL",
			app, key, holder).Error
	})
}

// Purge deletes up to limit keys that expired before now and gives their number.
func (r Idempotency) Purge(ctx context.Context, now models.Timestamp, limit int) (int64, error) {
	var purged int64
	err := r.db.Tx(ctx, func(ctx context.Context) error {
		del := r.db.Write(ctx).Exec(`DELETE FROM idempotency_keys WHERE (application_id, key) IN
			(SELECT application_id, key FROM idempotency_keys WHERE expires_at < ? ORDER BY expires_at LIMIT ?)`, now, limit)
		purged = del.RowsAffected
		return del.Error
	})
	return purged, err
}
