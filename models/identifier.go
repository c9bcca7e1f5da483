package models

// IdentifierType names a kind of official number (specification, Identifier).
type IdentifierType string

// The identifier types of persons.
const (
	PlatformID     IdentifierType = "platform_id"
	Passport       IdentifierType = "passport"
	Ceni           IdentifierType = "ceni"
	DrivingLicence IdentifierType = "driving_licence"
	NationalID     IdentifierType = "national_id"
)

// The identifier types of businesses.
const (
	RCCM  IdentifierType = "rccm"
	IDNat IdentifierType = "id_nat"
	NIF   IdentifierType = "nif"
)

// Identifier is an official number of a person or a business, as {type, value}.
type Identifier struct {
	Type  IdentifierType `json:"type"`
	Value string         `json:"value"`
}

// AccountStatus is the state of a citizen's account (specification, Account).
type AccountStatus string

// The account states.
const (
	AccountActive    AccountStatus = "active"
	AccountSuspended AccountStatus = "suspended"
	AccountPaused    AccountStatus = "paused"
	AccountDeleted   AccountStatus = "deleted"
)

// LevelOfAssurance says how firmly an identity was established.
type LevelOfAssurance string

// The levels of assurance in use.
const (
	LOA2 LevelOfAssurance = "LOA2"
	LOA3 LevelOfAssurance = "LOA3"
	LOA4 LevelOfAssurance = "LOA4"
)

// Gender is as registered: male or female.
type Gender string

// The registered genders.
const (
	Male   Gender = "male"
	Female Gender = "female"
)
