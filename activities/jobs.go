package activities

import (
	"context"
	"log/slog"

	"idplatform/errs"
	"idplatform/models"
	"idplatform/pipeline"
)

// Jobs executes asynchronous single requests.
type Jobs struct {
	Pipeline *pipeline.Pipeline
	Log      *slog.Logger
}

// JobInput names a job.
type JobInput struct {
	ApplicationID models.ApplicationID
	JobID         string
}

// JobEnd is how a job ended.
type JobEnd struct {
	Status models.JobStatus
}

// RunJob executes a job and settles it. A failure that may pass is given back for another try.
func (a *Jobs) RunJob(ctx context.Context, in JobInput) (JobEnd, error) {
	status, err := a.Pipeline.RunJob(ctx, in.ApplicationID, in.JobID)
	return JobEnd{Status: status}, logged(a.Log, err, "job", in.JobID)
}

// FailInput names a job and why it is given up.
type FailInput struct {
	JobInput
	Code errs.Code
}

// FailJob settles a job that could not be done in its time.
func (a *Jobs) FailJob(ctx context.Context, in FailInput) error {
	err := a.Pipeline.FailJob(ctx, in.ApplicationID, in.JobID, in.Code)
	return logged(a.Log, err, "job", in.JobID)
}

// logged keeps an error's cause in the log and gives Temporal its code.
func logged(log *slog.Logger, err error, what, id string) error {
	if err != nil {
		log.Warn("an activity failed", what, id, "cause", err.Error())
	}
	return fault(err)
}
