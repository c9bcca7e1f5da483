package registry

import (
	"strings"

	"gorm.io/gorm"
)

// citizenRow is a citizen on the way into the tables; change is 0 for those of the synthetic population.
type citizenRow struct {
	id, change int64
	record     *Record
}

// insertRows bounds the rows of one statement: most statements have exactly as many and are prepared once.
const insertRows = 250

// table is where rows go, and how many columns they have.
type table struct {
	name, columns string
	width         int
}

var (
	citizensTable = table{"register_citizens", "id, platform_id, status, certified, created_at, level_of_assurance, " +
		"full_name, first_name, last_name, date_of_birth, gender, nationality, change", 13}
	identifiersTable = table{"register_identifiers", "value, type, citizen_id", 3}
	blocksTable      = table{"register_blocks", "citizen_id, blocks", 2}
)

// insertCitizens writes citizens that are in no table yet.
func insertCitizens(tx *gorm.DB, rows []citizenRow) error {
	citizens := make([]any, 0, len(rows)*citizensTable.width)
	identifiers := make([]any, 0, len(rows)*5*identifiersTable.width)
	blocks := make([]any, 0, len(rows)*blocksTable.width)
	for _, row := range rows {
		p := &row.record.Person
		citizens = append(citizens, row.id, p.PlatformID, string(p.Status), p.Certified, p.CreatedAt.UnixMilli(),
			string(p.LevelOfAssurance), p.FullName, p.FirstName, p.LastName, p.DateOfBirth.String(), string(p.Gender),
			p.Nationality, row.change)
		for _, id := range row.record.Identifiers {
			identifiers = append(identifiers, id.Value, string(id.Type), row.id)
		}
		if stored := encodeBlocks(p); stored != "" {
			blocks = append(blocks, row.id, stored)
		}
	}
	if err := citizensTable.insert(tx, citizens); err != nil {
		return err
	}
	if err := identifiersTable.insert(tx, identifiers); err != nil {
		return err
	}
	return blocksTable.insert(tx, blocks)
}

// insert writes the values, width of them a row.
func (t table) insert(tx *gorm.DB, values []any) error {
	for len(values) > 0 {
		n := min(len(values), insertRows*t.width)
		if err := tx.Exec(t.statement(n/t.width), values[:n]...).Error; err != nil {
			return err
		}
		values = values[n:]
	}
	return nil
}

func (t table) statement(rows int) string {
	row := "(" + strings.Repeat("?,", t.width-1) + "?)"
	return "INSERT INTO " + t.name + " (" + t.columns + ") VALUES " + strings.Repeat(row+",", rows-1) + row
}
