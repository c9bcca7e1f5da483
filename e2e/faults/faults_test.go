// Package faults_test kills processes of a running deployment at random moments and looks whether anything was lost
// or done twice.
package faults_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"

	"idplatform/client"
	"idplatform/e2e/e2etest"
)

const (
	// roundsVariable is how many rounds to go (3), seedVariable repeats a run.
	roundsVariable = "PLATFORM_TEST_ROUNDS"
	seedVariable   = "PLATFORM_TEST_SEED"

	validations = "/v1/kyc/validations"
	items       = 10_000
	// settleTime is how long after the last kill a batch may take to its end: within a minute it is started again.
	settleTime = 3 * time.Minute
)

func number(t *testing.T, variable string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	require.NoError(t, err)
	return n
}

// people are items about citizens; each tenth is about nobody, each fiftieth malformed.
func people(n int) []byte {
	list := make([]any, n)
	for i := range list {
		id := e2etest.Citizen(i % e2etest.Population).Person.PlatformID
		switch {
		case i%50 == 49:
			id = "COD-1"
		case i%10 == 9:
			id = "COD-0000-0000-0000"
		}
		list[i] = map[string]any{"reference": strconv.Itoa(i), "identifier": map[string]any{"type": "platform_id", "value": id}}
	}
	body, err := json.Marshal(map[string]any{"purpose": "customer_onboarding", "scopes": []string{}, "items": list})
	if err != nil {
		panic(err) // it is plain data
	}
	return body
}

const malformed = items / 50

// TestKilled kills the worker, the API, the Temporal server or all three while a batch is taken and runs.
func TestKilled(t *testing.T) {
	t.Parallel()
	seed := number(t, seedVariable, uint64(time.Now().UnixNano()))
	t.Logf("%s=%d repeats this run", seedVariable, seed)
	chance := rand.New(rand.NewPCG(seed, 0))
	d := deploy(t)
	sdk := d.application("Killed")
	body := people(items)
	succeeded := 0
	for round := range int(number(t, roundsVariable, 3)) {
		began := time.Now()
		kills := d.plan(chance)
		ids := d.round(t, sdk, body, kills)
		require.Len(t, ids, 1, "one batch for one idempotency key")
		batch := awaitBatch(t, sdk, ids[0])
		t.Logf("round %d (%s): finished after %s", round+1, kills, time.Since(began).Round(time.Millisecond))
		succeeded += d.requireWhole(t, sdk, batch, succeeded)
	}
	d.requireNothingLeft(t)
}

// kill is an end of processes at a moment after the submission.
type kill struct {
	after, down time.Duration
	what        []string
}

type kills []kill

// String shows the plan of a round.
func (k kills) String() string {
	parts := make([]string, len(k))
	for i, one := range k {
		parts[i] = fmt.Sprintf("%s at %s for %s", strings.Join(one.what, "+"), one.after.Round(time.Millisecond), one.down.Round(time.Millisecond))
	}
	return strings.Join(parts, ", ")
}

// plan draws two or three kills.
func (d *deployment) plan(chance *rand.Rand) kills {
	targets := [][]string{{"worker"}, {"api"}, {"temporal"}, {"worker", "api", "temporal"}}
	plan := make(kills, 2+chance.IntN(2))
	at := time.Duration(0)
	for i := range plan {
		at += time.Duration(chance.Int64N(int64(2 * time.Second)))
		plan[i] = kill{after: at, down: time.Duration(chance.Int64N(int64(time.Second))), what: targets[chance.IntN(len(targets))]}
	}
	return plan
}

// round submits one batch from several sides under one key while processes are killed, and gives the ids that
// the callers were told.
func (d *deployment) round(t *testing.T, sdk *client.Client, body []byte, plan kills) []string {
	t.Helper()
	key := uuid.NewString()
	ids := map[string]bool{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			deadline := time.Now().Add(settleTime)
			for time.Now().Before(deadline) {
				answer, err := sdk.Do(t.Context(), http.MethodPost, validations+"/batches", body, client.Async(), client.IdempotencyKey(key))
				if err != nil {
					time.Sleep(200 * time.Millisecond) // a connection that is refused, 409 or 503: again
					continue
				}
				batch, err := client.Decode[client.Batch](answer.Body)
				if err != nil {
					t.Errorf("the answer is no batch: %v", err)
					return
				}
				mu.Lock()
				ids[batch.ID] = true
				mu.Unlock()
				return
			}
			t.Errorf("the batch was not taken within %s", settleTime)
		})
	}
	began := time.Now()
	for _, one := range plan {
		time.Sleep(time.Until(began.Add(one.after)))
		d.kill(one)
	}
	all.Wait()
	list := make([]string, 0, len(ids))
	for id := range ids {
		list = append(list, id)
	}
	return list
}

