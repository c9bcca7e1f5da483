package store

import (
	"context"
	"strings"

	"idplatform/database"
	"idplatform/models"
)

// BatchItems keeps the items of asynchronous batches. A batch belongs to one application, which every method
// takes besides the batch's id.
type BatchItems struct{ db *database.DB }

const ofBatch = "batch_id = (SELECT id FROM batches WHERE id = ? AND application_id = ?)"

// Pending reads up to limit pending items with places from (included) to to (excluded), in their order.
func (r BatchItems) Pending(ctx context.Context, app models.ApplicationID, batch string, from, to, limit int) ([]models.BatchItem, error) {
	var items []models.BatchItem
	err := r.db.Read(ctx).Where(ofBatch, batch, app).Where("status = 'pending' AND idx >= ? AND idx < ?", from, to).
		Order("idx").Limit(limit).Find(&items).Error
	return items, err
}

// StillPending reads, inside a transaction, which of the places are still pending, and keeps others from
// settling them meanwhile.
func (r BatchItems) StillPending(ctx context.Context, app models.ApplicationID, batch string, places []int) (map[int]bool, error) {
	var pending []int
	err := forUpdate(ctx, r.db).Model(&models.BatchItem{}).Where(ofBatch, batch, app).
		Where("status = 'pending' AND idx IN ?", places).Order("idx").Pluck("idx", &pending).Error
	open := make(map[int]bool, len(pending))
	for _, place := range pending {
		open[place] = true
	}
	return open, err
}

// Succeed settles items with the ids of their results.
func (r BatchItems) Succeed(ctx context.Context, app models.ApplicationID, batch string, resultIDs map[int]string) error {
	if len(resultIDs) == 0 {
		return nil
	}
	var cases strings.Builder
	values := make([]any, 0, 2*len(resultIDs)+2)
	places := make([]int, 0, len(resultIDs))
	for place, id := range resultIDs {
		cases.WriteString(" WHEN ? THEN ?")
		values = append(values, place, id)
		places = append(places, place)
	}
	values = append(values, batch, app, places)
	return r.db.Write(ctx).Exec("UPDATE batch_items SET status = 'succeeded', result_id = CASE idx"+cases.String()+
		" END WHERE "+ofBatch+" AND status = 'pending' AND idx IN ?", values...).Error
}

// Fail settles one item as failed.
func (r BatchItems) Fail(ctx context.Context, app models.ApplicationID, batch string, place int, code, message string) error {
	return r.db.Write(ctx).Exec("UPDATE batch_items SET status = 'failed', error_code = ?, error_message = ? WHERE "+
		ofBatch+" AND status = 'pending' AND idx = ?", code, message, batch, app, place).Error
}

// FailRest settles every pending item of the batch as failed, in one statement, and gives their number.
func (r BatchItems) FailRest(ctx context.Context, app models.ApplicationID, batch, code, message string) (int64, error) {
	update := r.db.Write(ctx).Exec("UPDATE batch_items SET status = 'failed', error_code = ?, error_message = ? WHERE "+
		ofBatch+" AND status = 'pending'", code, message, batch, app)
	return update.RowsAffected, update.Error
}

// Counts counts the items of a batch by status.
func (r BatchItems) Counts(ctx context.Context, app models.ApplicationID, batch string) (map[models.ItemStatus]int64, error) {
	var rows []struct {
		Status models.ItemStatus
		N      int64
	}
	err := r.db.Read(ctx).Model(&models.BatchItem{}).Select("status, COUNT(*) AS n").Where(ofBatch, batch, app).
		Group("status").Find(&rows).Error
	counts := make(map[models.ItemStatus]int64, len(rows))
	for _, row := range rows {
		counts[row.Status] = row.N
	}
	return counts, err
}

// SettledItem is an item with its result's sealed body; Body is nil when it has none.
type SettledItem struct {
	models.BatchItem
	Body []byte
}

// Page reads up to limit items from a place on, in their order, with their results.
func (r BatchItems) Page(ctx context.Context, app models.ApplicationID, batch string, from, limit int) ([]SettledItem, error) {
	var items []SettledItem
	err := r.db.Read(ctx).Raw(`SELECT i.batch_id, i.idx, i.status, i.request, i.result_id, i.error_code, i.error_message, r.body
		FROM batches b JOIN batch_items i ON i.batch_id = b.id
		LEFT JOIN results r ON r.id = i.result_id AND r.application_id = b.application_id
		WHERE b.id = ? AND b.application_id = ? AND i.idx >= ? ORDER BY i.idx LIMIT ?`, batch, app, from, limit).Scan(&items).Error
	return items, err
}
