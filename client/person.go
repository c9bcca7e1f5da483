package client

import "time"

// Person is the kyc block: the data of a person under the scopes that were applied. A block whose scope was not
// asked for, or that is not on record, is nil or empty. Dates are YYYY-MM-DD.
type Person struct {
	Basic         BasicData     `json:"basic"`
	Documents     *Documents    `json:"documents"`
	Addresses     []Address     `json:"addresses"`
	Emails        []Email       `json:"emails"`
	PhoneNumbers  []PhoneNumber `json:"phone_numbers"`
	Professions   []Profession  `json:"professions"`
	PlaceOfBirth  *PlaceOfBirth `json:"place_of_birth"`
	MaritalStatus string        `json:"marital_status"` // single, married, divorced or widowed
	Languages     []string      `json:"languages"`      // ISO 639
	Religion      string        `json:"religion"`
	Ethnicity     string        `json:"ethnicity"`
	Biometrics    *Biometrics   `json:"biometrics"`
}

// BasicData comes with every resolved identity.
type BasicData struct {
	FullName    string `json:"full_name"`
	FirstName   string `json:"first_name"`
	LastName    string `json:"last_name"`
	DateOfBirth string `json:"date_of_birth"`
	Age         int    `json:"age"`         // whole years
	Gender      string `json:"gender"`      // male or female
	Nationality string `json:"nationality"` // ISO 3166-1 alpha-3
}

// Documents are a person's identity documents.
type Documents struct {
	Primary *Document  `json:"primary"`
	Others  []Document `json:"others"`
}

// Document is an identity document.
type Document struct {
	Type             string  `json:"type"` // the identifier types of persons
	Number           string  `json:"number"`
	IssuedAt         string  `json:"issued_at"`
	ExpiresAt        *string `json:"expires_at"` // nil: does not expire
	IssuingAuthority string  `json:"issuing_authority"`
	Status           string  `json:"status"` // such as valid or expired
	Image            *File   `json:"image"`
}

// File is a file object: under signed_url a link to fetch at once and not to store, under base64 the bytes.
type File struct {
	ContentType string     `json:"content_type"`
	URL         string     `json:"url"`
	ExpiresAt   *time.Time `json:"expires_at"` // of the link
	Data        []byte     `json:"data"`
}

// Address is a postal address.
type Address struct {
	Type       string     `json:"type"` // such as residential or postal
	Province   string     `json:"province"`
	City       string     `json:"city"`
	Commune    string     `json:"commune"`
	Quartier   string     `json:"quartier"`
	Avenue     string     `json:"avenue"`
	Number     string     `json:"number"`
	IsPrimary  bool       `json:"is_primary"`
	VerifiedAt *time.Time `json:"verified_at"` // nil: not verified
}

// Email is an e-mail address.
type Email struct {
	Address   string `json:"address"`
	IsPrimary bool   `json:"is_primary"`
	Verified  bool   `json:"verified"`
}

// PhoneNumber is a telephone number.
type PhoneNumber struct {
	Number    string `json:"number"` // E.164
	Operator  string `json:"operator"`
	IsPrimary bool   `json:"is_primary"`
	Verified  bool   `json:"verified"`
}

// Profession is an occupation.
type Profession struct {
	Title    string `json:"title"`
	Employer string `json:"employer"`
	Sector   string `json:"sector"`
	Since    string `json:"since"`
}

// PlaceOfBirth is where a person was born.
type PlaceOfBirth struct {
	Country  string `json:"country"`
	Province string `json:"province"`
	City     string `json:"city"`
}

// Biometrics are the enrolled biometric records.
type Biometrics struct {
	Selfie       *Selfie       `json:"selfie"`
	Fingerprints []Fingerprint `json:"fingerprints"`
	Iris         []Iris        `json:"iris"`
}

// Selfie is the enrolled picture.
type Selfie struct {
	CapturedAt time.Time `json:"captured_at"`
	File       *File     `json:"file"`
}

// Fingerprint is the record of one finger.
type Fingerprint struct {
	Format string `json:"format"` // ISO_19794_2
	Finger string `json:"finger"`
	File   *File  `json:"file"`
}

// Iris is the record of one eye.
type Iris struct {
	Format string `json:"format"` // ISO_19794_6
	Eye    string `json:"eye"`    // left or right
	File   *File  `json:"file"`
}
