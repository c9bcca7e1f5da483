package pipeline_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/errs"
	"idplatform/pipeline"
)

// batchOf is a batch of n items; head holds its own fields, change adds one to the item at a place.
func batchOf(n int, head string, change map[int]string) string {
	items := make([]string, n)
	for i := range items {
		items[i] = fmt.Sprintf(`{"identifier":{"type":"platform_id","value":"COD-0000-0000-%04d"},"reference":"%d"%s}`, i%10_000, i, change[i])
	}
	return `{"purpose":"age_gating","scopes":[]` + head + `,"items":[` + strings.Join(items, ",") + `]}`
}

// Files in the answer itself are for batches of up to 100 items: over that, one item is enough to refuse the whole.
func TestAdmitBatch_Base64(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const base64, signed = `,"document_delivery":"base64"`, `,"document_delivery":"signed_url"`
	for name, c := range map[string]struct {
		body string
		ok   bool
	}{
		"HundredAtBatchLevel":         {batchOf(100, base64, nil), true},
		"HundredOnAnItem":             {batchOf(100, "", map[int]string{99: base64}), true},
		"MoreWithout":                 {batchOf(101, "", nil), true},
		"MoreWithSigned":              {batchOf(101, signed, nil), true},
		"MoreAtBatchLevel":            {batchOf(101, base64, nil), false},
		"MoreOnTheLastItem":           {batchOf(101, "", map[int]string{100: base64}), false},
		"MoreOnTheFirstItem":          {batchOf(101, signed, map[int]string{0: base64}), false},
		"MoreButNullAtBatchLevel":     {batchOf(101, `,"document_delivery":null`, nil), true},
		"MoreAtBatchLevelButOneNot":   {batchOf(101, base64, map[int]string{0: signed}), false},
		"MoreAtBatchLevelAndNullOnly": {batchOf(101, base64, map[int]string{0: `,"document_delivery":null`}), false},
	} {
		items, err := w.AdmitBatch(w.request(c.body), pipeline.AsyncBatchLimit)
		if c.ok {
			require.NoError(t, err, name)
			for _, item := range items {
				require.Nil(t, item.Err, name)
			}
			continue
		}
		var refused *errs.Error
		require.True(t, errors.As(err, &refused), name)
		require.Equal(t, errs.InvalidRequest, refused.Code, name)
		require.Equal(t, "document_delivery", refused.Fields[0].Field, name)
	}
}

func TestAdmitBatch_Size(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for n, limit := range map[int]int{50: pipeline.SyncBatchLimit, 10_000: pipeline.AsyncBatchLimit} {
		items, err := w.AdmitBatch(w.request(batchOf(n, "", nil)), limit)
		require.NoError(t, err)
		require.Len(t, items, n)
		_, err = w.AdmitBatch(w.request(batchOf(n+1, "", nil)), limit)
		require.ErrorIs(t, err, errs.New(errs.BatchTooLarge))
		require.Equal(t, map[string]any{"limit": limit}, errs.From(err).Context)
	}
}

// Fifty items cost one look-up; refused ones none.
func TestSyncBatch_OneLookUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.SyncBatch(t.Context(), w.request(batchOf(50, "", map[int]string{7: `,"extra":1`})))
	require.NoError(t, err)
	require.Equal(t, int64(1), w.lookups.Load())
	_, err = w.SyncBatch(t.Context(), w.request(`{"items":[1,2,3]}`))
	require.NoError(t, err)
	require.Equal(t, int64(1), w.lookups.Load(), "with no item left nobody is asked")
	w.away.Store(true)
	answer, err := w.SyncBatch(t.Context(), w.request(batchOf(50, "", nil)))
	require.NoError(t, err)
	require.Equal(t, 50, strings.Count(string(answer.Body), `"registry_unavailable"`))
	require.Equal(t, int64(2), w.lookups.Load())
}
