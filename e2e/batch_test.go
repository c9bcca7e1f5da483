package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/client"
	"idplatform/e2e/e2etest"
	"idplatform/engines/registry"
)

const batches = validations + "/batches"

// item is a valid item of a batch about a citizen, with changes.
func item(k int, reference string, changes object) object {
	o := kyc(k, changes)
	o["reference"] = reference
	return o
}

// bareItem leaves to its batch what it can.
func bareItem(k int, reference string, changes object) object {
	o := item(k, reference, object{"purpose": nil, "scopes": nil})
	for name, value := range changes {
		o[name] = value
	}
	return o
}

// submit sends a batch that succeeds as a whole and gives its entries.
func submit(t *testing.T, c *client.Client, body any) []object {
	t.Helper()
	list := post(t, c, batches, body)
	require.Equal(t, "list", list["object"])
	require.Nil(t, list["next_cursor"])
	require.Contains(t, list, "next_cursor")
	var entries []object
	for _, each := range list["data"].([]any) {
		entries = append(entries, each.(object))
	}
	return entries
}

func requireFailed(t *testing.T, entry object, reference any, code string) {
	t.Helper()
	require.Equal(t, "failed", entry["status"], "%v", entry)
	require.Equal(t, reference, entry["reference"])
	require.Equal(t, code, entry["error"].(object)["code"])
	require.NotEmpty(t, entry["error"].(object)["message"])
	require.NotContains(t, entry, "result")
}

func requireSucceeded(t *testing.T, entry object, reference string) object {
	t.Helper()
	require.Equal(t, "succeeded", entry["status"], "%v", entry)
	require.Equal(t, reference, entry["reference"])
	require.NotContains(t, entry, "error")
	result := entry["result"].(object)
	require.Equal(t, reference, result["reference"])
	return result
}

// What is wrong with the batch as a whole refuses it, with every fault of it.
func TestBatch_WholeRefused(t *testing.T) {
	t.Parallel()
	e2etest.Each(t, func(t *testing.T, p *e2etest.Platform) {
		a := p.NewApplication()
		sdk := a.Client()
		good := string(text(t, item(0, "1", nil)))
		for _, c := range []struct {
			name, body string
			fields     []string
		}{
			{"NoBody", ``, []string{"body"}},
			{"NoJSON", `{"items":[` + good + `]`, []string{"body"}},
			{"Array", `[` + good + `]`, []string{"body"}},
			{"Text", `"items"`, []string{"body"}},
			{"Null", `null`, []string{"body"}},
			{"NoItems", `{}`, []string{"items"}},
			{"NoItemsButFields", `{"purpose":"age_gating"}`, []string{"items"}},
			{"ItemsNull", `{"items":null}`, []string{"items"}},
			{"ItemsEmpty", `{"items":[]}`, []string{"items"}},
			{"ItemsObject", `{"items":{"0":` + good + `}}`, []string{"items"}},
			{"ItemsText", `{"items":"1"}`, []string{"items"}},
			{"ItemsTwice", `{"items":[` + good + `],"items":[` + good + `]}`, []string{"items"}},
			{"ItemsOtherCase", `{"Items":[` + good + `]}`, []string{"Items", "items"}},
			{"Threshold", `{"items":[` + good + `],"threshold":0.9}`, []string{"threshold"}},
			{"Reason", `{"items":[` + good + `],"reason":"because"}`, []string{"reason"}},
			{"Liveness", `{"items":[` + good + `],"liveness":"none"}`, []string{"liveness"}},
			{"Product", `{"items":[` + good + `],"product":"loan"}`, []string{"product"}},
			{"Reference", `{"items":[` + good + `],"reference":"r"}`, []string{"reference"}},
			{"Identifier", `{"items":[` + good + `],"identifier":{"type":"ceni","value":"1"}}`, []string{"identifier"}},
			{"Match", `{"items":[` + good + `],"match":{"age":18}}`, []string{"match"}},
			{"Mistyped", `{"items":[` + good + `],"scope":["kyc.emails"]}`, []string{"scope"}},
			{"LikeAnItemsPath", `{"items":[` + good + `],"items[0]":1,"items[0]":2}`, []string{"items[0]"}},
			{"PurposeNoText", `{"items":[` + good + `],"purpose":7}`, []string{"purpose"}},
			{"PurposeTwice", `{"items":[` + good + `],"purpose":"age_gating","purpose":"age_gating"}`, []string{"purpose"}},
			{"ScopesNoArray", `{"items":[` + good + `],"scopes":"kyc.emails"}`, []string{"scopes"}},
			{"ScopeNoText", `{"items":[` + good + `],"scopes":["kyc.emails",1]}`, []string{"scopes[1]"}},
			{"DeliveryUnknown", `{"items":[` + good + `],"document_delivery":"pigeon"}`, []string{"document_delivery"}},
			{"DeliveryNoText", `{"items":[` + good + `],"document_delivery":true}`, []string{"document_delivery"}},
			{"AllAtOnce", `{"items":[],"purpose":1,"scopes":{},"document_delivery":0,"reason":""}`,
				[]string{"document_delivery", "items", "purpose", "reason", "scopes"}},
		} {
			refused := refusal(t, sdk, http.MethodPost, batches, []byte(c.body))
			require.Equal(t, client.InvalidRequest, refused.Code, c.name)
			require.Equal(t, http.StatusBadRequest, refused.Status, c.name)
			require.Subset(t, c.fields, fields(refused), "%s: %v", c.name, refused.Fields)
			require.Subset(t, fields(refused), c.fields, "%s: %v", c.name, refused.Fields)
		}
		requireRows(t, p, a, 0)
	})
}

