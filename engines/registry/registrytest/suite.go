// Package registrytest holds the contract of registry.Register as tests that every adapter passes, and a
// reference server that speaks the wire contract of docs/registry-adapter.md over mutual TLS.
package registrytest

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/engines/registry"
	"idplatform/models"
)

// Register is an adapter under test together with a way to change what stands behind it.
type Register interface {
	registry.Register
	// Save enters or replaces citizens in the register behind the adapter.
	Save(ctx context.Context, records ...registry.Record) error
}

// Run tests an adapter. open gives one whose register holds the synthetic population, at any size; it is called
// for each test and may give the same register again.
func Run(t *testing.T, open func(t *testing.T) Register) {
	tests := []struct {
		name string
		run  func(*testing.T, Register)
	}{
		{"AnswersPing", answersPing},
		{"FindsACitizenByEachIdentifierType", findsByEachType},
		{"AnswersInTheOrderAsked", answersInOrder},
		{"TakesMoreIdentifiersThanOneChunk", takesManyIdentifiers},
		{"TakesNoIdentifiers", takesNone},
		{"KnowsNobodyOutsideThePopulation", knowsNobodyElse},
		{"ComparesTheType", comparesTheType},
		{"HostileValuesAreBorneByNobody", hostileValues},
		{"GivesTheBlocksAskedForAndNoOthers", givesBlocksAskedFor},
		{"GivesEveryFieldAsRegistered", givesEveryField},
		{"GivesEachPlaceItsOwnPerson", givesOwnCopies},
		{"SaysThatTheCallerGaveUp", saysCallerGaveUp},
		{"AnswersManyAtOnce", answersManyAtOnce},
		{"ListsChangesInOrder", listsChanges},
		{"RefusesForeignCursors", refusesForeignCursors},
		{"OpensEveryFile", opensEveryFile},
		{"KnowsNoOtherFiles", knowsNoOtherFiles},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(t, open(t))
		})
	}
}

func answersPing(t *testing.T, r Register) { require.NoError(t, r.Ping(t.Context())) }

func findsByEachType(t *testing.T, r Register) {
	citizen := registry.SyntheticCitizen(0)
	require.Len(t, citizen.Identifiers, len(models.PersonIdentifierTypes()))
	for _, id := range citizen.Identifiers {
		require.Equal(t, citizen.Person.PlatformID, one(t, r, id, 0).PlatformID, id.Type)
	}
}

func answersInOrder(t *testing.T, r Register) {
	unknown := models.Identifier{Type: models.Passport, Value: "OZ0000001"}
	ids := []models.Identifier{passport(7), unknown, passport(0), passport(7), {Type: models.PlatformID, Value: platformID(3)}}
	people, err := r.People(t.Context(), ids, 0)
	require.NoError(t, err)
	require.Len(t, people, len(ids))
	require.Nil(t, people[1])
	for i, k := range map[int]int{0: 7, 2: 0, 3: 7, 4: 3} {
		require.Equal(t, platformID(k), people[i].PlatformID)
	}
}

func takesManyIdentifiers(t *testing.T, r Register) {
	var ids []models.Identifier
	for i := range 1_203 {
		ids = append(ids, passport(i%200))
	}
	people, err := r.People(t.Context(), ids, registry.Languages)
	require.NoError(t, err)
	require.Len(t, people, len(ids))
	for i, p := range people {
		require.Equal(t, platformID(i%200), p.PlatformID)
	}
}

func takesNone(t *testing.T, r Register) {
	people, err := r.People(t.Context(), nil, registry.AllBlocks)
	require.NoError(t, err)
	require.Empty(t, people)
}

func knowsNobodyElse(t *testing.T, r Register) {
	for _, identity := range registry.Identities() {
		if identity.Kind != registry.KindUnknown {
			continue
		}
		people, err := r.People(t.Context(), identity.Identifiers, registry.AllBlocks)
		require.NoError(t, err)
		for _, p := range people {
			require.Nil(t, p)
		}
	}
}

func comparesTheType(t *testing.T, r Register) {
	people, err := r.People(t.Context(), []models.Identifier{{Type: models.NationalID, Value: passport(0).Value}}, 0)
	require.NoError(t, err)
	require.Nil(t, people[0])
}

func hostileValues(t *testing.T, r Register) {
	var ids []models.Identifier
	for _, value := range []string{
		"", "'", `"`, "' OR '1'='1", "'; DROP TABLE register_citizens; --", "\x00", "OP\x001234567", "\xff\xfe",
		"%", "?", "$1", ":id", "@id", "\\", "\u202e", strings.Repeat("A", 100_000), strings.ToLower(platformID(0)),
	} {
		ids = append(ids, models.Identifier{Type: models.PlatformID, Value: value})
	}
	ids = append(ids, models.Identifier{Type: "' OR 1=1 --", Value: platformID(0)}, models.Identifier{},
		models.Identifier{Type: models.PlatformID, Value: platformID(0)})
	people, err := r.People(t.Context(), ids, registry.AllBlocks)
	require.NoError(t, err)
	last := len(people) - 1
	for _, p := range people[:last] {
		require.Nil(t, p)
	}
	require.Equal(t, platformID(0), people[last].PlatformID)
}

// one finds the one citizen that must be there.
func one(t *testing.T, r Register, id models.Identifier, blocks registry.Blocks) *registry.Person {
	t.Helper()
	people, err := r.People(t.Context(), []models.Identifier{id}, blocks)
	require.NoError(t, err)
	require.Len(t, people, 1)
	require.NotNil(t, people[0])
	return people[0]
}

func passport(k int) models.Identifier { return registry.SyntheticCitizen(k).Identifiers[1] }

func platformID(k int) string { return registry.SyntheticCitizen(k).Person.PlatformID }
