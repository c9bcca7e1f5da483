package registry_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/engines/registry"
	"idplatform/engines/registry/registrytest"
	"idplatform/models"
)

var anybody = []models.Identifier{{Type: models.PlatformID, Value: "COD-AAAA-BBBB-CCCC"}}

// adapter gives an HTTP adapter, impatient unless changed, to a server of one handler; calls counts requests.
func adapter(t *testing.T, handler http.HandlerFunc, change func(*registry.HTTPConfig)) (r *registry.HTTP, calls *atomic.Int64) {
	t.Helper()
	calls = new(atomic.Int64)
	cfg := registrytest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		calls.Add(1)
		handler(w, req)
	}))
	cfg.Retries = -1
	if change != nil {
		change(&cfg)
	}
	r, err := registry.NewHTTP(cfg)
	require.NoError(t, err)
	return r, calls
}

func answer(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		fmt.Fprint(w, body)
	}
}

func status(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		fmt.Fprint(w, body)
	}
}

func TestNonsenseAnswersAreUnreachable(t *testing.T) {
	t.Parallel()
	good, err := json.Marshal(registry.SyntheticCitizen(0).Person)
	require.NoError(t, err)
	with := func(old, new string) http.HandlerFunc {
		changed := strings.Replace(string(good), old, new, 1)
		require.NotEqual(t, string(good), changed, old)
		return answer(`{"citizens":[` + changed + `]}`)
	}
	own := registry.SyntheticCitizen(0).Person.PlatformID
	for name, handler := range map[string]http.HandlerFunc{
		"Empty":             answer(``),
		"NotJSON":           answer(`<html>`),
		"NoCitizens":        answer(`{}`),
		"TooFew":            answer(`{"citizens":[]}`),
		"TooMany":           answer(`{"citizens":[null,null]}`),
		"WrongType":         answer(`{"citizens":["x"]}`),
		"AnotherCitizen":    with(own, "COD-AAAA-BBBB-CCCC"),
		"MalformedID":       with(own, "1"),
		"UnknownStatus":     with(`"active"`, `"alive"`),
		"UnknownAssurance":  with(`"LOA3"`, `"high"`),
		"NoName":            with(`"full_name":"Bienvenu Tshilumba Kayembe"`, `"full_name":""`),
		"NoDate":            with(`"1987-04-09"`, `"1987-02-30"`),
		"UnknownGender":     with(`"male"`, `"m"`),
		"LongNationality":   with(`"nationality":"COD"`, `"nationality":"Congo"`),
		"FileWithoutRef":    with(`"ref":"register/`+own+`/selfie"`, `"ref":""`),
		"OtherMediaType":    status(http.StatusOK, `{"citizens":[null]}`),
		"Redirect":          status(http.StatusFound, ``),
		"BareNotFound":      status(http.StatusNotFound, `404 page not found`),
		"Refused":           status(http.StatusForbidden, `{"error":{"code":"forbidden"}}`),
		"ServerError":       status(http.StatusInternalServerError, ``),
		"NoFileForCitizens": status(http.StatusBadRequest, `{"error":{"code":"no_such_file"}}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _ := adapter(t, handler, nil)
			_, err := r.People(t.Context(), []models.Identifier{{Type: models.PlatformID, Value: own}}, registry.AllBlocks)
			require.ErrorIs(t, err, registry.ErrUnreachable)
			require.NotContains(t, err.Error(), "Bienvenu", "tells no value")
			require.NotContains(t, err.Error(), own)
		})
	}
}

func TestBlocksNotAskedForAreTakenOut(t *testing.T) {
	t.Parallel()
	full := registry.SyntheticCitizen(0).Person
	text, err := json.Marshal(full)
	require.NoError(t, err)
	r, _ := adapter(t, answer(`{"citizens":[`+string(text)+`],"trace":"fields we do not know are ignored"}`), nil)
	people, err := r.People(t.Context(), []models.Identifier{passportOf(0)}, registry.Languages)
	require.NoError(t, err)
	want := basicsOf(full)
	want.Languages = full.Languages
	require.Equal(t, &want, people[0])
}

func TestAnAnswerBeyondTheLimitIsUnreachable(t *testing.T) {
	t.Parallel()
	r, _ := adapter(t, answer(`{"citizens":[null], "x":"`+strings.Repeat("x", 5_000)+`"}`),
		func(cfg *registry.HTTPConfig) { cfg.MaxAnswer = 4_096 })
	_, err := r.People(t.Context(), anybody, 0)
	require.ErrorIs(t, err, registry.ErrUnreachable)
}

func TestAPassingFailureIsRetried(t *testing.T) {
	t.Parallel()
	var n atomic.Int64
	r, calls := adapter(t, func(w http.ResponseWriter, req *http.Request) {
		if n.Add(1) < 3 {
			w.Header().Set("Retry-After", "3600") // more than any caller of ours waits
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		answer(`{"citizens":[null]}`)(w, req)
	}, func(cfg *registry.HTTPConfig) { cfg.Retries = 2 })
	people, err := r.People(t.Context(), anybody, 0)
	require.NoError(t, err)
	require.Nil(t, people[0])
	require.EqualValues(t, 3, calls.Load())
}

func TestASlowRegisterIsUnreachable(t *testing.T) {
	t.Parallel()
	r, _ := adapter(t, func(_ http.ResponseWriter, req *http.Request) {
		select {
		case <-req.Context().Done():
		case <-time.After(5 * time.Second):
		}
	}, func(cfg *registry.HTTPConfig) { cfg.Timeout = 100 * time.Millisecond })
	_, err := r.People(t.Context(), anybody, 0)
	require.ErrorIs(t, err, registry.ErrUnreachable)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestTheBreakerLeavesAFailingRegisterAlone(t *testing.T) {
	t.Parallel()
	var well atomic.Bool
	r, calls := adapter(t, func(w http.ResponseWriter, req *http.Request) {
		if !well.Load() {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		answer(`{"citizens":[null]}`)(w, req)
	}, func(cfg *registry.HTTPConfig) { cfg.OpenAfter, cfg.OpenFor = 3, 300*time.Millisecond })
	for range 20 {
		_, err := r.People(t.Context(), anybody, 0)
		require.ErrorIs(t, err, registry.ErrUnreachable)
	}
	require.EqualValues(t, 3, calls.Load())
	well.Store(true)
	require.Eventually(t, func() bool {
		_, err := r.People(t.Context(), anybody, 0)
		return err == nil
	}, 5*time.Second, 50*time.Millisecond)
}

func TestAnswersAndCancelledCallsDoNotOpenTheBreaker(t *testing.T) {
	t.Parallel()
	r, calls := adapter(t, func(w http.ResponseWriter, req *http.Request) {
		if strings.HasSuffix(req.URL.Path, "/lookup") {
			answer(`{"citizens":[null]}`)(w, req)
			return
		}
		status(http.StatusNotFound, `{"error":{"code":"no_such_file"}}`)(w, req)
	}, func(cfg *registry.HTTPConfig) { cfg.OpenAfter = 1 })
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for range 5 {
		_, err := r.Open(t.Context(), "register/none")
		require.ErrorIs(t, err, registry.ErrNoFile)
		require.NotErrorIs(t, err, registry.ErrUnreachable)
		_, err = r.People(cancelled, anybody, 0)
		require.ErrorIs(t, err, context.Canceled)
	}
	_, err := r.People(t.Context(), anybody, 0)
	require.NoError(t, err)
	require.EqualValues(t, 6, calls.Load())
}

func TestChangesThatNeverEndAreUnreachable(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"NoCursor": `{"platform_ids":[],"next":""}`, "EmptyButMore": `{"platform_ids":[],"next":"5","more":true}`,
		"TooLong": `{"platform_ids":["COD-AAAA-BBBB-CCCC","COD-AAAA-BBBB-CCCD"],"next":"5"}`,
		"NoID":    `{"platform_ids":["x"],"next":"5"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _ := adapter(t, answer(body), nil)
			_, err := r.Changes(t.Context(), "4", 1)
			require.ErrorIs(t, err, registry.ErrUnreachable)
		})
	}
}
