package registry

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"gorm.io/gorm"

	"idplatform/models"
)

// lookupSizes are the numbers of values that a lookup statement takes. A lookup of another size repeats its
// last value, so that the database meets few statements, all of them prepared; the largest stays far below
// SQLite's limit on variables.
var lookupSizes = []int{1, 10, 50, 500}

const (
	lookupColumns = `i.type, i.value, c.platform_id, c.status, c.certified, c.created_at, c.level_of_assurance,
	c.full_name, c.first_name, c.last_name, c.date_of_birth, c.gender, c.nationality`
	lookupTables = ` FROM register_identifiers i JOIN register_citizens c ON c.id = i.citizen_id`
	// The type is compared after the query: a value stands under five types at most, nearly always under one.
	lookupValues = ` WHERE i.value IN (`
	lookupBlocks = ` LEFT JOIN register_blocks b ON b.citizen_id = c.id`
)

// lookupStatement asks for size values; it names no value, only places for them.
func lookupStatement(size int, withBlocks bool) string {
	places := strings.Repeat("?,", size-1) + "?)"
	if withBlocks {
		return "SELECT " + lookupColumns + ", COALESCE(b.blocks, '')" + lookupTables + lookupBlocks + lookupValues + places
	}
	return "SELECT " + lookupColumns + lookupTables + lookupValues + places
}

// lookupStatements holds every statement there is: [with blocks][size].
var lookupStatements = func() (all [2][]string) {
	for with := range all {
		for _, size := range lookupSizes {
			all[with] = append(all[with], lookupStatement(size, with == 1))
		}
	}
	return all
}()

// People implements Register: one statement for up to 500 identifiers.
func (s *SQL) People(ctx context.Context, ids []models.Identifier, blocks Blocks) ([]*Person, error) {
	people := make([]*Person, len(ids))
	most := lookupSizes[len(lookupSizes)-1]
	for from := 0; from < len(ids); from += most {
		to := min(from+most, len(ids))
		if err := s.lookup(ctx, ids[from:to], blocks&AllBlocks, people[from:to]); err != nil {
			return nil, unreachable(ctx, "look up citizens", err)
		}
	}
	return people, nil
}

func (s *SQL) lookup(ctx context.Context, ids []models.Identifier, blocks Blocks, into []*Person) error {
	size := 0
	for lookupSizes[size] < len(ids) {
		size++
	}
	with := 0
	if blocks != 0 {
		with = 1
	}
	values := make([]any, lookupSizes[size])
	for i := range values {
		values[i] = askable(ids[min(i, len(ids)-1)].Value)
	}
	rows, err := s.db.Query(ctx, lookupStatements[with][size], values...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		id, p, err := scanPerson(rows, blocks)
		if err != nil {
			return err
		}
		place(ids, id, p, into)
	}
	return rows.Err()
}

// askable is the value itself, or one that nobody bears in place of one that no identifier can have: PostgreSQL
// would refuse the whole statement over a NUL or broken UTF-8.
func askable(value string) string {
	for i := range len(value) {
		if value[i] < ' ' || value[i] > '~' {
			return ""
		}
	}
	return value
}

// place puts p wherever its identifier was asked for; each place gets its own copy.
func place(ids []models.Identifier, id models.Identifier, p *Person, into []*Person) {
	for i := range ids {
		if ids[i] == id {
			own := *p
			into[i] = &own
		}
	}
}

func scanPerson(rows *sql.Rows, blocks Blocks) (models.Identifier, *Person, error) {
	var (
		id     models.Identifier
		p      Person
		born   string
		stored string
	)
	into := []any{&id.Type, &id.Value, &p.PlatformID, &p.Status, &p.Certified, &p.CreatedAt, &p.LevelOfAssurance,
		&p.FullName, &p.FirstName, &p.LastName, &born, &p.Gender, &p.Nationality, &stored}
	if blocks == 0 {
		into = into[:len(into)-1]
	}
	if err := rows.Scan(into...); err != nil {
		return id, nil, err
	}
	var ok bool
	if p.DateOfBirth, ok = readDate(born); !ok {
		return id, nil, fmt.Errorf("a citizen's stored date of birth is no date")
	}
	return id, &p, decodeBlocks(stored, blocks, &p)
}

// scanAll runs a query and hands each row to scan.
func scanAll(query *gorm.DB, scan func(*sql.Rows) error) error {
	rows, err := query.Rows()
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
