package client_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/client"
)

func sampleRequest() client.KYCRequest {
	return client.KYCRequest{
		Identifier: client.Identifier{Type: client.CENI, Value: "10120301234"},
		Match:      &client.KYCClaims{FullName: "Joséphine Kabongo", DateOfBirth: "1990-02-04"},
		Purpose:    client.CustomerOnboarding,
		Reference:  "r-1",
	}
}

func TestValidateKYC_OK(t *testing.T) {
	t.Parallel()
	s := newServer(t, answer{body: verifiedJSON})
	got, err := overHTTP(t, s).ValidateKYC(t.Context(), sampleRequest())
	require.NoError(t, err)

	call := s.calls()[0]
	require.Equal(t, "POST /v1/kyc/validations", call.Method+" "+call.Target)
	require.JSONEq(t, `{"identifier":{"type":"ceni","value":"10120301234"},"match":{"full_name":"Joséphine Kabongo","date_of_birth":"1990-02-04"},
		"purpose":"customer_onboarding","reference":"r-1"}`, call.Body)

	require.Equal(t, "kyc_01jd7000000000000000000000", got.ID)
	require.Equal(t, client.KYCVerified, got.Result)
	require.Equal(t, "r-1", *got.Reference)
	require.True(t, got.CertifiedAccount)
	require.Equal(t, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), got.CreatedAt)
	require.Equal(t, []string{"kyc.basic"}, got.ScopesApplied)
	require.Equal(t, []string{"kyc.religion"}, got.ScopesWithheld)
	require.Equal(t, client.Match, got.Match.FullName)
	require.Equal(t, client.PartialMatch, got.Match.DateOfBirth)
	require.Equal(t, client.NotProvided, got.Match.Age)
	require.InDelta(t, 0.95, *got.Match.Score, 1e-9)
	require.Equal(t, "a_later_status", got.Account.Status, "an unknown value passes")
	require.Equal(t, "LOA3", got.Account.LevelOfAssurance)
	requireEveryBlock(t, got.KYC)
}

func requireEveryBlock(t *testing.T, p *client.Person) {
	t.Helper()
	require.Equal(t, client.BasicData{FullName: "Kabongo Mwamba Joséphine", FirstName: "Joséphine", LastName: "Kabongo",
		DateOfBirth: "1990-04-02", Age: 35, Gender: "female", Nationality: "COD"}, p.Basic)
	require.Equal(t, "http://127.0.0.1/f/1", p.Documents.Primary.Image.URL)
	require.NotNil(t, p.Documents.Primary.Image.ExpiresAt)
	require.Nil(t, p.Documents.Primary.ExpiresAt)
	require.Equal(t, "2031-01-01", *p.Documents.Others[0].ExpiresAt)
	require.Equal(t, "hi", string(p.Documents.Others[0].Image.Data))
	require.Equal(t, "Gombe", p.Addresses[0].Commune)
	require.Nil(t, p.Addresses[0].VerifiedAt)
	require.Equal(t, "j@example.cd", p.Emails[0].Address)
	require.Equal(t, "+243810000000", p.PhoneNumbers[0].Number)
	require.Equal(t, "Nurse", p.Professions[0].Title)
	require.Equal(t, client.PlaceOfBirth{Country: "COD", Province: "Kasaï", City: "Kananga"}, *p.PlaceOfBirth)
	require.Equal(t, "married", p.MaritalStatus)
	require.Equal(t, []string{"fr", "lua"}, p.Languages)
	require.Equal(t, "catholic", p.Religion)
	require.Equal(t, "Luba", p.Ethnicity)
	require.Equal(t, "hi", string(p.Biometrics.Selfie.File.Data))
	require.Equal(t, "right_thumb", p.Biometrics.Fingerprints[0].Finger)
	require.Equal(t, "left", p.Biometrics.Iris[0].Eye)
}

func TestValidateKYC_NotFoundIsAResult(t *testing.T) {
	t.Parallel()
	s := newServer(t, answer{body: `{"id":"kyc_1","object":"kyc_validation","status":"completed","result":"not_found","certified_account":false,
		"identifier":{"type":"ceni","value":"1"},"reference":null,"scopes_applied":[],"scopes_withheld":[],"purpose":"age_gating","created_at":"2026-01-01T00:00:00.000Z"}`})
	got, err := overHTTP(t, s).ValidateKYC(t.Context(), sampleRequest())
	require.NoError(t, err)
	require.Equal(t, client.KYCNotFound, got.Result)
	require.Nil(t, got.Account)
	require.Nil(t, got.KYC)
	require.Nil(t, got.Match)
	require.Nil(t, got.Reference)
}

func TestValidateKYC_NoScopesIsNotAllScopes(t *testing.T) {
	t.Parallel()
	request := client.KYCRequest{Identifier: client.Identifier{Type: client.CENI, Value: "1"}}
	require.NotContains(t, mustJSON(t, request), "scopes")
	request.Scopes = []string{}
	require.Contains(t, mustJSON(t, request), `"scopes":[]`)
}