func (d *deployment) kill(one kill) {
	for _, what := range one.what {
		switch what {
		case "worker":
			d.worker.kill()
		case "api":
			d.api.kill()
		case "temporal":
			if pid := d.temporal.PID(); pid > 0 {
				_ = syscall.Kill(pid, syscall.SIGKILL) // its supervisor starts it again
			}
		}
	}
	time.Sleep(one.down)
	for _, what := range one.what {
		switch what {
		case "worker":
			d.worker.restart(d.t)
		case "api":
			d.api.restart(d.t)
		}
	}
}

// awaitBatch waits for the end of a batch over all the errors that a caller meets meanwhile.
func awaitBatch(t *testing.T, sdk *client.Client, id string) *client.Batch {
	t.Helper()
	var last *client.Batch
	require.Eventually(t, func() bool {
		batch, err := sdk.Batch(t.Context(), id)
		if err == nil {
			last = batch
		}
		return err == nil && batch.Finished()
	}, settleTime, 200*time.Millisecond, "the batch comes to its end")
	return last
}

// requireWhole holds a batch against everything that stands about it, and gives how many of its items succeeded.
// before is the number of those of earlier batches.
func (d *deployment) requireWhole(t *testing.T, sdk *client.Client, batch *client.Batch, before int) int {
	t.Helper()
	require.Equal(t, items, batch.TotalItems)
	require.Equal(t, items, batch.ProcessedItems)
	require.Equal(t, items-malformed, batch.SucceededItems)
	require.Equal(t, malformed, batch.FailedItems)
	require.Equal(t, client.BatchCompletedWithErrors, batch.Status)
	after := before + batch.SucceededItems
	for what, n := range map[string]int{
		"SELECT COUNT(*) FROM batch_items WHERE batch_id = '" + batch.ID + "' AND status <> 'pending'":                                                           items,
		"SELECT COUNT(DISTINCT result_id) FROM batch_items WHERE batch_id = '" + batch.ID + "' AND status = 'succeeded'":                                         batch.SucceededItems,
		"SELECT COUNT(*) FROM audit_entries WHERE result_id IN (SELECT result_id FROM batch_items WHERE batch_id = '" + batch.ID + "' AND status = 'succeeded')": batch.SucceededItems,
		"SELECT COUNT(*) FROM audit_entries":                    after, // and none of an item that was done twice
		"SELECT COUNT(*) FROM results":                          after,
		"SELECT COUNT(*) FROM batches WHERE status = 'pending'": 0,
	} {
		require.Equal(t, n, d.count(t, what), what)
	}
	var final []string
	for event, err := range sdk.AllEvents(t.Context(), client.EventQuery{}) {
		require.NoError(t, err)
		about, err := client.Decode[client.Batch](event.Data.Object)
		require.NoError(t, err)
		if about.ID == batch.ID {
			final = append(final, event.Type)
		}
	}
	require.Equal(t, []string{client.EventBatchCompletedWithErrors}, final, "one final event")
	return batch.SucceededItems
}

// requireNothingLeft waits until no workflow runs, and finds none that failed.
func (d *deployment) requireNothingLeft(t *testing.T) {
	t.Helper()
	count := func(query string) int64 {
		answer, err := d.inside.CountWorkflow(t.Context(), &workflowservice.CountWorkflowExecutionsRequest{Namespace: namespace, Query: query})
		if err != nil {
			return -1
		}
		return answer.GetCount()
	}
	require.Eventually(t, func() bool { return count("ExecutionStatus = 'Running'") == 0 }, settleTime, 200*time.Millisecond, "no workflow is stuck")
	require.Zero(t, count("ExecutionStatus IN ('Failed', 'TimedOut')"), "a failed workflow is a fault of ours")
	require.NotZero(t, count("WorkflowType = 'Batch'"))
}

func (d *deployment) count(t *testing.T, query string) int {
	t.Helper()
	var n int
	require.NoError(t, d.database(t).QueryRowContext(context.WithoutCancel(t.Context()), query).Scan(&n))
	return n
}
