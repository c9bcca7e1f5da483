package registry

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"gorm.io/gorm"

	"idplatform/models"
)

// Record is a citizen together with the official numbers that name them.
type Record struct {
	Person Person
	// Identifiers in canonical form, the platform id among them.
	Identifiers []models.Identifier
}

// What Save refuses.
var (
	// ErrIdentifierTaken: another citizen bears one of the identifiers.
	ErrIdentifierTaken = errors.New("an identifier belongs to another citizen")
	// ErrBadRecord: a record contradicts itself or holds text that is not valid UTF-8.
	ErrBadRecord = errors.New("the record of a citizen is malformed")
)

// firstSavedID keeps citizens entered with Save apart from those of the synthetic population, whose ids count
// from 0.
const firstSavedID = 1 << 40

// Save enters citizens, or replaces the whole record of those known by their platform id. Each becomes the
// latest entry of the record of changes. All are saved, or none.
func (s *SQL) Save(ctx context.Context, records ...Record) error {
	for i := range records {
		if err := records[i].check(); err != nil {
			return err
		}
	}
	err := s.db.Tx(ctx, func(ctx context.Context) error {
		tx := s.db.Write(ctx)
		for i := range records {
			if err := saveOne(tx, &records[i]); err != nil {
				return err
			}
		}
		return nil
	})
	switch {
	case err == nil:
		return nil
	case errors.Is(err, gorm.ErrDuplicatedKey):
		return ErrIdentifierTaken
	}
	return unreachable(ctx, "save citizens", err)
}

func saveOne(tx *gorm.DB, r *Record) error {
	change, err := nextChange(tx)
	if err != nil {
		return err
	}
	var known []int64
	err = tx.Raw(`SELECT citizen_id FROM register_identifiers WHERE value = ? AND type = ?`,
		r.Person.PlatformID, string(models.PlatformID)).Scan(&known).Error
	if err != nil {
		return err
	}
	if len(known) == 0 {
		return insertCitizens(tx, []citizenRow{{firstSavedID + change, change, r}})
	}
	return replaceCitizen(tx, citizenRow{known[0], change, r})
}

// replaceCitizen writes a known citizen anew.
func replaceCitizen(tx *gorm.DB, row citizenRow) error {
	for _, statement := range []string{
		`DELETE FROM register_blocks WHERE citizen_id = ?`,
		`DELETE FROM register_identifiers WHERE citizen_id = ?`,
		`DELETE FROM register_citizens WHERE id = ?`,
	} {
		if err := tx.Exec(statement, row.id).Error; err != nil {
			return err
		}
	}
	return insertCitizens(tx, []citizenRow{row})
}

// check refuses what no register holds: identifiers out of form, a citizen without the platform id they are
// known by, a calendar date that cannot be read back, text that PostgreSQL would refuse.
func (r *Record) check() error {
	own := false
	for _, id := range r.Identifiers {
		if canonical, ok := id.Normalize(); !ok || canonical != id {
			return fmt.Errorf("%w: an identifier of type %q is not in canonical form", ErrBadRecord, id.Type)
		}
		own = own || id == models.Identifier{Type: models.PlatformID, Value: r.Person.PlatformID}
	}
	if !own {
		return fmt.Errorf("%w: its platform id is not among its identifiers", ErrBadRecord)
	}
	if _, ok := readDate(r.Person.DateOfBirth.String()); !ok {
		return fmt.Errorf("%w: no date of birth", ErrBadRecord)
	}
	p := &r.Person
	for _, text := range []string{p.FullName, p.FirstName, p.LastName, p.Nationality, encodeBlocks(p)} {
		if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			return fmt.Errorf("%w: a text is not valid UTF-8 or holds a NUL", ErrBadRecord)
		}
	}
	return nil
}