func TestValidateKYC_ErrForbidden(t *testing.T) {
	t.Parallel()
	s := newServer(t, answer{status: 403, body: `{"error":"scope_not_granted","message":"No.","scope":"kyc.religion"}`})
	_, err := overHTTP(t, s).ValidateKYC(t.Context(), sampleRequest())
	require.True(t, client.IsCode(err, client.ScopeNotGranted))
	var e *client.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, "kyc.religion", e.Context["scope"])
}

func TestValidateKYC_ErrAsync(t *testing.T) {
	t.Parallel()
	s := newServer(t, answer{body: verifiedJSON})
	_, err := overHTTP(t, s).ValidateKYC(t.Context(), sampleRequest(), client.Async())
	require.ErrorContains(t, err, "asynchronous form")
	require.Empty(t, s.calls())
}

func TestValidateKYC_ErrNotTheExpectedJSON(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "null", "[]", `{"created_at":7}`} {
		_, err := overHTTP(t, newServer(t, answer{body: body})).ValidateKYC(t.Context(), sampleRequest())
		require.Error(t, err, body)
	}
}

func TestGetKYCValidation_OK(t *testing.T) {
	t.Parallel()
	s := newServer(t, answer{body: verifiedJSON})
	got, err := overHTTP(t, s).GetKYCValidation(t.Context(), "kyc_1/2?")
	require.NoError(t, err)
	require.Equal(t, client.KYCVerified, got.Result)
	require.Equal(t, "GET /v1/kyc/validations/kyc_1%2F2%3F", s.calls()[0].Method+" "+s.calls()[0].Target)
}

func TestGetKYCValidation_ErrEmptyID(t *testing.T) {
	t.Parallel()
	s := newServer(t, answer{body: verifiedJSON})
	_, err := overHTTP(t, s).GetKYCValidation(t.Context(), "")
	require.Error(t, err)
	require.Empty(t, s.calls())
}

func TestValidateKYCAsync_OK(t *testing.T) {
	t.Parallel()
	s := newServer(t, answer{status: http.StatusAccepted, body: `{"id":"job_1","object":"job","service":"kyc_validation","status":"pending","result_url":"/v1/jobs/job_1"}`})
	job, err := overHTTP(t, s).ValidateKYCAsync(t.Context(), sampleRequest())
	require.NoError(t, err)
	require.Equal(t, "job_1", job.ID)
	require.False(t, job.Finished())
	require.NoError(t, job.Err())
	require.Equal(t, "respond-async", s.calls()[0].Prefer)
	_, err = client.Decode[client.KYCValidation](job.Result)
	require.Error(t, err, "there is no result yet")
}

func TestValidateKYCBatch_OK(t *testing.T) {
	t.Parallel()
	s := newServer(t, answer{body: `{"object":"list","data":[{"reference":"r-1","status":"succeeded","result":` + verifiedJSON + `},
		{"reference":null,"status":"failed","error":{"code":"invalid_request","message":"reference is missing"}}],"next_cursor":null}`})
	got, err := overHTTP(t, s).ValidateKYCBatch(t.Context(), client.KYCBatchRequest{
		Purpose: client.CustomerOnboarding, Scopes: []string{}, Items: []client.KYCRequest{sampleRequest(), {}},
	})
	require.NoError(t, err)
	require.Equal(t, "/v1/kyc/validations/batches", s.calls()[0].Target)
	require.Contains(t, s.calls()[0].Body, `"scopes":[],"items":[`)
	require.Empty(t, s.calls()[0].Prefer)
	require.NoError(t, got.Data[0].Err())
	validation, err := client.Decode[client.KYCValidation](got.Data[0].Result)
	require.NoError(t, err)
	require.Equal(t, "Joséphine", validation.KYC.Basic.FirstName)
	require.True(t, client.IsCode(got.Data[1].Err(), client.InvalidRequest))
}

func TestSubmitKYCBatch_OK(t *testing.T) {
	t.Parallel()
	s := newServer(t, answer{status: http.StatusAccepted, body: `{"id":"bat_1","object":"batch","status":"pending","total_items":2,"completed_at":null}`})
	batch, err := overHTTP(t, s).SubmitKYCBatch(t.Context(), client.KYCBatchRequest{Items: []client.KYCRequest{sampleRequest()}},
		client.IdempotencyKey("0d8f7a4e-2f6c-4a7b-8a52-9f3f0d6b7c11"))
	require.NoError(t, err)
	require.Equal(t, 2, batch.TotalItems)
	require.False(t, batch.Finished())
	require.Equal(t, "respond-async", s.calls()[0].Prefer)
	require.Equal(t, "0d8f7a4e-2f6c-4a7b-8a52-9f3f0d6b7c11", s.calls()[0].Key)
}
