package errs

import "slices"

// Code is the machine-readable name of an error (specification, Errors; field `error`).
type Code string

// Kind groups codes by what a caller, or a retry policy, can do about them.
type Kind uint8

// The kinds of errors.
const (
	KindInternal         Kind = iota // our fault; safe to retry
	KindInvalid                      // the request must change
	KindUnauthenticated              // sign again
	KindPayment                      // billing action needed
	KindForbidden                    // a grant is missing
	KindNotFound                     // no such thing for this application
	KindMethodNotAllowed             // the path exists, the method does not
	KindConflict                     // the state forbids it now
	KindTooLarge                     // send less
	KindUnprocessable                // well formed, but it cannot be processed
	KindLimited                      // wait
	KindUnavailable                  // something behind us is away; retry
	KindAsyncUnavailable             // asynchronous work cannot be taken now; retry, or call synchronously
	KindCancelled                    // given up on request; only on batch items
)

// The codes of the platform: those of the specification's table and those that the protocol adds.
const (
	InvalidRequest            Code = "invalid_request"
	InvalidIdentifier         Code = "invalid_identifier"
	UnsupportedIdentifierType Code = "unsupported_identifier_type"
	EncryptionRequired        Code = "encryption_required"
	DecryptionFailed          Code = "decryption_failed"
	InvalidSignature          Code = "invalid_signature"
	TimestampOutOfWindow      Code = "timestamp_out_of_window"
	NonceReused               Code = "nonce_reused"
	InsufficientBalance       Code = "insufficient_balance"
	CreditLimitReached        Code = "credit_limit_reached"
	CertificateMismatch       Code = "certificate_mismatch"
	ProductionAccessRequired  Code = "production_access_required"
	ServiceNotEnabled         Code = "service_not_enabled"
	ScopeNotGranted           Code = "scope_not_granted"
	PurposeNotApproved        Code = "purpose_not_approved"
	ConsentRequired           Code = "consent_required"
	NotFound                  Code = "not_found"
	JobNotFound               Code = "job_not_found"
	BatchNotFound             Code = "batch_not_found"
	MethodNotAllowed          Code = "method_not_allowed"
	IdempotencyConflict       Code = "idempotency_conflict"
	BatchAlreadyFinished      Code = "batch_already_finished"
	InvalidTransition         Code = "invalid_transition"
	PayloadTooLarge           Code = "payload_too_large"
	BatchTooLarge             Code = "batch_too_large"
	IdempotencyKeyReused      Code = "idempotency_key_reused"
	ImageQualityInsufficient  Code = "image_quality_insufficient"
	ImageUnreadable           Code = "image_unreadable"
	ImageUnavailable          Code = "image_unavailable"
	NoFaceDetected            Code = "no_face_detected"
	MultipleFacesDetected     Code = "multiple_faces_detected"
	LivenessFailed            Code = "liveness_failed"
	EvidenceRejected          Code = "evidence_rejected"
	SimulationUnknownImage    Code = "simulation_unknown_image"
	BatchCancelled            Code = "batch_cancelled"
	RateLimited               Code = "rate_limited"
	QuotaExceeded             Code = "quota_exceeded"
	BatchQuotaExceeded        Code = "batch_quota_exceeded"
	InternalError             Code = "internal_error"
	RegistryUnavailable       Code = "registry_unavailable"
	AsyncUnavailable          Code = "async_unavailable"
)

type definition struct {
	kind    Kind
	message string
}

