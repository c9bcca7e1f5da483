package registry

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"

	"gorm.io/gorm"

	"idplatform/database"
)

// populateChunk is how many citizens one transaction enters: enough to be fast, few enough that others who want
// to write wait a fraction of a second.
const populateChunk = 2_500

// Populate enters the synthetic population, citizens 0 to n-1 (and never fewer than the test identities). Those
// entered before stay as they are, so that a second run with the same or a smaller n changes nothing and one
// that was interrupted goes on where it stopped; but test identities of an older release are brought up to date,
// as changes. progress may be nil; it is told after each transaction how many of the total are there.
func (s *SQL) Populate(ctx context.Context, n int, progress func(done, total int)) error {
	if n > MaxPopulation {
		return fmt.Errorf("a population has at most %d citizens, not %d", MaxPopulation, n)
	}
	n = max(n, reservedCitizens)
	ctx = database.Bulk(ctx)
	if err := s.refreshIdentities(ctx); err != nil {
		return fmt.Errorf("refresh the test identities: %w", err)
	}
	for done := 0; done < n; {
		var err error
		if done, err = s.populateSome(ctx, n); err != nil {
			return fmt.Errorf("enter the population: %w", err)
		}
		if progress != nil {
			progress(min(done, n), n)
		}
	}
	return s.analyze(ctx)
}

// populateSome enters up to one chunk of what is missing from n, and gives how many citizens there are now.
func (s *SQL) populateSome(ctx context.Context, n int) (done int, err error) {
	err = s.db.Tx(ctx, func(ctx context.Context) error {
		tx := s.db.Write(ctx)
		// Locks the counter: of two processes that populate, the second goes on behind the first.
		have, err := addToCounter(tx, counterPopulation, 0)
		if err != nil {
			return err
		}
		done = int(have)
		to := min(done+populateChunk, n)
		if to <= done {
			return nil
		}
		rows := make([]citizenRow, 0, to-done)
		for k := done; k < to; k++ {
			record := SyntheticCitizen(k)
			rows = append(rows, citizenRow{id: int64(k), record: &record})
		}
		if err := insertCitizens(tx, rows); err != nil {
			return err
		}
		done = to
		return setCounter(tx, counterPopulation, int64(to))
	})
	return done, err
}

// refreshIdentities writes the reserved citizens anew where this release makes others of them than the one that
// entered them.
func (s *SQL) refreshIdentities(ctx context.Context) error {
	current := identitiesFingerprint()
	return s.db.Tx(ctx, func(ctx context.Context) error {
		tx := s.db.Write(ctx)
		have, err := addToCounter(tx, counterPopulation, 0)
		if err != nil {
			return err
		}
		entered, err := counter(tx, counterIdentities)
		if err != nil || entered == current {
			return err
		}
		for k := range min(int(have), reservedCitizens) {
			if err := refreshCitizen(tx, k); err != nil {
				return err
			}
		}
		return setCounter(tx, counterIdentities, current)
	})
}

func refreshCitizen(tx *gorm.DB, k int) error {
	change, err := nextChange(tx)
	if err != nil {
		return err
	}
	record := SyntheticCitizen(k)
	return replaceCitizen(tx, citizenRow{int64(k), change, &record})
}

// identitiesFingerprint is a number that differs when any reserved citizen does.
func identitiesFingerprint() int64 {
	h := fnv.New64a()
	for k := range reservedCitizens {
		r := SyntheticCitizen(k)
		p := &r.Person
		fmt.Fprint(h, r.Identifiers, p.Status, p.Certified, p.CreatedAt, p.LevelOfAssurance, p.FullName, p.FirstName,
			p.LastName, p.DateOfBirth, p.Gender, p.Nationality)
		_, _ = io.WriteString(h, encodeBlocks(p)) // a hash does not fail
	}
	return int64(h.Sum64() >> 1)
}

// analyze tells PostgreSQL at once how large the tables have become; until it knows, it may plan a lookup as if
// they were empty. SQLite plans a lookup by its index in any case.
func (s *SQL) analyze(ctx context.Context) error {
	if s.db.Driver != database.Postgres {
		return nil
	}
	return s.db.Write(ctx).Exec("ANALYZE register_citizens, register_identifiers, register_blocks").Error
}
