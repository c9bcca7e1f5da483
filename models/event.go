package models

// EventType names what an event tells of (specification, Events).
type EventType string

// The event types of the specification.
const (
	EventKYCValidationCompleted             EventType = "kyc_validation.completed"
	EventFaceRecognitionCompleted           EventType = "face_recognition.completed"
	EventKYBVerificationCompleted           EventType = "kyb_verification.completed"
	EventAMLScreeningCompleted              EventType = "aml_screening.completed"
	EventAMLScreeningAlert                  EventType = "aml_screening.alert"
	EventCreditScoreCompleted               EventType = "credit_score.completed"
	EventAgeVerificationCompleted           EventType = "age_verification.completed"
	EventFraudReportCreated                 EventType = "fraud_report.created"
	EventFraudReportStatusChanged           EventType = "fraud_report.status_changed"
	EventUsurpationReportStatusChanged      EventType = "usurpation_report.status_changed"
	EventJobCompleted                       EventType = "job.completed"
	EventJobFailed                          EventType = "job.failed"
	EventBatchCompleted                     EventType = "batch.completed"
	EventBatchCompletedWithErrors           EventType = "batch.completed_with_errors"
	EventApplicationProductionStatusChanged EventType = "application.production_status_changed"
	EventBillingBalanceLow                  EventType = "billing.balance_low"
	EventBillingInvoiceIssued               EventType = "billing.invoice_issued"
)

// EventTypes lists every type.
func EventTypes() []EventType {
	return []EventType{
		EventKYCValidationCompleted, EventFaceRecognitionCompleted, EventKYBVerificationCompleted,
		EventAMLScreeningCompleted, EventAMLScreeningAlert, EventCreditScoreCompleted, EventAgeVerificationCompleted,
		EventFraudReportCreated, EventFraudReportStatusChanged, EventUsurpationReportStatusChanged,
		EventJobCompleted, EventJobFailed, EventBatchCompleted, EventBatchCompletedWithErrors,
		EventApplicationProductionStatusChanged, EventBillingBalanceLow, EventBillingInvoiceIssued,
	}
}
