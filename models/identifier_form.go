package models

import (
	"regexp"
	"strings"
)

// identifierForm is how values of one type are written: the pattern holds after normalising.
type identifierForm struct {
	person  bool
	pattern *regexp.Regexp
}

var identifierForms = map[IdentifierType]identifierForm{
	PlatformID:     {true, regexp.MustCompile(`^COD[0-9A-Z]{12}$`)},
	Passport:       {true, regexp.MustCompile(`^[A-Z]{2}[0-9]{7}$`)},
	Ceni:           {true, regexp.MustCompile(`^[0-9]{11}$`)},
	DrivingLicence: {true, regexp.MustCompile(`^[A-Z0-9]{8,12}$`)},
	NationalID:     {true, regexp.MustCompile(`^[A-Z0-9]{10,16}$`)},
	RCCM:           {false, regexp.MustCompile(`^CD/[A-Z]{3}/RCCM/[0-9]{2}-[A-Z]-[0-9]{4,6}$`)},
	IDNat:          {false, regexp.MustCompile(`^[0-9]{2}-[A-Z0-9]{3,6}-[A-Z][0-9]{5,6}[A-Z]$`)},
	NIF:            {false, regexp.MustCompile(`^[A-Z][0-9]{7}[A-Z]$`)},
}

// PersonIdentifierTypes are the types that name a citizen, the primary one first.
func PersonIdentifierTypes() []IdentifierType {
	return []IdentifierType{PlatformID, Passport, Ceni, DrivingLicence, NationalID}
}

// BusinessIdentifierTypes are the types that name a business.
func BusinessIdentifierTypes() []IdentifierType { return []IdentifierType{RCCM, IDNat, NIF} }

var withoutSpacesAndDashes = strings.NewReplacer(" ", "", "-", "")

// Normalize gives the canonical form of an identifier: for persons spaces and dashes are ignored and case
// counts; for businesses outer white space and case are ignored. ok is false when the value is malformed
// for its type or the type is unknown.
func (i Identifier) Normalize() (canonical Identifier, ok bool) {
	form, known := identifierForms[i.Type]
	if !known {
		return Identifier{}, false
	}
	value := i.Value
	if form.person {
		value = withoutSpacesAndDashes.Replace(value)
	} else {
		value = strings.ToUpper(strings.TrimSpace(value))
	}
	if !form.pattern.MatchString(value) {
		return Identifier{}, false
	}
	if i.Type == PlatformID {
		value = value[:3] + "-" + value[3:7] + "-" + value[7:11] + "-" + value[11:]
	}
	return Identifier{Type: i.Type, Value: value}, true
}
