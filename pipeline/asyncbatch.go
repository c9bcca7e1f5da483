package pipeline

import (
	"context"
	"errors"
	"strconv"

	"idplatform/errs"
	"idplatform/models"
	"idplatform/platform/access"
	"idplatform/store"
)

// BatchView is a batch as callers see it (specification, Batch).
type BatchView struct {
	ID             string             `json:"id"`
	Object         string             `json:"object" enum:"batch"`
	Service        string             `json:"service"`
	Status         models.BatchStatus `json:"status" enum:"pending,completed,completed_with_errors"`
	TotalItems     int64              `json:"total_items"`
	ProcessedItems int64              `json:"processed_items"`
	SucceededItems int64              `json:"succeeded_items"`
	FailedItems    int64              `json:"failed_items"`
	CreatedAt      models.Timestamp   `json:"created_at"`
	CompletedAt    *models.Timestamp  `json:"completed_at" nullable:"true" doc:"Null until done."`
	CancelledAt    *models.Timestamp  `json:"cancelled_at,omitempty" doc:"Present on a batch that was cancelled."`
	ResultsURL     string             `json:"results_url" doc:"Path of the results."`
}

func batchView(b *models.Batch) BatchView {
	return BatchView{ID: b.ID, Object: "batch", Service: b.Service, Status: b.Status, TotalItems: b.Total,
		ProcessedItems: b.Succeeded + b.Failed, SucceededItems: b.Succeeded, FailedItems: b.Failed,
		CreatedAt: b.CreatedAt, CompletedAt: b.CompletedAt, CancelledAt: b.CancelledAt,
		ResultsURL: "/v1/batches/" + b.ID + "/results"}
}

// SubmitBatch takes an asynchronous batch: the checks of the batch and of every item are made now and the
// items are recorded, to be started after the commit. ready is asked last before anything is written. The
// batch's id is empty when the answer is a replay.
func (p *Pipeline) SubmitBatch(ctx context.Context, r Request, ready func() error) (batch models.Batch, answer Answer, err error) {
	answer, err = p.Once(ctx, r, func(ctx context.Context, keep Keep) (Answer, error) {
		items, err := p.AdmitBatch(r, AsyncBatchLimit)
		if err != nil {
			return Answer{}, err
		}
		if err := ready(); err != nil {
			return Answer{}, err
		}
		now := models.At(p.Now())
		batch = models.Batch{ID: models.NewID(batchPrefix, now.Time), ApplicationID: r.Caller.ApplicationID, Service: r.Operation.Service,
			Status: models.BatchPending, Total: int64(len(items)), CreatedAt: now,
			ExpiresAt: models.At(now.Add(p.Retention)), CheckAt: models.At(now.Add(firstCheck))}
		rows, err := p.batchRows(&batch, items)
		if err != nil {
			return Answer{}, err
		}
		body, err := encode(batchView(&batch))
		if err != nil {
			return Answer{}, err
		}
		answer := Answer{Body: body, Accepted: true}
		return answer, p.Store.Tx(ctx, func(ctx context.Context) error {
			if err := p.Store.Batches.Insert(ctx, batch.ApplicationID, batch, rows); err != nil {
				return err
			}
			return keep(ctx, answer)
		})
	})
	return batch, answer, err
}

// batchRows freezes the items and counts those that are refused already.
func (p *Pipeline) batchRows(batch *models.Batch, items []Item) (rows []models.BatchItem, err error) {
	rows = make([]models.BatchItem, len(items))
	for i, item := range items {
		row := models.BatchItem{BatchID: batch.ID, Idx: i, Status: models.ItemPending}
		if item.Err != nil {
			row.Status, row.ErrorCode, row.ErrorMessage = models.ItemFailed, string(item.Err.Code), item.Err.Message
			batch.Failed++
			row.Request, err = p.sealFrozen(tableBatchItems, itemID(batch.ID, i), frozen{Reference: item.Reference})
		} else {
			row.Request, err = p.freeze(tableBatchItems, itemID(batch.ID, i), item.Call)
		}
		if err != nil {
			return nil, err
		}
		rows[i] = row
	}
	return rows, nil
}

// itemID names an item's row to the vault.
func itemID(batch string, place int) string { return batch + "/" + strconv.Itoa(place) }

// batchPrefix begins the ids of batches.
const batchPrefix = "bat_"

