package registry_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/engines/registry"
)

func TestStoredBlocksComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	for k := range 2_000 {
		want := registry.SyntheticCitizen(k).Person
		got := basicsOf(want)
		require.NoError(t, registry.DecodeBlocks(registry.EncodeBlocks(&want), registry.AllBlocks, &got))
		require.Equal(t, want, got)
	}
}

// basicsOf is a person without additional blocks.
func basicsOf(p registry.Person) registry.Person {
	return registry.Person{
		PlatformID: p.PlatformID, Status: p.Status, Certified: p.Certified, CreatedAt: p.CreatedAt,
		LevelOfAssurance: p.LevelOfAssurance, FullName: p.FullName, FirstName: p.FirstName, LastName: p.LastName,
		DateOfBirth: p.DateOfBirth, Gender: p.Gender, Nationality: p.Nationality,
	}
}

func FuzzAnyTextComesBackAsItWas(f *testing.F) {
	f.Add("a\tb", `\n`, "\\")
	f.Add("", "\n\n", "\\\t")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		want := registry.Person{
			Religion:     a,
			Ethnicity:    b,
			Addresses:    []registry.Address{{Province: a, City: b, Commune: c, Number: a + b + c, IsPrimary: true}},
			Emails:       []registry.Email{{Address: c}, {Address: b}},
			PlaceOfBirth: &registry.PlaceOfBirth{Country: b, Province: c, City: a},
			Languages:    []string{a, b, c},
		}
		var got registry.Person
		stored := registry.EncodeBlocks(&want)
		require.NoError(t, registry.DecodeBlocks(stored, registry.AllBlocks, &got))
		require.Equal(t, want, got)
	})
}

func FuzzDamagedStoreIsAnErrorAndNoPanic(f *testing.F) {
	full := registry.SyntheticCitizen(0).Person
	f.Add(registry.EncodeBlocks(&full))
	f.Add("D\n\nD\tx\na\t\t\t")
	f.Fuzz(func(t *testing.T, stored string) {
		var p registry.Person
		err := registry.DecodeBlocks(stored, registry.AllBlocks, &p)
		if err != nil {
			require.True(t, strings.HasPrefix(err.Error(), "stored block: "), "tells no value")
		}
	})
}
