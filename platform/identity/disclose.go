package identity

import (
	"idplatform/catalog"
	"idplatform/engines/registry"
)

// Disclosure is what a call learns of a citizen.
type Disclosure struct {
	KYC *KYC
	// Applied begins with kyc.basic; Withheld are the granted scopes with no data on record.
	Applied, Withheld []string
	// Records counts the records of each additional scope that is disclosed: the elements of an array block,
	// one for an object block (for billing).
	Records map[string]int
}

// Disclose renders a person for a call: kyc.basic, and the blocks of the call's scopes that have data.
func Disclose(p *registry.Person, facts catalog.Facts) Disclosure {
	d := Disclosure{
		KYC:      &KYC{Basic: BasicOf(p, facts.Today())},
		Applied:  append(make([]string, 0, 1+len(facts.Scopes)), catalog.KYC.Basic),
		Withheld: []string{},
	}
	for _, scope := range facts.Scopes {
		records := 0
		if fill := blocks[scope]; fill != nil {
			records = fill(d.KYC, p, facts.Delivery)
		}
		if records == 0 {
			d.Withheld = append(d.Withheld, scope)
			continue
		}
		d.Applied = append(d.Applied, scope)
		if d.Records == nil {
			d.Records = map[string]int{}
		}
		d.Records[scope] = records
	}
	return d
}

// blocks fills the block of a scope and gives the number of its records, 0 when none is on record.
var blocks = map[string]func(k *KYC, p *registry.Person, d catalog.Delivery) int{
	"kyc.documents.primary": func(k *KYC, p *registry.Person, d catalog.Delivery) int {
		if p.Documents.Primary == nil {
			return 0
		}
		primary := document(*p.Documents.Primary, d)
		k.documents().Primary = &primary
		return 1
	},
	"kyc.documents.all": func(k *KYC, p *registry.Person, d catalog.Delivery) int {
		if len(p.Documents.Others) == 0 {
			return 0
		}
		others := make([]Document, len(p.Documents.Others))
		for i, doc := range p.Documents.Others {
			others[i] = document(doc, d)
		}
		k.documents().Others = others
		return len(others)
	},
	"kyc.addresses": func(k *KYC, p *registry.Person, _ catalog.Delivery) int {
		k.Addresses = p.Addresses
		return len(p.Addresses)
	},
	"kyc.emails": func(k *KYC, p *registry.Person, _ catalog.Delivery) int {
		k.Emails = p.Emails
		return len(p.Emails)
	},
	"kyc.phone_numbers": func(k *KYC, p *registry.Person, _ catalog.Delivery) int {
		k.PhoneNumbers = p.PhoneNumbers
		return len(p.PhoneNumbers)
	},
	"kyc.professions": func(k *KYC, p *registry.Person, _ catalog.Delivery) int {
		k.Professions = p.Professions
		return len(p.Professions)
	},
	"kyc.place_of_birth": func(k *KYC, p *registry.Person, _ catalog.Delivery) int {
		k.PlaceOfBirth = p.PlaceOfBirth
		return one(p.PlaceOfBirth != nil)
	},
	"kyc.marital_status": func(k *KYC, p *registry.Person, _ catalog.Delivery) int {
		k.MaritalStatus = p.MaritalStatus
		return one(p.MaritalStatus != "")
	},
	"kyc.languages": func(k *KYC, p *registry.Person, _ catalog.Delivery) int {
		k.Languages = p.Languages
		return len(p.Languages)
	},
	"kyc.religion": func(k *KYC, p *registry.Person, _ catalog.Delivery) int {
		k.Religion = p.Religion
		return one(p.Religion != "")
	},
	"kyc.ethnicity": func(k *KYC, p *registry.Person, _ catalog.Delivery) int {
		k.Ethnicity = p.Ethnicity
		return one(p.Ethnicity != "")
	},
	"kyc.biometrics.selfie": func(k *KYC, p *registry.Person, d catalog.Delivery) int {
		if p.Selfie == nil {
			return 0
		}
		k.biometrics().Selfie = &Selfie{CapturedAt: p.Selfie.CapturedAt, File: file(p.Selfie.File, d)}
		return 1
	},
	"kyc.biometrics.fingerprint": func(k *KYC, p *registry.Person, d catalog.Delivery) int {
		for _, f := range p.Fingerprints {
			b := k.biometrics()
			b.Fingerprints = append(b.Fingerprints, Fingerprint{Format: f.Format, Finger: f.Finger, File: file(f.File, d)})
		}
		return len(p.Fingerprints)
	},
	"kyc.biometrics.iris": func(k *KYC, p *registry.Person, d catalog.Delivery) int {
		for _, i := range p.Iris {
			b := k.biometrics()
			b.Iris = append(b.Iris, Iris{Format: i.Format, Eye: i.Eye, File: file(i.File, d)})
		}
		return len(p.Iris)
	},
}

func one(present bool) int {
	if present {
		return 1
	}
	return 0
}

func (k *KYC) documents() *Documents {
	if k.Documents == nil {
		k.Documents = &Documents{}
	}
	return k.Documents
}

func (k *KYC) biometrics() *Biometrics {
	if k.Biometrics == nil {
		k.Biometrics = &Biometrics{}
	}
	return k.Biometrics
}

func document(d registry.Document, delivery catalog.Delivery) Document {
	out := Document{Type: d.Type, Number: d.Number, IssuedAt: d.IssuedAt.Midnight(), IssuingAuthority: d.IssuingAuthority,
		Status: d.Status, Image: file(d.Image, delivery)}
	if d.ExpiresAt != nil {
		at := d.ExpiresAt.Midnight()
		out.ExpiresAt = &at
	}
	return out
}

func file(f registry.File, delivery catalog.Delivery) catalog.File {
	return catalog.File{ContentType: f.ContentType, Ref: f.Ref, Delivery: delivery}
}
