package registry

import "idplatform/models"

// Trait is something that is true of a test identity, so that a caller can try the outcome that follows.
type Trait string

// The traits of persons that the register itself brings about.
const (
	TraitCertified        Trait = "certified"
	TraitNotCertified     Trait = "not_certified"
	TraitAccountActive    Trait = "account_active"
	TraitAccountSuspended Trait = "account_suspended"
	TraitAccountPaused    Trait = "account_paused"
	TraitAccountDeleted   Trait = "account_deleted"
	TraitAllScopes        Trait = "all_scopes"
	TraitBasicOnly        Trait = "basic_only"
	TraitMiddleName       Trait = "middle_name"
	TraitAccentedName     Trait = "accented_name"
	TraitUnaccentedTwin   Trait = "unaccented_twin"
	TraitMinor            Trait = "minor"
)

// traitEffects says what a trait makes of a citizen. A trait that is about something outside the register (a
// list, a score, a face) needs no line here.
var traitEffects = map[Trait]func(*profile){
	TraitCertified:        func(p *profile) { p.certified = true },
	TraitNotCertified:     func(p *profile) { p.certified = false },
	TraitAccountActive:    func(p *profile) { p.status = models.AccountActive },
	TraitAccountSuspended: func(p *profile) { p.status = models.AccountSuspended },
	TraitAccountPaused:    func(p *profile) { p.status = models.AccountPaused },
	TraitAccountDeleted:   func(p *profile) { p.status = models.AccountDeleted },
	TraitAllScopes:        func(p *profile) { p.data = allData },
	TraitBasicOnly:        func(p *profile) { p.data = noData },
	// Two years old when the platform first ran, and a minor until 2042.
	TraitMinor: func(p *profile) { p.born = minorBorn },
}

var minorBorn = date(2024, 3, 9)

// cast is one test identity: what it shows, and what else must be so, such as a name. Whatever both leave open
// the dice decide.
type cast struct {
	traits []Trait
	fixed  func(*profile)
}

// castTable lists the test identities: citizen k of the population is line k. A new trait goes into a new line
// at the end (or joins a line it goes with), is certified and active unless it is about just that, and needs
// nothing else: the next start rewrites the test identities of a population that has others.
var castTable = []cast{
	// A birthday that transposes to another date, and a name of three parts.
	{[]Trait{TraitCertified, TraitAccountActive, TraitAllScopes, TraitMiddleName},
		named("Luba", models.Male, "Bienvenu", "Tshilumba", "Kayembe", date(1987, 4, 9))},
	// On no list, whatever lists are loaded: the name is rare and the year fixed.
	{[]Trait{TraitCertified, TraitAccountActive, TraitBasicOnly, TraitMiddleName},
		named("Shi", models.Female, "Scholastique", "Nsimire", "Zihindula", date(1993, 11, 23))},
	{[]Trait{TraitNotCertified, TraitAccountActive}, nil},
	{[]Trait{TraitCertified, TraitAccountSuspended}, nil},
	{[]Trait{TraitCertified, TraitAccountPaused}, nil},
	{[]Trait{TraitNotCertified, TraitAccountDeleted}, nil},
	{[]Trait{TraitCertified, TraitAccountActive, TraitAccentedName, TraitMiddleName},
		named("Luba", models.Female, "Hélène", "Ngalula", "Kabasélé", date(1984, 2, 17))},
	{[]Trait{TraitCertified, TraitAccountActive, TraitUnaccentedTwin, TraitMiddleName},
		named("Luba", models.Female, "Helene", "Ngalula", "Kabasele", date(1991, 10, 6))},
	{[]Trait{TraitCertified, TraitAccountActive, TraitMinor}, nil},
}

// reservedCitizens are kept for test identities: the ones not in the table yet are ordinary citizens until a
// line takes their place, and every population has at least so many.
const reservedCitizens = 256

func named(people string, gender models.Gender, given, postnom, surname string, born models.Date) func(*profile) {
	return func(p *profile) {
		p.origin = theCountry().peopleNamed(people)
		p.gender, p.given, p.postnom, p.surname, p.born = gender, given, postnom, surname, born
	}
}

func applyTraits(k int, p *profile) {
	if k >= len(castTable) {
		return
	}
	for _, trait := range castTable[k].traits {
		if effect := traitEffects[trait]; effect != nil {
			effect(p)
		}
	}
	if fixed := castTable[k].fixed; fixed != nil {
		fixed(p)
	}
	// The others are of age, so that only the minor meets what is not for minors.
	if !p.born.Before(adultSince) && p.born != minorBorn {
		p.born = models.DateOf(midnight(p.born).AddDate(-25, 0, 0))
	}
}
