package registry

import (
	"strings"

	"idplatform/models"
)

// encodeBlocks gives the stored form of a citizen's additional blocks; empty when there are none.
func encodeBlocks(p *Person) string {
	var w lineWriter
	if p.Documents.Primary != nil {
		w.document(linePrimary, *p.Documents.Primary)
	}
	for _, d := range p.Documents.Others {
		w.document(lineOther, d)
	}
	for _, a := range p.Addresses {
		w.line(lineAddress, string(a.Type), a.Province, a.City, a.Commune, a.Quartier, a.Avenue, a.Number,
			flagText(a.IsPrimary), maybeTimestampText(a.VerifiedAt))
	}
	for _, e := range p.Emails {
		w.line(lineEmail, e.Address, flagText(e.IsPrimary), flagText(e.Verified))
	}
	for _, n := range p.PhoneNumbers {
		w.line(linePhone, n.Number, n.Operator, flagText(n.IsPrimary), flagText(n.Verified))
	}
	for _, j := range p.Professions {
		w.line(lineProfession, j.Title, j.Employer, j.Sector, j.Since.String())
	}
	if b := p.PlaceOfBirth; b != nil {
		w.line(linePlace, b.Country, b.Province, b.City)
	}
	w.single(lineMarital, string(p.MaritalStatus))
	if len(p.Languages) > 0 {
		w.line(lineLanguages, p.Languages...)
	}
	w.single(lineReligion, p.Religion)
	w.single(lineEthnicity, p.Ethnicity)
	if s := p.Selfie; s != nil {
		w.line(lineSelfie, timestampText(s.CapturedAt), s.File.ContentType, s.File.Ref)
	}
	for _, f := range p.Fingerprints {
		w.line(lineFingerprint, f.Format, f.Finger, f.File.ContentType, f.File.Ref)
	}
	for _, i := range p.Iris {
		w.line(lineIris, i.Format, i.Eye, i.File.ContentType, i.File.Ref)
	}
	return string(w.b)
}

func (w *lineWriter) document(kind byte, d Document) {
	w.line(kind, string(d.Type), d.Number, d.IssuedAt.String(), maybeDateText(d.ExpiresAt), d.IssuingAuthority,
		string(d.Status), d.Image.ContentType, d.Image.Ref)
}

func (w *lineWriter) single(kind byte, value string) {
	if value != "" {
		w.line(kind, value)
	}
}

// decodeBlocks fills in the wanted blocks of p from their stored form.
func decodeBlocks(stored string, want Blocks, p *Person) error {
	for stored != "" {
		line, rest, _ := strings.Cut(stored, "\n")
		stored = rest
		if len(line) < 2 || !want.Has(blockOfLine(line[0])) {
			continue
		}
		r := lineReader{rest: line[2:]}
		r.into(p, line[0])
		if r.err != nil {
			return r.err
		}
	}
	return nil
}

func (r *lineReader) into(p *Person, kind byte) {
	switch kind {
	case linePrimary:
		d := r.document()
		p.Documents.Primary = &d
	case lineOther:
		p.Documents.Others = append(p.Documents.Others, r.document())
	case lineAddress:
		p.Addresses = append(p.Addresses, Address{
			Type: AddressType(r.text()), Province: r.text(), City: r.text(), Commune: r.text(), Quartier: r.text(),
			Avenue: r.text(), Number: r.text(), IsPrimary: r.flag(), VerifiedAt: r.maybeTimestamp(),
		})
	case lineEmail:
		p.Emails = append(p.Emails, Email{Address: r.text(), IsPrimary: r.flag(), Verified: r.flag()})
	case linePhone:
		p.PhoneNumbers = append(p.PhoneNumbers,
			PhoneNumber{Number: r.text(), Operator: r.text(), IsPrimary: r.flag(), Verified: r.flag()})
	case lineProfession:
		p.Professions = append(p.Professions,
			Profession{Title: r.text(), Employer: r.text(), Sector: r.text(), Since: r.date()})
	case linePlace:
		p.PlaceOfBirth = &PlaceOfBirth{Country: r.text(), Province: r.text(), City: r.text()}
	case lineMarital:
		p.MaritalStatus = MaritalStatus(r.text())
	case lineLanguages:
		for !r.done {
			p.Languages = append(p.Languages, r.text())
		}
	case lineReligion:
		p.Religion = r.text()
	case lineEthnicity:
		p.Ethnicity = r.text()
	case lineSelfie:
		p.Selfie = &Selfie{CapturedAt: r.timestamp(), File: r.file()}
	case lineFingerprint:
		p.Fingerprints = append(p.Fingerprints, Fingerprint{Format: r.text(), Finger: r.text(), File: r.file()})
	case lineIris:
		p.Iris = append(p.Iris, Iris{Format: r.text(), Eye: r.text(), File: r.file()})
	}
}

func (r *lineReader) document() Document {
	return Document{
		Type: models.IdentifierType(r.text()), Number: r.text(), IssuedAt: r.date(), ExpiresAt: r.maybeDate(),
		IssuingAuthority: r.text(), Status: DocumentStatus(r.text()), Image: r.file(),
	}
}
