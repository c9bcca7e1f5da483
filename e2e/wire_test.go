package e2e_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/e2e/e2etest"
	"idplatform/models"
)

// requireRefused looks at an error as it came over the wire: status and code, request id in header and body, nothing
// cached, encrypted or plain as it must be.
func requireRefused(t *testing.T, answer *e2etest.Answer, status int, code string, encrypted bool) e2etest.Problem {
	t.Helper()
	problem := answer.Problem()
	require.Equal(t, code, problem.Code, "%s", answer.Body)
	require.Equal(t, status, answer.Status)
	require.Equal(t, encrypted, answer.Encrypted, "encrypted exactly when the request was authenticated")
	require.NotEmpty(t, problem.Message)
	require.True(t, models.IsID("req_", problem.RequestID), problem.RequestID)
	require.Equal(t, problem.RequestID, answer.First("X-Platform-Request-Id"))
	require.Equal(t, "application/json", answer.First("Content-Type"))
	require.Equal(t, "no-store", answer.First("Cache-Control"))
	return problem
}

func unauthenticated(t *testing.T, answer *e2etest.Answer, code string) e2etest.Problem {
	t.Helper()
	return requireRefused(t, answer, http.StatusUnauthorized, code, false)
}

// onSQLite is for what does not touch the database in any way of its own.
func onSQLite(t *testing.T) *e2etest.Platform {
	t.Helper()
	return e2etest.Start(t, e2etest.Options{Driver: "sqlite"})
}

func signed(t *testing.T, a *e2etest.Application) *e2etest.Request {
	t.Helper()
	return a.Signed(http.MethodPost, validations, text(t, kyc(0, nil)))
}
