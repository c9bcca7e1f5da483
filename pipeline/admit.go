package pipeline

import (
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

// Admit judges a single call of a caller who may use the service (Once sees to that): form, purpose, scopes,
// identifier. The first failing check answers; faults of form come all at once.
func (p *Pipeline) Admit(r Request) (*Call, error) {
	request, err := r.Operation.Decode(r.Body)
	if err != nil {
		return nil, err
	}
	return judge(r, request)
}

// judge is what single calls and batch items have in common.
func judge(r Request, request catalog.Request) (*Call, error) {
	common := request.Common()
	if !purposeAllowed(r.Caller, r.Operation.Purpose, common.Purpose) {
		return nil, errs.New(errs.PurposeNotApproved).With("purpose", shown(string(common.Purpose)))
	}
	scopes, refused, ok := r.Caller.NarrowScopes(r.Operation.Family, common.Scopes)
	if !ok {
		return nil, errs.New(errs.ScopeNotGranted).With("scope", shown(refused))
	}
	if err := request.Normalize(); err != nil {
		return nil, err
	}
	return newCall(r.Caller.ApplicationID, r.Operation, request, scopes), nil
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
