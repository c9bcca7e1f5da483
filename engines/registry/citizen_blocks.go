package registry

import (
	"fmt"
	"strconv"
	"strings"

	"idplatform/models"
)

// adultSince: who was born before is of age in every record of the population.
var adultSince = date(2007, 1, 1)

// usualShare is the chance, in percent, that an ordinary citizen has a given block.
const usualShare = 92

// addBlocks gives a citizen additional blocks. Each has dice of its own, so that one may change alone.
func addBlocks(c *country, k int, p profile, record *Record) {
	person := &record.Person
	adult := p.born.Before(adultSince)
	birthplace := placeIn(c, diceFor(k, "birthplace"), pick(diceFor(k, "home"), p.origin.homes))
	home := birthplace
	if d := diceFor(k, "residence"); d.chance(45) {
		home = pick(d, c.places)
	}
	have := func(block string) (*dice, bool) {
		d := diceFor(k, block)
		return d, d.chance(usualShare) || p.data == allData
	}
	if d, ok := have("documents"); ok {
		person.Documents = documentsOf(d, record, adult)
	}
	if d, ok := have("addresses"); ok {
		person.Addresses = addressesOf(c, d, home, person.CreatedAt)
	}
	if d, ok := have("emails"); ok && adult {
		person.Emails = emailsOf(d, k, p)
	}
	if d, ok := have("phones"); ok && adult {
		person.PhoneNumbers = phoneNumbersOf(d, k)
	}
	if d, ok := have("professions"); ok && adult {
		person.Professions = professionsOf(c, d, p)
	}
	if _, ok := have("place of birth"); ok {
		person.PlaceOfBirth = &PlaceOfBirth{Country: homeCountry, Province: birthplace.province, City: birthplace.city}
	}
	if d, ok := have("marital status"); ok {
		person.MaritalStatus = maritalStatusOf(d, p.born, adult)
	}
	if d, ok := have("languages"); ok {
		person.Languages = languagesOf(d, p.origin, home)
	}
	if d, ok := have("religion"); ok {
		person.Religion = pick(d, religions)
	}
	if _, ok := have("ethnicity"); ok {
		person.Ethnicity = p.origin.name
	}
	addBiometrics(have, person, adult)
}

func placeIn(c *country, d *dice, province string) *area { return pick(d, c.placesOf[province]) }

func addressesOf(c *country, d *dice, home *area, since models.Timestamp) []Address {
	address := func(kind AddressType, at *area, verified bool) Address {
		a := Address{
			Type: kind, Province: at.province, City: at.city, Commune: at.commune, Quartier: pick(d, at.quartiers),
			Avenue: pick(d, c.avenues), Number: strconv.Itoa(d.between(1, 240)),
		}
		if d.chance(12) {
			a.Number += " bis"
		}
		if verified {
			a.VerifiedAt = &since
		}
		return a
	}
	all := []Address{address(Residential, home, d.chance(80))}
	all[0].IsPrimary = true
	if d.chance(20) {
		all = append(all, address(Postal, home, false))
	}
	return all
}

// mailDomains are names that nobody can register (RFC 2606).
var mailDomains = []string{"example.com", "example.net", "example.org", "courriel.example", "kinshasa.example"}

func emailsOf(d *dice, k int, p profile) []Email {
	name := mailName.Replace(strings.ToLower(plain(p.given + "." + p.surname)))
	all := []Email{{Address: fmt.Sprintf("%s%d@%s", name, k, pick(d, mailDomains)), IsPrimary: true, Verified: d.chance(75)}}
	if d.chance(15) {
		all = append(all, Email{Address: fmt.Sprintf("%s.travail%d@%s", name, k, pick(d, mailDomains)), Verified: d.chance(30)})
	}
	return all
}

var mailName = strings.NewReplacer(" ", "", "-", "", "'", "")

func phoneNumbersOf(d *dice, k int) []PhoneNumber {
	number, operator := phoneNumberOf(k, 0)
	all := []PhoneNumber{{Number: number, Operator: operator, IsPrimary: true, Verified: d.chance(90)}}
	if d.chance(40) {
		number, operator = phoneNumberOf(k, 1)
		all = append(all, PhoneNumber{Number: number, Operator: operator, Verified: d.chance(60)})
	}
	return all
}

// ownBusiness stands in the data for people who work for themselves.
const ownBusiness = "--"

func professionsOf(c *country, d *dice, p profile) []Profession {
	trade := pick(d, c.occupations)
	job := Profession{Title: trade.male, Employer: pick(d, trade.employers), Sector: trade.sector}
	own := "Indépendant"
	if p.gender == models.Female {
		job.Title, own = trade.female, "Indépendante"
	}
	if job.Employer == ownBusiness {
		job.Employer = own
	}
	of18 := date(p.born.Year+18, 1, 1)
	job.Since = dayIn(d, maxDate(of18, date(2000, 1, 1)), accountsTo)
	return []Profession{job}
}

func maxDate(a, b models.Date) models.Date {
	if a.Before(b) {
		return b
	}
	return a
}

func maritalStatusOf(d *dice, born models.Date, adult bool) MaritalStatus {
	n := d.below(100)
	switch {
	case !adult, born.Year > 2000 && n < 85, n < 25:
		return Single
	case n < 86:
		return Married
	case n < 92 || born.Year > 1985:
		return Divorced
	}
	return Widowed
}

// religions are those of the country, frequent ones several times.
var religions = []string{
	"Catholique", "Catholique", "Catholique", "Catholique", "Catholique", "Protestante", "Protestante", "Protestante",
	"Église de réveil", "Église de réveil", "Église de réveil", "Kimbanguiste", "Kimbanguiste", "Musulmane",
	"Armée du Salut", "Orthodoxe", "Témoins de Jéhovah", "Adventiste", "Néo-apostolique", "Traditionnelle",
}

// linguaFranca is the national language spoken in a province, as ISO 639 code.
var linguaFranca = map[string]string{
	"Kongo Central": "kg", "Kwango": "kg", "Kwilu": "kg",
	"Kasaï": "lua", "Kasaï-Central": "lua", "Kasaï-Oriental": "lua", "Lomami": "lua", "Sankuru": "lua",
	"Haut-Katanga": "sw", "Haut-Lomami": "sw", "Lualaba": "sw", "Tanganyika": "sw", "Maniema": "sw", "Nord-Kivu": "sw",
	"Sud-Kivu": "sw", "Ituri": "sw", "Haut-Uele": "sw", "Tshopo": "sw",
	"Kinshasa": "ln", "Équateur": "ln", "Mongala": "ln", "Nord-Ubangi": "ln", "Sud-Ubangi": "ln", "Tshuapa": "ln",
	"Mai-Ndombe": "ln", "Bas-Uele": "ln",
}

func languagesOf(d *dice, origin *people, home *area) []string {
	all := []string{"fr", linguaFranca[home.province]}
	if origin.language != all[1] {
		all = append(all, origin.language)
	}
	if all[1] != "ln" && d.chance(30) {
		all = append(all, "ln")
	}
	if d.chance(6) {
		all = append(all, "en")
	}
	return all
}
