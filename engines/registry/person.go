package registry

import "idplatform/models"

// Person is a citizen as registered. The JSON names are those of the specification (Account, kyc.basic, Block
// shapes); a block that nothing is known of, or that was not asked for, is empty.
type Person struct {
	// The account (specification, Account).
	PlatformID       string                  `json:"platform_id"` // COD-XXXX-XXXX-XXXX
	Status           models.AccountStatus    `json:"status"`
	Certified        bool                    `json:"certified"`
	CreatedAt        models.Timestamp        `json:"created_at"`
	LevelOfAssurance models.LevelOfAssurance `json:"level_of_assurance"`

	// kyc.basic. FullName is first name, postnom (the middle name, where there is one) and surname; FirstName
	// and LastName are its first and last part, without the postnom.
	FullName    string        `json:"full_name"`
	FirstName   string        `json:"first_name"`
	LastName    string        `json:"last_name"`
	DateOfBirth models.Date   `json:"date_of_birth"`
	Gender      models.Gender `json:"gender"`
	Nationality string        `json:"nationality"` // ISO 3166-1 alpha-3

	// The additional blocks (specification, Scopes).
	Documents     Documents     `json:"documents,omitzero"`
	Addresses     []Address     `json:"addresses,omitempty"`
	Emails        []Email       `json:"emails,omitempty"`
	PhoneNumbers  []PhoneNumber `json:"phone_numbers,omitempty"`
	Professions   []Profession  `json:"professions,omitempty"`
	PlaceOfBirth  *PlaceOfBirth `json:"place_of_birth,omitempty"`
	MaritalStatus MaritalStatus `json:"marital_status,omitempty"`
	Languages     []string      `json:"languages,omitempty"` // ISO 639 codes
	Religion      string        `json:"religion,omitempty"`
	Ethnicity     string        `json:"ethnicity,omitempty"`
	Selfie        *Selfie       `json:"selfie,omitempty"`
	Fingerprints  []Fingerprint `json:"fingerprints,omitempty"`
	Iris          []Iris        `json:"iris,omitempty"`
}

// Documents are the papers of a citizen: the one that counts first, and all others (without it).
type Documents struct {
	Primary *Document  `json:"primary,omitempty"`
	Others  []Document `json:"others,omitempty"`
}

// File refers to a file of the register; Register.Open reads it.
type File struct {
	ContentType string `json:"content_type"`
	Ref         string `json:"ref"` // such as register/COD-XXXX-XXXX-XXXX/documents/passport
}

// Document is an official paper. Type is a person identifier type, Number that identifier's canonical value.
type Document struct {
	Type             models.IdentifierType `json:"type"`
	Number           string                `json:"number"`
	IssuedAt         models.Date           `json:"issued_at"`
	ExpiresAt        *models.Date          `json:"expires_at" nullable:"true"` // nil: does not expire
	IssuingAuthority string                `json:"issuing_authority"`
	Status           DocumentStatus        `json:"status"`
	Image            File                  `json:"image"`
}

// DocumentStatus is the standing of a document as the issuing authority recorded it.
type DocumentStatus string

// The document states.
const (
	DocumentValid     DocumentStatus = "valid"
	DocumentExpired   DocumentStatus = "expired"
	DocumentSuspended DocumentStatus = "suspended"
	DocumentRevoked   DocumentStatus = "revoked"
)

// Address is where a citizen lives or takes post.
type Address struct {
	Type       AddressType       `json:"type"`
	Province   string            `json:"province"`
	City       string            `json:"city"`
	Commune    string            `json:"commune"`
	Quartier   string            `json:"quartier"`
	Avenue     string            `json:"avenue"`
	Number     string            `json:"number"`
	IsPrimary  bool              `json:"is_primary"`
	VerifiedAt *models.Timestamp `json:"verified_at" nullable:"true"` // nil: not verified
}

// AddressType says what an address is for.
type AddressType string

// The address types.
const (
	Residential AddressType = "residential"
	Postal      AddressType = "postal"
)

// Email is a mail address of a citizen.
type Email struct {
	Address   string `json:"address"`
	IsPrimary bool   `json:"is_primary"`
	Verified  bool   `json:"verified"`
}

// PhoneNumber is a telephone number of a citizen.
type PhoneNumber struct {
	Number    string `json:"number"` // E.164
	Operator  string `json:"operator"`
	IsPrimary bool   `json:"is_primary"`
	Verified  bool   `json:"verified"`
}

// Profession is an occupation held now.
type Profession struct {
	Title    string      `json:"title"`
	Employer string      `json:"employer"`
	Sector   string      `json:"sector"`
	Since    models.Date `json:"since"`
}

// PlaceOfBirth is where a citizen was born.
type PlaceOfBirth struct {
	Country  string `json:"country"` // ISO 3166-1 alpha-3
	Province string `json:"province"`
	City     string `json:"city"`
}

// MaritalStatus is the civil state; empty where unknown.
type MaritalStatus string

// The civil states.
const (
	Single   MaritalStatus = "single"
	Married  MaritalStatus = "married"
	Divorced MaritalStatus = "divorced"
	Widowed  MaritalStatus = "widowed"
)

// Selfie is the enrolled portrait.
type Selfie struct {
	CapturedAt models.Timestamp `json:"captured_at"`
	File       File             `json:"file"`
}

// FingerprintFormat and IrisFormat are the only template formats in use.
const (
	FingerprintFormat = "ISO_19794_2"
	IrisFormat        = "ISO_19794_6"
)

// Fingerprint is the template of one finger, such as right_thumb or left_index.
type Fingerprint struct {
	Format string `json:"format"` // FingerprintFormat
	Finger string `json:"finger"`
	File   File   `json:"file"`
}

// Iris is the template of one eye.
type Iris struct {
	Format string `json:"format"` // IrisFormat
	Eye    string `json:"eye"`    // left or right
	File   File   `json:"file"`
}
