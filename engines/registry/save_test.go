package registry_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/engines/registry"
	"idplatform/models"
)

func TestSaveRefusesMalformedRecords(t *testing.T) {
	t.Parallel()
	r := openSQLite(t, 1)
	for name, spoil := range map[string]func(*registry.Record){
		"NoIdentifiers":        func(r *registry.Record) { r.Identifiers = nil },
		"WithoutItsPlatformID": func(r *registry.Record) { r.Identifiers = r.Identifiers[1:] },
		"NotCanonical":         func(r *registry.Record) { r.Identifiers[1].Value = " op1234567" },
		"NoDateOfBirth":        func(r *registry.Record) { r.Person.DateOfBirth = models.Date{} },
		"NUL":                  func(r *registry.Record) { r.Person.FullName = "a\x00b" },
		"BrokenUTF8":           func(r *registry.Record) { r.Person.Addresses = []registry.Address{{City: "\xff"}} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			record := registry.SyntheticCitizen(10)
			spoil(&record)
			require.ErrorIs(t, r.Save(t.Context(), record), registry.ErrBadRecord)
		})
	}
}

func TestSaveIsAllOrNothing(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(testing.TB, int) *registry.SQL{"SQLite": openSQLite, "PostgreSQL": openPostgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := open(t, 1)
			start, err := r.Changes(t.Context(), "", 1)
			require.NoError(t, err)
			good := registry.SyntheticCitizen(9_000_000)
			thief := registry.SyntheticCitizen(9_000_001)
			thief.Identifiers[1] = passportOf(0)
			require.ErrorIs(t, r.Save(t.Context(), good, thief), registry.ErrIdentifierTaken)
			people, err := r.People(t.Context(), append(good.Identifiers, passportOf(0)), 0)
			require.NoError(t, err)
			require.Nil(t, people[0])
			require.Equal(t, registry.SyntheticCitizen(0).Person.PlatformID, people[5].PlatformID)
			end, err := r.Changes(t.Context(), "", 1)
			require.NoError(t, err)
			require.Equal(t, start, end)
		})
	}
}

func TestSaveReplacesIdentifiers(t *testing.T) {
	t.Parallel()
	r := openSQLite(t, 1)
	record := registry.SyntheticCitizen(12)
	old := record.Identifiers[1]
	record.Identifiers[1] = models.Identifier{Type: models.Passport, Value: "OZ0000012"}
	require.NoError(t, r.Save(t.Context(), record))
	people, err := r.People(t.Context(), []models.Identifier{old, record.Identifiers[1]}, 0)
	require.NoError(t, err)
	require.Nil(t, people[0])
	require.Equal(t, record.Person.PlatformID, people[1].PlatformID)
}

func TestAClosedDatabaseIsUnreachable(t *testing.T) {
	t.Parallel()
	r := openClosed(t)
	_, err := r.People(t.Context(), []models.Identifier{passportOf(0)}, 0)
	require.ErrorIs(t, err, registry.ErrUnreachable)
	_, err = r.Changes(t.Context(), "", 1)
	require.ErrorIs(t, err, registry.ErrUnreachable)
	_, err = r.Open(t.Context(), registry.SyntheticCitizen(0).Person.Selfie.File.Ref)
	require.ErrorIs(t, err, registry.ErrUnreachable)
	require.ErrorIs(t, r.Ping(t.Context()), registry.ErrUnreachable)
	require.ErrorIs(t, r.Save(t.Context(), registry.SyntheticCitizen(0)), registry.ErrUnreachable)
}
