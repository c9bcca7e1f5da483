package registry

import (
	"errors"
	"fmt"
	"strings"

	"idplatform/models"
)

// check judges an answer to a lookup and takes out what was not asked for, so that a register that says too
// much does not make the platform do so. Errors name fields, never values.
func (a *lookupAnswer) check(asked []models.Identifier, blocks Blocks) error {
	if len(a.Citizens) != len(asked) {
		return fmt.Errorf("%d citizens for %d identifiers", len(a.Citizens), len(asked))
	}
	for i, p := range a.Citizens {
		if p == nil {
			continue
		}
		if asked[i].Type == models.PlatformID && p.PlatformID != asked[i].Value {
			return errors.New("a citizen other than the one asked for")
		}
		if err := p.check(); err != nil {
			return err
		}
		p.keep(blocks)
	}
	return nil
}

// check finds what the platform could not show as the specification says.
func (p *Person) check() error {
	own := models.Identifier{Type: models.PlatformID, Value: p.PlatformID}
	canonical, ok := own.Normalize()
	for _, rule := range []struct {
		holds bool
		field string
	}{
		{ok && canonical == own, "platform_id"},
		{oneOf(p.Status, models.AccountActive, models.AccountSuspended, models.AccountPaused, models.AccountDeleted), "status"},
		{oneOf(p.LevelOfAssurance, models.LOA2, models.LOA3, models.LOA4), "level_of_assurance"},
		{!p.CreatedAt.IsZero(), "created_at"},
		{p.FullName != "", "full_name"},
		{p.FirstName != "", "first_name"},
		{p.LastName != "", "last_name"},
		{!p.DateOfBirth.IsZero(), "date_of_birth"},
		{oneOf(p.Gender, models.Male, models.Female), "gender"},
		{len(p.Nationality) == 3, "nationality"},
		{oneOf(p.MaritalStatus, "", Single, Married, Divorced, Widowed), "marital_status"},
		{p.filesNamed(), "ref of a file"},
	} {
		if !rule.holds {
			return fmt.Errorf("a citizen whose %s is absent or not as documented", rule.field)
		}
	}
	return nil
}

func oneOf[T comparable](v T, allowed ...T) bool {
	for _, a := range allowed {
		if v == a {
			return true
		}
	}
	return false
}

// A reference to a file of the register begins so: what begins otherwise is the platform's own.
const (
	refPrefix = "register/"
	refMost   = 512
)

// filesNamed reports whether every file has a reference, of the register and of bearable length, and a
// content type.
func (p *Person) filesNamed() bool {
	named := func(f File) bool {
		return strings.HasPrefix(f.Ref, refPrefix) && len(f.Ref) <= refMost && !strings.ContainsRune(f.Ref, 0) && f.ContentType != ""
	}
	ok := p.Selfie == nil || named(p.Selfie.File)
	for _, d := range p.papers() {
		ok = ok && named(d.Image)
	}
	for _, f := range p.Fingerprints {
		ok = ok && named(f.File)
	}
	for _, i := range p.Iris {
		ok = ok && named(i.File)
	}
	return ok
}

// keep empties the blocks that are not in the set.
func (p *Person) keep(blocks Blocks) {
	for _, part := range []struct {
		block Blocks
		empty func()
	}{
		{DocumentsPrimary, func() { p.Documents.Primary = nil }},
		{DocumentsAll, func() { p.Documents.Others = nil }},
		{Addresses, func() { p.Addresses = nil }},
		{Emails, func() { p.Emails = nil }},
		{PhoneNumbers, func() { p.PhoneNumbers = nil }},
		{Professions, func() { p.Professions = nil }},
		{PlaceOfBirths, func() { p.PlaceOfBirth = nil }},
		{MaritalStatuses, func() { p.MaritalStatus = "" }},
		{Languages, func() { p.Languages = nil }},
		{Religion, func() { p.Religion = "" }},
		{Ethnicity, func() { p.Ethnicity = "" }},
		{Selfies, func() { p.Selfie = nil }},
		{Fingerprints, func() { p.Fingerprints = nil }},
		{Irises, func() { p.Iris = nil }},
	} {
		if !blocks.Has(part.block) {
			part.empty()
		}
	}
}

// check judges a page of changes. A register that says there is more must have shown something, lest its reader
// ask forever.
func (c *Changes) check(limit int) error {
	if c.Next == "" || len(c.PlatformIDs) > limit || (c.More && len(c.PlatformIDs) == 0) {
		return errors.New("a page of changes without cursor or of another length than asked")
	}
	for _, id := range c.PlatformIDs {
		own := models.Identifier{Type: models.PlatformID, Value: id}
		if canonical, ok := own.Normalize(); !ok || canonical != own {
			return errors.New("a change of something that is no platform id")
		}
	}
	return nil
}
