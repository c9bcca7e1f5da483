package models

// Purpose is why a caller looks somebody up; each call declares one that is approved for the application.
type Purpose string

// The purposes of the specification.
const (
	CustomerOnboarding       Purpose = "customer_onboarding"
	AccountRecovery          Purpose = "account_recovery"
	TransactionAuthorization Purpose = "transaction_authorization"
	AgeGating                Purpose = "age_gating"
	RegulatoryCompliance     Purpose = "regulatory_compliance"
	FraudPrevention          Purpose = "fraud_prevention"
	CreditAssessment         Purpose = "credit_assessment"
	EmploymentScreening      Purpose = "employment_screening"
)

// Purposes lists every purpose.
func Purposes() []Purpose {
	return []Purpose{CustomerOnboarding, AccountRecovery, TransactionAuthorization, AgeGating,
		RegulatoryCompliance, FraudPrevention, CreditAssessment, EmploymentScreening}
}
