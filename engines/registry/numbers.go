package registry

import (
	"fmt"
	"strings"

	"idplatform/models"
)

// MaxPopulation bounds the synthetic population.
const MaxPopulation = 10_000_000

const base36 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// The sizes of the number ranges from which citizens are served. Beside each lies a range that stays empty at
// any size of the population: unknownIdentifiers are taken from there.
const (
	platformIDs     = 35 * 131_621_703_842_267_136 // 12 characters of 36, the first never Z (36 to the power of 11)
	passports       = 25 * 10_000_000              // OA to OY and seven digits, never OZ
	voterCards      = 8 * 10_000_000_000           // eleven digits, the first 1 to 8
	drivingLicences = 100_000_000                  // PC and eight digits
	nationalIDs     = 10_000_000_000               // CN and ten digits
	phoneNumbers    = uint64(len(mobilePrefixes)) * 10_000_000
)

// identifiersOf are the official numbers of citizen k, one of each person type, borne by nobody else.
func identifiersOf(k int) []models.Identifier {
	passport := scatter(k, 119_450_861, passports)
	return []models.Identifier{
		{Type: models.PlatformID, Value: platformIDOf(k)},
		{Type: models.Passport, Value: fmt.Sprintf("O%c%07d", 'A'+rune(passport/10_000_000), passport%10_000_000)},
		{Type: models.Ceni, Value: fmt.Sprintf("%011d", 10_000_000_000+scatter(k, 39_916_801_337, voterCards))},
		{Type: models.DrivingLicence, Value: fmt.Sprintf("PC%08d", scatter(k, 61_803_399, drivingLicences))},
		{Type: models.NationalID, Value: fmt.Sprintf("CN%010d", scatter(k, 3_141_592_653, nationalIDs))},
	}
}

func platformIDOf(k int) string {
	n := scatter(k, 2_862_933_555_777_941_757, platformIDs)
	var digits [12]byte
	for i := len(digits) - 1; i >= 0; i-- {
		digits[i] = base36[n%36]
		n /= 36
	}
	return "COD-" + string(digits[:4]) + "-" + string(digits[4:8]) + "-" + string(digits[8:])
}

// unknownIdentifiers are well-formed and lie in ranges that no register ever gives numbers from: letters that
// no office uses, and for businesses a registry office, a province and a year that do not exist.
func unknownIdentifiers() []models.Identifier {
	return []models.Identifier{
		{Type: models.PlatformID, Value: "COD-ZQ4K-7M2X-9T5H"},
		{Type: models.Passport, Value: "OZ4815162"},
		{Type: models.Ceni, Value: "98715024639"},
		{Type: models.DrivingLicence, Value: "PZ60417253"},
		{Type: models.NationalID, Value: "CZ5081736294"},
		{Type: models.RCCM, Value: "CD/ZZZ/RCCM/99-Z-90417"},
		{Type: models.IDNat, Value: "99-Z9047-Z90417Z"},
		{Type: models.NIF, Value: "Z9041763Z"},
	}
}

// mobilePrefixes are the two digits after +243 of each operator's mobile numbers.
var mobilePrefixes = [...]struct{ digits, operator string }{
	{"81", "Vodacom"}, {"82", "Vodacom"}, {"83", "Vodacom"},
	{"97", "Airtel"}, {"98", "Airtel"}, {"99", "Airtel"},
	{"84", "Orange"}, {"85", "Orange"}, {"89", "Orange"},
	{"90", "Africell"}, {"91", "Africell"},
}

// phoneNumberOf is number which (0 or 1) of citizen k in E.164 with its operator, borne by nobody else.
func phoneNumberOf(k, which int) (number, operator string) {
	n := scatter(2*k+which, 67_867_967, phoneNumbers)
	prefix := mobilePrefixes[n/10_000_000]
	return fmt.Sprintf("+243%s%07d", prefix.digits, n%10_000_000), prefix.operator
}

// plain writes a name with the letters of ASCII only.
func plain(s string) string { return withoutAccents.Replace(s) }

var withoutAccents = strings.NewReplacer(
	"À", "A", "Â", "A", "Ç", "C", "È", "E", "É", "E", "Ê", "E", "Ë", "E", "Î", "I", "Ï", "I", "Ô", "O", "Ö", "O",
	"Ù", "U", "Û", "U", "Ü", "U", "à", "a", "â", "a", "ç", "c", "è", "e", "é", "e", "ê", "e", "ë", "e", "î", "i",
	"ï", "i", "ô", "o", "ö", "o", "ù", "u", "û", "u", "ü", "u", "œ", "oe", "Œ", "OE")
