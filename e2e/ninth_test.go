package e2e_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"idplatform/catalog"
	"idplatform/client"
	"idplatform/e2e/e2etest"
	"idplatform/models"
)

func word(w string) object { return object{"word": w, "purpose": "fraud_prevention"} }

func TestNinthService_Single(t *testing.T) {
	t.Parallel()
	e2etest.EachWith(t, e2etest.Options{Operations: []*catalog.Operation{spelling()}}, func(t *testing.T, p *e2etest.Platform) {
		app := p.NewApplication()
		sdk := app.Client()
		first, err := sdk.Do(t.Context(), http.MethodPost, spellings, text(t, object{"word": " étale ", "times": 2.0, "purpose": "fraud_prevention", "reference": "r"}))
		require.NoError(t, err)
		got := read(t, first.Body)
		t.Run("OK", func(t *testing.T) {
			requireSame(t, envelope(t, p, got, "spl_", "spelling_reversal"), got, object{
				"result": "spelled", "word": "elatéelaté", "reference": "r", "purpose": "fraud_prevention"})
		})
		t.Run("ByID", func(t *testing.T) {
			again, err := sdk.Do(t.Context(), http.MethodGet, spellings+"/"+got["id"].(string), nil)
			require.NoError(t, err)
			require.Equal(t, string(first.Body), string(again.Body))
		})
		t.Run("Isolated", func(t *testing.T) {
			require.Equal(t, client.NotFound, refusal(t, p.NewApplication().Client(), http.MethodGet, spellings+"/"+got["id"].(string), nil).Code)
			require.Equal(t, client.NotFound, refusal(t, sdk, http.MethodGet, validations+"/"+got["id"].(string), nil).Code, "not by another service's path")
		})
		t.Run("Audited", func(t *testing.T) {
			entries, err := p.Store().Audit.OfResult(t.Context(), app.ID, got["id"].(string))
			require.NoError(t, err)
			require.Len(t, entries, 1)
			entry := entries[0]
			require.Equal(t, "spelling_reversal", entry.Service)
			require.Equal(t, models.FraudPrevention, entry.Purpose)
			require.Equal(t, models.Words{"kyc.basic"}, entry.Scopes)
			require.Equal(t, "spelled", entry.Outcome)
			require.Len(t, entry.Subject, 32)
			foreign, err := p.Store().Audit.OfResult(t.Context(), p.NewApplication().ID, got["id"].(string))
			require.NoError(t, err)
			require.Empty(t, foreign)
		})
		t.Run("Documented", func(t *testing.T) {
			for _, route := range []string{"POST " + spellings, "POST " + spellings + "/batches", "GET " + spellings + "/{id}"} {
				require.Contains(t, routes(p), route)
			}
		})
		for name, c := range map[string]struct {
			body   object
			status int
			code   string
		}{
			"OwnRule":         {word("l33t"), 400, client.InvalidRequest},
			"Schema":          {object{"word": "", "purpose": "fraud_prevention", "scopes": []string{}}, 400, client.InvalidRequest},
			"Normalize":       {word("   "), 400, client.InvalidIdentifier},
			"Refused":         {word("refused"), 422, client.ImageUnreadable},
			"SourceAway":      {word("absent"), 502, client.RegistryUnavailable},
			"Panic":           {word("panic"), 500, client.InternalError},
			"PurposeRequired": {object{"word": "a"}, 400, client.InvalidRequest},
		} {
			t.Run(name, func(t *testing.T) {
				refused := refusal(t, sdk, http.MethodPost, spellings, text(t, c.body))
				require.Equal(t, c.code, refused.Code)
				require.Equal(t, c.status, refused.Status)
				require.NotContains(t, string(refused.Body)+p.Logs(), "must not be told")
			})
		}
		t.Run("NotEnabled", func(t *testing.T) {
			g := p.App.Admin.Everything()
			g.Services = []string{"kyc_validation"}
			require.Equal(t, client.ServiceNotEnabled, refusal(t, p.NewApplicationWith(g).Client(), http.MethodPost, spellings, text(t, word("a"))).Code)
		})
	})
}

func routes(p *e2etest.Platform) []string {
	var all []string
	for _, route := range p.Document().Routes() {
		all = append(all, route.Method+" "+route.Path)
	}
	return all
}

func TestNinthService_SyncBatch(t *testing.T) {
	t.Parallel()
	e2etest.EachWith(t, e2etest.Options{Operations: []*catalog.Operation{spelling()}}, func(t *testing.T, p *e2etest.Platform) {
		sdk := p.NewApplication().Client()
		got := post(t, sdk, spellings+"/batches", spellingBatch())
		requireSpelled(t, got["data"].([]any))
		require.Nil(t, got["next_cursor"])
	})
}

