package e2e_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/client"
	"idplatform/e2e/e2etest"
	"idplatform/models"
)

// requirePeople holds the results of people(n) against their items.
func requirePeople(t *testing.T, items []client.BatchItem, n int) {
	t.Helper()
	require.Len(t, items, n)
	for i := range items {
		require.Equal(t, "r-"+strconv.Itoa(i), *items[i].Reference)
		require.Equal(t, client.ItemSucceeded, items[i].Status, "item %d: %v", i, items[i].Failure)
		if i%97 == 0 || n < 100 { // reading ten thousand takes its time
			result, err := client.Decode[client.KYCValidation](items[i].Result)
			require.NoError(t, err)
			require.Equal(t, e2etest.Citizen(i%e2etest.Population).Person.PlatformID, result.Identifier.Value)
			require.Equal(t, "r-"+strconv.Itoa(i), *result.Reference)
		}
	}
}

func testBatchSizes(t *testing.T, a *async) {
	for _, n := range []int{1, 24, 25, 26, 500} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			t.Parallel()
			sdk := a.sdk(t)
			batch := submitBatch(t, sdk, validations, kycBatch(people(n)))
			require.Equal(t, n, batch.TotalItems)
			require.Equal(t, n, awaitBatch(t, sdk, batch.ID).SucceededItems)
			requirePeople(t, results(t, sdk, batch.ID), n)
			require.Equal(t, []string{"batch.completed"}, eventsOf(t, sdk, batch.ID))
		})
	}
}

// The most that a batch may hold, watched while it runs.
func testTenThousand(t *testing.T, a *async) {
	app := a.NewApplication()
	sdk := fast(app)
	batch := submitBatch(t, sdk, validations, kycBatch(people(10_000)))
	before := 0
	for {
		now, err := sdk.Batch(t.Context(), batch.ID)
		require.NoError(t, err)
		require.GreaterOrEqual(t, now.ProcessedItems, before, "counts never go back")
		require.Equal(t, now.ProcessedItems, now.SucceededItems+now.FailedItems)
		if before = now.ProcessedItems; now.Finished() {
			break
		}
	}
	require.Equal(t, 10_000, awaitBatch(t, sdk, batch.ID).SucceededItems)
	requirePeople(t, results(t, sdk, batch.ID), 10_000)
	var entries, settled int64
	db := a.Store().DB()
	require.NoError(t, db.Read(t.Context()).Table("audit_entries").Where("application_id = ?", app.ID).Count(&entries).Error)
	require.NoError(t, db.Read(t.Context()).Table("results").Where("application_id = ?", app.ID).Count(&settled).Error)
	require.EqualValues(t, 10_000, entries, "each item is recorded once")
	require.EqualValues(t, 10_000, settled)
}

// Items inherit what the batch says, fail alone, and are answered as the synchronous batch answers them.
func testBatchItems(t *testing.T, a *async) {
	grants := granted(a.Platform, "kyc.religion")
	grants.Purposes = []string{"customer_onboarding", "fraud_prevention"}
	sdk := fast(a.NewApplicationWith(grants))
	id := func(k int) object { return kyc(k, nil)["identifier"].(object) }
	batch := object{"purpose": "customer_onboarding", "scopes": []string{"kyc.emails"}, "items": []any{
		object{"reference": "inherits", "identifier": id(0)},
		object{"reference": "overrides", "identifier": id(1), "purpose": "fraud_prevention", "scopes": []string{}},
		object{"reference": "null-inherits", "identifier": id(2), "purpose": nil},
		object{"reference": "unknown", "identifier": unknown(t, models.Ceni)},
		object{"reference": "purpose", "identifier": id(3), "purpose": "age_gating"},
		object{"reference": "scope", "identifier": id(3), "scopes": []string{"kyc.religion"}},
		object{"reference": "type", "identifier": object{"type": "nif", "value": "A1234567B"}},
		object{"reference": "value", "identifier": object{"type": "ceni", "value": "x"}},
		object{"reference": "field", "identifier": id(3), "scope": "kyc.emails"},
		object{"reference": "missing"},
		object{"identifier": id(3)},
		object{"reference": 7, "identifier": id(3)},
		object{"reference": "inherits", "identifier": id(4)},
		"no object", nil, []any{},
		object{"reference": "last", "identifier": id(5), "match": object{"full_name": "Nobody"}},
	}}
	atOnce := post(t, sdk, validations+"/batches", batch)["data"].([]any)
	submitted := submitBatch(t, sdk, validations, batch)
	require.Equal(t, 12, submitted.FailedItems, "what is refused is counted at once")
	done := awaitBatch(t, sdk, submitted.ID)
	require.Equal(t, 5, done.SucceededItems)
	require.Equal(t, []string{"batch.completed_with_errors"}, eventsOf(t, sdk, done.ID))
	answer, err := sdk.Do(t.Context(), http.MethodGet, done.ResultsURL, nil)
	require.NoError(t, err)
	later := read(t, answer.Body)["data"].([]any)
	require.Len(t, later, len(atOnce))
	for i := range later {
		for _, each := range []any{atOnce[i], later[i]} {
			if result, ok := each.(object)["result"].(object); ok {
				delete(result, "id")
				delete(result, "created_at")
			}
		}
		require.Equal(t, atOnce[i], later[i], "item %d", i)
	}
	require.Equal(t, "fraud_prevention", later[1].(object)["result"].(object)["purpose"])
	require.Equal(t, client.PurposeNotApproved, later[4].(object)["error"].(object)["code"])
}

