package faults_test

import (
	"database/sql"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"idplatform/client"
	"idplatform/database"
	"idplatform/e2e/e2etest"
)

// database is a look at the rows beside the platform.
func (d *deployment) database(t *testing.T) *sql.DB {
	t.Helper()
	db, err := database.Open(t.Context(), database.Config{Driver: database.Postgres, DSN: d.dsn, MaxConnections: 1})
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	pool, err := db.SQL()
	require.NoError(t, err)
	return pool
}

func one() []byte {
	body, err := json.Marshal(map[string]any{"purpose": "customer_onboarding", "scopes": []string{},
		"identifier": map[string]any{"type": "platform_id", "value": e2etest.Citizen(0).Person.PlatformID}})
	if err != nil {
		panic(err) // it is plain data
	}
	return body
}

// TestTemporalAway stops the Temporal server as a hanging machine does. What was taken before that is known is started
// within a minute of its return; what comes after is refused, and synchronous calls work all along.
func TestTemporalAway(t *testing.T) {
	t.Parallel()
	d := deploy(t)
	sdk := d.application("Away")
	submit := func() (*client.Job, error) {
		answer, err := sdk.Do(t.Context(), http.MethodPost, validations, one(), client.Async(), client.IdempotencyKey(uuid.NewString()))
		if err != nil {
			return nil, err
		}
		return client.Decode[client.Job](answer.Body)
	}
	pid := d.temporal.PID()
	require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGCONT) })
	var taken []*client.Job
	require.Eventually(t, func() bool {
		job, err := submit()
		if err == nil {
			taken = append(taken, job)
		}
		return client.IsCode(err, client.AsyncUnavailable)
	}, time.Minute, 10*time.Millisecond, "it is known to be away")
	for range 5 {
		_, err := submit()
		var refused *client.Error
		require.ErrorAs(t, err, &refused)
		require.Equal(t, http.StatusServiceUnavailable, refused.Status)
		require.Positive(t, refused.RetryAfter)
		_, err = sdk.Do(t.Context(), http.MethodPost, validations, one())
		require.NoError(t, err, "synchronous calls work")
	}
	require.Equal(t, len(taken), d.count(t, "SELECT COUNT(*) FROM jobs"), "nothing is kept of what was refused")
	require.NotEmpty(t, taken, "the first is taken before anybody knows")
	require.NoError(t, syscall.Kill(pid, syscall.SIGCONT))
	back := time.Now()
	for _, job := range taken {
		require.Eventually(t, func() bool {
			now, err := sdk.Job(t.Context(), job.ID)
			return err == nil && now.Status == client.JobCompleted
		}, settleTime, 100*time.Millisecond)
	}
	t.Logf("%d jobs that were taken meanwhile were done %s after Temporal's return", len(taken), time.Since(back).Round(time.Millisecond))
	require.Less(t, time.Since(back), 2*time.Minute) // a minute for the start; the machine may be busy
	require.Equal(t, len(taken)+5, d.count(t, "SELECT COUNT(*) FROM results"))
	require.Eventually(t, func() bool { _, err := submit(); return err == nil }, time.Minute, 100*time.Millisecond, "asynchronous calls are taken again")
}

// TestDevKilled kills the whole platform of a development machine, on SQLite, in the middle of a batch.
func TestDevKilled(t *testing.T) {
	t.Parallel()
	seed := number(t, seedVariable, uint64(time.Now().UnixNano()))
	t.Logf("%s=%d repeats this run", seedVariable, seed)
	chance := rand.New(rand.NewPCG(seed, 1))
	binary, data := build(t), t.TempDir()
	var running *child
	start := func() *client.Client {
		cmd := exec.Command(binary, "dev", "--data", data, "--listen", "127.0.0.1:0", "--temporal-port", "0", "--temporal-ui-port", "0",
			"--population", "300", "--no-limits")
		var said transcript
		cmd.Stdout = &said
		running = launch(t, cmd)
		require.Eventually(t, func() bool { return strings.HasPrefix(said.last(1_000), "ready ") }, time.Minute, 20*time.Millisecond, "it is ready")
		credentials, err := client.LoadCredentials(filepath.Join(data, "credentials.json"))
		require.NoError(t, err)
		return sdk(t, credentials)
	}
	t.Cleanup(func() { running.kill() })
	c := start()
	key, body := uuid.NewString(), people(items)
	submit := func() *client.Batch {
		answer, err := c.Do(t.Context(), http.MethodPost, validations+"/batches", body, client.Async(), client.IdempotencyKey(key))
		require.NoError(t, err)
		batch, err := client.Decode[client.Batch](answer.Body)
		require.NoError(t, err)
		return batch
	}
	first := submit()
	for range max(1, int(number(t, roundsVariable, 3))/3) { // a start takes its time
		time.Sleep(time.Duration(chance.Int64N(int64(time.Second))))
		running.kill()
		c = start()
	}
	require.Equal(t, first.ID, submit().ID, "the same batch under the same key")
	batch := awaitBatch(t, c, first.ID)
	require.Equal(t, items-malformed, batch.SucceededItems)
	require.Equal(t, malformed, batch.FailedItems)
	db, err := database.Open(t.Context(), database.Config{Driver: database.SQLite, DSN: filepath.Join(data, "platform.db")})
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	for _, table := range []string{"results", "audit_entries"} {
		var n int64
		require.NoError(t, db.Read(t.Context()).Table(table).Count(&n).Error)
		require.EqualValues(t, batch.SucceededItems, n, table)
	}
}
