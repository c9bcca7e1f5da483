package registry

import (
	"strings"
	"time"

	"idplatform/models"
)

// profile is what must hold of a synthetic citizen before the dice decide the rest. The traits of test
// identities change it.
type profile struct {
	certified bool
	status    models.AccountStatus
	data      dataShare
	born      models.Date
	gender    models.Gender
	origin    *people
	// given, postnom and surname; an empty postnom is none.
	given, postnom, surname string
}

// dataShare says how many of the additional blocks a citizen has.
type dataShare int

const (
	mostData dataShare = iota // each block with a high chance
	allData                   // every block
	noData                    // none
)

// The time in which the population's records came about. It lies in the past of every use and never moves, so
// that records are the same on any day.
var (
	accountsFrom = date(2022, 1, 3)
	accountsTo   = date(2025, 12, 19)
)

func date(year, month, day int) models.Date {
	return models.Date{Year: year, Month: time.Month(month), Day: day}
}

// SyntheticCitizen is citizen k (0 to MaxPopulation-1) of the synthetic population: the same on any machine and
// whatever the size of the population. The first ones are the test identities. Nobody of them is a real person.
func SyntheticCitizen(k int) Record {
	c := theCountry()
	p := ordinaryProfile(c, diceFor(k, "person"))
	applyTraits(k, &p)

	record := Record{Identifiers: identifiersOf(k)}
	person := &record.Person
	person.PlatformID = record.Identifiers[0].Value
	person.Status, person.Certified = p.status, p.certified
	person.CreatedAt = accountOpened(diceFor(k, "account"), p.born)
	person.LevelOfAssurance = assurance(diceFor(k, "assurance"), p.certified)
	person.FirstName, person.LastName = p.given, p.surname
	person.FullName = strings.Join(strings.Fields(p.given+" "+p.postnom+" "+p.surname), " ")
	person.DateOfBirth, person.Gender, person.Nationality = p.born, p.gender, homeCountry
	if p.data != noData {
		addBlocks(c, k, p, &record)
	}
	return record
}

// homeCountry is the ISO 3166-1 alpha-3 code of the country.
const homeCountry = "COD"

func ordinaryProfile(c *country, d *dice) profile {
	origin := pick(d, c.peoples)
	p := profile{origin: origin, certified: d.chance(88), status: models.AccountActive, gender: models.Male}
	switch n := d.below(100); {
	case n < 3:
		p.status = models.AccountSuspended
	case n < 5:
		p.status = models.AccountPaused
	case n < 6:
		p.status, p.certified = models.AccountDeleted, false
	}
	given := c.male
	if d.chance(51) {
		p.gender, given = models.Female, c.female
	}
	p.given, p.surname = pick(d, given), pick(d, origin.surnames)
	if p.postnom = pick(d, origin.surnames); p.postnom == p.surname || d.chance(15) {
		p.postnom = ""
	}
	p.born = birthDate(d)
	return p
}

// birthDate: seven citizens in a hundred are children now; adults are the rarer the older.
func birthDate(d *dice) models.Date {
	if d.chance(7) {
		return dayIn(d, date(2010, 1, 1), date(2023, 12, 31))
	}
	year := 2006 - min(d.below(62), d.below(62))
	return dayIn(d, date(year, 1, 1), date(year, 12, 31))
}

// dayIn is a day from first to last.
func dayIn(d *dice, first, last models.Date) models.Date {
	from := midnight(first)
	days := int(midnight(last).Sub(from).Hours() / 24)
	return models.DateOf(from.AddDate(0, 0, d.below(max(days, 0)+1)))
}

// instantIn is an instant of the working day on a day from first to last.
func instantIn(d *dice, first, last models.Date) models.Timestamp {
	return models.At(midnight(dayIn(d, first, last)).
		Add(time.Duration(d.between(7*3_600_000, 16*3_600_000)) * time.Millisecond))
}

func midnight(d models.Date) time.Time {
	return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC)
}

func accountOpened(d *dice, born models.Date) models.Timestamp {
	first := accountsFrom
	if registered := models.DateOf(midnight(born).AddDate(0, 1, 0)); first.Before(registered) {
		first = registered
	}
	return instantIn(d, first, accountsTo)
}

func assurance(d *dice, certified bool) models.LevelOfAssurance {
	switch {
	case !certified:
		return models.LOA2
	case d.chance(30):
		return models.LOA4
	}
	return models.LOA3
}
