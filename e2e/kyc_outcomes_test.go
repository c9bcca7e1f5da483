package e2e_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/e2e/e2etest"
	"idplatform/engines/registry"
	"idplatform/models"
)

// Every identifier that names a citizen finds that citizen, however it is spaced; the answer is, field by field, what
// the register holds.
func TestKYC_IdentifierTypes(t *testing.T) {
	t.Parallel()
	e2etest.Each(t, func(t *testing.T, p *e2etest.Platform) {
		sdk := p.NewApplication().Client()
		citizen := e2etest.Citizen(0)
		require.Len(t, citizen.Identifiers, 5)
		for _, id := range citizen.Identifiers {
			for name, value := range map[string]string{
				"AsRegistered": id.Value, "Bare": bare(id.Value), "Spaced": spread(id.Value, " "), "Dashed": spread(id.Value, "-"), "Sloppy": "  " + spread(id.Value, " - ") + " -",
			} {
				t.Run(string(id.Type)+name, func(t *testing.T) {
					got := post(t, sdk, validations, kyc(0, object{"identifier": object{"type": id.Type, "value": value}}))
					requireVerified(t, p, got, citizen, object{"identifier": object{"type": string(id.Type), "value": id.Value}})
				})
			}
		}
	})
}

func bare(value string) string {
	out := ""
	for _, r := range value {
		if r != '-' && r != ' ' {
			out += string(r)
		}
	}
	return out
}

func spread(value, by string) string {
	out := ""
	for i, r := range bare(value) {
		if i > 0 && i%3 == 0 {
			out += by
		}
		out += string(r)
	}
	return out
}

// requireVerified compares an answer of basic KYC with the record; changes are what else the answer has.
func requireVerified(t *testing.T, p *e2etest.Platform, got object, citizen registry.Record, changes object) {
	t.Helper()
	person := citizen.Person
	want := envelope(t, p, got, "kyc_", "kyc_validation")
	want["result"], want["certified_account"] = "verified", true
	want["identifier"] = object{"type": "platform_id", "value": person.PlatformID}
	want["account"] = account(person)
	want["kyc"] = object{"basic": basic(person, p.Clock.Now())}
	want["match"] = object{"full_name": "not_provided", "date_of_birth": "not_provided", "age": "not_provided", "score": nil}
	want["scopes_applied"], want["scopes_withheld"] = []string{"kyc.basic"}, []string{}
	requireSame(t, want, got, changes)
}

// envelope is what every result has, with the id and time of got once they are seen to be right.
func envelope(t *testing.T, p *e2etest.Platform, got object, prefix, of string) object {
	t.Helper()
	id, _ := got["id"].(string)
	require.True(t, models.IsID(prefix, id), id)
	made, _ := got["created_at"].(string)
	at, err := time.Parse("2006-01-02T15:04:05.000Z", made)
	require.NoError(t, err, "timestamps are RFC 3339 in UTC with milliseconds")
	require.WithinDuration(t, p.Clock.Now(), at, time.Minute)
	return object{"id": id, "object": of, "livemode": false, "reference": nil, "status": "completed",
		"purpose": "customer_onboarding", "created_at": made}
}

func requireSame(t *testing.T, want, got, changes object) {
	t.Helper()
	for name, value := range changes {
		want[name] = value
	}
	have, err := json.Marshal(got)
	require.NoError(t, err)
	require.JSONEq(t, string(text(t, want)), string(have))
}

func account(p registry.Person) object {
	return object{"platform_id": p.PlatformID, "status": p.Status, "certified": p.Certified,
		"created_at": p.CreatedAt.UTC().Format("2006-01-02T15:04:05.000Z"), "level_of_assurance": p.LevelOfAssurance}
}

func basic(p registry.Person, now time.Time) object {
	return object{"full_name": p.FullName, "first_name": p.FirstName, "last_name": p.LastName,
		"date_of_birth": p.DateOfBirth.String(), "age": wholeYears(p.DateOfBirth, now), "gender": p.Gender, "nationality": p.Nationality}
}

// wholeYears counts birthdays, one by one.
func wholeYears(born models.Date, now time.Time) int {
	today := now.UTC().Format(time.DateOnly)
	years := 0
	for time.Date(born.Year+years+1, born.Month, born.Day, 0, 0, 0, 0, time.UTC).Format(time.DateOnly) <= today {
		years++
	}
	return years
}