func testPages(t *testing.T, a *async) {
	sdk := a.sdk(t)
	gate, open := a.trial.gate(t.Name())
	defer open()
	// The 31st item is held, so that the settled prefix ends before it while items behind it are settled.
	batch := submitBatch(t, sdk, trials, trialBatch(200, map[int]object{30: {"do": "away", "gate": t.Name()}, 40: {"do": "refuse"}}))
	eventually(t, "all but one are settled", func() bool {
		now, err := sdk.Batch(t.Context(), batch.ID)
		return err == nil && now.ProcessedItems == 199 && gate.tries.Load() > 0
	})
	page := func(cursor string, limit int) *client.BatchResults {
		got, err := sdk.BatchResults(t.Context(), batch.ID, cursor, limit)
		require.NoError(t, err)
		return got
	}
	first := page("", 20)
	require.Len(t, first.Data, 20)
	second := page(*first.NextCursor, 20)
	require.Len(t, second.Data, 10, "the settled prefix")
	waiting := page(*second.NextCursor, 20)
	require.Empty(t, waiting.Data)
	require.NotNil(t, waiting.NextCursor, "there is more to come")
	open()
	require.Equal(t, 1, awaitBatch(t, sdk, batch.ID).FailedItems)
	rest := page(*waiting.NextCursor, 170)
	require.Len(t, rest.Data, 170)
	require.Equal(t, "r-30", *rest.Data[0].Reference)
	require.Nil(t, rest.NextCursor, "the last item was shown")
	require.Len(t, page("", 0).Data, 100, "the default")
	exact := page(*page("", 100).NextCursor, 100)
	require.Len(t, exact.Data, 100)
	require.Nil(t, exact.NextCursor)

	other := submitBatch(t, sdk, trials, trialBatch(200, nil))
	awaitBatch(t, sdk, other.ID)
	foreign := a.sdk(t)
	mine := submitBatch(t, foreign, trials, trialBatch(30, nil))
	cursor := *first.NextCursor
	for name, c := range map[string]struct {
		sdk   *client.Client
		batch string
		query string
		code  string
	}{
		"LimitZero":         {sdk, batch.ID, "limit=0", client.InvalidRequest},
		"LimitNegative":     {sdk, batch.ID, "limit=-1", client.InvalidRequest},
		"LimitTooLarge":     {sdk, batch.ID, "limit=501", client.InvalidRequest},
		"LimitNotANumber":   {sdk, batch.ID, "limit=ten", client.InvalidRequest},
		"LimitEmpty":        {sdk, batch.ID, "limit=", client.InvalidRequest},
		"LimitHuge":         {sdk, batch.ID, "limit=99999999999999999999", client.InvalidRequest},
		"CursorEmpty":       {sdk, batch.ID, "cursor=", client.InvalidRequest},
		"CursorMadeUp":      {sdk, batch.ID, "cursor=20", client.InvalidRequest},
		"CursorChanged":     {sdk, batch.ID, "cursor=" + flipped(cursor), client.InvalidRequest},
		"CursorCut":         {sdk, batch.ID, "cursor=" + cursor[:len(cursor)-1], client.InvalidRequest},
		"CursorOtherBatch":  {sdk, other.ID, "cursor=" + cursor, client.InvalidRequest},
		"CursorForeign":     {foreign, mine.ID, "cursor=" + cursor, client.InvalidRequest},
		"BatchForeign":      {foreign, batch.ID, "", client.BatchNotFound},
		"BatchUnknown":      {sdk, "bat_" + strings.Repeat("0", 26), "", client.BatchNotFound},
		"BatchNameIsNoName": {sdk, url.PathEscape("bat_' OR 1=1"), "", client.BatchNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			refused := refusal(t, c.sdk, http.MethodGet, "/v1/batches/"+c.batch+"/results?"+c.query, nil)
			require.Equal(t, c.code, refused.Code)
			if c.code == client.InvalidRequest {
				field, _, _ := strings.Cut(c.query, "=")
				require.Equal(t, []string{field}, fields(refused))
			}
		})
	}
	largest, err := sdk.BatchResults(t.Context(), batch.ID, "", client.MaxPage)
	require.NoError(t, err)
	require.Len(t, largest.Data, 200)
}

