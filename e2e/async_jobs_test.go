package e2e_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"idplatform/client"
	"idplatform/e2e/e2etest"
	"idplatform/models"
)

// finished is the end of a job that is submitted now.
func finished(t *testing.T, sdk *client.Client, path string, request any) *client.Job {
	t.Helper()
	job := submitted(t, sdk, path, request)
	require.True(t, models.IsID("job_", job["id"].(string)))
	require.Equal(t, "job", job["object"])
	require.Equal(t, "pending", job["status"])
	require.Equal(t, "/v1/jobs/"+job["id"].(string), job["result_url"])
	require.NotContains(t, job, "result")
	done, err := sdk.WaitJob(t.Context(), job["id"].(string))
	require.NoError(t, err)
	require.Equal(t, job["created_at"], done.CreatedAt.Format("2006-01-02T15:04:05.000Z07:00"))
	return done
}

func testJobs(t *testing.T, a *async) {
	sdk := a.sdk(t)
	for name, request := range map[string]object{
		"Verified": kyc(0, object{"reference": "r <1>", "match": object{"full_name": "Somebody Else"}}),
		"AllData":  kyc(0, object{"scopes": []string{"kyc.addresses", "kyc.emails", "kyc.phone_numbers"}}),
		"NotFound": kyc(0, object{"identifier": unknown(t, models.Passport)}),
	} {
		t.Run(name+"AsAtOnce", func(t *testing.T) {
			job := finished(t, sdk, validations, request)
			require.NoError(t, job.Err())
			later, now := read(t, job.Result), post(t, sdk, validations, request)
			require.NotEqual(t, now["id"], later["id"])
			for _, own := range []string{"id", "created_at"} {
				delete(later, own)
				delete(now, own)
			}
			require.Equal(t, now, later)
		})
	}
	t.Run("ResultByItsID", func(t *testing.T) {
		job := finished(t, sdk, validations, kyc(1, nil))
		again, err := sdk.Do(t.Context(), http.MethodGet, validations+"/"+read(t, job.Result)["id"].(string), nil)
		require.NoError(t, err)
		require.JSONEq(t, string(job.Result), string(again.Body))
		require.ElementsMatch(t, []string{"kyc_validation.completed", "job.completed"}, eventsOf(t, sdk, job.ID))
	})
	t.Run("RefusedFailsAtOnce", func(t *testing.T) {
		began := time.Now()
		job := finished(t, sdk, trials, trialOf("refuse", nil))
		require.Equal(t, client.JobFailed, job.Status)
		require.Equal(t, &client.Failure{Code: client.NoFaceDetected, Message: "No face is visible in the image."}, job.Failure)
		require.Empty(t, job.Result)
		require.Less(t, time.Since(began), 10*time.Second, "a refusal is not tried again")
		require.Equal(t, []string{"job.failed"}, eventsOf(t, sdk, job.ID))
	})
	t.Run("TriedAgainUntilTheSourceIsBack", func(t *testing.T) {
		gate, open := a.trial.gate(t.Name())
		defer open()
		job := submitted(t, sdk, trials, trialOf("absent", object{"gate": t.Name()}))
		eventually(t, "tried three times", func() bool { return gate.tries.Load() >= 3 })
		pending, err := sdk.Job(t.Context(), job["id"].(string))
		require.NoError(t, err)
		require.Equal(t, client.JobPending, pending.Status)
		open()
		done, err := sdk.WaitJob(t.Context(), pending.ID)
		require.NoError(t, err)
		require.Equal(t, client.JobCompleted, done.Status)
		require.Equal(t, "verified", read(t, done.Result)["result"])
	})
	t.Run("NotFound", func(t *testing.T) {
		job := finished(t, sdk, validations, kyc(2, nil))
		foreign := a.sdk(t)
		for name, id := range map[string]string{"Foreign": job.ID, "Upper": strings.ToUpper(job.ID), "Long": job.ID + "0", "Other": "bat_" + job.ID[4:], "Short": "job_", "Quote": "job_'%20OR%201=1"} {
			refused := refusal(t, foreign, http.MethodGet, "/v1/jobs/"+id, nil)
			require.Equal(t, client.JobNotFound, refused.Code, name)
			require.Equal(t, http.StatusNotFound, refused.Status, name)
		}
	})
}

