package e2e_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/e2e/e2etest"
	"idplatform/engines/registry"
)

func TestKYC_Match(t *testing.T) {
	t.Parallel()
	e2etest.Each(t, func(t *testing.T, p *e2etest.Platform) {
		sdk := p.NewApplication().Client()
		k := citizenWith(t, registry.TraitCertified, registry.TraitMiddleName)
		person := e2etest.Citizen(k).Person // Bienvenu Tshilumba Kayembe, 1987-04-09
		require.Equal(t, "1987-04-09", person.DateOfBirth.String())
		age := wholeYears(person.DateOfBirth, p.Clock.Now())
		for _, c := range []struct {
			name                string
			claims              object
			full, born, years   string
			scoreFrom, scoreTo  float64
			withoutAnyProvision bool
		}{
			{"AllMatch", object{"full_name": person.FullName, "date_of_birth": "1987-04-09", "age": age}, "match", "match", "match", 1, 1, false},
			{"NameInOtherOrderAndCase", object{"full_name": "KAYEMBE bienvenu Tshilumba"}, "match", "not_provided", "not_provided", 0.9, 1, false},
			{"NameWithAccents", object{"full_name": "Bienvénu Tshilumba Kayembé"}, "match", "not_provided", "not_provided", 0.9, 1, false},
			{"MiddleNameMissing", object{"full_name": "Bienvenu Kayembe"}, "partial_match", "not_provided", "not_provided", 0.6, 0.9, false},
			{"AnotherName", object{"full_name": "Jean Mukendi"}, "no_match", "not_provided", "not_provided", 0, 0.6, false},
			{"DayAndMonthTransposed", object{"date_of_birth": "1987-09-04"}, "not_provided", "partial_match", "not_provided", 0.6, 0.9, false},
			{"AnotherDate", object{"date_of_birth": "1961-12-30"}, "not_provided", "no_match", "not_provided", 0, 0.6, false},
			{"AnotherAge", object{"age": age + 20}, "not_provided", "not_provided", "no_match", 0, 0.6, false},
			{"AgeNought", object{"age": 0}, "not_provided", "not_provided", "no_match", 0, 0.6, false},
			{"ScoreIsTheMean", object{"date_of_birth": "1987-04-09", "age": age + 20}, "not_provided", "match", "no_match", 0.4, 0.6, false},
			{"NoClaims", object{}, "not_provided", "not_provided", "not_provided", 0, 0, true},
		} {
			t.Run(c.name, func(t *testing.T) {
				got := post(t, sdk, validations, kyc(k, object{"match": c.claims}))
				match := got["match"].(object)
				require.Equal(t, []any{c.full, c.born, c.years}, []any{match["full_name"], match["date_of_birth"], match["age"]})
				if c.withoutAnyProvision {
					require.Nil(t, match["score"])
					return
				}
				require.GreaterOrEqual(t, match["score"], c.scoreFrom)
				require.LessOrEqual(t, match["score"], c.scoreTo)
				requireVerified(t, p, got, e2etest.Citizen(k), object{"match": match})
			})
		}
		t.Run("TwinsDifferByAccentsOnly", func(t *testing.T) {
			for _, trait := range []registry.Trait{registry.TraitAccentedName, registry.TraitUnaccentedTwin} {
				got := post(t, sdk, validations, kyc(citizenWith(t, trait), object{"match": object{"full_name": "Hélène Ngalula Kabasélé"}}))
				require.Equal(t, "match", got["match"].(object)["full_name"])
			}
		})
		t.Run("EighteenPointNoughtIsAnInteger", func(t *testing.T) {
			for _, written := range []string{"18.0", "1.8e1", "180e-1", "18.000"} {
				body := `{"identifier":{"type":"platform_id","value":"` + person.PlatformID + `"},"purpose":"customer_onboarding","scopes":[],"match":{"age":` + written + `}}`
				require.Equal(t, "no_match", post(t, sdk, validations, body)["match"].(object)["age"], written)
			}
		})
	})
}