// batch reads a batch of an application with its present counts.
func (p *Pipeline) batch(ctx context.Context, app models.ApplicationID, id string) (*models.Batch, error) {
	if !models.IsID(batchPrefix, id) {
		return nil, errs.New(errs.BatchNotFound)
	}
	batch, err := p.Store.Batches.Get(ctx, app, id, models.At(p.Now()))
	if errors.Is(err, store.ErrNotFound) {
		return nil, errs.New(errs.BatchNotFound)
	}
	if err != nil || batch.Status != models.BatchPending {
		return batch, err
	}
	counts, err := p.Store.BatchItems.Counts(ctx, app, id)
	batch.Succeeded, batch.Failed = counts[models.ItemSucceeded], counts[models.ItemFailed]
	return batch, err
}

// Batch is a batch of the caller; batch_not_found when it is unknown, another application's, or past its
// retention.
func (p *Pipeline) Batch(ctx context.Context, caller *access.Caller, id string) ([]byte, error) {
	batch, err := p.batch(ctx, caller.ApplicationID, id)
	if err != nil {
		return nil, err
	}
	return encode(batchView(batch))
}

// CancelBatch cancels a batch of the caller, as often as it is called: no item is begun any more, and those
// that are pending fail with batch_cancelled, all in one transaction. A batch that finished uncancelled is
// batch_already_finished. cancelled tells whether this call was the one.
func (p *Pipeline) CancelBatch(ctx context.Context, app models.ApplicationID, id string) (body []byte, cancelled bool, err error) {
	if _, err := p.batch(ctx, app, id); err != nil {
		return nil, false, err
	}
	err = p.Store.Tx(ctx, func(ctx context.Context) error {
		batch, err := p.Store.Batches.Lock(ctx, app, id)
		if err != nil {
			return err
		}
		if cancelled = batch.Status == models.BatchPending; cancelled {
			err = p.cancel(ctx, batch)
		} else if batch.CancelledAt == nil {
			return errs.New(errs.BatchAlreadyFinished)
		}
		if err != nil {
			return err
		}
		body, err = encode(batchView(batch))
		return err
	})
	return body, cancelled, err
}

func (p *Pipeline) cancel(ctx context.Context, batch *models.Batch) error {
	at := models.At(p.Now())
	batch.CancelledAt = &at
	code := errs.BatchCancelled
	if _, err := p.Store.BatchItems.FailRest(ctx, batch.ApplicationID, batch.ID, string(code), code.Message()); err != nil {
		return err
	}
	return p.finish(ctx, batch)
}

// BatchEnd is how a batch ended, or, while items are pending, how it stands.
type BatchEnd struct {
	Status                     models.BatchStatus
	Pending, Succeeded, Failed int64
}

// FinishBatch ends a batch whose items are all settled, with its event, and ends nothing while any is pending.
// One that is finished already is left alone, and so is one past its retention, which has no status.
func (p *Pipeline) FinishBatch(ctx context.Context, app models.ApplicationID, id string) (end BatchEnd, err error) {
	err = p.Store.Tx(ctx, func(ctx context.Context) error {
		end = BatchEnd{}
		batch, err := p.Store.Batches.Lock(ctx, app, id)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if batch.Status == models.BatchPending {
			counts, err := p.Store.BatchItems.Counts(ctx, app, id)
			if err != nil {
				return err
			}
			if end.Pending = counts[models.ItemPending]; end.Pending == 0 {
				err = p.finish(ctx, batch)
			}
			if err != nil {
				return err
			}
		}
		end.Status, end.Succeeded, end.Failed = batch.Status, batch.Succeeded, batch.Failed
		return nil
	})
	return end, err
}

// finish writes the end of a batch that has no pending items, with its event.
func (p *Pipeline) finish(ctx context.Context, batch *models.Batch) error {
	counts, err := p.Store.BatchItems.Counts(ctx, batch.ApplicationID, batch.ID)
	if err != nil {
		return err
	}
	at := models.At(p.Now())
	batch.CompletedAt = &at
	batch.Succeeded, batch.Failed = counts[models.ItemSucceeded], counts[models.ItemFailed]
	typ := models.EventBatchCompleted
	batch.Status = models.BatchCompleted
	if batch.Failed > 0 {
		typ, batch.Status = models.EventBatchCompletedWithErrors, models.BatchCompletedWithErrors
	}
	if err := p.Store.Batches.Finish(ctx, batch.ApplicationID, batch); err != nil {
		return err
	}
	_, err = p.Events.Record(ctx, batch.ApplicationID, typ, batchView(batch), nil)
	return err
}
