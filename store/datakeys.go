package store

import (
	"context"

	"gorm.io/gorm/clause"

	"idplatform/database"
	"idplatform/models"
)

// DataKeys keeps the wrapped keys under which rows are sealed.
type DataKeys struct{ db *database.DB }

// List reads every data key, the oldest first.
func (r DataKeys) List(ctx context.Context) ([]models.DataKey, error) {
	var keys []models.DataKey
	err := r.db.Read(ctx).Order("id").Find(&keys).Error
	return keys, err
}

// Add stores a key unless its number is taken, by another instance that added one at the same moment.
func (r DataKeys) Add(ctx context.Context, key models.DataKey) error {
	return r.db.Tx(ctx, func(ctx context.Context) error {
		return r.db.Write(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&key).Error
	})
}