// spellingBatch has items that succeed, and some that each fail in a way of their own.
func spellingBatch() object {
	return object{"purpose": "fraud_prevention", "items": []any{
		object{"word": "abc", "reference": "a"}, object{"word": "l33t", "reference": "b"}, 7, object{"word": "refused", "reference": "c"},
		object{"word": "xyz"}, object{"word": "abc", "reference": "a"}, object{"word": "def", "reference": "d", "purpose": "nonsense"}, object{"word": "ghi", "reference": "e"},
	}}
}

func requireSpelled(t *testing.T, data []any) {
	t.Helper()
	want := []string{"cba", client.InvalidRequest, client.InvalidRequest, client.ImageUnreadable, client.InvalidRequest, client.InvalidRequest, client.PurposeNotApproved, "ihg"}
	references := []any{"a", "b", nil, "c", nil, "a", "d", "e"}
	require.Len(t, data, len(want))
	for i, each := range data {
		item := each.(object)
		require.Equal(t, references[i], item["reference"], "item %d", i)
		if item["status"] == "succeeded" {
			require.Equal(t, want[i], item["result"].(object)["word"], "item %d", i)
		} else {
			require.Equal(t, want[i], item["error"].(object)["code"], "item %d: %v", i, item)
		}
	}
}

// Asynchronously, on a real Temporal server: a job, a failed job, a batch; the same answers as at once.
func TestNinthService_Asynchronous(t *testing.T) {
	t.Parallel()
	p := e2etest.Start(t, e2etest.Options{Driver: "sqlite", Operations: []*catalog.Operation{spelling()}, Temporal: e2etest.Temporal(t), Worker: true})
	p.AwaitReady()
	app := p.NewApplication()
	sdk := app.Client(client.WithPolling(fastPoll, fastPoll))
	ctx, cancel := context.WithTimeout(t.Context(), asyncTime)
	defer cancel()
	t.Run("Job", func(t *testing.T) {
		job := submitted(t, sdk, spellings, word("abc"))
		done, err := sdk.WaitJob(ctx, job["id"].(string))
		require.NoError(t, err)
		require.NoError(t, done.Err())
		result := read(t, done.Result)
		require.Equal(t, "cba", result["word"])
		again, err := sdk.Do(t.Context(), http.MethodGet, spellings+"/"+result["id"].(string), nil)
		require.NoError(t, err)
		require.JSONEq(t, string(done.Result), string(again.Body))
		require.Equal(t, client.JobNotFound, refusal(t, p.NewApplication().Client(), http.MethodGet, "/v1/jobs/"+done.ID, nil).Code)
	})
	t.Run("JobRefused", func(t *testing.T) {
		done, err := sdk.WaitJob(ctx, submitted(t, sdk, spellings, word("refused"))["id"].(string))
		require.NoError(t, err)
		require.True(t, client.IsCode(done.Err(), client.ImageUnreadable), done.Err())
	})
	t.Run("CheckedAtOnce", func(t *testing.T) {
		_, err := sdk.Do(t.Context(), http.MethodPost, spellings, text(t, word("l33t")), client.Async())
		require.True(t, client.IsCode(err, client.InvalidRequest), err)
	})
	t.Run("Batch", func(t *testing.T) {
		batch := submitted(t, sdk, spellings+"/batches", spellingBatch())
		done, err := sdk.WaitBatch(ctx, batch["id"].(string))
		require.NoError(t, err)
		require.Equal(t, "completed_with_errors", done.Status)
		answer, err := sdk.Do(t.Context(), http.MethodGet, "/v1/batches/"+done.ID+"/results", nil)
		require.NoError(t, err)
		requireSpelled(t, read(t, answer.Body)["data"].([]any))
		for _, path := range []string{"", "/results"} {
			require.Equal(t, client.BatchNotFound, refusal(t, p.NewApplication().Client(), http.MethodGet, "/v1/batches/"+done.ID+path, nil).Code)
		}
	})
}

func submitted(t *testing.T, sdk *client.Client, path string, body any) object {
	t.Helper()
	answer, err := sdk.Do(t.Context(), http.MethodPost, path, text(t, body), client.Async(), client.IdempotencyKey(uuid.NewString()))
	require.NoError(t, err)
	require.Equal(t, http.StatusAccepted, answer.Status)
	return read(t, answer.Body)
}

func TestCatalog_DuplicatesRefused(t *testing.T) {
	t.Parallel()
	_, err := catalog.New(spelling(), spelling())
	require.ErrorContains(t, err, "share")
}
