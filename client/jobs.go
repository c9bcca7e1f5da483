package client

import (
	"context"
	"encoding/json"
	"time"
)

const jobsPath = "/v1/jobs"

// The statuses of a job.
const (
	JobPending   = "pending"
	JobCompleted = "completed"
	JobFailed    = "failed"
)

// Job is an asynchronous single call.
type Job struct {
	ID        string    `json:"id"`
	Object    string    `json:"object"`
	Service   string    `json:"service"`
	Status    string    `json:"status"`
	CreatedAt time.Time `json:"created_at"`
	ResultURL string    `json:"result_url"` // a path
	// Result is the object that the call would have returned at once; see Decode.
	Result json.RawMessage `json:"result"`
	// Failure is why the job failed.
	Failure *Failure `json:"error"`
}

// Finished tells whether the job has ended, well or not.
func (j *Job) Finished() bool { return j.Status != JobPending }

// Err is why the job failed: a *Failure, or nil.
func (j *Job) Err() error {
	if j.Failure != nil {
		return j.Failure
	}
	if j.Status == JobFailed {
		return &Failure{Code: InternalError, Message: "the job failed without a reason"}
	}
	return nil
}

// Job reads a job of the last 30 days.
func (c *Client) Job(ctx context.Context, id string) (*Job, error) {
	return get[Job](ctx, c, jobsPath, id)
}

// WaitJob reads a job until it has finished or the context ends. A job that failed is no error here: see Job.Err.
func (c *Client) WaitJob(ctx context.Context, id string) (*Job, error) {
	return poll(ctx, c, func() (*Job, error) { return c.Job(ctx, id) }, (*Job).Finished)
}
