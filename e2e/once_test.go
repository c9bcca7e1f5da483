package e2e_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"idplatform/e2e/e2etest"
)

func TestOnce_Replays(t *testing.T) {
	t.Parallel()
	e2etest.Each(t, func(t *testing.T, p *e2etest.Platform) {
		a := p.NewApplication()
		one, batch := kyc(0, object{"reference": "a < b & \u2028 c"}), object{"purpose": "age_gating", "items": []any{
			kyc(0, object{"reference": "1"}), kyc(1, object{"reference": "2"}), kyc(2, object{"reference": "3", "scopes": []any{"kyc.nothing"}})}}
		for name, c := range map[string]struct {
			target string
			body   object
			rows   int
		}{"Single": {validations, one, 1}, "Batch": {validations + "/batches", batch, 2}} {
			before, _ := rows(t, p, a)
			key := uuid.NewString()
			first := once(t, p, a, key, c.target, c.body)
			require.Equal(t, http.StatusOK, first.Status, "%s: %s", name, first.Body)
			requireReplay(t, first, once(t, p, a, key, c.target, c.body))
			requireReplay(t, first, once(t, p.Beside(), a.At(p.Beside()), key, c.target, c.body))
			requireReplay(t, first, once(t, p, a, strings.ToUpper(key), c.target, c.body))
			requireRows(t, p, a, before+c.rows)
			other := once(t, p, a, uuid.NewString(), c.target, c.body)
			require.NotEqual(t, string(first.Body), string(other.Body))
			require.Empty(t, other.First("Idempotent-Replayed"))
		}
	})
}

func TestOnce_AnotherRequestUnderTheKeyIsRefused(t *testing.T) {
	t.Parallel()
	e2etest.Each(t, func(t *testing.T, p *e2etest.Platform) {
		a, key, body := p.NewApplication(), uuid.NewString(), string(text(t, kyc(0, nil)))
		first := once(t, p, a, key, validations, body)
		require.Equal(t, http.StatusOK, first.Status)
		prefers := keyed(t, a, key, validations, body).Set("Prefer", "respond-async").Sign()
		waits := keyed(t, a, key, validations, body).Set("Prefer", "wait=10").Sign()
		for name, request := range map[string]*e2etest.Request{
			"Value":      keyed(t, a, key, validations, kyc(1, nil)),
			"Whitespace": keyed(t, a, key, validations, body+" "),
			"NoJSON":     keyed(t, a, key, validations, "{"),
			"NoBody":     a.Request(http.MethodPost, validations, nil).Set("Idempotency-Key", key).Sign(),
			"Path":       keyed(t, a, key, validations+"/batches", body),
			"Query":      keyed(t, a, key, validations+"?x=1", body),
			"EmptyQuery": keyed(t, a, key, validations+"?", body),
			"Encoding":   keyed(t, a, key, strings.Replace(validations, "kyc", "%6byc", 1), body),
			"Async":      prefers,
			"Prefer":     waits,
		} {
			requireRefused(t, p.Send(request), http.StatusUnprocessableEntity, "idempotency_key_reused", true)
			require.NotPanics(t, func() { requireReplay(t, first, once(t, p, a, key, validations, body)) }, name)
		}
		requireRows(t, p, a, 1)
	})
}

func TestOnce_KeysAreUUIDs(t *testing.T) {
	t.Parallel()
	e2etest.Each(t, func(t *testing.T, p *e2etest.Platform) {
		a := p.NewApplication()
		for _, key := range []string{"1", "order-4711", strings.ReplaceAll(uuid.NewString(), "-", ""), "{" + uuid.NewString() + "}",
			uuid.NewString() + "0", "urn:uuid:" + uuid.NewString(), "g" + uuid.NewString()[1:], strings.Repeat("-", 36)} {
			problem := requireRefused(t, once(t, p, a, key, validations, kyc(0, nil)), http.StatusBadRequest, "invalid_request", true)
			require.Len(t, problem.Fields, 1)
			require.Equal(t, "Idempotency-Key", problem.Fields[0].Field)
		}
		requireRows(t, p, a, 0)
	})
}

func TestOnce_KeysOfApplicationsAreTheirOwn(t *testing.T) {
	t.Parallel()
	e2etest.Each(t, func(t *testing.T, p *e2etest.Platform) {
		key, a, b := uuid.NewString(), p.NewApplication(), p.NewApplication()
		first := once(t, p, a, key, validations, kyc(0, nil))
		require.Equal(t, http.StatusOK, first.Status)
		other := once(t, p, b, key, validations, kyc(1, nil))
		require.Equal(t, http.StatusOK, other.Status)
		require.Empty(t, other.First("Idempotent-Replayed"))
		requireReplay(t, first, once(t, p, a, key, validations, kyc(0, nil)))
		requireReplay(t, other, once(t, p, b, key, validations, kyc(1, nil)))
	})
}

