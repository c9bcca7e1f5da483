package pipeline

import (
	"context"
	"encoding/json"
	"errors"

	"idplatform/catalog"
	"idplatform/errs"
	"idplatform/models"
	"idplatform/platform/access"
	"idplatform/store"
)

// JobView is a job as callers see it (specification, Job).
type JobView struct {
	ID        string           `json:"id"`
	Object    string           `json:"object" enum:"job"`
	Service   string           `json:"service"`
	Status    models.JobStatus `json:"status" enum:"pending,completed,failed"`
	CreatedAt models.Timestamp `json:"created_at"`
	ResultURL string           `json:"result_url" doc:"Path of this job."`
	Result    json.RawMessage  `json:"result,omitempty" doc:"Once completed: the object that a synchronous call returns."`
	Error     *ItemError       `json:"error,omitempty" doc:"Once failed: why."`
}

// SubmitJob takes a single asynchronous call: every check is made now and the work is recorded, to be started
// after the commit. ready is asked last before anything is written. It gives the job's id besides the answer;
// the id is empty when the answer is a replay.
func (p *Pipeline) SubmitJob(ctx context.Context, r Request, ready func() error) (id string, answer Answer, err error) {
	answer, err = p.Once(ctx, r, func(ctx context.Context, keep Keep) (Answer, error) {
		call, err := p.Admit(r)
		if err != nil {
			return Answer{}, err
		}
		if err := ready(); err != nil {
			return Answer{}, err
		}
		now := models.At(p.Now())
		id = models.NewID(jobPrefix, now.Time)
		sealed, err := p.freeze(tableJobs, id, call)
		if err != nil {
			return Answer{}, err
		}
		job := models.Job{ID: id, ApplicationID: call.ApplicationID, Service: r.Operation.Service, Status: models.JobPending, Request: sealed,
			CreatedAt: now, ExpiresAt: models.At(now.Add(p.Retention)), CheckAt: models.At(now.Add(firstCheck))}
		body, err := encode(p.jobView(&job, nil))
		if err != nil {
			return Answer{}, err
		}
		answer := Answer{Body: body, Accepted: true}
		return answer, p.Store.Tx(ctx, func(ctx context.Context) error {
			if err := p.Store.Jobs.Insert(ctx, call.ApplicationID, job); err != nil {
				return err
			}
			return keep(ctx, answer)
		})
	})
	return id, answer, err
}

func (p *Pipeline) jobView(job *models.Job, result []byte) JobView {
	view := JobView{ID: job.ID, Object: "job", Service: job.Service, Status: job.Status, CreatedAt: job.CreatedAt,
		ResultURL: "/v1/jobs/" + job.ID, Result: result}
	if job.Status == models.JobFailed {
		view.Error = &ItemError{Code: errs.Code(job.ErrorCode), Message: job.ErrorMessage}
	}
	return view
}

// jobPrefix begins the ids of jobs.
const jobPrefix = "job_"

// Job is a job of the caller, in the stored form; job_not_found when it is unknown, another application's,
// or past its retention.
func (p *Pipeline) Job(ctx context.Context, caller *access.Caller, id string) ([]byte, error) {
	if !models.IsID(jobPrefix, id) {
		return nil, errs.New(errs.JobNotFound)
	}
	job, err := p.Store.Jobs.Get(ctx, caller.ApplicationID, id, models.At(p.Now()))
	if errors.Is(err, store.ErrNotFound) {
		return nil, errs.New(errs.JobNotFound)
	}
	if err != nil {
		return nil, err
	}
	var body []byte
	if job.Status == models.JobCompleted {
		if body, err = p.result(ctx, job.ApplicationID, job.ResultID); err != nil {
			return nil, err
		}
	}
	return encode(p.jobView(job, body))
}

// result reads a result's stored form.
func (p *Pipeline) result(ctx context.Context, app models.ApplicationID, id string) ([]byte, error) {
	row, err := p.Store.Results.Get(ctx, app, id, models.At(p.Now()))
	if err != nil {
		return nil, err
	}
	return p.Vault.Open(ctx, tableResults, id, row.Body)
}

// RunJob executes a pending job and settles it with its events: completed, or failed when the service refuses
// it; the status is given back. A passing failure is the error, and nothing is written. A job that is settled
// already is left alone, and so is one past its retention, which has no status.
func (p *Pipeline) RunJob(ctx context.Context, app models.ApplicationID, id string) (models.JobStatus, error) {
	job, err := p.job(ctx, app, id)
	if err != nil || job.Status != models.JobPending {
		return job.Status, err
	}
	op, err := p.operation(job.Service)
	if err != nil {
		return "", err
	}
	call, err := p.thaw(ctx, tableJobs, id, job.Request, app, op)
	if err != nil {
		return "", err
	}
	_, err = p.Execute(ctx, []*Call{call}, func(ctx context.Context, outcomes []Outcome) error {
		if out := outcomes[0]; out.Err != nil {
			if passing(out.Err) {
				return out.Err
			}
			job.Status, job.ErrorCode, job.ErrorMessage = models.JobFailed, string(out.Err.Code), out.Err.Message
			return p.settleJob(ctx, op, job, nil)
		}
		job.Status, job.ResultID = models.JobCompleted, outcomes[0].ID
		return p.settleJob(ctx, op, job, outcomes[0].Body)
	})
	if errors.Is(err, errSettled) {
		err = nil
	}
	return job.Status, err
}

// job reads a job to work on; one that is past its retention has no status.
func (p *Pipeline) job(ctx context.Context, app models.ApplicationID, id string) (*models.Job, error) {
	job, err := p.Store.Jobs.Get(ctx, app, id, models.At(p.Now()))
	if errors.Is(err, store.ErrNotFound) {
		return &models.Job{}, nil
	}
	return job, err
}

// FailJob settles a job that could not be done in its time.
func (p *Pipeline) FailJob(ctx context.Context, app models.ApplicationID, id string, code errs.Code) error {
	job, err := p.job(ctx, app, id)
	if err != nil || job.Status != models.JobPending {
		return err
	}
	op, err := p.operation(job.Service)
	if err != nil {
		return err
	}
	job.Status, job.ErrorCode, job.ErrorMessage = models.JobFailed, string(code), code.Message()
	err = p.Store.Tx(ctx, func(ctx context.Context) error { return p.settleJob(ctx, op, job, nil) })
	if errors.Is(err, errSettled) {
		return nil
	}
	return err
}

// errSettled rolls back the transaction of work that somebody else has settled meanwhile.
var errSettled = errors.New("it is settled already")

// settleJob ends a job in the transaction of its result, with its events.
func (p *Pipeline) settleJob(ctx context.Context, op *catalog.Operation, job *models.Job, result []byte) error {
	at := models.At(p.Now())
	job.CompletedAt = &at
	settled, err := p.Store.Jobs.Settle(ctx, job.ApplicationID, job)
	if err != nil {
		return err
	}
	if !settled {
		return errSettled
	}
	view := p.jobView(job, result)
	types := []models.EventType{models.EventJobFailed}
	if job.Status == models.JobCompleted {
		types = []models.EventType{models.EventType(op.Event), models.EventJobCompleted}
	}
	for _, typ := range types {
		if _, err := p.Events.Record(ctx, job.ApplicationID, typ, view, nil); err != nil {
			return err
		}
	}
	return nil
}

// passing reports whether trying again later may help.
func passing(err *errs.Error) bool {
	return err.Kind() == errs.KindUnavailable || err.Kind() == errs.KindInternal
}
