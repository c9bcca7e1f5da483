package e2e_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/client"
	"idplatform/e2e/e2etest"
	"idplatform/engines/registry"
)

// plainScopes are the KYC scopes whose blocks hold no files, in the order of the specification.
var plainScopes = []string{"kyc.addresses", "kyc.emails", "kyc.phone_numbers", "kyc.professions", "kyc.place_of_birth",
	"kyc.marital_status", "kyc.languages", "kyc.religion", "kyc.ethnicity"}

// blocks are a citizen's blocks of the plain scopes, as the specification shapes them.
func blocks(p registry.Person) object {
	return object{"kyc.addresses": p.Addresses, "kyc.emails": p.Emails, "kyc.phone_numbers": p.PhoneNumbers,
		"kyc.professions": p.Professions, "kyc.place_of_birth": p.PlaceOfBirth, "kyc.marital_status": p.MaritalStatus,
		"kyc.languages": p.Languages, "kyc.religion": p.Religion, "kyc.ethnicity": p.Ethnicity}
}

func TestKYC_Scopes(t *testing.T) {
	t.Parallel()
	e2etest.Each(t, func(t *testing.T, p *e2etest.Platform) {
		sdk := p.NewApplicationWith(granted(p, fileScopes...)).Client()
		full := citizenWith(t, registry.TraitCertified, registry.TraitAllScopes)
		bareOne := citizenWith(t, registry.TraitCertified, registry.TraitBasicOnly)
		for _, c := range []struct {
			name              string
			citizen           int
			scopes            any
			applied, withheld []string
		}{
			{"DefaultIsAllGranted", full, nil, plainScopes, nil},
			{"EmptyIsBasicOnly", full, []string{}, nil, nil},
			{"BasicAlone", full, []string{"kyc.basic"}, nil, nil},
			{"Narrowed", full, []string{"kyc.emails"}, []string{"kyc.emails"}, nil},
			{"OrderIsTheSpecifications", full, []string{"kyc.ethnicity", "kyc.emails", "kyc.addresses"}, []string{"kyc.addresses", "kyc.emails", "kyc.ethnicity"}, nil},
			{"RepeatedCountsOnce", full, []string{"kyc.emails", "kyc.emails", "kyc.basic"}, []string{"kyc.emails"}, nil},
			{"NothingOnRecordIsWithheld", bareOne, nil, nil, plainScopes},
			{"NarrowedAndWithheld", bareOne, []string{"kyc.religion", "kyc.emails"}, nil, []string{"kyc.emails", "kyc.religion"}},
		} {
			t.Run(c.name, func(t *testing.T) {
				person := e2etest.Citizen(c.citizen)
				got := post(t, sdk, validations, kyc(c.citizen, object{"scopes": c.scopes}))
				shown := object{"basic": basic(person.Person, p.Clock.Now())}
				for _, scope := range c.applied {
					shown[strings.TrimPrefix(scope, "kyc.")] = blocks(person.Person)[scope]
				}
				requireVerified(t, p, got, person, object{"kyc": shown,
					"scopes_applied": append([]string{"kyc.basic"}, c.applied...), "scopes_withheld": append([]string{}, c.withheld...)})
			})
		}
	})
}

func TestKYC_ScopesRefused(t *testing.T) {
	t.Parallel()
	e2etest.Each(t, func(t *testing.T, p *e2etest.Platform) {
		selected := granted(p, "kyc.religion")
		notSelected := p.NewApplicationWith(selected).Client()
		notSubscribed := p.NewApplicationOf(selected, p.App.Admin.Everything()).Client()
		for _, c := range []struct {
			name, scope string
			sdk         *client.Client
		}{
			{"NotSelected", "kyc.religion", notSelected},
			{"NotSubscribed", "kyc.religion", notSubscribed},
			{"DoesNotExist", "kyc.shoe_size", notSelected},
			{"OfAnotherFamily", "kyb.officers", notSelected},
			{"OtherCase", "KYC.EMAILS", notSelected},
			{"Empty", "", notSelected},
			{"Spaced", "kyc.emails ", notSelected},
			{"SeveralInOne", "kyc.emails kyc.addresses", notSelected},
		} {
			t.Run(c.name, func(t *testing.T) {
				refused := refusal(t, c.sdk, http.MethodPost, validations, text(t, kyc(0, object{"scopes": []string{"kyc.emails", c.scope}})))
				require.Equal(t, client.ScopeNotGranted, refused.Code)
				require.Equal(t, http.StatusForbidden, refused.Status)
				require.Equal(t, c.scope, refused.Context["scope"])
			})
		}
		t.Run("DefaultLeavesThemOut", func(t *testing.T) {
			for _, sdk := range []*client.Client{
				p.NewApplicationWith(granted(p, append(fileScopes, "kyc.religion")...)).Client(),
				p.NewApplicationOf(granted(p, append(fileScopes, "kyc.religion")...), granted(p, fileScopes...)).Client(),
			} {
				got := post(t, sdk, validations, kyc(0, object{"scopes": nil}))
				require.NotContains(t, got["scopes_applied"], "kyc.religion")
				require.NotContains(t, got["scopes_withheld"], "kyc.religion")
				require.NotContains(t, got["kyc"], "religion")
			}
		})
	})
}

// Blocks with files: the file objects are those of the specification and hold nothing of the platform's inside.
func TestKYC_FileObjects(t *testing.T) {
	t.Parallel()
	e2etest.Each(t, func(t *testing.T, p *e2etest.Platform) {
		sdk := p.NewApplication().Client()
		answer, err := sdk.Do(t.Context(), http.MethodPost, validations, text(t, kyc(0, object{"scopes": fileScopes})))
		require.NoError(t, err)
		require.False(t, strings.Contains(string(answer.Body), `$file`), "the place where a file is kept is the platform's own")
		require.False(t, strings.Contains(string(answer.Body), `register/COD-`), "the place where a file is kept is the platform's own")
		shown := read(t, answer.Body)
		require.Equal(t, append([]any{"kyc.basic"}, anys(fileScopes)...), shown["scopes_applied"])
		image := shown["kyc"].(object)["documents"].(object)["primary"].(object)["image"].(object)
		require.Equal(t, e2etest.Citizen(0).Person.Documents.Primary.Image.ContentType, image["content_type"])
		require.True(t, strings.HasPrefix(image["url"].(string), p.URL+"/"), image["url"])
		require.NotEmpty(t, image["expires_at"])
	})
}

func anys(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}
