package e2e_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/client"
	"idplatform/models"
)

// cancelTime is how long after a cancel the last item may be settled (protocol, Cancel).
const cancelTime = 2 * time.Second

// requireCancelled holds a cancelled batch against its results: what succeeded has a result, the rest is cancelled.
func requireCancelled(t *testing.T, sdk *client.Client, batch *client.Batch) {
	t.Helper()
	require.True(t, batch.Finished())
	require.NotNil(t, batch.CancelledAt)
	require.NotNil(t, batch.CompletedAt)
	require.Equal(t, batch.TotalItems, batch.ProcessedItems)
	require.Equal(t, client.BatchCompletedWithErrors, batch.Status)
	succeeded := 0
	items := results(t, sdk, batch.ID)
	require.Len(t, items, batch.TotalItems)
	for _, item := range items {
		if item.Status == client.ItemSucceeded {
			succeeded++
			require.NotEmpty(t, item.Result)
			continue
		}
		require.Equal(t, client.BatchCancelled, item.Failure.Code)
		require.Empty(t, item.Result)
	}
	require.Equal(t, batch.SucceededItems, succeeded)
	again, err := sdk.Batch(t.Context(), batch.ID)
	require.NoError(t, err)
	require.Equal(t, batch, again, "nothing is settled after the cancel")
	require.Equal(t, []string{"batch.completed_with_errors"}, eventsOf(t, sdk, batch.ID))
}

// heldBatch is a batch of ten thousand that came to a stop on its way.
func heldBatch(t *testing.T, a *async, sdk *client.Client, gate string) *client.Batch {
	t.Helper()
	_, open := a.trial.gate(gate)
	t.Cleanup(open)
	held := map[int]object{}
	for place := 200; place < 10_000; place += 500 { // in the middle of each chunk
		held[place] = object{"do": "hold", "gate": gate}
	}
	batch := submitBatch(t, sdk, trials, trialBatch(10_000, held))
	eventually(t, "it is under way", func() bool {
		now, err := sdk.Batch(t.Context(), batch.ID)
		return err == nil && now.ProcessedItems > 0
	})
	return batch
}

func testCancel(t *testing.T, a *async) {
	sdk := a.sdk(t)
	t.Run("AtOnce", func(t *testing.T) {
		batch := submitBatch(t, sdk, validations, kycBatch(people(3_000)))
		cancelled, err := sdk.CancelBatch(t.Context(), batch.ID)
		require.NoError(t, err)
		requireCancelled(t, sdk, cancelled)
	})
	t.Run("Midway", func(t *testing.T) {
		batch := heldBatch(t, a, sdk, t.Name())
		foreign := refusal(t, a.sdk(t), http.MethodPost, "/v1/batches/"+batch.ID+"/cancel", nil)
		require.Equal(t, client.BatchNotFound, foreign.Code)
		require.Equal(t, http.StatusNotFound, foreign.Status)
		began := time.Now()
		cancelled, err := sdk.CancelBatch(t.Context(), batch.ID)
		took := time.Since(began)
		require.NoError(t, err)
		require.Less(t, took, cancelTime, "every item is settled when the cancel is answered")
		t.Logf("cancelled with %d of %d items pending in %s", cancelled.FailedItems, cancelled.TotalItems, took)
		requireCancelled(t, sdk, cancelled)
		again, err := sdk.CancelBatch(t.Context(), batch.ID)
		require.NoError(t, err, "as often as it is called")
		require.Equal(t, cancelled, again)
		require.NotZero(t, cancelled.SucceededItems)
		a.awaitClosed(t, batch.ID)
	})
	t.Run("OnTheRun", func(t *testing.T) { // while groups commit
		batch := submitBatch(t, sdk, validations, kycBatch(people(10_000)))
		eventually(t, "it is under way", func() bool {
			now, err := sdk.Batch(t.Context(), batch.ID)
			return err == nil && now.ProcessedItems > 0
		})
		began := time.Now()
		cancelled, err := sdk.CancelBatch(t.Context(), batch.ID)
		took := time.Since(began)
		require.NoError(t, err)
		t.Logf("cancelled with %d of %d items pending in %s", cancelled.FailedItems, cancelled.TotalItems, took)
		require.Less(t, took, cancelTime)
		requireCancelled(t, sdk, cancelled)
	})
	t.Run("AfterItsEnd", func(t *testing.T) {
		batch := submitBatch(t, sdk, trials, trialBatch(3, nil))
		awaitBatch(t, sdk, batch.ID)
		refused := refusal(t, sdk, http.MethodPost, "/v1/batches/"+batch.ID+"/cancel", nil)
		require.Equal(t, client.BatchAlreadyFinished, refused.Code)
		require.Equal(t, http.StatusConflict, refused.Status)
	})
	t.Run("WithABody", func(t *testing.T) {
		batch := submitBatch(t, sdk, trials, trialBatch(3, nil))
		refused := refusal(t, sdk, http.MethodPost, "/v1/batches/"+batch.ID+"/cancel", []byte(`{}`))
		require.Equal(t, client.InvalidRequest, refused.Code)
	})
	t.Run("Unknown", func(t *testing.T) {
		refused := refusal(t, sdk, http.MethodPost, "/v1/batches/"+models.NewID("bat_", time.Now())+"/cancel", nil)
		require.Equal(t, client.BatchNotFound, refused.Code)
	})
}

// Operators end workflows in Temporal's own UI.
func testOperators(t *testing.T, a *async) {
	sdk := a.sdk(t)
	for name, end := range map[string]func(id string) error{
		"Cancel":    func(id string) error { return a.temporal.CancelWorkflow(t.Context(), id, "") },
		"Terminate": func(id string) error { return a.temporal.TerminateWorkflow(t.Context(), id, "", "by an operator") },
	} {
		t.Run(name, func(t *testing.T) {
			batch := heldBatch(t, a, sdk, t.Name())
			began := time.Now()
			require.NoError(t, end(batch.ID))
			if name == "Terminate" {
				a.Clock.Advance(time.Minute) // the reconciler looks at a batch now and then
			}
			eventually(t, "the rest is settled", func() bool {
				now, err := sdk.Batch(t.Context(), batch.ID)
				return err == nil && now.Finished()
			})
			t.Logf("settled %s after the operator", time.Since(began))
			done, err := sdk.Batch(t.Context(), batch.ID)
			require.NoError(t, err)
			requireCancelled(t, sdk, done)
		})
	}
	t.Run("TerminatedJobIsStartedAgain", func(t *testing.T) {
		gate, open := a.trial.gate(t.Name())
		defer open()
		job := submitted(t, sdk, trials, trialOf("absent", object{"gate": t.Name()}))["id"].(string)
		eventually(t, "it is under way", func() bool { return gate.tries.Load() > 0 })
		require.NoError(t, a.temporal.TerminateWorkflow(t.Context(), job, "", "by an operator"))
		open()
		a.Clock.Advance(time.Minute)
		done, err := sdk.WaitJob(t.Context(), job)
		require.NoError(t, err)
		require.Equal(t, client.JobCompleted, done.Status)
	})
}
