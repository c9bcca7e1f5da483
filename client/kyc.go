package client

import "context"

const kycPath = "/v1/kyc/validations"

// The results of a KYC validation.
const (
	KYCVerified     = "verified"
	KYCNotFound     = "not_found"
	KYCNotCertified = "not_certified" // there is an account, but nobody vouches for it: treat as unverified
)

// KYCRequest asks whether a person has a certified identity, and for the data on record.
type KYCRequest struct {
	Identifier Identifier `json:"identifier"`
	// Match are claims to compare with the record; nil compares none.
	Match   *KYCClaims `json:"match,omitempty"`
	Purpose string     `json:"purpose,omitempty"`
	// Scopes selects among the granted scopes: nil is all of them, an empty slice basic data only.
	Scopes []string `json:"scopes,omitzero"`
	// DocumentDelivery is SignedURL, the default, or Base64.
	DocumentDelivery string `json:"document_delivery,omitempty"`
	// Reference is the caller's own, 1 to 255 characters. Each item of a batch must have one.
	Reference string `json:"reference,omitempty"`
}

// KYCClaims are what somebody claims to be. Those left empty are not compared.
type KYCClaims struct {
	FullName    string `json:"full_name,omitempty"`
	DateOfBirth string `json:"date_of_birth,omitempty"` // YYYY-MM-DD
	Age         *int   `json:"age,omitempty"`           // whole years
}

// KYCBatchRequest validates many persons. What stands here holds for every item that does not say otherwise.
type KYCBatchRequest struct {
	Purpose          string       `json:"purpose,omitempty"`
	Scopes           []string     `json:"scopes,omitzero"`
	DocumentDelivery string       `json:"document_delivery,omitempty"`
	Items            []KYCRequest `json:"items"`
}

// KYCValidation is the outcome of a validation.
type KYCValidation struct {
	Envelope
	CertifiedAccount bool `json:"certified_account"`
	// Identifier is the one sent, in canonical form.
	Identifier Identifier `json:"identifier"`
	// Match is there when the result is verified.
	Match *KYCMatch `json:"match"`
	// Account is there unless nothing was found.
	Account *Account `json:"account"`
	// KYC is there when the result is verified.
	KYC *Person `json:"kyc"`
}

// KYCMatch holds a verdict on each claim.
type KYCMatch struct {
	FullName    string `json:"full_name"`
	DateOfBirth string `json:"date_of_birth"`
	Age         string `json:"age"`
	// Score is 0 to 1; nil when no claim was sent.
	Score *float64 `json:"score"`
}

// ValidateKYC validates one person and answers at once. That nobody is found is a result, not an error.
func (c *Client) ValidateKYC(ctx context.Context, request KYCRequest, opts ...CallOption) (*KYCValidation, error) {
	return post[KYCValidation](ctx, c, kycPath, request, opts)
}

// ValidateKYCAsync submits one validation; WaitJob waits for it and Decode[KYCValidation] reads the job's result.
func (c *Client) ValidateKYCAsync(ctx context.Context, request KYCRequest, opts ...CallOption) (*Job, error) {
	return submit[Job](ctx, c, kycPath, request, opts)
}

// GetKYCValidation reads a validation of the last 30 days, as it was first returned.
func (c *Client) GetKYCValidation(ctx context.Context, id string) (*KYCValidation, error) {
	return get[KYCValidation](ctx, c, kycPath, id)
}

// ValidateKYCBatch validates up to 50 persons and answers at once. Items fail one by one: see BatchItem.Err.
func (c *Client) ValidateKYCBatch(ctx context.Context, request KYCBatchRequest, opts ...CallOption) (*BatchResults, error) {
	return post[BatchResults](ctx, c, kycPath+"/batches", request, opts)
}

// SubmitKYCBatch submits up to 10,000 persons; WaitBatch and AllBatchResults follow.
func (c *Client) SubmitKYCBatch(ctx context.Context, request KYCBatchRequest, opts ...CallOption) (*Batch, error) {
	return submit[Batch](ctx, c, kycPath+"/batches", request, opts)
}
