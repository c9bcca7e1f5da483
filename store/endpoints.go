package store

import (
	"context"

	"gorm.io/gorm/clause"

	"idplatform/database"
	"idplatform/models"
)

// Endpoints keeps the webhook endpoint of each application.
type Endpoints struct{ db *database.DB }

// Set registers the application's endpoint in place of the one it had.
func (r Endpoints) Set(ctx context.Context, app models.ApplicationID, endpoint models.WebhookEndpoint) error {
	endpoint.ApplicationID = app
	return r.db.Write(ctx).Clauses(clause.OnConflict{UpdateAll: true}).Create(&endpoint).Error
}

// Get reads the application's endpoint, or ErrNotFound.
func (r Endpoints) Get(ctx context.Context, app models.ApplicationID) (*models.WebhookEndpoint, error) {
	var endpoint models.WebhookEndpoint
	err := r.db.Read(ctx).Where("application_id = ?", app).Take(&endpoint).Error
	return &endpoint, found("webhook endpoint", err)
}

// Remove takes the application's endpoint away and reports whether it had one.
func (r Endpoints) Remove(ctx context.Context, app models.ApplicationID) (had bool, err error) {
	n, err := r.db.Exec(ctx, "DELETE FROM webhook_endpoints WHERE application_id = ?", app)
	return n > 0, err
}
