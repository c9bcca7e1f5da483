package app

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"time"

	"idplatform/client"
)

// overlap is how far behind the newest known event the feed looks: an event is dated before its transaction
// commits, so that one may appear behind another that is newer.
const overlap = time.Minute

// feed reads the events that are new since it last looked.
type feed struct {
	client *client.Client
	seen   map[string]time.Time // ids of the overlap
	newest time.Time
}

// next gives the new events as they are, the oldest first. The first call gives those of the last minute.
func (f *feed) next(ctx context.Context) ([]json.RawMessage, error) {
	var fresh []json.RawMessage
	found := map[string]time.Time{}
	horizon, newest, cursor := f.newest.Add(-overlap), f.newest, ""
	for more := true; more; {
		page, err := f.page(ctx, cursor)
		if err != nil {
			return nil, err
		}
		for _, raw := range page.Data {
			event, err := client.Decode[client.Event](raw)
			if err != nil {
				return nil, err
			}
			if f.newest.IsZero() && len(found) == 0 {
				horizon = event.CreatedAt.Add(-overlap)
			}
			if event.CreatedAt.Before(horizon) {
				more = false
				break
			}
			if event.CreatedAt.After(newest) {
				newest = event.CreatedAt
			}
			if _, known := f.seen[event.ID]; !known {
				fresh, found[event.ID] = append(fresh, raw), event.CreatedAt
			}
		}
		if page.NextCursor == nil {
			break
		}
		cursor = *page.NextCursor
	}
	f.remember(found, newest)
	slices.Reverse(fresh)
	return fresh, nil
}

func (f *feed) remember(found map[string]time.Time, newest time.Time) {
	f.newest = newest
	for id, at := range found {
		f.seen[id] = at
	}
	for id, at := range f.seen {
		if at.Before(newest.Add(-overlap)) {
			delete(f.seen, id)
		}
	}
}

type rawEvents struct {
	Data       []json.RawMessage `json:"data"`
	NextCursor *string           `json:"next_cursor"`
}

func (f *feed) page(ctx context.Context, cursor string) (*rawEvents, error) {
	query := url.Values{}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	answer, err := f.client.Do(ctx, http.MethodGet, "/v1/events?"+query.Encode(), nil)
	if err != nil {
		return nil, err
	}
	return client.Decode[rawEvents](answer.Body)
}
