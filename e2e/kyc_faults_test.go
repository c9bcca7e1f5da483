package e2e_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/client"
	"idplatform/e2e/e2etest"
)

// Every fault of a body is named, all in one answer, and nothing of the body's values comes back.
func TestKYC_InvalidBodies(t *testing.T) {
	t.Parallel()
	e2etest.Each(t, func(t *testing.T, p *e2etest.Platform) {
		sdk := p.NewApplication().Client()
		const id = `"identifier":{"type":"platform_id","value":"COD-0000-0000-0000"}`
		const ok = id + `,"purpose":"customer_onboarding"`
		for _, c := range []struct {
			name, body string
			fields     []string
		}{
			{"Missing", ``, []string{"body"}},
			{"Blank", "  \n", []string{"body"}},
			{"NoJSON", `identifier=secret-value`, []string{"body"}},
			{"Truncated", `{` + ok, []string{"body"}},
			{"TwoValues", `{` + ok + `}{}`, []string{"body"}},
			{"TrailingComma", `{` + ok + `,}`, []string{"body"}},
			{"SingleQuotes", `{'purpose':'secret-value'}`, []string{"body"}},
			{"Comment", `{` + ok + `} // secret-value`, []string{"body"}},
			{"NaN", `{` + ok + `,"match":{"age":NaN}}`, []string{"body"}},
			{"NotUTF8", "{" + ok + ",\"reference\":\"\xff\xfe\"}", []string{"body"}},
			{"ByteOrderMark", "\ufeff{" + ok + "}", []string{"body"}},
			{"LoneSurrogate", `{` + ok + `,"reference":"\ud800"}`, []string{"body"}},
			{"SurrogatesSwapped", `{` + ok + `,"reference":"\udc00\ud800"}`, []string{"body"}},
			{"NUL", `{` + ok + `,"reference":"a\u0000b"}`, []string{"reference"}},
			{"TooDeep", strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000), []string{"body"}},
			{"Array", `[]`, []string{"body"}},
			{"Text", `"secret-value"`, []string{"body"}},
			{"Null", `null`, []string{"body"}},
			{"Empty", `{}`, []string{"identifier", "purpose"}},
			{"UnknownField", `{` + ok + `,"scope":["kyc.emails"]}`, []string{"scope"}},
			{"OtherCase", `{` + ok + `,"Reference":"secret-value"}`, []string{"Reference"}},
			{"UnknownInside", `{"identifier":{"type":"ceni","value":"1","note":"secret-value"},"purpose":"customer_onboarding"}`, []string{"identifier.note"}},
			{"IdentifierIsText", `{"identifier":"secret-value","purpose":"customer_onboarding"}`, []string{"identifier"}},
			{"IdentifierIsNull", `{"identifier":null,"purpose":"customer_onboarding"}`, []string{"identifier"}},
			{"IdentifierIsEmpty", `{"identifier":{},"purpose":"customer_onboarding"}`, []string{"identifier.type", "identifier.value"}},
			{"ValueIsNumber", `{"identifier":{"type":"ceni","value":12345678901},"purpose":"customer_onboarding"}`, []string{"identifier.value"}},
			{"PurposeIsNumber", `{` + id + `,"purpose":7}`, []string{"purpose"}},
			{"PurposeIsNull", `{` + id + `,"purpose":null}`, []string{"purpose"}},
			{"ScopesAreText", `{` + ok + `,"scopes":"kyc.emails"}`, []string{"scopes"}},
			{"ScopeIsNumber", `{` + ok + `,"scopes":["kyc.emails",3]}`, []string{"scopes[1]"}},
			{"ScopeIsNull", `{` + ok + `,"scopes":[null]}`, []string{"scopes[0]"}},
			{"TooManyScopes", `{` + ok + `,"scopes":["` + strings.Repeat(`kyc.emails","`, 64) + `kyc.emails"]}`, []string{"scopes"}},
			{"DeliveryUnknown", `{` + ok + `,"document_delivery":"carrier-pigeon"}`, []string{"document_delivery"}},
			{"ReferenceEmpty", `{` + ok + `,"reference":""}`, []string{"reference"}},
			{"ReferenceTooLong", `{` + ok + `,"reference":"` + strings.Repeat("é", 256) + `"}`, []string{"reference"}},
			{"ReferenceIsNumber", `{` + ok + `,"reference":42}`, []string{"reference"}},
			{"NameEmpty", `{` + ok + `,"match":{"full_name":""}}`, []string{"match.full_name"}},
			{"NameTooLong", `{` + ok + `,"match":{"full_name":"` + strings.Repeat("x", 201) + `"}}`, []string{"match.full_name"}},
			{"NoSuchDay", `{` + ok + `,"match":{"date_of_birth":"2023-02-29"}}`, []string{"match.date_of_birth"}},
			{"DateWithTime", `{` + ok + `,"match":{"date_of_birth":"1987-04-09T00:00:00Z"}}`, []string{"match.date_of_birth"}},
			{"DateEmpty", `{` + ok + `,"match":{"date_of_birth":""}}`, []string{"match.date_of_birth"}},
			{"AgeIsText", `{` + ok + `,"match":{"age":"18"}}`, []string{"match.age"}},
			{"AgeIsFraction", `{` + ok + `,"match":{"age":18.5}}`, []string{"match.age"}},
			{"AgeNegative", `{` + ok + `,"match":{"age":-1}}`, []string{"match.age"}},
			{"AgeHuge", `{` + ok + `,"match":{"age":1e3}}`, []string{"match.age"}},
			{"AgeOutOfRange", `{` + ok + `,"match":{"age":1e999}}`, []string{"match.age"}},
			{"AgeBeyondInt64", `{` + ok + `,"match":{"age":99999999999999999999}}`, []string{"match.age"}},
			{"AgeIsBoolean", `{` + ok + `,"match":{"age":true}}`, []string{"match.age"}},
			{"DuplicateKey", `{` + ok + `,"purpose":"customer_onboarding"}`, []string{"purpose"}},
			{"DuplicateKeyInside", `{"identifier":{"type":"ceni","type":"ceni","value":"1"},"purpose":"customer_onboarding"}`, []string{"identifier.type"}},
			{"DuplicateByEscape", `{` + ok + `,"purpos\u0065":"customer_onboarding"}`, []string{"purpose"}},
			{"AllAtOnce", `{"identifier":{"type":5},"scopes":{},"match":{"age":"x","full_name":""},"reference":"","reference":"","extra":1}`,
				[]string{"extra", "identifier.type", "identifier.value", "match.age", "match.full_name", "purpose", "reference", "reference", "scopes"}},
		} {
			t.Run(c.name, func(t *testing.T) {
				refused := refusal(t, sdk, http.MethodPost, validations, []byte(c.body))
				require.Equal(t, client.InvalidRequest, refused.Code)
				require.Equal(t, http.StatusBadRequest, refused.Status)
				require.ElementsMatch(t, c.fields, fields(refused), "%v", refused.Fields)
				require.NotContains(t, string(refused.Body), "secret-value")
				for _, f := range refused.Fields {
					require.NotEmpty(t, f.Problem)
				}
			})
		}
	})
}

