package e2e_test

import (
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	temporal "go.temporal.io/sdk/client"

	"idplatform/catalog"
	"idplatform/client"
	"idplatform/e2e/e2etest"
	"idplatform/models"
)

// async is a platform with workers and a real Temporal server.
type async struct {
	*e2etest.Platform
	trial    *trial
	temporal temporal.Client
}

func startAsync(t *testing.T, driver string) *async {
	t.Helper()
	a := &async{trial: &trial{}}
	address := e2etest.Temporal(t)
	a.Platform = e2etest.Start(t, e2etest.Options{Driver: databaseDriver(driver), Temporal: address, Worker: true,
		Operations: []*catalog.Operation{a.trial.operation()}})
	var err error
	a.temporal, err = temporal.Dial(temporal.Options{HostPort: address, Namespace: "platform-sandbox"})
	require.NoError(t, err)
	t.Cleanup(a.temporal.Close)
	a.AwaitReady()
	return a
}

// TestAsync puts jobs and batches through a real Temporal server, all at once, and then looks at what is left there.
func TestAsync(t *testing.T) {
	t.Parallel()
	for driver, tests := range map[string]map[string]func(*testing.T, *async){
		"sqlite": {
			"Jobs": testJobs, "JobChecks": testJobChecks, "JobReplay": testJobReplay, "Prefer": testPrefer,
			"Sizes": testBatchSizes, "TenThousand": testTenThousand, "Items": testBatchItems, "Pages": testPages, "BatchChecks": testBatchChecks,
			"Aside": testAside, "Poison": testPoison, "Cancel": testCancel, "Operators": testOperators,
		},
		"postgres": {"Jobs": testJobs, "JobReplay": testJobReplay, "Sizes": testBatchSizes, "Items": testBatchItems, "Aside": testAside, "Cancel": testCancel},
	} {
		t.Run(driver, func(t *testing.T) {
			t.Parallel()
			a := startAsync(t, driver)
			t.Run("Calls", func(t *testing.T) {
				for name, test := range tests {
					t.Run(name, func(t *testing.T) {
						t.Parallel()
						test(t, a)
					})
				}
			})
			t.Run("Histories", func(t *testing.T) { testHistories(t, a) })
		})
	}
}

// sdk is a client that asks often.
func (a *async) sdk(t *testing.T) *client.Client { return fast(a.NewApplication()) }

func fast(app *e2etest.Application) *client.Client {
	return app.Client(client.WithPolling(fastPoll, 4*fastPoll), client.WithTimeout(asyncTime))
}

// trialOf is a valid request of the trial service.
func trialOf(do string, changes object) object {
	request := object{"do": do, "purpose": "fraud_prevention"}
	for name, value := range changes {
		request[name] = value
	}
	return request
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	require.Eventually(t, condition, asyncTime, fastPoll, what)
}

// eventsOf are the types of the events of an application that are about an object.
func eventsOf(t *testing.T, sdk *client.Client, id string) (types []string) {
	t.Helper()
	for event, err := range sdk.AllEvents(t.Context(), client.EventQuery{}) {
		require.NoError(t, err)
		if read(t, event.Data.Object)["id"] == id {
			types = append(types, event.Type)
		}
	}
	return types
}

// awaitBatch waits for the end of a batch and holds its counts against one another.
func awaitBatch(t *testing.T, sdk *client.Client, id string) *client.Batch {
	t.Helper()
	batch, err := sdk.WaitBatch(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, batch.TotalItems, batch.ProcessedItems)
	require.Equal(t, batch.TotalItems, batch.SucceededItems+batch.FailedItems)
	require.NotNil(t, batch.CompletedAt)
	want := client.BatchCompleted
	if batch.FailedItems > 0 {
		want = client.BatchCompletedWithErrors
	}
	require.Equal(t, want, batch.Status)
	return batch
}

// results are all items of a batch, read to the end.
func results(t *testing.T, sdk *client.Client, id string) []client.BatchItem {
	t.Helper()
	var items []client.BatchItem
	for item, err := range sdk.AllBatchResults(t.Context(), id) {
		require.NoError(t, err)
		items = append(items, item)
	}
	return items
}

// people are n items about citizens, each with its place as reference.
func people(n int) []any {
	items := make([]any, n)
	for i := range items {
		items[i] = object{"reference": "r-" + strconv.Itoa(i), "identifier": object{"type": "platform_id", "value": e2etest.Citizen(i % e2etest.Population).Person.PlatformID}}
	}
	return items
}

func kycBatch(items []any) object {
	return object{"purpose": "customer_onboarding", "scopes": []string{}, "items": items}
}

// trialBatch is a batch of n trials that succeed, but for those at the given places.
func trialBatch(n int, others map[int]object) object {
	items := make([]any, n)
	for i := range items {
		item := object{"do": "succeed"}
		if other, ok := others[i]; ok {
			item = maps.Clone(other)
		}
		item["reference"] = "r-" + strconv.Itoa(i)
		items[i] = item
	}
	return object{"purpose": "fraud_prevention", "items": items}
}

func submitBatch(t *testing.T, sdk *client.Client, path string, body any) *client.Batch {
	t.Helper()
	answer, err := sdk.Do(t.Context(), http.MethodPost, path+"/batches", text(t, body), client.Async(), client.IdempotencyKey(uuid.NewString()))
	require.NoError(t, err)
	require.Equal(t, http.StatusAccepted, answer.Status)
	require.Equal(t, "respond-async", answer.Header.Get("Preference-Applied"))
	batch, err := client.Decode[client.Batch](answer.Body)
	require.NoError(t, err)
	require.True(t, models.IsID("bat_", batch.ID), batch.ID)
	require.Equal(t, client.BatchPending, batch.Status)
	require.Nil(t, batch.CompletedAt)
	require.Equal(t, fmt.Sprintf("/v1/batches/%s/results", batch.ID), batch.ResultsURL)
	return batch
}
