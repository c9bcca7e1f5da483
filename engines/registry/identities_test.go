package registry_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/engines/registry"
	"idplatform/models"
)

// persons are the test identities of kind person with their records.
func persons() map[int]registry.TestIdentity {
	all := map[int]registry.TestIdentity{}
	for k, identity := range registry.Identities() {
		if identity.Kind == registry.KindPerson {
			all[k] = identity
		}
	}
	return all
}

func TestEveryTraitOfPersonsIsBorne(t *testing.T) {
	t.Parallel()
	bearers := map[registry.Trait]int{} // certified, active ones
	anybody := map[registry.Trait]int{}
	for k, identity := range persons() {
		p := registry.SyntheticCitizen(k).Person
		for _, trait := range identity.Traits {
			anybody[trait]++
			if p.Certified && p.Status == models.AccountActive {
				bearers[trait]++
			}
		}
	}
	for _, trait := range []registry.Trait{
		"certified", "account_active", "all_scopes", "basic_only", "middle_name", "accented_name", "unaccented_twin", "minor",
	} {
		require.Positive(t, bearers[trait], trait)
	}
	for _, trait := range []registry.Trait{"not_certified", "account_suspended", "account_paused", "account_deleted"} {
		require.Positive(t, anybody[trait], trait)
	}
}

func TestTraitsAreTrue(t *testing.T) {
	t.Parallel()
	statuses := map[registry.Trait]models.AccountStatus{
		registry.TraitAccountActive: models.AccountActive, registry.TraitAccountSuspended: models.AccountSuspended,
		registry.TraitAccountPaused: models.AccountPaused, registry.TraitAccountDeleted: models.AccountDeleted,
	}
	for k, identity := range persons() {
		r := registry.SyntheticCitizen(k)
		p := &r.Person
		has := func(trait registry.Trait) bool { return slices.Contains(identity.Traits, trait) }
		require.Equal(t, r.Identifiers, identity.Identifiers, k)
		require.Equal(t, p.FullName, identity.Name, k)
		require.Equal(t, p.DateOfBirth, *identity.DateOfBirth, k)
		require.Equal(t, p.Certified, has(registry.TraitCertified), k)
		require.Equal(t, !p.Certified, has(registry.TraitNotCertified), k)
		for trait, status := range statuses {
			require.Equal(t, p.Status == status, has(trait), k)
		}
		stored := registry.EncodeBlocks(p)
		require.Equal(t, stored == "", has(registry.TraitBasicOnly), k)
		if has(registry.TraitAllScopes) {
			for _, kind := range "Ddaepjbmlrtsfi" { // the lines of every block
				require.Contains(t, "\n"+stored, "\n"+string(kind)+"\t")
			}
		}
		if has(registry.TraitMiddleName) {
			require.Greater(t, len(p.FullName), len(p.FirstName)+1+len(p.LastName), k)
		}
		if has(registry.TraitAccountDeleted) {
			require.True(t, has(registry.TraitNotCertified), k)
		}
		// On any day the population may be used.
		for _, day := range []string{"2026-03-10", "2026-11-20", "2031-01-01", "2041-12-31"} {
			at, err := models.ParseDate(day)
			require.NoError(t, err)
			age := p.DateOfBirth.AgeOn(at)
			require.Equal(t, age >= 1 && age <= 17, has(registry.TraitMinor), "%d on %s", k, day)
		}
	}
}

func TestTwinsDifferByAccentsOnly(t *testing.T) {
	t.Parallel()
	var accented, twin string
	for _, identity := range persons() {
		if slices.Contains(identity.Traits, registry.TraitAccentedName) {
			accented = identity.Name
		}
		if slices.Contains(identity.Traits, registry.TraitUnaccentedTwin) {
			twin = identity.Name
		}
	}
	require.NotEqual(t, accented, twin)
	require.Equal(t, strings.NewReplacer("é", "e", "è", "e").Replace(accented), twin)
}

func TestTheFirstPersonsAreAsPromised(t *testing.T) {
	t.Parallel()
	first := registry.Identities()[0]
	require.Equal(t, registry.KindPerson, first.Kind)
	for _, trait := range []registry.Trait{"certified", "account_active", "all_scopes", "middle_name"} {
		require.Contains(t, first.Traits, trait)
	}
	born := first.DateOfBirth
	require.True(t, born.Day <= 12 && time.Month(born.Day) != born.Month, "transposes to another date")
	require.NotEmpty(t, first.PhoneNumber)
}

func TestUnknownsCoverEveryIdentifierType(t *testing.T) {
	t.Parallel()
	all := registry.Identities()
	unknown := all[len(all)-1]
	require.Equal(t, registry.KindUnknown, unknown.Kind)
	var types []models.IdentifierType
	for _, id := range unknown.Identifiers {
		canonical, ok := id.Normalize()
		require.True(t, ok && canonical == id, id)
		types = append(types, id.Type)
	}
	require.Equal(t, append(models.PersonIdentifierTypes(), models.BusinessIdentifierTypes()...), types)
}

func TestIdentitiesHaveTheDocumentedJSON(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(registry.Identities())
	require.NoError(t, err)
	var all []map[string]any
	require.NoError(t, json.Unmarshal(text, &all))
	allowed := []string{"kind", "identifiers", "name", "date_of_birth", "registration_date", "phone_number", "selfie_url",
		"face_outcomes", "traits"}
	for _, identity := range all {
		for field := range identity {
			require.Contains(t, allowed, field)
		}
		require.IsType(t, []any{}, identity["traits"])
		require.NotEmpty(t, identity["name"])
	}
	again, err := json.Marshal(registry.Identities())
	require.NoError(t, err)
	require.Equal(t, string(text), string(again))
}
