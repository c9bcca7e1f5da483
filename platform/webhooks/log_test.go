package webhooks_test

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/errs"
	"idplatform/models"
	"idplatform/platform/webhooks"
)

type page struct {
	Object     string
	Data       []struct{ ID, Type string }
	NextCursor *string `json:"next_cursor"`
}

func list(t *testing.T, l *webhooks.Log, app models.ApplicationID, q webhooks.Query) page {
	t.Helper()
	body, err := l.List(t.Context(), app, q)
	require.NoError(t, err)
	var p page
	require.NoError(t, json.Unmarshal(body, &p))
	require.Equal(t, "list", p.Object)
	require.NotNil(t, p.Data)
	return p
}

func TestLog_PagesNewestFirst(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		mine, other := w.tenant(nil), w.tenant(nil)
		recorder := w.recorder(nil)
		var ids, failed []string
		for i := range 25 { // several within a millisecond
			typ := models.EventJobCompleted
			if i%5 == 0 {
				typ = models.EventJobFailed
			}
			id, err := recorder.Record(t.Context(), mine.ID, typ, map[string]any{"n": i}, nil)
			require.NoError(t, err)
			ids = append(ids, id)
			if typ == models.EventJobFailed {
				failed = append(failed, id)
			}
			other.record(recorder)
		}
		l := webhooks.NewLog(w.store, w.vault, models.EventTypes(), w.clock.Now)
		for _, tc := range []struct {
			typ  string
			want []string
		}{{"", ids}, {"job.failed", failed}, {"batch.completed", nil}} {
			var seen []string
			q := webhooks.Query{Type: tc.typ, Limit: 2}
			for {
				p := list(t, l, mine.ID, q)
				require.LessOrEqual(t, len(p.Data), 2)
				for _, e := range p.Data {
					seen = append(seen, e.ID)
				}
				if p.NextCursor == nil {
					break
				}
				require.Len(t, p.Data, 2)
				q.Cursor = p.NextCursor
			}
			require.ElementsMatch(t, tc.want, seen)
		}
		require.Nil(t, list(t, l, mine.ID, webhooks.Query{Limit: 25}).NextCursor, "exactly one page")
		first := list(t, l, mine.ID, webhooks.Query{Limit: 1})
		require.Contains(t, ids[20:], first.Data[0].ID)

		_, err := l.Get(t.Context(), mine.ID, ids[0])
		require.NoError(t, err)
		w.clock.advance(30*24*time.Hour + time.Second)
		require.Empty(t, list(t, l, mine.ID, webhooks.Query{Limit: 10}).Data)
		_, err = l.Get(t.Context(), mine.ID, ids[0])
		require.ErrorIs(t, err, errs.New(errs.NotFound))
		purged := int64(0)
		for {
			n, err := w.store.Events.Purge(t.Context(), models.At(w.clock.Now()), 20)
			require.NoError(t, err)
			purged += n
			if n == 0 {
				break
			}
		}
		require.Equal(t, int64(50), purged)
		n, err := w.store.Deliveries.Purge(t.Context(), models.At(w.clock.Now()), 100)
		require.NoError(t, err)
		require.Equal(t, int64(50), n)
	})
}

func TestLog_Refuses(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		mine, other := w.tenant(nil), w.tenant(nil)
		recorder := w.recorder(nil)
		id := mine.record(recorder)
		mine.record(recorder)
		foreign := other.record(recorder)
		l := webhooks.NewLog(w.store, w.vault, models.EventTypes(), w.clock.Now)
		cursor := *list(t, l, mine.ID, webhooks.Query{Limit: 1}).NextCursor
		raw, err := base64.RawURLEncoding.DecodeString(cursor)
		require.NoError(t, err)
		changed := append([]byte(nil), raw...)
		changed[len(changed)-1] ^= 1
		for name, tc := range map[string]struct {
			app    models.ApplicationID
			q      webhooks.Query
			fields string
		}{
			"no type":                  {mine.ID, webhooks.Query{Type: "job.begun", Limit: 1}, "type"},
			"limit 0":                  {mine.ID, webhooks.Query{}, "limit"},
			"limit 501":                {mine.ID, webhooks.Query{Limit: 501}, "limit"},
			"an empty cursor":          {mine.ID, webhooks.Query{Limit: 1, Cursor: new("")}, "cursor"},
			"no cursor":                {mine.ID, webhooks.Query{Limit: 1, Cursor: new("!")}, "cursor"},
			"an id":                    {mine.ID, webhooks.Query{Limit: 1, Cursor: &id}, "cursor"},
			"a changed cursor":         {mine.ID, webhooks.Query{Limit: 1, Cursor: new(base64.RawURLEncoding.EncodeToString(changed))}, "cursor"},
			"a cut cursor":             {mine.ID, webhooks.Query{Limit: 1, Cursor: new(cursor[:20])}, "cursor"},
			"a padded cursor":          {mine.ID, webhooks.Query{Limit: 1, Cursor: new(cursor + "=")}, "cursor"},
			"another application's":    {other.ID, webhooks.Query{Limit: 1, Cursor: &cursor}, "cursor"},
			"the cursor of other type": {mine.ID, webhooks.Query{Type: "job.completed", Limit: 1, Cursor: &cursor}, "cursor"},
			"all at once":              {mine.ID, webhooks.Query{Type: "x", Limit: -1, Cursor: new("x")}, "type limit cursor"},
		} {
			_, err := l.List(t.Context(), tc.app, tc.q)
			var refused *errs.Error
			require.ErrorAs(t, err, &refused, name)
			require.Equal(t, errs.InvalidRequest, refused.Code, name)
			var fields []string
			for _, f := range refused.Fields {
				fields = append(fields, f.Field)
			}
			require.Equal(t, tc.fields, strings.Join(fields, " "), name)
		}
		for _, id := range []string{foreign, "evt_x", "", "job_1", id + "0"} {
			_, err := l.Get(t.Context(), mine.ID, id)
			require.ErrorIs(t, err, errs.New(errs.NotFound))
		}
	})
}
