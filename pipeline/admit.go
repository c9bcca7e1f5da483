package pipeline

import (
	"context"

	"idplatform/catalog"
	"idplatform/errs"
	"idplatform/models"
	"idplatform/platform/access"
)

// Enter judges whether a caller may use a service at all: the first checks after the body is decrypted.
func (p *Pipeline) Enter(caller *access.Caller, op *catalog.Operation) error {
	if !caller.ServiceEnabled(op.Service) {
		return errs.New(errs.ServiceNotEnabled).With("service", op.Service)
	}
	if p.Livemode && !caller.ProductionApproved(op.Service) {
		return errs.New(errs.ProductionAccessRequired).With("service", op.Service)
	}
	return nil
}

// Admit judges a single call from its plaintext body, in the order of the protocol: service, form, purpose,
// scopes, identifier. The first failing check answers; faults of form come all at once.
func (p *Pipeline) Admit(_ context.Context, caller *access.Caller, op *catalog.Operation, body []byte) (*Call, error) {
	if err := p.Enter(caller, op); err != nil {
		return nil, err
	}
	request, err := op.Decode(body)
	if err != nil {
		return nil, err
	}
	return p.judge(caller, op, request)
}

// judge is what single calls and batch items have in common.
func (p *Pipeline) judge(caller *access.Caller, op *catalog.Operation, request catalog.Request) (*Call, error) {
	common := request.Common()
	if !purposeAllowed(caller, op.Purpose, common.Purpose) {
		return nil, errs.New(errs.PurposeNotApproved).With("purpose", shown(string(common.Purpose)))
	}
	scopes, refused := caller.NarrowScopes(op.Family, common.Scopes)
	if refused != "" {
		return nil, errs.New(errs.ScopeNotGranted).With("scope", shown(refused))
	}
	if err := request.Normalize(); err != nil {
		return nil, err
	}
	return newCall(caller, op, request, scopes), nil
}

func purposeAllowed(caller *access.Caller, rule catalog.PurposeRule, purpose models.Purpose) bool {
	if purpose == "" && rule.Optional {
		return true
	}
	if rule.Only != "" && purpose != rule.Only {
		return false
	}
	return caller.PurposeApproved(purpose)
}

// shown cuts a name that the caller chose to a length fit for an error.
func shown(name string) string {
	const most = 64
	if runes := []rune(name); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return name
}
