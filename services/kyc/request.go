// Package kyc is KYC Validation: it looks up a person by identifier, says whether a certified identity
// exists, compares claims with the record and returns basic KYC plus the scopes that apply (specification,
// KYC Validation).
package kyc

import (
	"idplatform/catalog"
	"idplatform/errs"
	"idplatform/models"
	"idplatform/platform/identity"
)

// Request is a KYC request.
type Request struct {
	Identifier       models.Identifier `json:"identifier" doc:"Who is looked up: an identifier of a person."`
	Match            *Claims           `json:"match,omitempty" doc:"Claims to compare with the national record."`
	Purpose          models.Purpose    `json:"purpose" doc:"Why; one that is approved for the application."`
	Scopes           *[]string         `json:"scopes,omitempty" maxItems:"64" doc:"Narrows the granted scopes; an empty array means basic KYC only. Default: all granted."`
	DocumentDelivery catalog.Delivery  `json:"document_delivery,omitempty" enum:"signed_url,base64" doc:"How file objects are delivered. Default: signed_url."`
	Reference        *string           `json:"reference,omitempty" minLength:"1" maxLength:"255" doc:"The caller's reference, echoed; required on batch items."`
}

// Claims are what the caller claims of the person.
type Claims struct {
	FullName    *string      `json:"full_name,omitempty" minLength:"1" maxLength:"200"`
	DateOfBirth *models.Date `json:"date_of_birth,omitempty"`
	Age         *int         `json:"age,omitempty" minimum:"0" maximum:"150" doc:"Whole years."`
}

// Common implements catalog.Request.
func (r *Request) Common() catalog.Common {
	return catalog.Common{Purpose: r.Purpose, Scopes: r.Scopes, Delivery: r.DocumentDelivery, Reference: r.Reference}
}

// Validate implements catalog.Request: the schema says all there is to say of the form.
func (r *Request) Validate() []errs.Field { return nil }

// Normalize implements catalog.Request.
func (r *Request) Normalize() error { return identity.NormalizePerson(&r.Identifier) }
