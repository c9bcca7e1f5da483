package registrytest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/engines/registry"
	"idplatform/models"
)

func givesBlocksAskedFor(t *testing.T, r Register) {
	full := registry.SyntheticCitizen(0).Person // bears all_scopes
	require.Equal(t, registry.AllBlocks, blocksIn(&full))
	require.Zero(t, blocksIn(one(t, r, passport(0), 0)))
	for _, scope := range registry.AllBlocks.Scopes() {
		block := registry.BlocksOf(scope)
		require.Equal(t, block, blocksIn(one(t, r, passport(0), block)), scope)
	}
	require.Zero(t, blocksIn(one(t, r, passport(1), registry.AllBlocks)), "bears basic_only")
}

// blocksIn tells which blocks a person has data for.
func blocksIn(p *registry.Person) registry.Blocks {
	var found registry.Blocks
	for block, present := range map[registry.Blocks]bool{
		registry.DocumentsPrimary: p.Documents.Primary != nil, registry.DocumentsAll: len(p.Documents.Others) > 0,
		registry.Addresses: len(p.Addresses) > 0, registry.Emails: len(p.Emails) > 0,
		registry.PhoneNumbers: len(p.PhoneNumbers) > 0, registry.Professions: len(p.Professions) > 0,
		registry.PlaceOfBirths: p.PlaceOfBirth != nil, registry.MaritalStatuses: p.MaritalStatus != "",
		registry.Languages: len(p.Languages) > 0, registry.Religion: p.Religion != "",
		registry.Ethnicity: p.Ethnicity != "", registry.Selfies: p.Selfie != nil,
		registry.Fingerprints: len(p.Fingerprints) > 0, registry.Irises: len(p.Iris) > 0,
	} {
		if present {
			found |= block
		}
	}
	return found
}

func givesEveryField(t *testing.T, r Register) {
	for k := range 100 {
		want := registry.SyntheticCitizen(k).Person
		require.Equal(t, &want, one(t, r, passport(k), registry.AllBlocks), k)
	}
}

func givesOwnCopies(t *testing.T, r Register) {
	people, err := r.People(t.Context(), []models.Identifier{passport(0), passport(0)}, 0)
	require.NoError(t, err)
	people[0].FullName = "changed"
	require.NotEqual(t, "changed", people[1].FullName)
}

func saysCallerGaveUp(t *testing.T, r Register) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := r.People(ctx, []models.Identifier{passport(0)}, 0)
	require.ErrorIs(t, err, context.Canceled)
	require.NotErrorIs(t, err, registry.ErrUnreachable, "nobody asked the register")
	_, err = r.Changes(ctx, "", 1)
	require.ErrorIs(t, err, context.Canceled)
	require.NotErrorIs(t, err, registry.ErrUnreachable)
	require.ErrorIs(t, r.Ping(ctx), context.Canceled)

	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	_, err = r.People(late, []models.Identifier{passport(0)}, 0)
	require.ErrorIs(t, err, registry.ErrUnreachable, "it did not answer in time")
	require.NotNil(t, one(t, r, passport(0), 0), "the next caller is served")
}

func answersManyAtOnce(t *testing.T, r Register) {
	var all sync.WaitGroup
	failures := make(chan error, 16)
	for k := range 16 {
		all.Go(func() {
			_, err := r.People(t.Context(), []models.Identifier{passport(k)}, registry.AllBlocks)
			failures <- err
		})
	}
	all.Wait()
	close(failures)
	for err := range failures {
		require.NoError(t, err)
	}
}
