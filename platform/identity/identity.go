// Package identity renders a citizen of the register as results show one: the account, and the KYC blocks
// of the scopes that apply (specification, Account, kyc.basic, Scopes).
package identity

import (
	"idplatform/catalog"
	"idplatform/engines/registry"
	"idplatform/models"
)

// Account is the citizen's account.
type Account struct {
	PlatformID       string                  `json:"platform_id" doc:"COD-XXXX-XXXX-XXXX."`
	Status           models.AccountStatus    `json:"status" enum:"active,suspended,paused,deleted"`
	Certified        bool                    `json:"certified" doc:"Whether the identity was certified."`
	CreatedAt        models.Timestamp        `json:"created_at"`
	LevelOfAssurance models.LevelOfAssurance `json:"level_of_assurance" enum:"LOA2,LOA3,LOA4"`
}

// AccountOf is the account of a person of the register. A deleted one is shown as it counts: uncertified.
func AccountOf(p *registry.Person) *Account {
	return &Account{PlatformID: p.PlatformID, Status: p.Status, Certified: Certified(p),
		CreatedAt: p.CreatedAt, LevelOfAssurance: p.LevelOfAssurance}
}

// Certified reports whether the person counts as certified: a deleted account does not.
func Certified(p *registry.Person) bool { return p.Certified && p.Status != models.AccountDeleted }

// Basic is kyc.basic.
type Basic struct {
	FullName    string        `json:"full_name"`
	FirstName   string        `json:"first_name"`
	LastName    string        `json:"last_name"`
	DateOfBirth models.Date   `json:"date_of_birth"`
	Age         int           `json:"age" minimum:"0" doc:"Whole years on the day of the call in UTC."`
	Gender      models.Gender `json:"gender" enum:"male,female"`
	Nationality string        `json:"nationality" doc:"ISO 3166-1 alpha-3."`
}

// BasicOf is kyc.basic of a person on a day.
func BasicOf(p *registry.Person, today models.Date) Basic {
	return Basic{FullName: p.FullName, FirstName: p.FirstName, LastName: p.LastName, DateOfBirth: p.DateOfBirth,
		Age: p.DateOfBirth.AgeOn(today), Gender: p.Gender, Nationality: p.Nationality}
}

// KYC is the kyc object: basic always, each other block when its scope applies and data is on record.
type KYC struct {
	Basic         Basic                  `json:"basic"`
	Documents     *Documents             `json:"documents,omitempty"`
	Addresses     []registry.Address     `json:"addresses,omitempty"`
	Emails        []registry.Email       `json:"emails,omitempty"`
	PhoneNumbers  []registry.PhoneNumber `json:"phone_numbers,omitempty"`
	Professions   []registry.Profession  `json:"professions,omitempty"`
	PlaceOfBirth  *registry.PlaceOfBirth `json:"place_of_birth,omitempty"`
	MaritalStatus registry.MaritalStatus `json:"marital_status,omitempty" enum:"single,married,divorced,widowed"`
	Languages     []string               `json:"languages,omitempty" doc:"ISO 639 codes."`
	Religion      string                 `json:"religion,omitempty"`
	Ethnicity     string                 `json:"ethnicity,omitempty"`
	Biometrics    *Biometrics            `json:"biometrics,omitempty"`
}

// Documents are the documents blocks: the primary one, and the others without it.
type Documents struct {
	Primary *Document  `json:"primary,omitempty"`
	Others  []Document `json:"others,omitempty"`
}

// Document is an official paper with its picture as a file object in place of the register's reference.
type Document struct {
	Type             models.IdentifierType   `json:"type"`
	Number           string                  `json:"number"`
	IssuedAt         models.Timestamp        `json:"issued_at" doc:"The day of issue, at midnight UTC."`
	ExpiresAt        *models.Timestamp       `json:"expires_at" nullable:"true" doc:"The last day of validity, at midnight UTC; null: the document does not expire."`
	IssuingAuthority string                  `json:"issuing_authority"`
	Status           registry.DocumentStatus `json:"status" doc:"For example valid or expired."`
	Image            catalog.File            `json:"image"`
}

// Biometrics are the biometric blocks.
type Biometrics struct {
	Selfie       *Selfie       `json:"selfie,omitempty"`
	Fingerprints []Fingerprint `json:"fingerprints,omitempty"`
	Iris         []Iris        `json:"iris,omitempty"`
}

// Selfie is the enrolled portrait.
type Selfie struct {
	CapturedAt models.Timestamp `json:"captured_at"`
	File       catalog.File     `json:"file"`
}

// Fingerprint is the template of one finger.
type Fingerprint struct {
	Format string       `json:"format" enum:"ISO_19794_2"`
	Finger string       `json:"finger"`
	File   catalog.File `json:"file"`
}

// Iris is the template of one eye.
type Iris struct {
	Format string       `json:"format" enum:"ISO_19794_6"`
	Eye    string       `json:"eye" enum:"left,right"`
	File   catalog.File `json:"file"`
}
