package client

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

const batchesPath = "/v1/batches"

// MaxPage is the largest page of batch results and of events.
const MaxPage = 500

// The statuses of a batch and of its items.
const (
	BatchPending             = "pending"
	BatchCompleted           = "completed"
	BatchCompletedWithErrors = "completed_with_errors"
	ItemSucceeded            = "succeeded"
	ItemFailed               = "failed"
)

// Batch is an asynchronous batch.
type Batch struct {
	ID             string     `json:"id"`
	Object         string     `json:"object"`
	Service        string     `json:"service"`
	Status         string     `json:"status"`
	TotalItems     int        `json:"total_items"`
	ProcessedItems int        `json:"processed_items"`
	SucceededItems int        `json:"succeeded_items"`
	FailedItems    int        `json:"failed_items"`
	CreatedAt      time.Time  `json:"created_at"`
	CompletedAt    *time.Time `json:"completed_at"` // nil until finished
	CancelledAt    *time.Time `json:"cancelled_at"` // nil unless cancelled
	ResultsURL     string     `json:"results_url"`  // a path
}

// Finished tells whether every item has been settled.
func (b *Batch) Finished() bool { return b.Status != BatchPending }

// BatchResults is a page of results, in the order of submission.
type BatchResults struct {
	Object string      `json:"object"`
	Data   []BatchItem `json:"data"`
	// NextCursor reads on; nil when there is nothing more to come.
	NextCursor *string `json:"next_cursor"`
}

// BatchItem is the outcome of one item.
type BatchItem struct {
	// Reference is the caller's own; nil when the item had none, which fails it.
	Reference *string `json:"reference"`
	Status    string  `json:"status"`
	// Result is the service's object; see Decode.
	Result json.RawMessage `json:"result"`
	// Failure is why the item failed.
	Failure *Failure `json:"error"`
}

// Err is why the item failed: a *Failure, or nil.
func (i *BatchItem) Err() error {
	if i.Failure != nil {
		return i.Failure
	}
	if i.Status == ItemFailed {
		return &Failure{Code: InternalError, Message: "the item failed without a reason"}
	}
	return nil
}

// Batch reads a batch of the last 30 days.
func (c *Client) Batch(ctx context.Context, id string) (*Batch, error) {
	return get[Batch](ctx, c, batchesPath, id)
}

// WaitBatch reads a batch until it has finished or the context ends.
func (c *Client) WaitBatch(ctx context.Context, id string) (*Batch, error) {
	return poll(ctx, c, func() (*Batch, error) { return c.Batch(ctx, id) }, (*Batch).Finished)
}

// CancelBatch cancels a batch: items not yet begun fail with batch_cancelled and are not billed. A batch that
// has finished gives batch_already_finished.
func (c *Client) CancelBatch(ctx context.Context, id string, opts ...CallOption) (*Batch, error) {
	target, err := resource(batchesPath, id)
	if err != nil {
		return nil, err
	}
	return ask[Batch](ctx, c, http.MethodPost, target+"/cancel", nil, opts...)
}

// BatchResults reads a page of results: from the start with an empty cursor, then from the previous page's
// NextCursor. limit is 1 to MaxPage; 0 leaves it to the server. While the batch runs, a page may be empty
// and still have a NextCursor.
func (c *Client) BatchResults(ctx context.Context, id, cursor string, limit int) (*BatchResults, error) {
	target, err := resource(batchesPath, id)
	if err != nil {
		return nil, err
	}
	return ask[BatchResults](ctx, c, http.MethodGet, target+"/results"+pageQuery(cursor, limit, nil), nil)
}

// AllBatchResults goes through the results of a batch in the order of submission and keeps pace with one that
// still runs, until its last item or the context's end. An error ends it.
func (c *Client) AllBatchResults(ctx context.Context, id string) iter.Seq2[BatchItem, error] {
	return func(yield func(BatchItem, error) bool) {
		cursor, pace := "", c.pace()
		for {
			page, err := c.BatchResults(ctx, id, cursor, MaxPage)
			if err != nil {
				yield(BatchItem{}, err)
				return
			}
			for _, item := range page.Data {
				if !yield(item, nil) {
					return
				}
			}
			if page.NextCursor == nil {
				return
			}
			cursor = *page.NextCursor
			if len(page.Data) > 0 {
				pace = c.pace()
			} else if err := pace.pause(ctx); err != nil {
				yield(BatchItem{}, err)
				return
			}
		}
	}
}

// pageQuery adds the query of a list.
func pageQuery(cursor string, limit int, query url.Values) string {
	if query == nil {
		query = url.Values{}
	}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	if limit != 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
	if len(query) == 0 {
		return ""
	}
	return "?" + query.Encode()
}
