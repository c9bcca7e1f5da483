package registry

import (
	"time"

	"idplatform/models"
)

// paper is how documents of one type are issued.
type paper struct {
	kind      models.IdentifierType
	authority string
	years     int  // of validity; 0: does not expire
	children  bool // issued to children too
}

// papers are in the order in which one counts as primary.
var papers = []paper{
	{models.NationalID, "Office national d'identification de la population (ONIP)", 10, true},
	{models.Passport, "Ministère des Affaires étrangères, Direction des passeports", 5, true},
	{models.Ceni, "Commission électorale nationale indépendante (CENI)", 0, false},
	{models.DrivingLicence, "Commission nationale de délivrance des permis de conduire (CONADEP)", 5, false},
}

// Valid papers were issued in these days and expire in 2030 or later; expired ones had expired by then. The
// register's word on a paper and the paper's dates thus agree for years.
var (
	validFrom, validTo     = date(2025, 2, 3), date(2026, 5, 29)
	expiredFrom, expiredTo = date(2013, 2, 4), date(2015, 5, 29)
)

// documentsOf are the papers behind a citizen's identifiers; the first valid one is primary.
func documentsOf(d *dice, record *Record, adult bool) Documents {
	var all []Document
	primary := 0
	for _, p := range papers {
		if !adult && !p.children {
			continue
		}
		doc := p.issue(d, record)
		if doc.Status == DocumentValid && (len(all) == 0 || all[primary].Status != DocumentValid) {
			primary = len(all)
		}
		all = append(all, doc)
	}
	first := all[primary]
	return Documents{Primary: &first, Others: append(all[:primary], all[primary+1:]...)}
}

func (p paper) issue(d *dice, record *Record) Document {
	doc := Document{
		Type: p.kind, Status: DocumentValid, IssuingAuthority: p.authority,
		Image: File{ContentType: pictureType, Ref: documentRef(record.Person.PlatformID, p.kind)},
	}
	for _, id := range record.Identifiers {
		if id.Type == p.kind {
			doc.Number = id.Value
		}
	}
	switch n := d.below(100); {
	case n < 18 && p.years > 0 && record.Person.DateOfBirth.Before(expiredFrom):
		doc.Status = DocumentExpired
	case n == 98 && p.kind == models.DrivingLicence:
		doc.Status = DocumentSuspended
	case n == 99:
		doc.Status = DocumentRevoked
	}
	doc.IssuedAt = dayIn(d, validFrom, validTo)
	if doc.Status == DocumentExpired {
		doc.IssuedAt = dayIn(d, expiredFrom, expiredTo)
	}
	if p.years > 0 {
		until := date(doc.IssuedAt.Year+p.years, int(doc.IssuedAt.Month), doc.IssuedAt.Day)
		until = models.DateOf(midnight(until).AddDate(0, 0, -1))
		doc.ExpiresAt = &until
	}
	return doc
}

// fingers that are enrolled, named as in the specification's block.
var fingers = []string{"right_thumb", "right_index", "left_thumb", "left_index"}

// eyes that are enrolled.
var eyes = []string{"left", "right"}

// addBiometrics enrols face, fingers and eyes; children are enrolled with their face only.
func addBiometrics(have func(string) (*dice, bool), person *Person, adult bool) {
	captured := models.At(person.CreatedAt.Add(11 * time.Minute))
	if _, ok := have("selfie"); ok {
		person.Selfie = &Selfie{CapturedAt: captured, File: File{portraitType, selfieRef(person.PlatformID)}}
	}
	if !adult {
		return
	}
	if _, ok := have("fingerprints"); ok {
		for _, finger := range fingers {
			person.Fingerprints = append(person.Fingerprints, Fingerprint{
				Format: FingerprintFormat, Finger: finger,
				File: File{templateType, fingerprintRef(person.PlatformID, finger)},
			})
		}
	}
	if _, ok := have("iris"); ok {
		for _, eye := range eyes {
			person.Iris = append(person.Iris, Iris{
				Format: IrisFormat, Eye: eye, File: File{templateType, irisRef(person.PlatformID, eye)},
			})
		}
	}
}