func TestKYC_AccountStates(t *testing.T) {
	t.Parallel()
	e2etest.Each(t, func(t *testing.T, p *e2etest.Platform) {
		sdk := p.NewApplication().Client()
		for name, trait := range map[string]registry.Trait{"Active": registry.TraitAllScopes,
			"Suspended": registry.TraitAccountSuspended, "Paused": registry.TraitAccountPaused} {
			t.Run(name+"Verified", func(t *testing.T) {
				k := citizenWith(t, registry.TraitCertified, trait)
				requireVerified(t, p, post(t, sdk, validations, kyc(k, nil)), e2etest.Citizen(k), nil)
			})
		}
		for name, trait := range map[string]registry.Trait{"Uncertified": registry.TraitAccountActive, "Deleted": registry.TraitAccountDeleted} {
			t.Run(name+"NotCertified", func(t *testing.T) {
				k := citizenWith(t, registry.TraitNotCertified, trait)
				person := e2etest.Citizen(k).Person
				// Claims and scopes change nothing: there is nothing to compare with or to disclose.
				got := post(t, sdk, validations, kyc(k, object{"scopes": nil, "match": object{"full_name": person.FullName}}))
				requireSame(t, envelope(t, p, got, "kyc_", "kyc_validation"), got, object{
					"result": "not_certified", "certified_account": false, "account": account(person),
					"identifier":     object{"type": "platform_id", "value": person.PlatformID},
					"scopes_applied": []string{}, "scopes_withheld": []string{}})
			})
		}
		t.Run("UnknownNotFound", func(t *testing.T) {
			for _, of := range models.PersonIdentifierTypes() {
				id := unknown(t, of)
				got := post(t, sdk, validations, kyc(0, object{"scopes": nil, "identifier": id}))
				requireSame(t, envelope(t, p, got, "kyc_", "kyc_validation"), got, object{
					"result": "not_found", "certified_account": false, "identifier": id,
					"scopes_applied": []string{}, "scopes_withheld": []string{}})
			}
		})
	})
}

func TestKYC_EveryCitizen(t *testing.T) {
	t.Parallel()
	p := e2etest.Start(t, e2etest.Options{Driver: "sqlite"})
	sdk := p.NewApplicationWith(granted(p, fileScopes...)).Client()
	for k := range e2etest.Population {
		person := e2etest.Citizen(k).Person
		got := post(t, sdk, validations, kyc(k, object{"scopes": nil}))
		want := "verified"
		if !person.Certified || person.Status == models.AccountDeleted {
			want = "not_certified"
		}
		require.Equal(t, want, got["result"], "citizen %d", k)
		require.JSONEq(t, string(text(t, account(person))), string(text(t, got["account"])), "citizen %d", k)
	}
}

func TestKYC_Reference(t *testing.T) {
	t.Parallel()
	e2etest.Each(t, func(t *testing.T, p *e2etest.Platform) {
		sdk := p.NewApplication().Client()
		for name, reference := range map[string]string{
			"Plain": "order-1", "OneCharacter": "é", "Longest": strings.Repeat("𝒳", 255), "Markup": `<b>&"\` + "\u2028\t'", "Spaces": "  kept  ",
		} {
			t.Run(name, func(t *testing.T) {
				got := post(t, sdk, validations, kyc(0, object{"reference": reference}))
				require.Equal(t, reference, got["reference"])
			})
		}
		t.Run("Escaped", func(t *testing.T) {
			body := strings.Replace(string(text(t, kyc(0, object{"reference": "@"}))), "@", `\ud83d\udE00\\ud83d\u00e9\/`, 1)
			require.Equal(t, "😀\\ud83dé/", post(t, sdk, validations, body)["reference"])
		})
		t.Run("NullIsAbsent", func(t *testing.T) {
			body := `{"identifier":{"type":"platform_id","value":"` + e2etest.Citizen(0).Person.PlatformID +
				`"},"purpose":"customer_onboarding","reference":null,"match":null,"scopes":[],"document_delivery":null}`
			requireVerified(t, p, post(t, sdk, validations, body), e2etest.Citizen(0), nil)
		})
		t.Run("NullScopesAreAllGranted", func(t *testing.T) {
			narrow := p.NewApplicationWith(granted(p, fileScopes...)).Client()
			body := `{"identifier":{"type":"platform_id","value":"` + e2etest.Citizen(0).Person.PlatformID +
				`"},"purpose":"customer_onboarding","scopes":null,"match":{"full_name":null,"age":null,"date_of_birth":null}}`
			got := post(t, narrow, validations, body)
			require.Greater(t, len(got["scopes_applied"].([]any)), 5)
			require.Nil(t, got["match"].(object)["score"])
		})
	})
}
