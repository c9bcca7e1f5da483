package kyc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/catalog"
	"idplatform/engines/registry"
	"idplatform/errs"
	"idplatform/models"
	"idplatform/services/kyc"
)

// people is a register of few, which notes what it is asked.
type people struct {
	all    map[string]*registry.Person
	err    error
	asked  [][]models.Identifier
	blocks []registry.Blocks
}

// People implements kyc.People.
func (p *people) People(_ context.Context, ids []models.Identifier, blocks registry.Blocks) ([]*registry.Person, error) {
	p.asked, p.blocks = append(p.asked, ids), append(p.blocks, blocks)
	if p.err != nil {
		return nil, p.err
	}
	found := make([]*registry.Person, len(ids))
	for i, id := range ids {
		found[i] = p.all[id.Value]
	}
	return found, nil
}

var today = time.Date(2026, 11, 20, 23, 30, 0, 0, time.UTC)

// citizen is one with data for every scope.
func citizen() *registry.Person {
	person := registry.SyntheticCitizen(0).Person
	return &person
}

func register(persons ...*registry.Person) *people {
	p := &people{all: map[string]*registry.Person{}}
	for _, person := range persons {
		p.all[person.PlatformID] = person
	}
	return p
}

func invocation(platformID string, claims *kyc.Claims, scopes ...string) *catalog.Invocation {
	return &catalog.Invocation{
		Facts:   catalog.Facts{ID: "kyc_1", Now: models.At(today), Scopes: scopes, Delivery: catalog.SignedURL},
		Request: &kyc.Request{Identifier: models.Identifier{Type: models.PlatformID, Value: platformID}, Match: claims},
	}
}

// ask makes one call.
func ask(t *testing.T, p *people, inv *catalog.Invocation) (*kyc.Result, catalog.Reply) {
	t.Helper()
	replies, err := kyc.Operation(p).Run(t.Context(), []*catalog.Invocation{inv})
	require.NoError(t, err)
	require.NoError(t, replies[0].Err)
	return replies[0].Result.(*kyc.Result), replies[0]
}

func tree(t *testing.T, v any) (o map[string]any) {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &o))
	return o
}

func TestOutcomes_ByAccountStatus(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status    models.AccountStatus
		certified bool
		result    string
	}{
		{models.AccountActive, true, kyc.Verified},
		{models.AccountSuspended, true, kyc.Verified},
		{models.AccountPaused, true, kyc.Verified},
		{models.AccountDeleted, true, kyc.NotCertified},
		{models.AccountActive, false, kyc.NotCertified},
		{models.AccountSuspended, false, kyc.NotCertified},
		{models.AccountPaused, false, kyc.NotCertified},
		{models.AccountDeleted, false, kyc.NotCertified},
	} {
		name := fmt.Sprintf("%s, certified %t", c.status, c.certified)
		person := citizen()
		person.Status, person.Certified = c.status, c.certified
		claims := &kyc.Claims{FullName: &person.FullName}
		result, reply := ask(t, register(person), invocation(person.PlatformID, claims, "kyc.emails"))
		require.Equal(t, c.result, result.Result, name)
		require.Equal(t, c.result, reply.Outcome, name)
		require.Equal(t, c.result == kyc.Verified, result.CertifiedAccount, name)
		require.Equal(t, c.result == kyc.Verified, result.Account.Certified, name)
		require.Equal(t, c.status, result.Account.Status, name)
		if c.result == kyc.Verified {
			require.NotNil(t, result.KYC, name)
			require.NotNil(t, result.Match, name)
			continue
		}
		require.Nil(t, result.KYC, name)
		require.Nil(t, result.Match, name)
		require.Equal(t, []string{}, result.ScopesApplied, name)
		require.Equal(t, []string{}, result.ScopesWithheld, name)
		require.Empty(t, reply.Records, name)
		require.Equal(t, []catalog.Lookup{{PlatformID: person.PlatformID}}, reply.Lookups, name)
	}
}

func TestOutcomes_NotFound(t *testing.T) {
	t.Parallel()
	result, reply := ask(t, register(), invocation("COD-0000-0000-0000", nil, "kyc.emails"))
	require.Equal(t, kyc.NotFound, result.Result)
	require.Equal(t, "COD-0000-0000-0000", result.Identifier.Value)
	require.Nil(t, result.Account)
	require.Nil(t, result.KYC)
	require.Nil(t, result.Match)
	require.Empty(t, reply.Lookups)
	require.Empty(t, reply.Records)
	text := string(must(json.Marshal(result)))
	require.Contains(t, text, `"scopes_applied":[],"scopes_withheld":[]`)
	require.NotContains(t, text, `"account"`)
	require.NotContains(t, text, `"kyc"`)
}

func must(text []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return text
}