func TestBatch_Size(t *testing.T) {
	t.Parallel()
	e2etest.Each(t, func(t *testing.T, p *e2etest.Platform) {
		a := p.NewApplication()
		sdk := a.Client()
		var items []any
		for i := range 51 {
			items = append(items, item(i, fmt.Sprint(i), nil))
		}
		refused := refusal(t, sdk, http.MethodPost, batches, text(t, object{"items": items}))
		require.Equal(t, client.BatchTooLarge, refused.Code)
		require.Equal(t, http.StatusRequestEntityTooLarge, refused.Status)
		refused = refusal(t, sdk, http.MethodPost, batches, text(t, object{"items": items, "reason": "x"}))
		require.Equal(t, client.InvalidRequest, refused.Code, "the shape is judged before the size")
		requireRows(t, p, a, 0)

		entries := submit(t, sdk, object{"items": items[:50]})
		require.Len(t, entries, 50)
		for i, entry := range entries {
			require.Equal(t, fmt.Sprint(i), entry["reference"], "the order is that of submission")
			require.Equal(t, "succeeded", entry["status"])
		}
		requireRows(t, p, a, 50)
		require.Len(t, submit(t, sdk, object{"items": items[:1]}), 1)
	})
}

// What stands at the batch holds for the items that do not say otherwise; null says nothing.
func TestBatch_Inheritance(t *testing.T) {
	t.Parallel()
	e2etest.Each(t, func(t *testing.T, p *e2etest.Platform) {
		full := citizenWith(t, registry.TraitCertified, registry.TraitAllScopes)
		grants := granted(p)
		grants.Purposes = []string{"age_gating", "fraud_prevention"}
		sdk := p.NewApplicationWith(grants).Client()
		for _, c := range []struct {
			name    string
			batch   object
			item    object
			purpose string
			applied []string
		}{
			{"PurposeInherited", object{"purpose": "age_gating"}, object{"scopes": []string{}}, "age_gating", nil},
			{"PurposeOverridden", object{"purpose": "age_gating"}, object{"purpose": "fraud_prevention", "scopes": []string{}}, "fraud_prevention", nil},
			{"PurposeNullInItem", object{"purpose": "age_gating"}, object{"purpose": nil, "scopes": []string{}}, "age_gating", nil},
			{"PurposeNullAtBatch", object{"purpose": nil}, object{"purpose": "fraud_prevention", "scopes": []string{}}, "fraud_prevention", nil},
			{"PurposeNotApprovedAtBatchButOverridden", object{"purpose": "employment_screening"}, object{"purpose": "age_gating", "scopes": []string{}}, "age_gating", nil},
			{"ScopesInherited", object{"purpose": "age_gating", "scopes": []string{"kyc.emails"}}, nil, "age_gating", []string{"kyc.emails"}},
			{"ScopesOverridden", object{"purpose": "age_gating", "scopes": []string{"kyc.emails"}}, object{"scopes": []string{"kyc.languages"}}, "age_gating", []string{"kyc.languages"}},
			{"ScopesOverriddenByNone", object{"purpose": "age_gating", "scopes": []string{"kyc.emails"}}, object{"scopes": []string{}}, "age_gating", nil},
			{"ScopesNullInItem", object{"purpose": "age_gating", "scopes": []string{"kyc.emails"}}, object{"scopes": nil}, "age_gating", []string{"kyc.emails"}},
			{"EmptyScopesInherited", object{"purpose": "age_gating", "scopes": []string{}}, nil, "age_gating", nil},
			{"ScopesNullAtBatch", object{"purpose": "age_gating", "scopes": nil}, object{"scopes": []string{"kyc.emails"}}, "age_gating", []string{"kyc.emails"}},
			{"ScopesNotGrantedAtBatchButOverridden", object{"purpose": "age_gating", "scopes": []string{"kyc.nothing"}}, object{"scopes": []string{"kyc.emails"}}, "age_gating", []string{"kyc.emails"}},
		} {
			t.Run(c.name, func(t *testing.T) {
				c.batch["items"] = []any{bareItem(full, "1", c.item)}
				result := requireSucceeded(t, submit(t, sdk, c.batch)[0], "1")
				require.Equal(t, c.purpose, result["purpose"])
				require.Equal(t, anys(append([]string{"kyc.basic"}, c.applied...)), result["scopes_applied"])
			})
		}
		t.Run("Delivery", func(t *testing.T) {
			entries := submit(t, sdk, object{"purpose": "age_gating", "scopes": []string{"kyc.documents.primary"}, "document_delivery": "base64",
				"items": []any{bareItem(full, "inherits", nil), bareItem(full, "overrides", object{"document_delivery": "signed_url"}),
					bareItem(full, "null", object{"document_delivery": nil})}})
			for _, name := range []string{"inherits", "overrides", "null"} {
				result := requireSucceeded(t, entries[map[string]int{"inherits": 0, "overrides": 1, "null": 2}[name]], name)
				image := result["kyc"].(object)["documents"].(object)["primary"].(object)["image"].(object)
				if name == "overrides" {
					require.Contains(t, image, "url")
					require.NotContains(t, image, "data")
				} else {
					require.Contains(t, image, "data")
					require.NotContains(t, image, "url")
				}
			}
		})
	})
}

