package pipeline

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"idplatform/catalog"
	"idplatform/errs"
)

// Batch sizes (specification, Limits).
const (
	SyncBatchLimit  = 50
	AsyncBatchLimit = 10_000
)

// Item is an item of a batch: admitted, or refused on its own.
type Item struct {
	// Reference is the caller's; nil when it is missing or unusable.
	Reference *string
	// Call is nil when the item was refused.
	Call *Call
	Err  *errs.Error
}

// AdmitBatch judges a batch of at most limit items. What is wrong with the batch as a whole is the error;
// what is wrong with an item is that item's.
func (p *Pipeline) AdmitBatch(r Request, limit int) ([]Item, error) {
	raw, err := r.Operation.DecodeBatch(r.Body, limit)
	if err != nil {
		return nil, err
	}
	if err := checkDelivery(raw); err != nil {
		return nil, err
	}
	items := make([]Item, len(raw))
	references := make(map[string]bool, len(raw))
	for i := range raw {
		items[i] = admitItem(r, raw[i], references)
	}
	return items, nil
}

// base64Limit is the most items of a batch that may have files delivered in the answer itself.
const base64Limit = 100

func checkDelivery(items []catalog.BatchItem) error {
	if len(items) <= base64Limit {
		return nil
	}
	for i := range items {
		if items[i].Delivery() == catalog.Base64 {
			return errs.Invalid(errs.Field{Field: "document_delivery",
				Problem: "must be signed_url for every item of a batch of more than 100 items"})
		}
	}
	return nil
}

func admitItem(r Request, raw catalog.BatchItem, references map[string]bool) Item {
	item := Item{Reference: raw.Reference()}
	request, err := r.Operation.DecodeItem(raw)
	if err == nil {
		switch name := *item.Reference; {
		case references[name]:
			err = errs.Invalid(errs.Field{Field: "reference", Problem: "is that of an earlier item of this batch"})
		default:
			references[name] = true
			item.Call, err = judge(r, request)
		}
	} else if item.Reference != nil {
		references[*item.Reference] = true
	}
	if err != nil {
		item.Err = errs.From(err)
	}
	return item
}

// SyncBatch is a synchronous batch: items that can be answered are executed together, in one look-up and one
// transaction, and every item is listed in the order of submission.
func (p *Pipeline) SyncBatch(ctx context.Context, r Request) (Answer, error) {
	return p.Once(ctx, r, func(ctx context.Context, keep Keep) (Answer, error) {
		items, err := p.AdmitBatch(r, SyncBatchLimit)
		if err != nil {
			return Answer{}, err
		}
		var calls []*Call
		for i := range items {
			if items[i].Call != nil {
				calls = append(calls, items[i].Call)
			}
		}
		var answer Answer
		_, err = p.Execute(ctx, calls, func(ctx context.Context, outcomes []Outcome) (err error) {
			if answer.Body, err = listItems(items, outcomes, func(o Outcome) []byte { return o.Body }); err != nil {
				return err
			}
			if slices.ContainsFunc(outcomes, func(o Outcome) bool { return o.Shown != nil }) {
				answer.Shown, err = listItems(items, outcomes, shownOrBody)
			}
			return errors.Join(err, keep(ctx, answer))
		})
		if away := errs.From(err); err != nil && away.Kind() == errs.KindUnavailable {
			return failItems(items, calls, away)
		}
		return answer, err
	})
}

func shownOrBody(o Outcome) []byte {
	if o.Shown != nil {
		return o.Shown
	}
	return o.Body
}

// failItems answers a batch whose items could not be looked up: each fails for that reason, the batch does not.
// The answer is not kept, for the same batch may fare better in a moment.
func failItems(items []Item, calls []*Call, reason *errs.Error) (Answer, error) {
	outcomes := make([]Outcome, len(calls))
	for i := range outcomes {
		outcomes[i].Err = reason
	}
	body, err := listItems(items, outcomes, shownOrBody)
	return Answer{Body: body, Unkept: true}, err
}

// ItemResult is one entry of a batch result list.
type ItemResult struct {
	Reference *string         `json:"reference" nullable:"true" doc:"The item's reference; null when it had none that can be used."`
	Status    string          `json:"status" enum:"succeeded,failed"`
	Result    json.RawMessage `json:"result,omitempty" doc:"The service's object, when the item succeeded."`
	Error     *ItemError      `json:"error,omitempty" doc:"Why the item failed."`
}

// ItemError is why an item failed.
type ItemError struct {
	Code    errs.Code `json:"code" doc:"As the error of a single call."`
	Message string    `json:"message"`
}

// ItemList is a batch result list.
type ItemList struct {
	Object     string       `json:"object" enum:"list"`
	Data       []ItemResult `json:"data"`
	NextCursor *string      `json:"next_cursor" nullable:"true" doc:"Pass as cursor to read on; null at the end."`
}

// listItems joins items and the outcomes of their calls, which come in the same order; body picks what is listed
// of an outcome.
func listItems(items []Item, outcomes []Outcome, body func(Outcome) []byte) ([]byte, error) {
	list := make([]ItemResult, len(items))
	next := 0
	for i := range items {
		if items[i].Call == nil {
			list[i] = itemResult(items[i].Reference, nil, items[i].Err)
			continue
		}
		list[i] = itemResult(items[i].Reference, body(outcomes[next]), outcomes[next].Err)
		next++
	}
	return encodeItems(list, nil)
}

func itemResult(reference *string, body []byte, err *errs.Error) ItemResult {
	if err != nil {
		return ItemResult{Reference: reference, Status: "failed", Error: &ItemError{Code: err.Code, Message: err.Message}}
	}
	return ItemResult{Reference: reference, Status: "succeeded", Result: body}
}

// encodeItems is an ItemList as JSON. The results are put in as they are: the JSON package would read every byte
// of them again, which costs more than all else about a list.
func encodeItems(items []ItemResult, nextCursor *string) ([]byte, error) {
	size := 64
	for i := range items {
		size += 128 + len(items[i].Result)
	}
	list := append(make([]byte, 0, size), `{"object":"list","data":[`...)
	for i, item := range items {
		if i > 0 {
			list = append(list, ',')
		}
		result := item.Result
		item.Result = nil
		entry, err := encode(item)
		if err != nil {
			return nil, err
		}
		if result != nil {
			entry = append(append(entry[:len(entry)-1], `,"result":`...), result...)
			entry = append(entry, '}')
		}
		list = append(list, entry...)
	}
	cursor, err := encode(nextCursor)
	if err != nil {
		return nil, err
	}
	return append(append(append(list, `],"next_cursor":`...), cursor...), '}'), nil
}

// encode is JSON without the escapes that only HTML needs.
func encode(v any) ([]byte, error) {
	var buffer bytes.Buffer
	enc := json.NewEncoder(&buffer)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(buffer.Bytes(), "\n"), nil
}
