package e2e_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/client"
)

// Items that fail for a passing reason are set aside: they hold nobody up and succeed when the reason is gone.
func testAside(t *testing.T, a *async) {
	sdk := a.sdk(t)
	for name, do := range map[string]string{"Items": "away", "WholeLookUps": "absent"} {
		t.Run(name, func(t *testing.T) {
			gate, open := a.trial.gate(t.Name())
			defer open()
			item := object{"do": do, "gate": t.Name()}
			const n = 1_000
			batch := submitBatch(t, sdk, trials, trialBatch(n, map[int]object{3: item, 4: item, 510: item}))
			held := 3
			if do == "absent" {
				held = 100 // two chunks of 50, one group each
			}
			eventually(t, "the others are done, and those have been tried again", func() bool {
				now, err := sdk.Batch(t.Context(), batch.ID)
				return err == nil && now.SucceededItems == n-held && gate.tries.Load() > 4
			})
			now, err := sdk.Batch(t.Context(), batch.ID)
			require.NoError(t, err)
			require.False(t, now.Finished())
			require.Zero(t, now.FailedItems)
			open()
			require.Equal(t, n, awaitBatch(t, sdk, batch.ID).SucceededItems)
		})
	}
}

// An item that breaks is alone with it.
func testPoison(t *testing.T, a *async) {
	sdk := a.sdk(t)
	batch := submitBatch(t, sdk, trials, trialBatch(100, map[int]object{42: {"do": "panic"}, 43: {"do": "missing"}}))
	eventually(t, "its neighbours succeed", func() bool {
		now, err := sdk.Batch(t.Context(), batch.ID)
		return err == nil && now.SucceededItems == 99
	})
	// It is tried again for a quarter of an hour (activities/batches_test.go); here it is cancelled instead.
	cancelled, err := sdk.CancelBatch(t.Context(), batch.ID)
	require.NoError(t, err)
	require.Equal(t, 1, cancelled.FailedItems)
	items := results(t, sdk, batch.ID)
	require.Equal(t, client.BatchCancelled, items[42].Failure.Code)
	require.Equal(t, "not_found", read(t, items[43].Result)["result"])
}