// The service's own 422 is an answer like any other: it comes again, with the id of the request it was made for.
func TestOnce_RefusalsOfTheServiceAreKept(t *testing.T) {
	t.Parallel()
	eachWithEcho(t, func(t *testing.T, p *e2etest.Platform, e *echo) {
		a, key := p.NewApplication(), uuid.NewString()
		first := once(t, p, a, key, echoes, say("unreadable"))
		problem := requireRefused(t, first, http.StatusUnprocessableEntity, "image_unreadable", true)
		again := once(t, p, a, key, echoes, say("unreadable"))
		requireReplay(t, first, again)
		require.Equal(t, problem.RequestID, again.Problem().RequestID)
		require.Equal(t, int64(1), e.asked.Load())
		requireRefused(t, once(t, p, a, key, echoes, say("yes")), http.StatusUnprocessableEntity, "idempotency_key_reused", true)
		requireRows(t, p, a, 0)
	})
}

// Every other refusal frees the key: for the same request, and for one that was put right.
func TestOnce_OtherRefusalsFreeTheKey(t *testing.T) {
	t.Parallel()
	eachWithEcho(t, func(t *testing.T, p *e2etest.Platform, e *echo) {
		grants := p.App.Admin.Everything()
		grants.Purposes = []string{"fraud_prevention"}
		a := p.NewApplicationWith(grants)
		wrongPurpose := say("yes")
		wrongPurpose["purpose"] = "age_gating"
		for name, c := range map[string]struct {
			body   any
			status int
		}{
			"NoJSON":    {"{", 400},
			"Shape":     {object{"say": 1}, 400},
			"Purpose":   {wrongPurpose, 403},
			"Forbidden": {say("forbidden"), 403},
			"Invalid":   {say("invalid"), 400},
			"Broken":    {say("broken"), 500},
		} {
			key := uuid.NewString()
			for range 2 {
				answer := once(t, p, a, key, echoes, c.body)
				require.Equal(t, c.status, answer.Status, "%s: %s", name, answer.Body)
				require.Empty(t, answer.First("Idempotent-Replayed"), name)
			}
			require.Equal(t, http.StatusOK, once(t, p, a, key, echoes, say("yes")).Status, name)
		}
		requireRows(t, p, a, 6)

		key := uuid.NewString()
		e.away.Store(true)
		requireRefused(t, once(t, p, a, key, echoes, say("yes")), http.StatusBadGateway, "registry_unavailable", true)
		e.away.Store(false)
		answer := once(t, p, a, key, echoes, say("yes"))
		require.Equal(t, http.StatusOK, answer.Status)
		require.Empty(t, answer.First("Idempotent-Replayed"))
		requireRows(t, p, a, 7)
	})
}

func TestOnce_KeptForADay(t *testing.T) {
	t.Parallel()
	e2etest.Each(t, func(t *testing.T, p *e2etest.Platform) {
		a, key := p.NewApplication(), uuid.NewString()
		first := once(t, p, a, key, validations, kyc(0, nil))
		require.Equal(t, http.StatusOK, first.Status)
		p.Clock.Advance(24*time.Hour - time.Minute)
		requireReplay(t, first, once(t, p, a, key, validations, kyc(0, nil)))
		p.Clock.Advance(time.Minute)
		second := once(t, p, a, key, validations, kyc(1, nil)) // the key is as new: for another request too
		require.Equal(t, http.StatusOK, second.Status)
		require.Empty(t, second.First("Idempotent-Replayed"))
		requireReplay(t, second, once(t, p, a, key, validations, kyc(1, nil)))
		requireRows(t, p, a, 2)
	})
}

// A key does not help a caller past the checks that come before the replay.
func TestOnce_GrantsComeFirst(t *testing.T) {
	t.Parallel()
	e2etest.Each(t, func(t *testing.T, p *e2etest.Platform) {
		a, key := p.NewApplication(), uuid.NewString()
		require.Equal(t, http.StatusOK, once(t, p, a, key, validations, kyc(0, nil)).Status)
		a.Model.Services = nil
		require.NoError(t, p.Store().Applications.UpdateGrants(t.Context(), a.Model))
		requireRefused(t, once(t, p, a, key, validations, kyc(0, nil)), http.StatusForbidden, "service_not_enabled", true)
	})
}