// What is wrong with an item is that item's alone, and every item stands in its place.
func TestBatch_ItemsFailAlone(t *testing.T) {
	t.Parallel()
	e2etest.Each(t, func(t *testing.T, p *e2etest.Platform) {
		grants := granted(p, "kyc.religion")
		grants.Purposes = []string{"age_gating"}
		a := p.NewApplicationWith(grants)
		sdk := a.Client()
		id := string(text(t, kyc(0, nil)["identifier"]))
		long, longest := strings.Repeat("é", 256), strings.Repeat("é", 255)
		for _, c := range []struct {
			name, item string
			reference  any
			code       string // empty: it succeeds
		}{
			{"Null", `null`, nil, "invalid_request"},
			{"Number", `7`, nil, "invalid_request"},
			{"Text", `"item"`, nil, "invalid_request"},
			{"Array", `[{"reference":"a"}]`, nil, "invalid_request"},
			{"Empty", `{}`, nil, "invalid_request"},
			{"NoReference", `{"identifier":` + id + `}`, nil, "invalid_request"},
			{"ReferenceNull", `{"identifier":` + id + `,"reference":null}`, nil, "invalid_request"},
			{"ReferenceEmpty", `{"identifier":` + id + `,"reference":""}`, nil, "invalid_request"},
			{"ReferenceTooLong", `{"identifier":` + id + `,"reference":"` + long + `"}`, nil, "invalid_request"},
			{"ReferenceNumber", `{"identifier":` + id + `,"reference":7}`, nil, "invalid_request"},
			{"ReferenceList", `{"identifier":` + id + `,"reference":["r"]}`, nil, "invalid_request"},
			{"LongestReference", `{"identifier":` + id + `,"reference":"` + longest + `"}`, longest, ""},
			{"DuplicateKey", `{"identifier":` + id + `,"reference":"dup","scopes":[],"scopes":[]}`, "dup", "invalid_request"},
			{"DuplicateKeyInside", `{"identifier":{"type":"ceni","type":"ceni","value":"1"},"reference":"inside"}`, "inside", "invalid_request"},
			{"UnknownField", `{"identifier":` + id + `,"reference":"unknown","scope":[]}`, "unknown", "invalid_request"},
			{"Nested", `{"identifier":` + id + `,"reference":"nested","items":[]}`, "nested", "invalid_request"},
			{"IllTyped", `{"identifier":` + id + `,"reference":"typed","scopes":{}}`, "typed", "invalid_request"},
			{"OwnPurposeNoText", `{"identifier":` + id + `,"reference":"number","purpose":7}`, "number", "invalid_request"},
			{"NoIdentifier", `{"reference":"nobody"}`, "nobody", "invalid_request"},
			{"MalformedIdentifier", `{"identifier":{"type":"ceni","value":"1"},"reference":"malformed"}`, "malformed", "invalid_identifier"},
			{"OtherType", `{"identifier":{"type":"rccm","value":"1"},"reference":"rccm"}`, "rccm", "unsupported_identifier_type"},
			{"PurposeNotApproved", `{"identifier":` + id + `,"reference":"purpose","purpose":"credit_assessment"}`, "purpose", "purpose_not_approved"},
			{"ScopeNotGranted", `{"identifier":` + id + `,"reference":"scope","scopes":["kyc.religion"]}`, "scope", "scope_not_granted"},
			{"Good", `{"identifier":` + id + `,"reference":"good"}`, "good", ""},
			{"Repeated", `{"identifier":` + id + `,"reference":"good"}`, "good", "invalid_request"},
			{"RepeatsOneThatFailed", `{"identifier":` + id + `,"reference":"malformed"}`, "malformed", "invalid_request"},
			{"OtherCase", `{"identifier":` + id + `,"reference":"GOOD"}`, "GOOD", ""},
			{"Spaced", `{"identifier":` + id + `,"reference":" good"}`, " good", ""},
		} {
			t.Run(c.name, func(t *testing.T) {
				body := `{"purpose":"age_gating","scopes":[],"items":[` + string(text(t, bareItem(1, "before", nil))) + `,` +
					`{"identifier":` + id + `,"reference":"malformed"},{"identifier":` + id + `,"reference":"good"},` +
					c.item + `,` + string(text(t, bareItem(2, "after", nil))) + `]}`
				if c.name == "MalformedIdentifier" || c.name == "Good" {
					body = strings.Replace(body, `{"identifier":`+id+`,"reference":"malformed"},{"identifier":`+id+`,"reference":"good"},`, ``, 1)
				}
				entries := submit(t, sdk, body)
				requireSucceeded(t, entries[0], "before")
				requireSucceeded(t, entries[len(entries)-1], "after")
				if entry := entries[len(entries)-2]; c.code != "" {
					requireFailed(t, entry, c.reference, c.code)
				} else {
					requireSucceeded(t, entry, c.reference.(string))
				}
			})
		}
		t.Run("NoPurposeAnywhere", func(t *testing.T) {
			entries := submit(t, sdk, object{"items": []any{bareItem(0, "none", nil), bareItem(1, "own", object{"purpose": "age_gating"})}})
			requireFailed(t, entries[0], "none", "invalid_request")
			requireSucceeded(t, entries[1], "own")
		})
		t.Run("AllFail", func(t *testing.T) {
			entries := submit(t, sdk, object{"purpose": "employment_screening", "items": []any{bareItem(0, "1", nil), bareItem(1, "2", nil)}})
			requireFailed(t, entries[0], "1", "purpose_not_approved")
			requireFailed(t, entries[1], "2", "purpose_not_approved")
		})
	})
}