func TestKYC_Identifiers(t *testing.T) {
	t.Parallel()
	e2etest.Each(t, func(t *testing.T, p *e2etest.Platform) {
		sdk := p.NewApplication().Client()
		for _, c := range []struct{ name, of, value, code string }{
			{"Business", "rccm", "CD/KIN/RCCM/14-B-01234", client.UnsupportedIdentifierType},
			{"Unheard", "library_card", "1", client.UnsupportedIdentifierType},
			{"EmptyType", "", "1", client.UnsupportedIdentifierType},
			{"OtherCaseType", "Passport", "OP1234567", client.UnsupportedIdentifierType},
			{"LowerCase", "passport", "op1234567", client.InvalidIdentifier},
			{"TooShort", "ceni", "1234567890", client.InvalidIdentifier},
			{"TooLong", "ceni", "123456789012", client.InvalidIdentifier},
			{"OtherDigits", "ceni", "١٢٣٤٥٦٧٨٩٠١", client.InvalidIdentifier},
			{"LineEnd", "ceni", "12345678901\n", client.InvalidIdentifier},
			{"Tab", "ceni", "123456\t78901", client.InvalidIdentifier},
			{"Empty", "ceni", "", client.InvalidIdentifier},
			{"OnlyDashes", "ceni", "- - -", client.InvalidIdentifier},
			{"Injection", "ceni", "1' OR '1'='1", client.InvalidIdentifier},
			{"Endless", "national_id", strings.Repeat("A", 1<<16), client.InvalidIdentifier},
		} {
			t.Run(c.name, func(t *testing.T) {
				refused := refusal(t, sdk, http.MethodPost, validations, text(t, kyc(0, object{"identifier": object{"type": c.of, "value": c.value}})))
				require.Equal(t, c.code, refused.Code)
				require.Equal(t, http.StatusBadRequest, refused.Status)
				if len(c.value) > 3 {
					require.NotContains(t, string(refused.Body), c.value)
				}
			})
		}
	})
}