var catalogue = map[Code]definition{
	InvalidRequest:            {KindInvalid, "The request is not valid; fields lists every fault."},
	InvalidIdentifier:         {KindInvalid, "The identifier's value is malformed for its type."},
	UnsupportedIdentifierType: {KindInvalid, "This service does not take identifiers of this type."},
	EncryptionRequired:        {KindInvalid, "Send the body encrypted, with its initialization vector in X-Platform-IV."},
	DecryptionFailed:          {KindInvalid, "The body cannot be decrypted: check the encryption key, the IV and the additional authenticated data."},
	InvalidSignature:          {KindUnauthenticated, "The request's signature, or a header that it needs, is missing or wrong."},
	TimestampOutOfWindow:      {KindUnauthenticated, "X-Platform-Timestamp must be Unix seconds within 300 seconds of the server's clock; sign again with the present time."},
	NonceReused:               {KindUnauthenticated, "X-Platform-Nonce was used before; sign again with a new one."},
	InsufficientBalance:       {KindPayment, "The prepaid wallet does not cover this call; top it up."},
	CreditLimitReached:        {KindPayment, "The credit limit is reached; settle the account."},
	CertificateMismatch:       {KindForbidden, "The client certificate is missing, unknown or not this application's."},
	ProductionAccessRequired:  {KindForbidden, "Production access is not approved for this application and service."},
	ServiceNotEnabled:         {KindForbidden, "The service is not enabled on this application."},
	ScopeNotGranted:           {KindForbidden, "A requested scope is not granted to this application."},
	PurposeNotApproved:        {KindForbidden, "The declared purpose is not approved for this application."},
	ConsentRequired:           {KindForbidden, "A valid consent of this citizen for this application is required."},
	NotFound:                  {KindNotFound, "There is no such resource for this application."},
	JobNotFound:               {KindNotFound, "There is no such job for this application, or its result has expired."},
	BatchNotFound:             {KindNotFound, "There is no such batch for this application, or its results have expired."},
	MethodNotAllowed:          {KindMethodNotAllowed, "This path does not take this method; Allow lists those it takes."},
	IdempotencyConflict:       {KindConflict, "The first request with this Idempotency-Key is still running; try again shortly."},
	BatchAlreadyFinished:      {KindConflict, "The batch has finished; there is nothing left to cancel."},
	InvalidTransition:         {KindConflict, "The case cannot move so from its present status."},
	PayloadTooLarge:           {KindTooLarge, "The body is too large: 12 MiB for a single call, 64 MiB for a batch."},
	BatchTooLarge:             {KindTooLarge, "The batch holds too many items: 50 synchronously, 10,000 with Prefer: respond-async."},
	IdempotencyKeyReused:      {KindUnprocessable, "This Idempotency-Key belongs to another request; use a new one."},
	ImageQualityInsufficient:  {KindUnprocessable, "The image is not good enough to compare; capture it again."},
	ImageUnreadable:           {KindUnprocessable, "The image is not a readable JPEG or PNG."},
	ImageUnavailable:          {KindUnprocessable, "The image could not be fetched from its URL."},
	NoFaceDetected:            {KindUnprocessable, "No face is visible in the image."},
	MultipleFacesDetected:     {KindUnprocessable, "More than one face is visible in the image."},
	LivenessFailed:            {KindUnprocessable, "A live person could not be confirmed."},
	EvidenceRejected:          {KindUnprocessable, "An item of evidence cannot be accepted."},
	SimulationUnknownImage:    {KindUnprocessable, "The sandbox's simulated face engine does not know this picture."},
	BatchCancelled:            {KindCancelled, "The batch was cancelled before this item was processed."},
	RateLimited:               {KindLimited, "Too many requests; slow down and retry after the given time."},
	QuotaExceeded:             {KindLimited, "The quota of single calls for this service is used up."},
	BatchQuotaExceeded:        {KindLimited, "The daily batch quota is used up; single calls are unaffected."},
	InternalError:             {KindInternal, "Something went wrong on our side; retry with the same Idempotency-Key."},
	RegistryUnavailable:       {KindUnavailable, "A national register is unreachable; retry with the same Idempotency-Key."},
	AsyncUnavailable:          {KindAsyncUnavailable, "Asynchronous work cannot be accepted at the moment; retry later or call synchronously."},
}

func (c Code) definition() definition {
	if d, ok := catalogue[c]; ok {
		return d
	}
	return catalogue[InternalError]
}

// Kind is the catalogue's kind of the code; codes outside the catalogue are internal.
func (c Code) Kind() Kind { return c.definition().kind }

// Message is the standing message of the code.
func (c Code) Message() string { return c.definition().message }

// Codes lists the whole catalogue in alphabetical order, for documents and tests.
func Codes() []Code {
	codes := make([]Code, 0, len(catalogue))
	for c := range catalogue {
		codes = append(codes, c)
	}
	slices.Sort(codes)
	return codes
}
