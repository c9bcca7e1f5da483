package api_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/api"
	"idplatform/errs"
	"idplatform/models"
	"idplatform/platform/access"
)

func TestStatuses_EveryKindHasOne(t *testing.T) {
	t.Parallel()
	for _, code := range errs.Codes() {
		status, ok := api.Statuses[code.Kind()]
		require.True(t, ok, code)
		require.GreaterOrEqual(t, status, 400, code)
	}
	for code, status := range map[errs.Code]int{
		errs.InvalidRequest: 400, errs.DecryptionFailed: 400, errs.InvalidIdentifier: 400, errs.InvalidSignature: 401, errs.NonceReused: 401,
		errs.TimestampOutOfWindow: 401, errs.InsufficientBalance: 402, errs.CreditLimitReached: 402, errs.ScopeNotGranted: 403, errs.CertificateMismatch: 403,
		errs.ConsentRequired: 403, errs.NotFound: 404, errs.JobNotFound: 404, errs.BatchNotFound: 404, errs.MethodNotAllowed: 405,
		errs.IdempotencyConflict: 409, errs.BatchAlreadyFinished: 409, errs.InvalidTransition: 409, errs.PayloadTooLarge: 413, errs.BatchTooLarge: 413,
		errs.IdempotencyKeyReused: 422, errs.LivenessFailed: 422, errs.EvidenceRejected: 422, errs.SimulationUnknownImage: 422, errs.RateLimited: 429,
		errs.QuotaExceeded: 429, errs.BatchQuotaExceeded: 429, errs.InternalError: 500, errs.RegistryUnavailable: 502, errs.AsyncUnavailable: 503,
	} {
		require.Equal(t, status, api.Statuses[code.Kind()], code)
	}
}

// nobody knows no caller and remembers nothing.
type nobody struct{ asked int }

func (n *nobody) Find(context.Context, string, models.Timestamp) (*access.Caller, error) {
	n.asked++
	return &access.Caller{}, nil
}

func (n *nobody) Spend(context.Context, models.ApplicationID, []byte, models.Timestamp) (bool, error) {
	return true, nil
}

type unmetered struct{}

func (unmetered) Spend(context.Context, models.ApplicationID, *access.Pair, int64) error { return nil }

// Whatever the headers and the body of somebody whom nobody knows: one of the plain refusals, never a panic, never a
// word of the inside.
func FuzzSignatureHeaders(f *testing.F) {
	now := time.Unix(1_795_000_000, 0)
	caller := &nobody{}
	server, err := api.New(config(caller, now))
	require.NoError(f, err)
	for _, seed := range [][6]string{
		{"GET", "/v1/x", "pk_sandbox_" + strings.Repeat("0", 24), strconv.FormatInt(now.Unix(), 10), "00000000-0000-4000-8000-000000000000", strings.Repeat("0", 64)},
		{"POST", "/v1/", "", "", "", ""}, {"post", "/v1/%2f%00", "\xff", "-1", "{}", "é"}, {"X", "/v1//a?b=%zz&c", " ", "1e9", strings.Repeat("-", 36), "="},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3], seed[4], seed[5], "AAAAAAAAAAAAAAAA", []byte(`{"ciphertext":"AAAA"}`))
	}
	refusals := []string{"invalid_signature", "timestamp_out_of_window", "not_found", "method_not_allowed"}
	f.Fuzz(func(t *testing.T, method, target, keyID, timestamp, nonce, signature, iv string, body []byte) {
		request, err := http.NewRequest(method, "http://x/v1/x", strings.NewReader(string(body)))
		if err != nil || !strings.HasPrefix(target, "/") {
			return
		}
		request.RequestURI = target
		request.URL.Path = target
		for name, value := range map[string]string{"X-Platform-Key-Id": keyID, "X-Platform-Timestamp": timestamp, "X-Platform-Nonce": nonce,
			"X-Platform-Signature": signature, "X-Platform-IV": iv} {
			request.Header[http.CanonicalHeaderKey(name)] = []string{value}
		}
		answer := httptest.NewRecorder()
		server.ServeHTTP(answer, request)
		if answer.Code == http.StatusOK { // the pages that anybody may see
			return
		}
		var problem struct {
			Error     string
			RequestID string `json:"request_id"`
		}
		require.NoError(t, json.Unmarshal(answer.Body.Bytes(), &problem))
		require.True(t, slices.Contains(refusals, problem.Error), "%d %s", answer.Code, answer.Body)
		require.True(t, models.IsID("req_", problem.RequestID))
		require.Empty(t, answer.Header().Get("X-Platform-IV"))
	})
}

func discard() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }
