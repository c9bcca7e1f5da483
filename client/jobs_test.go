package client_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/client"
)

const (
	pendingJob   = `{"id":"job_1","object":"job","status":"pending"}`
	pendingBatch = `{"id":"bat_1","object":"batch","status":"pending"}`
)

func TestWaitJob_OK(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, answer{body: pendingJob}, answer{body: pendingJob}, answer{body: pendingJob},
			answer{body: `{"id":"job_1","object":"job","status":"completed","result":` + verifiedJSON + `}`})
		start := time.Now()
		job, err := inMemory(t, s, client.WithPolling(time.Second, 1200*time.Millisecond)).WaitJob(t.Context(), "job_1")
		require.NoError(t, err)
		require.Equal(t, client.JobCompleted, job.Status)
		require.NoError(t, job.Err())
		require.Equal(t, "/v1/jobs/job_1", s.calls()[0].Target)
		require.Equal(t, (1000+1200+1200)*time.Millisecond, time.Since(start))
		validation, err := client.Decode[client.KYCValidation](job.Result)
		require.NoError(t, err)
		require.Equal(t, client.KYCVerified, validation.Result)
	})
}

func TestWaitJob_FailedIsNoError(t *testing.T) {
	t.Parallel()
	s := newServer(t, answer{body: `{"id":"job_1","status":"failed","error":{"code":"registry_unavailable","message":"No."}}`})
	job, err := overHTTP(t, s).WaitJob(t.Context(), "job_1")
	require.NoError(t, err)
	require.True(t, job.Finished())
	require.True(t, client.IsCode(job.Err(), client.RegistryUnavailable))
}

func TestJobErr_NeverNilWhenFailed(t *testing.T) {
	t.Parallel()
	require.Error(t, (&client.Job{Status: client.JobFailed}).Err())
	require.Error(t, (&client.BatchItem{Status: client.ItemFailed}).Err())
}

func TestWaitJob_ErrUnknown(t *testing.T) {
	t.Parallel()
	_, err := overHTTP(t, newServer(t, failing(404, client.JobNotFound))).WaitJob(t.Context(), "job_1")
	require.True(t, client.IsCode(err, client.JobNotFound))
}

func TestWaitJob_EndsWithTheContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start := time.Now()
		_, err := inMemory(t, newServer(t, answer{body: pendingJob})).WaitJob(ctx, "job_1")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, time.Minute, time.Since(start))
	})
}

func TestWaitBatch_OK(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, answer{body: pendingBatch}, answer{body: `{"id":"bat_1","status":"completed_with_errors","total_items":3,"processed_items":3,
			"succeeded_items":2,"failed_items":1,"completed_at":"2026-01-01T00:00:00.000Z"}`})
		batch, err := inMemory(t, s).WaitBatch(t.Context(), "bat_1")
		require.NoError(t, err)
		require.Equal(t, client.BatchCompletedWithErrors, batch.Status)
		require.Equal(t, 1, batch.FailedItems)
		require.NotNil(t, batch.CompletedAt)
		require.Equal(t, "/v1/batches/bat_1", s.calls()[1].Target)
	})
}

func TestCancelBatch_OK(t *testing.T) {
	t.Parallel()
	s := newServer(t, answer{body: `{"id":"bat_1","status":"pending","cancelled_at":"2026-01-01T00:00:00.000Z"}`})
	batch, err := overHTTP(t, s).CancelBatch(t.Context(), "bat_1")
	require.NoError(t, err)
	require.NotNil(t, batch.CancelledAt)
	require.Equal(t, "POST /v1/batches/bat_1/cancel", s.calls()[0].Method+" "+s.calls()[0].Target)
	require.Empty(t, s.calls()[0].Body)
}

func TestBatchResults_Query(t *testing.T) {
	t.Parallel()
	s := newServer(t, answer{body: `{"object":"list","data":[],"next_cursor":"n"}`})
	c := overHTTP(t, s)
	page, err := c.BatchResults(t.Context(), "bat_1", "", 0)
	require.NoError(t, err)
	require.Equal(t, "n", *page.NextCursor)
	_, err = c.BatchResults(t.Context(), "bat_1", "a=&b", 500)
	require.NoError(t, err)
	require.Equal(t, "/v1/batches/bat_1/results", s.calls()[0].Target)
	require.Equal(t, "/v1/batches/bat_1/results?cursor=a%3D%26b&limit=500", s.calls()[1].Target)
}

// runningBatch shows two items, then nothing for two questions, then the last item.
func runningBatch(t *testing.T) *server {
	return newServer(t,
		answer{body: `{"data":[{"reference":"a","status":"succeeded"},{"reference":"b","status":"failed"}],"next_cursor":"1"}`},
		answer{body: `{"data":[],"next_cursor":"1"}`},
		answer{body: `{"data":[],"next_cursor":"1"}`},
		answer{body: `{"data":[{"reference":"c","status":"succeeded"}],"next_cursor":null}`},
	)
}

func TestAllBatchResults_FollowsARunningBatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := runningBatch(t)
		var references []string
		start := time.Now()
		for item, err := range inMemory(t, s, client.WithPolling(time.Second, time.Second)).AllBatchResults(t.Context(), "bat_1") {
			require.NoError(t, err)
			references = append(references, *item.Reference)
		}
		require.Equal(t, []string{"a", "b", "c"}, references)
		require.Equal(t, 2*time.Second, time.Since(start))
		require.Equal(t, "/v1/batches/bat_1/results?limit=500", s.calls()[0].Target)
		require.Equal(t, "/v1/batches/bat_1/results?cursor=1&limit=500", s.calls()[3].Target)
	})
}

func TestAllBatchResults_StopsWhenTold(t *testing.T) {
	t.Parallel()
	s := runningBatch(t)
	for range inMemory(t, s).AllBatchResults(t.Context(), "bat_1") {
		break
	}
	require.Len(t, s.calls(), 1)
}

func TestAllBatchResults_EndsWithAnError(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]*server{
		"of the platform": newServer(t, failing(404, client.BatchNotFound)),
		"of the context":  newServer(t, answer{body: `{"data":[],"next_cursor":"1"}`}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				var errs []error
				for _, err := range inMemory(t, s).AllBatchResults(ctx, "bat_1") {
					errs = append(errs, err)
				}
				require.Len(t, errs, 1)
				require.Error(t, errs[0])
			})
		})
	}
}
