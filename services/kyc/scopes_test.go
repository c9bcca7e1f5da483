package kyc_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/catalog"
	"idplatform/engines/registry"
)

// blocks names the block of each scope and tells how many records a citizen has of it: the elements of an array,
// one for an object. Emptied takes the data away.
var blocks = map[string]struct {
	path    []string
	records func(*registry.Person) int
	emptied func(*registry.Person)
}{
	"kyc.documents.primary": {[]string{"documents", "primary"}, one, func(p *registry.Person) { p.Documents.Primary = nil }},
	"kyc.documents.all":     {[]string{"documents", "others"}, func(p *registry.Person) int { return len(p.Documents.Others) }, func(p *registry.Person) { p.Documents.Others = nil }},
	"kyc.addresses":         {[]string{"addresses"}, func(p *registry.Person) int { return len(p.Addresses) }, func(p *registry.Person) { p.Addresses = nil }},
	"kyc.emails":            {[]string{"emails"}, func(p *registry.Person) int { return len(p.Emails) }, func(p *registry.Person) { p.Emails = nil }},
	"kyc.phone_numbers":     {[]string{"phone_numbers"}, func(p *registry.Person) int { return len(p.PhoneNumbers) }, func(p *registry.Person) { p.PhoneNumbers = nil }},
	"kyc.professions":       {[]string{"professions"}, func(p *registry.Person) int { return len(p.Professions) }, func(p *registry.Person) { p.Professions = nil }},
	"kyc.place_of_birth":    {[]string{"place_of_birth"}, one, func(p *registry.Person) { p.PlaceOfBirth = nil }},
	"kyc.marital_status":    {[]string{"marital_status"}, one, func(p *registry.Person) { p.MaritalStatus = "" }},
	"kyc.languages":         {[]string{"languages"}, func(p *registry.Person) int { return len(p.Languages) }, func(p *registry.Person) { p.Languages = nil }},
	"kyc.religion":          {[]string{"religion"}, one, func(p *registry.Person) { p.Religion = "" }},
	"kyc.ethnicity":         {[]string{"ethnicity"}, one, func(p *registry.Person) { p.Ethnicity = "" }},
	"kyc.biometrics.selfie": {[]string{"biometrics", "selfie"}, one, func(p *registry.Person) { p.Selfie = nil }},
	"kyc.biometrics.fingerprint": {[]string{"biometrics", "fingerprints"}, func(p *registry.Person) int { return len(p.Fingerprints) },
		func(p *registry.Person) { p.Fingerprints = nil }},
	"kyc.biometrics.iris": {[]string{"biometrics", "iris"}, func(p *registry.Person) int { return len(p.Iris) }, func(p *registry.Person) { p.Iris = nil }},
}

func one(*registry.Person) int { return 1 }

func TestScopes_EachShowsItsBlockAndCountsItsRecords(t *testing.T) {
	t.Parallel()
	require.ElementsMatch(t, catalog.KYC.Names(), slices.Collect(maps.Keys(blocks)), "every scope is here")
	for scope, block := range blocks {
		person := citizen()
		result, reply := ask(t, register(person), invocation(person.PlatformID, nil, scope))
		shown := tree(t, result.KYC)
		require.Len(t, shown, 2, "%s: basic and its own block", scope)
		value := any(shown)
		for depth, name := range block.path {
			members := value.(map[string]any)
			if depth > 0 {
				require.Len(t, members, 1, scope)
			}
			require.Contains(t, members, name, scope)
			value = members[name]
		}
		if array, ok := value.([]any); ok {
			require.Len(t, array, block.records(person), scope)
		}
		require.Positive(t, block.records(person), scope)
		require.Equal(t, map[string]int{scope: block.records(person)}, reply.Records, scope)
		require.Equal(t, []string{"kyc.basic", scope}, result.ScopesApplied)
		require.Empty(t, result.ScopesWithheld)
		require.Equal(t, []catalog.Lookup{{PlatformID: person.PlatformID, Scopes: result.ScopesApplied}}, reply.Lookups)

		block.emptied(person)
		result, reply = ask(t, register(person), invocation(person.PlatformID, nil, scope))
		require.Len(t, tree(t, result.KYC), 1, "%s: nothing on record", scope)
		require.Empty(t, reply.Records, scope)
		require.Equal(t, []string{"kyc.basic"}, result.ScopesApplied)
		require.Equal(t, []string{scope}, result.ScopesWithheld)
	}
}

func TestScopes_AppliedAndWithheldKeepTheOrderOfTheFamily(t *testing.T) {
	t.Parallel()
	person := citizen()
	all := catalog.KYC.Names()
	result, reply := ask(t, register(person), invocation(person.PlatformID, nil, all...))
	require.Equal(t, append([]string{"kyc.basic"}, all...), result.ScopesApplied)
	require.Equal(t, []string{}, result.ScopesWithheld)
	require.Len(t, reply.Records, len(all))

	var applied, withheld []string
	for i, scope := range all {
		if i%2 == 0 {
			blocks[scope].emptied(person)
			withheld = append(withheld, scope)
		} else {
			applied = append(applied, scope)
		}
	}
	result, _ = ask(t, register(person), invocation(person.PlatformID, nil, all...))
	require.Equal(t, append([]string{"kyc.basic"}, applied...), result.ScopesApplied)
	require.Equal(t, withheld, result.ScopesWithheld)
}