// The first failing check answers, in the order that the protocol gives.
func TestKYC_OrderOfChecks(t *testing.T) {
	t.Parallel()
	e2etest.Each(t, func(t *testing.T, p *e2etest.Platform) {
		everything := p.App.Admin.Everything()
		noService, noPurpose := everything, everything
		noService.Services = nil
		noPurpose.Purposes = []string{"age_gating"}
		badIdentifier := object{"type": "ceni", "value": "x"}
		for _, c := range []struct {
			name string
			app  *e2etest.Application
			body object
			code string
		}{
			{"ServiceBeforeForm", p.NewApplicationWith(noService), object{}, client.ServiceNotEnabled},
			{"ServiceOfTheOrganisation", p.NewApplicationOf(noService, everything), kyc(0, nil), client.ServiceNotEnabled},
			{"FormBeforePurpose", p.NewApplicationWith(noPurpose), kyc(0, object{"extra": 1}), client.InvalidRequest},
			{"PurposeBeforeScopes", p.NewApplicationWith(noPurpose), kyc(0, object{"scopes": []string{"kyc.nothing"}}), client.PurposeNotApproved},
			{"PurposeUnheard", p.NewApplication(), kyc(0, object{"purpose": "curiosity"}), client.PurposeNotApproved},
			{"PurposeEmpty", p.NewApplication(), kyc(0, object{"purpose": ""}), client.PurposeNotApproved},
			{"ScopesBeforeIdentifier", p.NewApplication(), kyc(0, object{"scopes": []string{"kyc.nothing"}, "identifier": badIdentifier}), client.ScopeNotGranted},
			{"Identifier", p.NewApplication(), kyc(0, object{"identifier": badIdentifier}), client.InvalidIdentifier},
		} {
			t.Run(c.name, func(t *testing.T) {
				refused := refusal(t, c.app.Client(), http.MethodPost, validations, text(t, c.body))
				require.Equal(t, c.code, refused.Code)
			})
		}
		t.Run("ServiceOnGETToo", func(t *testing.T) {
			refused := refusal(t, p.NewApplicationWith(noService).Client(), http.MethodGet, validations+"/kyc_x", nil)
			require.Equal(t, client.ServiceNotEnabled, refused.Code)
		})
		t.Run("EveryPurpose", func(t *testing.T) {
			sdk := p.NewApplication().Client()
			for _, purpose := range everything.Purposes {
				require.Equal(t, purpose, post(t, sdk, validations, kyc(0, object{"purpose": purpose}))["purpose"])
			}
		})
	})
}