// What a call can be refused for is said at once, with the status of the synchronous call.
func testJobChecks(t *testing.T, a *async) {
	everything := a.sdk(t)
	grants := granted(a.Platform, "kyc.emails")
	grants.Purposes = []string{"customer_onboarding"}
	some := fast(a.NewApplicationWith(grants))
	grants.Services = []string{"trial"}
	other := fast(a.NewApplicationWith(grants))
	for name, c := range map[string]struct {
		sdk    *client.Client
		body   any
		status int
		code   string
	}{
		"NoBody":             {everything, "", 400, client.InvalidRequest},
		"NotJSON":            {everything, "{", 400, client.InvalidRequest},
		"UnknownField":       {everything, kyc(0, object{"scope": []string{}}), 400, client.InvalidRequest},
		"DuplicateKey":       {everything, `{"purpose":"customer_onboarding","purpose":"customer_onboarding"}`, 400, client.InvalidRequest},
		"ServiceNotEnabled":  {other, kyc(0, nil), 403, client.ServiceNotEnabled},
		"PurposeNotApproved": {some, kyc(0, object{"purpose": "age_gating"}), 403, client.PurposeNotApproved},
		"ScopeNotGranted":    {some, kyc(0, object{"scopes": []string{"kyc.emails"}}), 403, client.ScopeNotGranted},
		"UnsupportedType":    {everything, kyc(0, object{"identifier": object{"type": "nif", "value": "A1234567B"}}), 400, client.UnsupportedIdentifierType},
		"InvalidIdentifier":  {everything, kyc(0, object{"identifier": object{"type": "ceni", "value": "12"}}), 400, client.InvalidIdentifier},
	} {
		t.Run(name, func(t *testing.T) {
			_, atOnce := c.sdk.Do(t.Context(), http.MethodPost, validations, text(t, c.body))
			_, later := c.sdk.Do(t.Context(), http.MethodPost, validations, text(t, c.body), client.Async())
			var refused, alike *client.Error
			require.ErrorAs(t, later, &refused)
			require.ErrorAs(t, atOnce, &alike)
			require.Equal(t, c.code, refused.Code)
			require.Equal(t, c.status, refused.Status)
			require.Equal(t, alike.Fields, refused.Fields)
		})
	}
}

func testJobReplay(t *testing.T, a *async) {
	sdk := a.sdk(t)
	key, body := uuid.NewString(), text(t, kyc(3, object{"reference": "one"}))
	ask := func(path string, body []byte, options ...client.CallOption) (*client.Response, error) {
		return sdk.Do(t.Context(), http.MethodPost, path, body, append(options, client.IdempotencyKey(key))...)
	}
	first, err := ask(validations, body, client.Async())
	require.NoError(t, err)
	require.Equal(t, http.StatusAccepted, first.Status)
	require.Empty(t, first.Header.Get("Idempotent-Replayed"))
	id := read(t, first.Body)["id"].(string)
	_, err = sdk.WaitJob(t.Context(), id)
	require.NoError(t, err)
	t.Run("TheFirstAnswer", func(t *testing.T) {
		again, err := ask(validations, body, client.Async())
		require.NoError(t, err)
		require.Equal(t, http.StatusAccepted, again.Status)
		require.Equal(t, "true", again.Header.Get("Idempotent-Replayed"))
		require.Equal(t, "respond-async", again.Header.Get("Preference-Applied"))
		require.Equal(t, string(first.Body), string(again.Body), "as it was first given, although the job has ended")
	})
	t.Run("OtherModeIsAnotherRequest", func(t *testing.T) {
		_, err := ask(validations, body)
		require.True(t, client.IsCode(err, client.IdempotencyKeyReused), err)
	})
	t.Run("OtherBodyIsAnotherRequest", func(t *testing.T) {
		_, err := ask(validations, text(t, kyc(3, object{"reference": "two"})), client.Async())
		require.True(t, client.IsCode(err, client.IdempotencyKeyReused), err)
	})
	t.Run("OneBatchOfManyAtOnce", func(t *testing.T) {
		key, body := uuid.NewString(), text(t, kycBatch(people(200)))
		var ids sync.Map
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for t.Context().Err() == nil {
					answer, err := sdk.Do(t.Context(), http.MethodPost, validations+"/batches", body, client.Async(), client.IdempotencyKey(key))
					if client.IsCode(err, client.IdempotencyConflict) {
						continue
					}
					if err == nil {
						ids.Store(read(t, answer.Body)["id"], true)
					}
					return
				}
			})
		}
		all.Wait()
		var different []string
		ids.Range(func(id, _ any) bool { different = append(different, id.(string)); return true })
		require.Len(t, different, 1)
		require.Equal(t, 200, awaitBatch(t, sdk, different[0]).SucceededItems)
	})
}

