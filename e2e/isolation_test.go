package e2e_test

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/catalog"
	"idplatform/client"
	"idplatform/e2e/e2etest"
)

// creations are what an application makes objects with; every route of the document that takes an id must serve one of
// theirs, so a new service has its line here.
func creations() map[string]object {
	return map[string]object{
		validations: kyc(0, object{"reference": "a"}),
		spellings:   {"word": "abc", "purpose": "fraud_prevention", "reference": "a"},
	}
}

// An id is as good as none in the hands of another application, on every route that takes one.
func TestIsolation_EveryRouteWithAnID(t *testing.T) {
	t.Parallel()
	p := e2etest.Start(t, e2etest.Options{Driver: "sqlite", Operations: []*catalog.Operation{spelling()}, Temporal: e2etest.Temporal(t), Worker: true})
	p.AwaitReady()
	owner, stranger := p.NewApplication().Client(), p.NewApplication().Client()
	ids := ownedIDs(t, owner)
	checked := 0
	for _, route := range p.Document().Routes() {
		if !parameter.MatchString(route.Path) {
			continue
		}
		checked++
		t.Run(route.Method+route.Path, func(t *testing.T) {
			served := false
			for _, id := range ids {
				target := parameter.ReplaceAllString(route.Path, id)
				refused := refusal(t, stranger, route.Method, target, nil)
				require.Equal(t, http.StatusNotFound, refused.Status, "%s: %s", target, refused.Body)
				_, err := owner.Do(t.Context(), route.Method, target, nil)
				if err == nil || !isNotFound(err) {
					served = true
				}
			}
			require.True(t, served, "no object that its owner made is served here: add its creation")
		})
	}
	require.GreaterOrEqual(t, checked, 6)
	require.Empty(t, events(t, stranger), "what is listed is one's own")
}

var parameter = regexp.MustCompile(`\{[^}]+\}`)

func isNotFound(err error) bool {
	for _, code := range []string{client.NotFound, client.JobNotFound, client.BatchNotFound} {
		if client.IsCode(err, code) {
			return true
		}
	}
	return false
}

// ownedIDs are the ids of an application's objects of every kind.
func ownedIDs(t *testing.T, owner *client.Client) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), asyncTime)
	defer cancel()
	var ids []string
	for path, body := range creations() {
		ids = append(ids, post(t, owner, path, body)["id"].(string))
		job := submitted(t, owner, path, body)["id"].(string)
		batch := submitted(t, owner, path+"/batches", object{"items": []any{body}})["id"].(string)
		done, err := owner.WaitJob(ctx, job)
		require.NoError(t, err)
		require.NoError(t, done.Err())
		_, err = owner.WaitBatch(ctx, batch)
		require.NoError(t, err)
		ids = append(ids, job, batch)
	}
	events := events(t, owner)
	require.NotEmpty(t, events)
	for _, event := range events {
		ids = append(ids, event.(object)["id"].(string))
	}
	return ids
}

func events(t *testing.T, sdk *client.Client) []any {
	t.Helper()
	answer, err := sdk.Do(t.Context(), http.MethodGet, "/v1/events", nil)
	require.NoError(t, err)
	return read(t, answer.Body)["data"].([]any)
}

// Every part is named by /readyz, and the one that is away is told.
func TestReadiness(t *testing.T) {
	t.Parallel()
	p := onSQLite(t)
	response, body := p.Page("/readyz")
	require.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
	var told struct {
		Status string
		Parts  map[string]string
	}
	require.NoError(t, json.Unmarshal(body, &told))
	require.Equal(t, "unavailable", told.Status)
	require.Equal(t, map[string]string{"database": "ok", "register": "ok", "temporal": "unavailable", "workers": "unavailable"}, told.Parts)
	require.NotContains(t, string(body), "127.0.0.1")
}
