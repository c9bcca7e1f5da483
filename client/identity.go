package client

import "time"

// Identifier names a person or a business.
type Identifier struct {
	Type  string `json:"type"`
	Value string `json:"value"`
}

// The types of identifiers: five of persons, three of businesses.
const (
	PlatformID     = "platform_id" // COD-XXXX-XXXX-XXXX
	Passport       = "passport"
	CENI           = "ceni" // voter card
	DrivingLicence = "driving_licence"
	NationalID     = "national_id"
	RCCM           = "rccm"   // trade register number
	IDNat          = "id_nat" // national business identification number
	NIF            = "nif"    // tax identification number
)

// The purposes that a call may declare. One must be approved for the application.
const (
	CustomerOnboarding       = "customer_onboarding"
	AccountRecovery          = "account_recovery"
	TransactionAuthorization = "transaction_authorization"
	AgeGating                = "age_gating"
	RegulatoryCompliance     = "regulatory_compliance"
	FraudPrevention          = "fraud_prevention"
	CreditAssessment         = "credit_assessment"
	EmploymentScreening      = "employment_screening"
)

// How file objects are delivered.
const (
	SignedURL = "signed_url" // a link that lives for minutes; the default
	Base64    = "base64"     // the bytes themselves
)

// The verdicts on a claim.
const (
	Match        = "match"
	PartialMatch = "partial_match" // close: a missing middle name, day and month transposed
	NoMatch      = "no_match"
	NotProvided  = "not_provided" // the claim was not sent
)

// Account is the platform account of a person.
type Account struct {
	PlatformID       string    `json:"platform_id"`
	Status           string    `json:"status"` // active, suspended, paused or deleted
	Certified        bool      `json:"certified"`
	CreatedAt        time.Time `json:"created_at"`
	LevelOfAssurance string    `json:"level_of_assurance"` // LOA2, LOA3 or LOA4
}

// Envelope is what the results of all services have in common.
type Envelope struct {
	ID       string `json:"id"`
	Object   string `json:"object"`
	Livemode bool   `json:"livemode"` // true in production
	// Reference is the caller's own, nil when none was sent.
	Reference *string `json:"reference"`
	Status    string  `json:"status"`
	// Result is the outcome. A later version may add values: treat one you do not know as not verified.
	Result         string    `json:"result"`
	ScopesApplied  []string  `json:"scopes_applied"`
	ScopesWithheld []string  `json:"scopes_withheld"` // granted, but nothing on record
	Purpose        string    `json:"purpose"`
	CreatedAt      time.Time `json:"created_at"`
}
