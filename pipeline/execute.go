package pipeline

import (
	"context"
	"fmt"
	"runtime/debug"

	"idplatform/catalog"
	"idplatform/errs"
	"idplatform/models"
	"idplatform/platform/audit"
	"idplatform/platform/vault"
)

// tableResults names the rows of results to the vault.
const tableResults = "results"

// Outcome is what became of one call.
type Outcome struct {
	// ID and Body are those of the result: Body in the stored form, files as references.
	ID   string
	Body []byte
	// Shown is Body with its files read, for a call that has them delivered in the answer; nil for others.
	Shown []byte
	// Err is set instead when the service refused the call.
	Err *errs.Error
	// Skipped says that somebody else has settled the call meanwhile: nothing was written for it.
	Skipped bool

	reply catalog.Reply
}

// Settle writes what a mode adds to the results (a job's end, batch items, an idempotent answer) in their
// transaction.
type Settle func(ctx context.Context, outcomes []Outcome) error

// Execute runs the service on admitted calls of one application and one operation, and commits in one
// transaction their results, audit entries, the service's own rows and whatever settle writes (nil:
// nothing). Outcomes have the order of the calls. An error means that nothing was written.
func (p *Pipeline) Execute(ctx context.Context, calls []*Call, settle Settle) ([]Outcome, error) {
	return p.execute(ctx, calls, nil, settle)
}

// execute is Execute for calls that others may settle too: open, first in the transaction, tells for each
// call whether it still is to be settled (nil: all are).
func (p *Pipeline) execute(ctx context.Context, calls []*Call, open func(context.Context) ([]bool, error), settle Settle) ([]Outcome, error) {
	now := models.At(p.Now())
	outcomes := make([]Outcome, len(calls))
	if len(calls) > 0 {
		if err := p.ask(ctx, calls, outcomes, now); err != nil {
			return nil, err
		}
	}
	err := p.Store.Tx(ctx, func(ctx context.Context) error {
		if err := skipSettled(ctx, outcomes, open); err != nil {
			return err
		}
		if err := p.record(ctx, calls, outcomes, now); err != nil {
			return err
		}
		if settle != nil {
			return settle(ctx, outcomes)
		}
		return nil
	})
	return outcomes, err
}

func skipSettled(ctx context.Context, outcomes []Outcome, open func(context.Context) ([]bool, error)) error {
	if open == nil {
		return nil
	}
	still, err := open(ctx)
	if err != nil {
		return err
	}
	for i := range outcomes {
		outcomes[i].Skipped = !still[i]
	}
	return nil
}

// ask runs the service and fills in the outcomes.
func (p *Pipeline) ask(ctx context.Context, calls []*Call, outcomes []Outcome, now models.Timestamp) error {
	invocations := make([]*catalog.Invocation, len(calls))
	for i, call := range calls {
		invocations[i] = p.invocation(call, now)
	}
	replies, err := p.run(ctx, calls[0].Operation, invocations)
	if err != nil {
		return err
	}
	for i, call := range calls {
		if outcomes[i], err = p.outcome(ctx, call, invocations[i], replies[i]); err != nil {
			return err
		}
	}
	return nil
}

func (p *Pipeline) invocation(call *Call, now models.Timestamp) *catalog.Invocation {
	return &catalog.Invocation{
		Facts: catalog.Facts{
			ApplicationID: string(call.ApplicationID),
			ID:            models.NewID(call.Operation.IDPrefix, now.Time),
			Now:           now,
			Livemode:      p.Livemode,
			Purpose:       call.Purpose,
			Scopes:        call.Scopes,
			Delivery:      call.Delivery,
		},
		Request: call.Request,
	}
}

// run asks the service. A panic there is an internal error of these calls and of nothing else; its value is
// not logged, for it may hold personal data.
func (p *Pipeline) run(ctx context.Context, op *catalog.Operation, invocations []*catalog.Invocation) (replies []catalog.Reply, err error) {
	defer func() {
		if r := recover(); r != nil {
			p.Log.Error("a service panicked", "service", op.Service, "type", fmt.Sprintf("%T", r), "stack", string(debug.Stack()))
			err = errs.Internal(fmt.Errorf("%s panicked", op.Service))
		}
	}()
	return op.Run(ctx, invocations)
}

func (p *Pipeline) outcome(ctx context.Context, call *Call, inv *catalog.Invocation, reply catalog.Reply) (Outcome, error) {
	if reply.Err != nil {
		return Outcome{Err: errs.From(reply.Err), reply: reply}, nil
	}
	reply.Result.Stamp(catalog.Stamp{ID: inv.ID, Object: call.Operation.Object, Livemode: inv.Livemode,
		Reference: call.Reference, Purpose: call.Purpose, CreatedAt: inv.Now})
	body, err := encode(reply.Result)
	if err != nil {
		return Outcome{}, fmt.Errorf("marshal the result of %s: %w", call.Operation.Service, err)
	}
	out := Outcome{ID: inv.ID, Body: body, reply: reply}
	if call.Delivery == catalog.Base64 {
		// Files that cannot be read now fail the call before anything is written, not after.
		if out.Shown, err = p.Show(ctx, body); err != nil {
			return Outcome{Err: errs.From(err), reply: reply}, nil
		}
	}
	return out, nil
}

// record writes the rows of the calls that succeeded.
func (p *Pipeline) record(ctx context.Context, calls []*Call, outcomes []Outcome, now models.Timestamp) error {
	results := make([]models.Result, 0, len(calls))
	entries := make([]models.AuditEntry, 0, len(calls))
	for i, out := range outcomes {
		if out.Err != nil || out.Skipped {
			continue
		}
		results = append(results, models.Result{
			ID: out.ID, Service: calls[i].Operation.Service, Body: p.Vault.Seal(tableResults, out.ID, out.Body),
			CreatedAt: now, ExpiresAt: models.At(now.Add(p.Retention)),
		})
		entries = append(entries, auditEntries(p.Vault, calls[i], out, now)...)
	}
	if len(results) == 0 {
		return nil
	}
	app := calls[0].ApplicationID
	if err := p.Store.Results.Insert(ctx, app, results); err != nil {
		return fmt.Errorf("write results: %w", err)
	}
	if err := p.Store.Audit.Append(ctx, app, entries); err != nil {
		return fmt.Errorf("write audit entries: %w", err)
	}
	for _, out := range outcomes {
		if out.Err == nil && !out.Skipped && out.reply.Save != nil {
			if err := out.reply.Save(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// auditEntries tells of one call: an entry for each citizen whose record was looked at, or one without
// a subject when there was none.
func auditEntries(v *vault.Vault, call *Call, out Outcome, now models.Timestamp) []models.AuditEntry {
	entry := models.AuditEntry{Service: call.Operation.Service, ResultID: out.ID, Purpose: call.Purpose,
		Outcome: out.reply.Outcome, Subject: []byte{}, Scopes: models.Words{}, CreatedAt: now}
	if len(out.reply.Lookups) == 0 {
		entry.ID = models.NewID("aud_", now.Time)
		return []models.AuditEntry{entry}
	}
	entries := make([]models.AuditEntry, len(out.reply.Lookups))
	for i, l := range out.reply.Lookups {
		entry.ID = models.NewID("aud_", now.Time)
		entry.Subject = audit.Subject(v, l.PlatformID)
		entry.Scopes = l.Scopes
		entries[i] = entry
	}
	return entries
}