// What is wrong with a batch as a whole is said at once; nothing of it is kept.
func testBatchChecks(t *testing.T, a *async) {
	sdk := a.sdk(t)
	grants := a.App.Admin.Everything()
	grants.Services = []string{"trial"}
	other := fast(a.NewApplicationWith(grants))
	delivered := func(n int, changes object) object {
		batch := kycBatch(people(n))
		batch["document_delivery"] = "base64"
		for name, value := range changes {
			batch[name] = value
		}
		return batch
	}
	oneItem := kycBatch(people(101))
	oneItem["items"].([]any)[100].(object)["document_delivery"] = "base64"
	for name, c := range map[string]struct {
		sdk    *client.Client
		body   any
		status int
		code   string
	}{
		"NoBody":                {sdk, "", 400, client.InvalidRequest},
		"NoObject":              {sdk, "[]", 400, client.InvalidRequest},
		"ItemsMissing":          {sdk, object{"purpose": "customer_onboarding"}, 400, client.InvalidRequest},
		"ItemsEmpty":            {sdk, kycBatch([]any{}), 400, client.InvalidRequest},
		"ItemsNoArray":          {sdk, object{"items": object{}}, 400, client.InvalidRequest},
		"UnknownField":          {sdk, object{"items": people(1), "threshold": 18}, 400, client.InvalidRequest},
		"IllTyped":              {sdk, object{"items": people(1), "purpose": 7}, 400, client.InvalidRequest},
		"TooManyItems":          {sdk, kycBatch(people(10_001)), 413, client.BatchTooLarge},
		"ServiceNotEnabled":     {other, kycBatch(people(1)), 403, client.ServiceNotEnabled},
		"Base64ForTooMany":      {sdk, delivered(101, nil), 400, client.InvalidRequest},
		"Base64ForOneOfTooMany": {sdk, oneItem, 400, client.InvalidRequest},
		"SynchronousForTooMany": {nil, kycBatch(people(51)), 413, client.BatchTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			var refused *client.Error
			if c.sdk == nil {
				refused = refusal(t, sdk, http.MethodPost, validations+"/batches", text(t, c.body))
			} else {
				_, err := c.sdk.Do(t.Context(), http.MethodPost, validations+"/batches", text(t, c.body), client.Async())
				require.ErrorAs(t, err, &refused)
			}
			require.Equal(t, c.code, refused.Code)
			require.Equal(t, c.status, refused.Status)
		})
	}
	t.Run("Base64ForAHundred", func(t *testing.T) {
		batch := submitBatch(t, sdk, validations, delivered(100, object{"scopes": []string{"kyc.biometrics.selfie"}}))
		done := awaitBatch(t, sdk, batch.ID)
		require.Equal(t, 100, done.SucceededItems)
		withData := 0
		for _, item := range results(t, sdk, batch.ID) {
			var compact bytes.Buffer
			require.NoError(t, json.Compact(&compact, item.Result))
			require.NotContains(t, compact.String(), `"url":`)
			withData += strings.Count(compact.String(), `"data":"`)
		}
		require.Positive(t, withData)
	})
}
