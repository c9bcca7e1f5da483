package e2e_test

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/catalog"
	"idplatform/e2e/e2etest"
	"idplatform/errs"
	"idplatform/models"
)

const echoes = "/v1/echoes"

// echo is a service of the tests' own: it answers as its request says, and counts how often it was asked.
type echo struct {
	asked atomic.Int64
	// away makes its source unreachable.
	away atomic.Bool
	// A request that says wait announces itself and waits to be let go on.
	waiting, goOn chan struct{}
}

type echoRequest struct {
	Say       string         `json:"say" enum:"yes,wait,unreadable,forbidden,invalid,broken"`
	Purpose   models.Purpose `json:"purpose"`
	Reference *string        `json:"reference,omitempty" minLength:"1" maxLength:"255"`
}

// Common implements catalog.Request.
func (r *echoRequest) Common() catalog.Common {
	return catalog.Common{Purpose: r.Purpose, Reference: r.Reference}
}

// Validate implements catalog.Request.
func (r *echoRequest) Validate() []errs.Field { return nil }

// Normalize implements catalog.Request.
func (r *echoRequest) Normalize() error { return nil }

type echoResult struct {
	catalog.Envelope
	Said string `json:"said"`
}

func newEcho() *echo {
	return &echo{waiting: make(chan struct{}, 64), goOn: make(chan struct{})}
}

func (e *echo) operation() *catalog.Operation {
	return catalog.Define(catalog.Spec{Service: "echo", Object: "echo", IDPrefix: "echo_", Path: echoes, Event: "echo.completed",
		Title: "Echo", Description: "Answers as it is told."}, e)
}

// eachWithEcho runs a test on platforms that have the service.
func eachWithEcho(t *testing.T, test func(t *testing.T, p *e2etest.Platform, e *echo)) {
	t.Helper()
	for _, driver := range []string{"sqlite", "postgres"} {
		t.Run(driver, func(t *testing.T) {
			t.Parallel()
			e := newEcho()
			test(t, e2etest.Start(t, e2etest.Options{Driver: databaseDriver(driver), Operations: []*catalog.Operation{e.operation()}}), e)
		})
	}
}

// Load implements catalog.Service.
func (e *echo) Load(_ context.Context, calls []*catalog.Call[*echoRequest]) ([]string, error) {
	e.asked.Add(int64(len(calls)))
	said := make([]string, len(calls))
	for i, call := range calls {
		if said[i] = call.Request.Say; said[i] == "wait" {
			e.waiting <- struct{}{}
			<-e.goOn
		}
	}
	if e.away.Load() {
		return nil, errs.New(errs.RegistryUnavailable)
	}
	return said, nil
}

// Decide implements catalog.Service.
func (e *echo) Decide(_ context.Context, _ *catalog.Call[*echoRequest], said string) (*catalog.Answer[*echoResult], error) {
	switch said {
	case "unreadable":
		return nil, errs.New(errs.ImageUnreadable).With("hint", "one < two & more")
	case "forbidden":
		return nil, errs.New(errs.ConsentRequired)
	case "invalid":
		return nil, errs.New(errs.InvalidIdentifier)
	case "broken":
		return nil, errors.New("something broke")
	}
	return &catalog.Answer[*echoResult]{Result: &echoResult{Said: said}, Outcome: said}, nil
}

// once sends a signed request under an idempotency key.
func once(t *testing.T, p *e2etest.Platform, a *e2etest.Application, key, target string, body any) *e2etest.Answer {
	t.Helper()
	return p.Send(keyed(t, a, key, target, body))
}

func keyed(t *testing.T, a *e2etest.Application, key, target string, body any) *e2etest.Request {
	t.Helper()
	return a.Request(http.MethodPost, target, text(t, body)).Set("Idempotency-Key", key).Sign()
}

func say(word string) object {
	return object{"say": word, "purpose": "fraud_prevention", "reference": "a < b & c > d"}
}

// requireReplay looks at a replay of an answer: the same to the byte, encrypted anew, and marked.
func requireReplay(t *testing.T, first, again *e2etest.Answer) {
	t.Helper()
	require.Equal(t, first.Status, again.Status, "%s", again.Body)
	require.Equal(t, string(first.Body), string(again.Body))
	require.Empty(t, first.First("Idempotent-Replayed"))
	require.Equal(t, "true", again.First("Idempotent-Replayed"))
	require.True(t, again.Encrypted)
	require.NotEqual(t, first.First("X-Platform-IV"), again.First("X-Platform-IV"))
	require.NotEqual(t, first.Raw, again.Raw)
	require.NotEqual(t, first.First("X-Platform-Request-Id"), again.First("X-Platform-Request-Id"))
}

// rows counts an application's results and audit entries.
func rows(t *testing.T, p *e2etest.Platform, a *e2etest.Application) (results, entries int) {
	t.Helper()
	s := p.Store()
	for table, n := range map[string]*int{"results": &results, "audit_entries": &entries} {
		pool, err := s.DB().SQL()
		require.NoError(t, err)
		require.NoError(t, pool.QueryRowContext(t.Context(),
			"SELECT COUNT(*) FROM "+table+" WHERE application_id = '"+string(a.ID)+"'").Scan(n))
	}
	return results, entries
}

func requireRows(t *testing.T, p *e2etest.Platform, a *e2etest.Application, want int) {
	t.Helper()
	results, entries := rows(t, p, a)
	require.Equal(t, want, results, "results")
	require.Equal(t, want, entries, "audit entries")
}