// The header asks for an asynchronous answer in any of its forms, and in no other way.
func testPrefer(t *testing.T, a *async) {
	app := a.NewApplication()
	for name, c := range map[string]struct {
		lines []string
		async bool
	}{
		"Plain":          {[]string{"respond-async"}, true},
		"OtherCase":      {[]string{"Respond-Async"}, true},
		"AmongOthers":    {[]string{"wait=10, respond-async, handling=lenient"}, true},
		"SecondLine":     {[]string{"wait=10", "respond-async"}, true},
		"Parameter":      {[]string{`respond-async; hurry="no"`}, true},
		"EmptyValue":     {[]string{`respond-async=""`}, true},
		"Spaces":         {[]string{"  respond-async  "}, true},
		"Empty":          {[]string{""}, false},
		"Other":          {[]string{"return=minimal"}, false},
		"Longer":         {[]string{"respond-asynchronously"}, false},
		"InsideAQuote":   {[]string{`note="soon, respond-async, please"`}, false},
		"AfterParameter": {[]string{"wait=10; respond-async"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			request := app.Request(http.MethodPost, trials, text(t, trialOf("succeed", nil)))
			for _, line := range c.lines {
				request.Add("Prefer", line)
			}
			answer := a.Send(request.Sign())
			if c.async {
				require.Equal(t, http.StatusAccepted, answer.Status, "%s", answer.Body)
				require.Equal(t, "respond-async", answer.First("Preference-Applied"))
			} else {
				require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
				require.Empty(t, answer.First("Preference-Applied"))
			}
		})
	}
}

// Jobs and batches are gone after their retention, settled or not.
func TestAsync_GoneAfterRetention(t *testing.T) {
	t.Parallel()
	p := e2etest.Start(t, e2etest.Options{Driver: "sqlite", Temporal: e2etest.Temporal(t)}) // nobody works on it
	sdk := p.NewApplication().Client()
	job := submitted(t, sdk, validations, kyc(0, nil))["id"].(string)
	batch := submitted(t, sdk, validations+"/batches", kycBatch(people(3)))["id"].(string)
	paths := map[string]string{"/v1/jobs/" + job: client.JobNotFound, "/v1/batches/" + batch: client.BatchNotFound, "/v1/batches/" + batch + "/results": client.BatchNotFound}
	p.Clock.Advance(30*24*time.Hour - time.Minute)
	for path := range paths {
		_, err := sdk.Do(t.Context(), http.MethodGet, path, nil)
		require.NoError(t, err)
	}
	p.Clock.Advance(2 * time.Minute)
	for path, code := range paths {
		require.Equal(t, code, refusal(t, sdk, http.MethodGet, path, nil).Code)
	}
	require.Equal(t, client.BatchNotFound, refusal(t, sdk, http.MethodPost, "/v1/batches/"+batch+"/cancel", nil).Code)
}

// Without Temporal asynchronous calls are refused before anything is kept, and synchronous ones answer.
func TestAsync_WithoutTemporal(t *testing.T) {
	t.Parallel()
	e2etest.Each(t, func(t *testing.T, p *e2etest.Platform) {
		app := p.NewApplication()
		sdk := app.Client()
		key := uuid.NewString()
		var refused *client.Error
		eventually(t, "it is known to be away", func() bool {
			_, err := sdk.Do(t.Context(), http.MethodPost, validations, text(t, kyc(0, object{"scopes": nil})), client.Async())
			return err != nil && client.IsCode(err, client.AsyncUnavailable)
		})
		for _, path := range []string{validations, validations + "/batches"} {
			body := text(t, kyc(0, nil))
			if path != validations {
				body = text(t, kycBatch(people(2)))
			}
			_, err := sdk.Do(t.Context(), http.MethodPost, path, body, client.Async(), client.IdempotencyKey(key))
			require.ErrorAs(t, err, &refused)
			require.Equal(t, client.AsyncUnavailable, refused.Code, "the key is free again after a refusal")
			require.Equal(t, http.StatusServiceUnavailable, refused.Status)
			require.Positive(t, refused.RetryAfter)
		}
		require.Equal(t, "verified", post(t, sdk, validations, kyc(0, nil))["result"])
	})
}
