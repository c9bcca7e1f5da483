package models

// JobStatus is the state of an asynchronous single request (specification, Job).
type JobStatus string

// The states of a job; the last two are final.
const (
	JobPending   JobStatus = "pending"
	JobCompleted JobStatus = "completed"
	JobFailed    JobStatus = "failed"
)

// Job is an asynchronous single request. The request is sealed, with the grants as they were.
type Job struct {
	ID            string `gorm:"primaryKey"`
	ApplicationID ApplicationID
	Service       string
	Status        JobStatus
	Request       []byte
	ResultID      string
	ErrorCode     string
	ErrorMessage  string
	CreatedAt     Timestamp
	CompletedAt   *Timestamp
	ExpiresAt     Timestamp
	// CheckAt is when the reconciler next looks whether a pending job is being worked on.
	CheckAt Timestamp
}

// BatchStatus is the state of an asynchronous batch (specification, Batch).
type BatchStatus string

// The states of a batch; the last two are final.
const (
	BatchPending             BatchStatus = "pending"
	BatchCompleted           BatchStatus = "completed"
	BatchCompletedWithErrors BatchStatus = "completed_with_errors"
)

// Batch is an asynchronous batch. Succeeded and Failed are final counts; while it is pending they are
// counted from the items.
type Batch struct {
	ID            string `gorm:"primaryKey"`
	ApplicationID ApplicationID
	Service       string
	Status        BatchStatus
	Total         int64
	Succeeded     int64
	Failed        int64
	CreatedAt     Timestamp
	CompletedAt   *Timestamp
	CancelledAt   *Timestamp
	ExpiresAt     Timestamp
	CheckAt       Timestamp
}

// ItemStatus is the state of a batch item.
type ItemStatus string

// The states of an item; the last two are final.
const (
	ItemPending   ItemStatus = "pending"
	ItemSucceeded ItemStatus = "succeeded"
	ItemFailed    ItemStatus = "failed"
)

// BatchItem is an item of a batch at its place in the order of submission. The request is sealed, with its
// reference and the grants as they were.
type BatchItem struct {
	BatchID      string `gorm:"primaryKey"`
	Idx          int    `gorm:"primaryKey;autoIncrement:false"`
	Status       ItemStatus
	Request      []byte
	ResultID     string
	ErrorCode    string
	ErrorMessage string
}
