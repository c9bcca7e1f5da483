package store

import (
	"context"

	"idplatform/database"
	"idplatform/models"
)

// Events keeps what applications are told of, for its retention.
type Events struct{ db *database.DB }

const insertEvent = "INSERT INTO events (id, application_id, type, body, created_at, expires_at) VALUES (?,?,?,?,?,?)"

// Insert adds an event of the application.
func (r Events) Insert(ctx context.Context, app models.ApplicationID, e models.Event) error {
	_, err := r.db.Exec(ctx, insertEvent, e.ID, app, e.Type, e.Body, e.CreatedAt, e.ExpiresAt)
	return err
}

// Get reads an event of the application that has not expired, or ErrNotFound.
func (r Events) Get(ctx context.Context, app models.ApplicationID, id string, now models.Timestamp) (*models.Event, error) {
	var e models.Event
	err := r.db.Read(ctx).Where("id = ? AND application_id = ? AND expires_at > ?", id, app, now).Take(&e).Error
	return &e, found("event", err)
}

// EventQuery selects events of an application.
type EventQuery struct {
	// Type is empty for all.
	Type models.EventType
	// BeforeAt and BeforeID name the last event of the previous page; BeforeID is empty for the first page.
	BeforeAt models.Timestamp
	BeforeID string
	Limit    int
	Now      models.Timestamp
}

// List reads events of the application that have not expired, the newest first.
func (r Events) List(ctx context.Context, app models.ApplicationID, q EventQuery) ([]models.Event, error) {
	list := r.db.Read(ctx).Where("application_id = ? AND expires_at > ?", app, q.Now)
	if q.Type != "" {
		list = list.Where("type = ?", q.Type)
	}
	if q.BeforeID != "" {
		list = list.Where("(created_at, id) < (?, ?)", q.BeforeAt, q.BeforeID)
	}
	var events []models.Event
	err := list.Order("created_at DESC, id DESC").Limit(q.Limit).Find(&events).Error
	return events, err
}

// Recent reads events of all applications that have not expired, the newest first. It is for operators.
func (r Events) Recent(ctx context.Context, q EventQuery) ([]models.Event, error) {
	list := r.db.Read(ctx).Where("expires_at > ?", q.Now)
	if q.Type != "" {
		list = list.Where("type = ?", q.Type)
	}
	var events []models.Event
	err := list.Order("id DESC").Limit(q.Limit).Find(&events).Error
	return events, err
}

// Owner is the application that an event is for, or ErrNotFound. It is for operators, who name an event by its
// id alone.
func (r Events) Owner(ctx context.Context, id string) (models.ApplicationID, error) {
	var e models.Event
	err := r.db.Read(ctx).Select("application_id").Where("id = ?", id).Take(&e).Error
	return e.ApplicationID, found("event", err)
}

// Purge deletes up to limit events that expired before now and gives their number.
func (r Events) Purge(ctx context.Context, now models.Timestamp, limit int) (int64, error) {
	return purgeByID(ctx, r.db, "events", now, limit)
}
