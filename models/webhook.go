package models

// WebhookEndpoint is where an application's events go.
type WebhookEndpoint struct {
	ApplicationID ApplicationID `gorm:"primaryKey"`
	URL           string
	// Types are the types of events that it wants; empty: all of them.
	Types     Words
	UpdatedAt Timestamp
}

// Wants reports whether the endpoint takes events of a type.
func (e WebhookEndpoint) Wants(typ EventType) bool {
	return len(e.Types) == 0 || e.Types.Has(string(typ))
}

// Event is an event as kept for its retention: the body, in the stored form, is sealed.
type Event struct {
	ID            string `gorm:"primaryKey"`
	ApplicationID ApplicationID
	Type          EventType
	Body          []byte
	CreatedAt     Timestamp
	ExpiresAt     Timestamp
}

// DeliveryStatus is the state of a delivery.
type DeliveryStatus string

// The states of a delivery; the last two are final.
const (
	DeliveryPending   DeliveryStatus = "pending"
	DeliveryDelivered DeliveryStatus = "delivered"
	DeliveryFailed    DeliveryStatus = "failed"
)

// DeliveryID names a delivery: an event's first one (Resend 0), or a repetition that was asked for.
type DeliveryID struct {
	EventID string `gorm:"primaryKey"`
	Resend  int    `gorm:"primaryKey;autoIncrement:false"`
}

// Delivery is the sending of an event to its application's endpoint, in as many attempts as the schedule
// has. The row decides which attempt is next; whoever makes it holds the lease.
type Delivery struct {
	DeliveryID    `gorm:"embedded"`
	ApplicationID ApplicationID
	Status        DeliveryStatus
	// Attempts counts those that were made.
	Attempts int
	// LeaseHolder may make the next attempt alone until LeaseUntil.
	LeaseHolder string
	LeaseUntil  Timestamp
	// NextAttemptAt is when the next attempt is due.
	NextAttemptAt Timestamp
	// WorkflowStarted says that a workflow carries on with it.
	WorkflowStarted bool
	// CheckAt is when the reconciler next looks whether a pending delivery is being worked on.
	CheckAt   Timestamp
	CreatedAt Timestamp
	// FinishedAt is when it was delivered or failed.
	FinishedAt *Timestamp
	ExpiresAt  Timestamp
}

// DeliveryAttempt is one attempt of a delivery.
type DeliveryAttempt struct {
	DeliveryID    `gorm:"embedded"`
	Number        int `gorm:"primaryKey;autoIncrement:false"`
	ApplicationID ApplicationID
	At            Timestamp
	// HTTPStatus is 0 when there was no answer; Fault then says why.
	HTTPStatus int
	Fault      string
	// LatencyMS is from the start of the attempt to the answer's headers, or to the fault, in milliseconds.
	LatencyMS int64
	// Answer is the beginning of the answer's body, sealed; empty when there was none.
	Answer    []byte
	ExpiresAt Timestamp
}
