package e2e_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"net/url"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/testsuite"

	"idplatform/activities"
	"idplatform/catalog"
	"idplatform/client"
	"idplatform/database"
	"idplatform/models"
	"idplatform/pipeline"
	"idplatform/platform/access"
	"idplatform/platform/vault"
	"idplatform/platform/webhooks"
	"idplatform/store"
	"idplatform/workflows"
)

// asStored gives results as they are stored: trials have no files.
type asStored struct{}

// Show implements pipeline.Files.
func (asStored) Show(_ context.Context, stored []byte) ([]byte, error) { return stored, nil }

// newPipeline is the platform's pipeline over a trial, with a caller who may do everything.
func newPipeline(t *testing.T, trial *trial) (*pipeline.Pipeline, *access.Caller) {
	t.Helper()
	db, err := database.Open(t.Context(), database.Config{Driver: database.SQLite, DSN: filepath.Join(t.TempDir(), "platform.db")})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	rows, err := store.New(t.Context(), db)
	require.NoError(t, err)
	master := make([]byte, vault.KeySize)
	_, _ = rand.Read(master)
	sealed, err := vault.Open(t.Context(), master, rows.DataKeys, time.Now())
	require.NoError(t, err)
	operations, err := catalog.New(trial.operation())
	require.NoError(t, err)
	admin := access.NewAdmin(rows, sealed, operations.Services(), false, time.Now)
	organisation, err := admin.CreateOrganisation(t.Context(), "Organisation", admin.Everything())
	require.NoError(t, err)
	_, credentials, err := admin.CreateApplication(t.Context(), organisation, "Application", admin.Everything())
	require.NoError(t, err)
	caller, err := access.NewDirectory(rows.Applications, sealed).Find(t.Context(), credentials.KeyID, models.At(time.Now()))
	require.NoError(t, err)
	return pipeline.New(pipeline.Config{Store: rows, Vault: sealed, Catalog: operations, Files: asStored{}, Now: time.Now,
		Events: webhooks.NewRecorder(webhooks.RecorderConfig{Store: rows, Vault: sealed, Now: time.Now}),
		Log:    slog.New(slog.DiscardHandler)}), caller
}

// A quarter of an hour goes by in a moment: what fails for a passing reason for so long fails for good, what breaks
// does as an internal error, and nobody else is the worse for it.
func TestAsync_PatienceEnds(t *testing.T) {
	t.Parallel()
	trial := &trial{}
	gate, open := trial.gate("away")
	defer open()
	p, caller := newPipeline(t, trial)
	body := text(t, trialBatch(100, map[int]object{
		7: {"do": "away", "gate": "away"}, 42: {"do": "panic"}, 60: {"do": "refuse"}, 99: {"do": "away", "gate": "away"}}))
	batch, _, err := p.SubmitBatch(t.Context(), pipeline.Request{Caller: caller, Operation: p.Catalog.Find("trial"), Body: body, ID: "req_1"}, func() error { return nil })
	require.NoError(t, err)

	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := suite.NewTestWorkflowEnvironment()
	env.SetTestTimeout(2 * time.Minute)
	env.RegisterWorkflow(workflows.BatchChunk)
	env.RegisterActivity(&activities.Batches{Pipeline: p, Log: slog.New(slog.DiscardHandler)})
	began := env.Now()
	env.ExecuteWorkflow(workflows.Batch, workflows.BatchInput{ApplicationID: batch.ApplicationID, BatchID: batch.ID, Service: "trial", Total: 100})
	require.NoError(t, env.GetWorkflowError())
	took := env.Now().Sub(began)
	require.GreaterOrEqual(t, took, workflows.Patience)
	require.Less(t, took, workflows.Patience+time.Minute)
	require.Greater(t, gate.tries.Load(), int64(60))

	page, err := p.BatchResults(t.Context(), caller, batch.ID, url.Values{})
	require.NoError(t, err)
	var list client.BatchResults
	require.NoError(t, json.Unmarshal(page, &list))
	require.Len(t, list.Data, 100)
	require.Nil(t, list.NextCursor)
	want := map[int]string{7: client.RegistryUnavailable, 42: client.InternalError, 60: client.NoFaceDetected, 99: client.RegistryUnavailable}
	for i, item := range list.Data {
		if code, fails := want[i]; fails {
			require.Equal(t, code, item.Failure.Code, "item %d", i)
			require.NotContains(t, item.Failure.Message, "panic")
			continue
		}
		require.Equal(t, client.ItemSucceeded, item.Status, "item %d", i)
	}
}
