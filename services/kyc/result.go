package kyc

import (
	"idplatform/catalog"
	"idplatform/matching"
	"idplatform/models"
	"idplatform/platform/identity"
)

// The results of a validation.
const (
	Verified     = "verified"      // a certified account exists
	NotFound     = "not_found"     // no register knows the identifier
	NotCertified = "not_certified" // an account exists, uncertified or deleted: treat as unverified
)

// Result is a KYC validation.
type Result struct {
	catalog.Envelope
	Result           string            `json:"result" enum:"verified,not_found,not_certified"`
	CertifiedAccount bool              `json:"certified_account" doc:"Whether a certified account exists."`
	Identifier       models.Identifier `json:"identifier" doc:"The identifier in canonical form."`
	Match            *Match            `json:"match,omitempty" doc:"One verdict per claim; present when verified."`
	Account          *identity.Account `json:"account,omitempty" doc:"Present when an account exists."`
	KYC              *identity.KYC     `json:"kyc,omitempty" doc:"Present when verified."`
	ScopesApplied    []string          `json:"scopes_applied" doc:"Begins with kyc.basic when verified."`
	ScopesWithheld   []string          `json:"scopes_withheld" doc:"Granted scopes with no data on record."`
}

// Match holds the verdict on each claim.
type Match struct {
	FullName    matching.Verdict `json:"full_name" enum:"match,partial_match,no_match,not_provided"`
	DateOfBirth matching.Verdict `json:"date_of_birth" enum:"match,partial_match,no_match,not_provided"`
	Age         matching.Verdict `json:"age" enum:"match,partial_match,no_match,not_provided"`
	Score       *float64         `json:"score" nullable:"true" minimum:"0" maximum:"1" doc:"Mean over the claims sent; null without claims."`
}