// Ages are counted on the day of the call in UTC; who was born on 29 February completes a year on 1 March.
func TestAge(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		born, now string
		age       int
	}{
		{"2000-02-29", "2018-02-28T23:59:59Z", 17}, {"2000-02-29", "2018-03-01T00:00:00Z", 18}, {"2000-02-29", "2020-02-28T12:00:00Z", 19},
		{"2000-02-29", "2020-02-29T00:00:00Z", 20}, {"2008-11-21", "2026-11-20T23:59:59Z", 17}, {"2008-11-20", "2026-11-20T00:00:00Z", 18},
		{"2008-11-21", "2026-11-21T00:30:00+01:00", 17}, {"2026-11-20", "2026-11-20T12:00:00Z", 0}, {"1906-01-01", "2026-11-20T12:00:00Z", 120},
	} {
		person := citizen()
		var err error
		person.DateOfBirth, err = models.ParseDate(c.born)
		require.NoError(t, err)
		at, err := time.Parse(time.RFC3339, c.now)
		require.NoError(t, err)
		inv := invocation(person.PlatformID, &kyc.Claims{Age: &c.age})
		inv.Now = models.At(at)
		result, _ := ask(t, register(person), inv)
		require.Equal(t, c.age, result.KYC.Basic.Age, "%s on %s", c.born, c.now)
		require.Equal(t, "match", string(result.Match.Age), "%s on %s", c.born, c.now)
	}
}

func TestMatch_VerdictOfEachClaimAndTheirMean(t *testing.T) {
	t.Parallel()
	person := citizen()
	born, name, wrong := person.DateOfBirth, person.FullName, 7
	transposed := models.Date{Year: born.Year, Month: time.Month(born.Day), Day: int(born.Month)}
	for what, c := range map[string]struct {
		claims   *kyc.Claims
		verdicts [3]string
		score    any
	}{
		"None":       {nil, [3]string{"not_provided", "not_provided", "not_provided"}, nil},
		"Empty":      {&kyc.Claims{}, [3]string{"not_provided", "not_provided", "not_provided"}, nil},
		"Name":       {&kyc.Claims{FullName: &name}, [3]string{"match", "not_provided", "not_provided"}, 1.0},
		"Transposed": {&kyc.Claims{DateOfBirth: &transposed}, [3]string{"not_provided", "partial_match", "not_provided"}, nil},
		"WrongAge":   {&kyc.Claims{DateOfBirth: &born, Age: &wrong}, [3]string{"not_provided", "match", "no_match"}, 0.5},
	} {
		result, _ := ask(t, register(person), invocation(person.PlatformID, c.claims))
		m := result.Match
		require.Equal(t, c.verdicts, [3]string{string(m.FullName), string(m.DateOfBirth), string(m.Age)}, what)
		switch {
		case c.claims == nil || *c.claims == (kyc.Claims{}):
			require.Nil(t, m.Score, what)
		case c.score != nil:
			require.Equal(t, c.score, *m.Score, what)
		default:
			require.Greater(t, *m.Score, 0.0, what)
			require.Less(t, *m.Score, 1.0, what)
		}
	}
}

// A batch costs one look-up, with the blocks that any of its items shows, and no item shows another's.
func TestLoad_OneLookUpForAll(t *testing.T) {
	t.Parallel()
	p := register()
	var invocations []*catalog.Invocation
	for k := range 50 {
		person := registry.SyntheticCitizen(0).Person
		person.PlatformID = fmt.Sprintf("COD-0000-0000-%04d", k)
		p.all[person.PlatformID] = &person
		invocations = append(invocations, invocation(person.PlatformID, nil, [][]string{nil, {"kyc.emails"}, {"kyc.religion"}}[k%3]...))
	}
	replies, err := kyc.Operation(p).Run(t.Context(), invocations)
	require.NoError(t, err)
	require.Len(t, p.asked, 1)
	require.Len(t, p.asked[0], 50)
	require.Equal(t, registry.BlocksOf("kyc.emails", "kyc.religion"), p.blocks[0])
	for k, reply := range replies {
		result := reply.Result.(*kyc.Result)
		require.Equal(t, fmt.Sprintf("COD-0000-0000-%04d", k), result.Account.PlatformID)
		require.Len(t, tree(t, result.KYC), map[bool]int{true: 1, false: 2}[k%3 == 0])
	}
}

func TestLoad_RegisterAway(t *testing.T) {
	t.Parallel()
	_, err := kyc.Operation(&people{err: fmt.Errorf("dial: %w", registry.ErrUnreachable)}).Run(t.Context(), []*catalog.Invocation{invocation("x", nil)})
	require.ErrorIs(t, err, errs.New(errs.RegistryUnavailable))
	broken := errors.New("broken")
	_, err = kyc.Operation(&people{err: broken}).Run(t.Context(), []*catalog.Invocation{invocation("x", nil)})
	require.ErrorIs(t, err, broken)
}
