package pipeline

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"net/url"
	"strconv"

	"idplatform/errs"
	"idplatform/models"
	"idplatform/platform/access"
)

const (
	pageDefault = 100
	pageMost    = 500
)

// BatchResults is a page of the results of a batch, in the order of submission: the settled items from the
// cursor on, up to the first that is pending. next_cursor is null only when the batch has finished and its
// last item was shown. query holds limit and cursor.
func (p *Pipeline) BatchResults(ctx context.Context, caller *access.Caller, id string, query url.Values) ([]byte, error) {
	limit, err := pageLimit(query)
	if err != nil {
		return nil, err
	}
	from, err := p.readCursor(caller.ApplicationID, id, query)
	if err != nil {
		return nil, err
	}
	batch, err := p.batch(ctx, caller.ApplicationID, id) // before the items: what is settled after it is shown next time
	if err != nil {
		return nil, err
	}
	items, err := p.Store.BatchItems.Page(ctx, caller.ApplicationID, id, from, limit)
	if err != nil {
		return nil, err
	}
	var list []ItemResult
	for _, item := range items {
		if item.Status == models.ItemPending {
			break
		}
		entry, err := p.settledItem(ctx, item.BatchItem, item.Body)
		if err != nil {
			return nil, err
		}
		list = append(list, entry)
	}
	var nextCursor *string
	if next := from + len(list); batch.Status == models.BatchPending || next < int(batch.Total) {
		cursor := p.cursor(caller.ApplicationID, id, next)
		nextCursor = &cursor
	}
	return encodeItems(list, nextCursor)
}

func (p *Pipeline) settledItem(ctx context.Context, item models.BatchItem, sealed []byte) (ItemResult, error) {
	f, err := p.openFrozen(ctx, tableBatchItems, itemID(item.BatchID, item.Idx), item.Request)
	if err != nil {
		return ItemResult{}, err
	}
	if item.Status == models.ItemFailed {
		return itemResult(f.Reference, nil, &errs.Error{Code: errs.Code(item.ErrorCode), Message: item.ErrorMessage}), nil
	}
	body, err := p.Vault.Open(ctx, tableResults, item.ResultID, sealed)
	return itemResult(f.Reference, body, nil), err
}

func pageLimit(query url.Values) (int, error) {
	if !query.Has("limit") {
		return pageDefault, nil
	}
	limit, err := strconv.Atoi(query.Get("limit"))
	if err != nil || limit < 1 || limit > pageMost {
		return 0, errs.Invalid(errs.Field{Field: "limit", Problem: "must be a whole number from 1 to 500"})
	}
	return limit, nil
}

// A cursor is the place of the next item and 16 bytes of a MAC over application, batch and place, so that
// one that was made up or belongs elsewhere is told at once.
const cursorSize = 8 + 16

func (p *Pipeline) cursor(app models.ApplicationID, batch string, place int) string {
	b := binary.BigEndian.AppendUint64(nil, uint64(place))
	b = append(b, p.Vault.Index("cursor", string(app)+"\n"+batch+"\n"+strconv.Itoa(place))[:16]...)
	return base64.RawURLEncoding.EncodeToString(b)
}

func (p *Pipeline) readCursor(app models.ApplicationID, batch string, query url.Values) (int, error) {
	text := query.Get("cursor")
	if text == "" && !query.Has("cursor") {
		return 0, nil
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err == nil && len(b) == cursorSize {
		place := binary.BigEndian.Uint64(b)
		if place <= AsyncBatchLimit && p.cursor(app, batch, int(place)) == text {
			return int(place), nil
		}
	}
	return 0, errs.Invalid(errs.Field{Field: "cursor", Problem: "is not one that this list gave"})
}
