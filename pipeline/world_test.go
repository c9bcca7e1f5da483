package pipeline_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/catalog"
	"idplatform/database"
	"idplatform/engines/registry"
	"idplatform/models"
	"idplatform/pipeline"
	"idplatform/platform/access"
	"idplatform/platform/vault"
	"idplatform/services/kyc"
	"idplatform/store"
)

// world is a pipeline on a real database with a register that counts its look-ups.
type world struct {
	*pipeline.Pipeline
	kyc     *catalog.Operation
	caller  *access.Caller
	lookups atomic.Int64
	away    atomic.Bool
	now     time.Time
}

// People implements kyc.People: everybody is the same citizen.
func (w *world) People(_ context.Context, ids []models.Identifier, _ registry.Blocks) ([]*registry.Person, error) {
	w.lookups.Add(1)
	if w.away.Load() {
		return nil, errors.Join(registry.ErrUnreachable)
	}
	found := make([]*registry.Person, len(ids))
	person := registry.SyntheticCitizen(0).Person
	for i := range ids {
		found[i] = &person
	}
	return found, nil
}

func newWorld(t testing.TB) *world {
	t.Helper()
	db, err := database.Open(t.Context(), database.Config{Driver: database.SQLite, DSN: filepath.Join(t.TempDir(), "platform.db")})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	s, err := store.New(t.Context(), db)
	require.NoError(t, err)
	w := &world{now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}
	v, err := vault.Open(t.Context(), make([]byte, vault.KeySize), s.DataKeys, w.now)
	require.NoError(t, err)
	w.kyc = kyc.Operation(w)
	operations, err := catalog.New(w.kyc)
	require.NoError(t, err)
	w.Pipeline = pipeline.New(pipeline.Config{Store: s, Vault: v, Catalog: operations, Now: func() time.Time { return w.now },
		Log: slog.New(slog.DiscardHandler)})
	admin := access.NewAdmin(s, v, operations.Services(), false, func() time.Time { return w.now })
	organisation, err := admin.CreateOrganisation(t.Context(), "Organisation", admin.Everything())
	require.NoError(t, err)
	_, shown, err := admin.CreateApplication(t.Context(), organisation, "Application", admin.Everything())
	require.NoError(t, err)
	w.caller, err = access.NewDirectory(s.Applications, v).Find(t.Context(), shown.KeyID, models.At(w.now))
	require.NoError(t, err)
	return w
}

func (w *world) request(body string) pipeline.Request {
	return pipeline.Request{Caller: w.caller, Operation: w.kyc, Body: []byte(body), ID: models.NewID("req_", w.now), Line: "POST\n/v1/kyc/validations\n"}
}
