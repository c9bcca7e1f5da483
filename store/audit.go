package store

import (
	"context"
	"fmt"

	"gorm.io/gorm/clause"

	"idplatform/database"
	"idplatform/models"
)

// Audit keeps the append-only log of calls.
type Audit struct{ db *database.DB }

const insertEntries = "INSERT INTO audit_entries " +
	"(id, application_id, service, result_id, purpose, scopes, outcome, subject, created_at) VALUES"

// Append adds entries of one application.
func (r Audit) Append(ctx context.Context, app models.ApplicationID, entries []models.AuditEntry) error {
	return insertRows(ctx, r.db, insertEntries, 9, entries, func(row models.AuditEntry) []any {
		return []any{row.ID, app, row.Service, row.ResultID, row.Purpose, row.Scopes, row.Outcome, row.Subject, row.CreatedAt}
	})
}

// OfResult reads the entries of one result of the application.
func (r Audit) OfResult(ctx context.Context, app models.ApplicationID, resultID string) ([]models.AuditEntry, error) {
	var entries []models.AuditEntry
	err := r.db.Read(ctx).Where("application_id = ? AND result_id = ?", app, resultID).Order("id").Find(&entries).Error
	return entries, err
}

// Unsealed reads up to limit entries with ids behind one (empty: from the first) that have no place in the
// chain yet, in the order of their ids.
func (r Audit) Unsealed(ctx context.Context, after string, limit int) ([]models.AuditEntry, error) {
	var entries []models.AuditEntry
	err := r.db.Read(ctx).Where("seq IS NULL AND id > ?", after).Order("id").Limit(limit).Find(&entries).Error
	return entries, err
}

// Last reads the entry at the end of the chain; nil when there is none.
func (r Audit) Last(ctx context.Context) (*models.AuditEntry, error) {
	var entries []models.AuditEntry
	err := r.db.Read(ctx).Where("seq IS NOT NULL").Order("seq DESC").Limit(1).Find(&entries).Error
	if err != nil || len(entries) == 0 {
		return nil, err
	}
	return &entries[0], nil
}

const (
	sealOne  = "UPDATE audit_entries SET seq = ?, hash = ? WHERE id = ? AND seq IS NULL"
	sealMany = `UPDATE audit_entries SET seq = v.seq, hash = v.hash
		FROM unnest(?::text[], ?::bigint[], ?::bytea[]) AS v (id, seq, hash)
		WHERE audit_entries.id = v.id AND audit_entries.seq IS NULL`
)

// Seal writes the places and links of entries, inside a transaction. It fails when one of them was sealed
// meanwhile.
func (r Audit) Seal(ctx context.Context, entries []models.AuditEntry) (err error) {
	var sealed int64
	if r.db.Driver == database.Postgres { // a round trip costs more there than the row
		sealed, err = r.sealMany(ctx, entries)
	} else {
		sealed, err = r.sealEach(ctx, entries)
	}
	if err == nil && sealed != int64(len(entries)) {
		err = fmt.Errorf("%d of %d audit entries were sealed by another process", int64(len(entries))-sealed, len(entries))
	}
	return err
}

func (r Audit) sealEach(ctx context.Context, entries []models.AuditEntry) (sealed int64, err error) {
	for _, e := range entries {
		rows, err := r.db.Exec(ctx, sealOne, *e.Seq, e.Hash, e.ID)
		if err != nil {
			return sealed, err
		}
		sealed += rows
	}
	return sealed, nil
}

func (r Audit) sealMany(ctx context.Context, entries []models.AuditEntry) (int64, error) {
	ids, places, links := make([]string, len(entries)), make([]int64, len(entries)), make([][]byte, len(entries))
	for i, e := range entries {
		ids[i], places[i], links[i] = e.ID, *e.Seq, e.Hash
	}
	return r.db.Exec(ctx, sealMany, ids, places, links)
}

// Chain reads up to limit sealed entries behind a place and up to another, in the order of the chain.
func (r Audit) Chain(ctx context.Context, after, to int64, limit int) ([]models.AuditEntry, error) {
	var entries []models.AuditEntry
	err := r.db.Read(ctx).Where("seq > ? AND seq <= ?", after, to).Order("seq").Limit(limit).Find(&entries).Error
	return entries, err
}

// OfSubject reads up to limit entries of a citizen, by blind index, the newest first.
func (r Audit) OfSubject(ctx context.Context, subject []byte, limit int) ([]models.AuditEntry, error) {
	var entries []models.AuditEntry
	err := r.db.Read(ctx).Where("subject = ?", subject).Order("created_at DESC, id DESC").Limit(limit).Find(&entries).Error
	return entries, err
}

// Recent reads up to limit entries of an application, the newest first.
func (r Audit) Recent(ctx context.Context, app models.ApplicationID, limit int) ([]models.AuditEntry, error) {
	var entries []models.AuditEntry
	err := r.db.Read(ctx).Where("application_id = ?", app).Order("id DESC").Limit(limit).Find(&entries).Error
	return entries, err
}

// AddHead stores the signed head of a day; the head of a day that has one stays.
func (r Audit) AddHead(ctx context.Context, head models.AuditHead) error {
	return r.db.Write(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&head).Error
}

// SetHead stores a head in place of the one under the same name.
func (r Audit) SetHead(ctx context.Context, head models.AuditHead) error {
	return r.db.Write(ctx).Clauses(clause.OnConflict{UpdateAll: true}).Create(&head).Error
}

// Head reads the head of a day; nil when there is none.
func (r Audit) Head(ctx context.Context, day string) (*models.AuditHead, error) {
	var heads []models.AuditHead
	err := r.db.Read(ctx).Where("day = ?", day).Limit(1).Find(&heads).Error
	if err != nil || len(heads) == 0 {
		return nil, err
	}
	return &heads[0], nil
}

// Heads reads the signed heads, the oldest first.
func (r Audit) Heads(ctx context.Context) ([]models.AuditHead, error) {
	var heads []models.AuditHead
	err := r.db.Read(ctx).Order("day").Find(&heads).Error
	return heads, err
}
