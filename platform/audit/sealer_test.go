package audit_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/database"
	"idplatform/models"
	"idplatform/platform/audit"
)

func TestSeal_EmptyLogHolds(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *deployment) {
		require.NoError(t, d.sealer("prc_a").Seal(t.Context()))
		require.Zero(t, d.requireHolds(t, 0, 0).Heads)
	})
}

// More entries than one group chains and one page reads.
func TestSeal_ChainsEverything(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *deployment) {
		const n = 1201
		all := d.entries(n)
		require.NoError(t, d.write(t.Context(), all))
		d.requireHolds(t, 0, n)
		require.NoError(t, d.sealer("prc_a").Seal(t.Context()))
		report := d.requireHolds(t, n, 0)

		// The chain, worked out a second time from what was written, in the order of the ids.
		slices.SortFunc(all, func(a, b models.AuditEntry) int { return compare(a.ID, b.ID) })
		link := make([]byte, 32)
		for i, e := range all {
			e.ApplicationID = application
			link = audit.Hash(link, int64(i+1), e)
		}
		require.Equal(t, fmt.Sprintf("%x", link), report.Head)
	})
}

func compare(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// Ids are given before the commit: an entry may come to light behind one that is chained already.
func TestSeal_EntriesCommittedLate(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *deployment) {
		late := d.entries(3)
		d.advance(time.Minute)
		d.sealed(t, 5)
		require.NoError(t, d.write(t.Context(), late))
		d.requireHolds(t, 5, 3)
		require.NoError(t, d.sealer("prc_a").Seal(t.Context()))
		d.requireHolds(t, 8, 0)
		last, err := d.Audit.Last(t.Context())
		require.NoError(t, err)
		require.Equal(t, int64(8), *last.Seq)
		require.True(t, slices.ContainsFunc(late, func(e models.AuditEntry) bool { return e.ID == last.ID }))
	})
}

// A day's head is where the day ends in the chain, also when midnight lies inside a group, and it stays when an
// entry of that day comes late.
func TestSeal_HeadOfEachDay(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *deployment) {
		late := d.entries(1)
		require.NoError(t, d.write(t.Context(), d.entries(4)))
		d.advance(24 * time.Hour)
		require.NoError(t, d.write(t.Context(), d.entries(3)))
		d.advance(48 * time.Hour) // a day without calls has no head
		require.NoError(t, d.write(t.Context(), d.entries(2)))
		require.NoError(t, d.sealer("prc_a").Seal(t.Context()))
		require.NoError(t, d.write(t.Context(), late))
		require.NoError(t, d.sealer("prc_a").Seal(t.Context()))
		d.sealed(t, 1)

		heads, err := d.Audit.Heads(t.Context())
		require.NoError(t, err)
		places := map[string]int64{}
		for _, h := range heads {
			places[h.Day] = h.Seq
		}
		require.Equal(t, map[string]int64{"2026-11-20": 4, "2026-11-21": 7, "latest": 11}, places)
		require.Equal(t, int64(3), d.requireHolds(t, 11, 0).Heads)
	})
}

func TestSeal_OneProcessAtATime(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *deployment) {
		d.sealed(t, 2)
		require.NoError(t, d.write(t.Context(), d.entries(2)))
		require.NoError(t, d.sealer("prc_b").Seal(t.Context()))
		d.requireHolds(t, 2, 2) // the lease is the other's
		d.advance(11 * time.Second)
		require.NoError(t, d.sealer("prc_b").Seal(t.Context()))
		d.requireHolds(t, 4, 0) // whose holder is gone
	})
}

// Processes that seal at the same time, under leases that end under their hands, leave one unbroken chain; and
// whoever verifies meanwhile finds nothing, midnight or not.
func TestSeal_SideBySideWithWritersAndVerifiers(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *deployment) {
		const groups, ofGroup = 60, 25
		ctx, stop := context.WithCancel(t.Context())
		var sealers, writers sync.WaitGroup
		for i := range 3 {
			sealer := d.sealer(fmt.Sprintf("prc_%d", i))
			sealers.Go(func() {
				for ctx.Err() == nil {
					_ = sealer.Seal(ctx) // one that lost its lease seals nothing
				}
			})
		}
		for range 2 {
			writers.Go(func() {
				for range groups / 2 {
					if err := d.write(t.Context(), d.entries(ofGroup)); err != nil {
						t.Error(err)
					}
					d.advance(3 * time.Hour)
				}
			})
		}
		sealers.Go(func() {
			for ctx.Err() == nil {
				if report, err := d.log.Verify(ctx); err == nil && !report.Holds() {
					t.Errorf("the verifier beside the writers: %v", report.Faults)
				}
			}
		})
		writers.Wait()
		stop()
		sealers.Wait()
		d.advance(time.Minute)
		require.NoError(t, d.sealer("prc_last").Seal(t.Context()))
		d.requireHolds(t, groups*ofGroup, 0)
		require.NotContains(t, d.logged.String(), "not the one that was signed")
	})
}

func TestSeal_StopsWithItsContextAndGivesTheLeaseBack(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *deployment) {
		require.NoError(t, d.write(t.Context(), d.entries(3)))
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- d.sealer("prc_a").Run(ctx) }()
		require.Eventually(t, func() bool { return d.verify(t).Sealed == 3 }, 10*time.Second, 20*time.Millisecond)
		stop()
		require.NoError(t, <-ended)
		require.NoError(t, d.write(t.Context(), d.entries(1)))
		require.NoError(t, d.sealer("prc_b").Seal(t.Context()))
		d.requireHolds(t, 4, 0)
	})
}

// The chain grows faster than calls can come. The test runs alone, and on a busy machine has three tries.
func TestSeal_TenThousandEntries(t *testing.T) {
	for _, driver := range []database.Driver{database.SQLite, database.Postgres} {
		t.Run(string(driver), func(t *testing.T) {
			const n, aim, tries = 10_000, 2 * time.Second, 3
			d := deploy(t, driver)
			best := time.Hour
			for try := int64(1); try <= tries && best >= aim; try++ {
				for range n / 500 {
					require.NoError(t, d.write(t.Context(), d.entries(500)))
				}
				began := time.Now()
				require.NoError(t, d.sealer("prc_a").Seal(t.Context()))
				best = min(best, time.Since(began))
				d.requireHolds(t, try*n, 0)
			}
			t.Logf("%d entries were sealed in %s", n, best)
			require.Less(t, best, aim)
		})
	}
}
