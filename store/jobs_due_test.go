package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/models"
	"idplatform/store"
)

// Jobs that are being worked on do not stand before those that nobody has looked at.
func TestJobs_DueAndPutOff(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, s *store.Store) {
		start := models.At(time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC))
		in := func(d time.Duration) models.Timestamp { return models.At(start.Add(d)) }
		app := seedApplication(t, s, "pk_sandbox_DUEDUEDUEDUEDUEDUEDUEDUE").ID
		for i := range 3 {
			require.NoError(t, s.Jobs.Insert(t.Context(), app, models.Job{ID: fmt.Sprintf("job_%d", i), Service: "kyc_validation",
				Status: models.JobPending, Request: []byte{1}, CreatedAt: start, ExpiresAt: in(time.Hour), CheckAt: in(time.Duration(i) * time.Second)}))
		}
		due, err := s.Jobs.Due(t.Context(), in(time.Minute), in(90*time.Second), 2)
		require.NoError(t, err)
		require.Len(t, due, 2)
		require.NoError(t, s.Jobs.PutOff(t.Context(), []string{due[0].ID, due[1].ID}, in(10*time.Minute)))
		require.NoError(t, s.Jobs.PutOff(t.Context(), nil, in(10*time.Minute)))

		due, err = s.Jobs.Due(t.Context(), in(2*time.Minute), in(3*time.Minute), 10)
		require.NoError(t, err)
		require.Len(t, due, 1)
		require.Equal(t, "job_2", due[0].ID)
		due, err = s.Jobs.Due(t.Context(), in(11*time.Minute), in(12*time.Minute), 10)
		require.NoError(t, err)
		require.Len(t, due, 3)
	})
}
