package store

import (
	"context"
	"errors"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"idplatform/database"
	"idplatform/models"
)

// Idempotency keeps the idempotency keys of requests and the answers given under them.
type Idempotency struct{ db *database.DB }

// Claim locks a key for the holder named in the row, unless it is taken: then the row that holds it is given
// back. A row that has expired, or whose lock has ended unanswered, is not in the way when its fingerprint is
// the same or it has expired.
func (r Idempotency) Claim(ctx context.Context, app models.ApplicationID, claim models.IdempotencyKey, now models.Timestamp) (taken *models.IdempotencyKey, err error) {
	claim.ApplicationID = app
	err = r.db.Tx(ctx, func(ctx context.Context) error {
		for {
			insert := r.db.Write(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&claim)
			if insert.Error != nil || insert.RowsAffected == 1 {
				return insert.Error
			}
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
			if errors.Is(err, gorm.ErrRecordNotFound) {
				continue // its holder freed it since it was in the way
			}
			taken = &row
			return found("idempotency key", err)
		}
	})
	return taken, err
}

// Answer stores the sealed answer under a key that the holder still has, or fails with ErrNotFound: the lock
// ended and somebody else took it, so that the transaction must not commit.
func (r Idempotency) Answer(ctx context.Context, app models.ApplicationID, key []byte, holder string, answer []byte) error {
	update := r.db.Write(ctx).Exec(
		"UPDATE idempotency_keys SET answer = ? WHERE application_id = ? AND key = ? AND holder = ? AND answer IS NULL",
		answer, app, key, holder)
	if update.Error == nil && update.RowsAffected == 0 {
		return ErrNotFound
	}
	return update.Error
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
