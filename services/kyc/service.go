package kyc

import (
	"context"
	"errors"

	"idplatform/catalog"
	"idplatform/engines/registry"
	"idplatform/errs"
	"idplatform/matching"
	"idplatform/models"
	"idplatform/platform/identity"
)

// People finds citizens by identifier in one round trip, in the order asked, nil where nobody bears one. It
// fails with registry.ErrUnreachable when the register is away.
type People interface {
	People(ctx context.Context, ids []models.Identifier, blocks registry.Blocks) ([]*registry.Person, error)
}

// Operation is KYC Validation over a register.
func Operation(register People) *catalog.Operation {
	return catalog.Define(catalog.Spec{
		Service:     "kyc_validation",
		Object:      "kyc_validation",
		IDPrefix:    "kyc_",
		Path:        "/v1/kyc/validations",
		Event:       "kyc_validation.completed",
		Title:       "KYC Validation",
		Description: "Looks up a person by identifier; says whether a certified identity exists, compares claims, and returns basic KYC plus the granted additional scopes.",
		Family:      catalog.KYC,
	}, &service{register: register})
}

type service struct{ register People }

// Load implements catalog.Service: one look-up for all calls, with the blocks that any of them shows.
func (s *service) Load(ctx context.Context, calls []*catalog.Call[*Request]) ([]*registry.Person, error) {
	ids := make([]models.Identifier, len(calls))
	var blocks registry.Blocks
	for i, call := range calls {
		ids[i] = call.Request.Identifier
		blocks |= registry.BlocksOf(call.Scopes...)
	}
	people, err := s.register.People(ctx, ids, blocks)
	if errors.Is(err, registry.ErrUnreachable) {
		return nil, errs.New(errs.RegistryUnavailable).Because(err)
	}
	return people, err
}

// Decide implements catalog.Service.
func (s *service) Decide(_ context.Context, call *catalog.Call[*Request], person *registry.Person) (*catalog.Answer[*Result], error) {
	result := &Result{Identifier: call.Request.Identifier, ScopesApplied: []string{}, ScopesWithheld: []string{}}
	answer := &catalog.Answer[*Result]{Result: result}
	switch {
	case person == nil:
		result.Result = NotFound
	case !identity.Certified(person):
		result.Result = NotCertified
		result.Account = identity.AccountOf(person)
		answer.Lookups = []catalog.Lookup{{PlatformID: person.PlatformID}}
	default:
		disclosed := identity.Disclose(person, call.Facts)
		result.Result, result.CertifiedAccount = Verified, true
		result.Account, result.KYC = identity.AccountOf(person), disclosed.KYC
		result.Match = compare(call.Request.Match, person, disclosed.KYC.Basic.Age)
		result.ScopesApplied, result.ScopesWithheld = disclosed.Applied, disclosed.Withheld
		answer.Records = disclosed.Records
		answer.Lookups = []catalog.Lookup{{PlatformID: person.PlatformID, Scopes: disclosed.Applied}}
	}
	answer.Outcome = result.Result
	return answer, nil
}

// compare judges each claim; age is the registered one on the day of the call.
func compare(claims *Claims, person *registry.Person, age int) *Match {
	name, birth, years := matching.Missing(), matching.Missing(), matching.Missing()
	if claims != nil && claims.FullName != nil {
		name = matching.Names(*claims.FullName, person.FullName)
	}
	if claims != nil && claims.DateOfBirth != nil {
		birth = matching.Dates(*claims.DateOfBirth, person.DateOfBirth)
	}
	if claims != nil && claims.Age != nil {
		years = matching.Ages(*claims.Age, age)
	}
	return &Match{FullName: name.Verdict, DateOfBirth: birth.Verdict, Age: years.Verdict,
		Score: matching.Mean(name, birth, years)}
}
