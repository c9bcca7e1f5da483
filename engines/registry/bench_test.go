package registry_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/database"
	"idplatform/database/databasetest"
	"idplatform/engines/registry"
	"idplatform/models"
)

// BenchmarkPeople shows what a lookup costs by size of the population, database, number of identifiers and
// blocks. Compare within one run.
func BenchmarkPeople(b *testing.B) {
	for _, driver := range []database.Driver{database.SQLite, database.Postgres} {
		for _, population := range []int{10_000, 200_000} {
			b.Run(fmt.Sprintf("%s/%d", driver, population), func(b *testing.B) {
				dsn := filepath.Join(b.TempDir(), "register.db")
				if driver == database.Postgres {
					dsn = databasetest.Postgres(b)
				}
				r, _ := openOn(b, database.Config{Driver: driver, DSN: dsn}, population)
				ids := benchmarkIDs(population)
				for _, size := range []int{1, 50} {
					for name, blocks := range map[string]registry.Blocks{"Basic": 0, "AllBlocks": registry.AllBlocks} {
						b.Run(fmt.Sprintf("%d/%s", size, name), func(b *testing.B) {
							for i := 0; b.Loop(); i++ {
								from := i * size % (len(ids) - size)
								people, err := r.People(context.Background(), ids[from:from+size], blocks)
								if err != nil || people[0] == nil {
									b.Fatal(err)
								}
							}
						})
					}
				}
			})
		}
	}
}

// benchmarkIDs are passports of citizens all over the population.
func benchmarkIDs(population int) []models.Identifier {
	r := rand.New(rand.NewPCG(1, 2))
	ids := make([]models.Identifier, 5_050)
	for i := range ids {
		ids[i] = passportOf(r.IntN(population))
	}
	return ids
}

// BenchmarkPopulate enters 100,000 citizens.
func BenchmarkPopulate(b *testing.B) {
	for _, driver := range []database.Driver{database.SQLite, database.Postgres} {
		b.Run(string(driver), func(b *testing.B) {
			for b.Loop() {
				dsn := filepath.Join(b.TempDir(), "register.db")
				if driver == database.Postgres {
					dsn = databasetest.Postgres(b)
				}
				r, db := openOn(b, database.Config{Driver: driver, DSN: dsn}, 0)
				require.NoError(b, r.Populate(context.Background(), 100_000, nil))
				require.NoError(b, db.Close())
			}
		})
	}
}

func BenchmarkSyntheticCitizen(b *testing.B) {
	for k := 0; b.Loop(); k++ {
		registry.SyntheticCitizen(k % registry.MaxPopulation)
	}
}

func BenchmarkOpen(b *testing.B) {
	r := openSQLite(b, 1)
	p := registry.SyntheticCitizen(0).Person
	for name, ref := range map[string]string{
		"Document": p.Documents.Primary.Image.Ref, "Selfie": p.Selfie.File.Ref,
		"Fingerprint": p.Fingerprints[0].File.Ref, "Iris": p.Iris[0].File.Ref,
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, err := r.Open(context.Background(), ref)
				require.NoError(b, err)
			}
		})
	}
}
