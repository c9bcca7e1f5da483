package client

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/url"
	"time"
)

const eventsPath = "/v1/events"

// The types of events. A later version may add some: ignore those you do not know.
const (
	EventKYCValidationCompleted   = "kyc_validation.completed"
	EventFaceRecognitionCompleted = "face_recognition.completed"
	EventAgeVerificationCompleted = "age_verification.completed"
	EventKYBVerificationCompleted = "kyb_verification.completed"
	EventAMLScreeningCompleted    = "aml_screening.completed"
	EventAMLScreeningAlert        = "aml_screening.alert"
	EventCreditScoreCompleted     = "credit_score.completed"
	EventFraudReportCreated       = "fraud_report.created"
	EventFraudReportStatusChanged = "fraud_report.status_changed"
	EventUsurpationStatusChanged  = "usurpation_report.status_changed"
	EventJobCompleted             = "job.completed"
	EventJobFailed                = "job.failed"
	EventBatchCompleted           = "batch.completed"
	EventBatchCompletedWithErrors = "batch.completed_with_errors"
	EventProductionStatusChanged  = "application.production_status_changed"
	EventBillingBalanceLow        = "billing.balance_low"
	EventBillingInvoiceIssued     = "billing.invoice_issued"
)

// Event tells that something happened. The same one may arrive more than once: remember ids.
type Event struct {
	ID        string    `json:"id"`
	Object    string    `json:"object"`
	Type      string    `json:"type"`
	Livemode  bool      `json:"livemode"`
	CreatedAt time.Time `json:"created_at"`
	Data      EventData `json:"data"`
}

// EventData is what an event is about.
type EventData struct {
	// Object is the resource in the shape in which the API returns it; see Decode.
	Object json.RawMessage `json:"object"`
	// PreviousAttributes are the former values of what a status_changed event tells of.
	PreviousAttributes json.RawMessage `json:"previous_attributes"`
}

// EventQuery selects events; the zero value is all of them.
type EventQuery struct {
	Type   string
	Cursor string // the previous page's NextCursor
	Limit  int    // 1 to MaxPage; 0 leaves it to the server
}

// Events is a page of events, newest first.
type Events struct {
	Object     string  `json:"object"`
	Data       []Event `json:"data"`
	NextCursor *string `json:"next_cursor"`
}

// Event reads an event of the last 30 days.
func (c *Client) Event(ctx context.Context, id string) (*Event, error) {
	return get[Event](ctx, c, eventsPath, id)
}

// Events reads a page of the last 30 days' events, newest first.
func (c *Client) Events(ctx context.Context, q EventQuery) (*Events, error) {
	query := url.Values{}
	if q.Type != "" {
		query.Set("type", q.Type)
	}
	return ask[Events](ctx, c, http.MethodGet, eventsPath+pageQuery(q.Cursor, q.Limit, query), nil)
}

// AllEvents goes through the events from q.Cursor on, newest first. An error ends it.
func (c *Client) AllEvents(ctx context.Context, q EventQuery) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for {
			page, err := c.Events(ctx, q)
			if err != nil {
				yield(Event{}, err)
				return
			}
			for _, event := range page.Data {
				if !yield(event, nil) {
					return
				}
			}
			if page.NextCursor == nil {
				return
			}
			q.Cursor = *page.NextCursor
		}
	}
}
