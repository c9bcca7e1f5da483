package catalog_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/catalog"
	"idplatform/errs"
	"idplatform/models"
)

// sample has a field of every kind that requests have.
type sample struct {
	Identifier models.Identifier `json:"identifier"`
	Name       *string           `json:"name,omitempty" minLength:"1" maxLength:"5"`
	Born       *models.Date      `json:"born,omitempty"`
	Count      *int              `json:"count,omitempty" minimum:"0" maximum:"9"`
	Share      *float64          `json:"share,omitempty" minimum:"0" maximum:"1"`
	Sure       *bool             `json:"sure,omitempty"`
	Tags       *[]string         `json:"tags,omitempty" maxItems:"3"`
	Kind       string            `json:"kind,omitempty" enum:"red,green"`
	Inner      *inner            `json:"inner,omitempty"`
	Purpose    models.Purpose    `json:"purpose"`
	Reference  *string           `json:"reference,omitempty" minLength:"1" maxLength:"255"`
}

type inner struct {
	Value string `json:"value"`
}

// Common implements catalog.Request.
func (s *sample) Common() catalog.Common {
	return catalog.Common{Purpose: s.Purpose, Reference: s.Reference}
}

// Validate implements catalog.Request.
func (s *sample) Validate() []errs.Field { return nil }

// Normalize implements catalog.Request.
func (s *sample) Normalize() error { return nil }

type result struct{ catalog.Envelope }

type service struct{}

// Load implements catalog.Service.
func (service) Load(_ context.Context, calls []*catalog.Call[*sample]) ([]int, error) {
	return make([]int, len(calls)), nil
}

// Decide implements catalog.Service.
func (service) Decide(context.Context, *catalog.Call[*sample], int) (*catalog.Answer[*result], error) {
	return &catalog.Answer[*result]{Result: &result{}}, nil
}

func define(spec catalog.Spec) *catalog.Operation { return catalog.Define(spec, service{}) }

func operation() *catalog.Operation {
	return define(catalog.Spec{Service: "sample", Object: "sample", IDPrefix: "smp_", Path: "/v1/samples", Title: "Sample"})
}

func TestDecode_OK(t *testing.T) {
	t.Parallel()
	decoded, err := operation().Decode([]byte(`{"identifier":{"type":"ceni","value":"<1>"},"count":9.0,"share":1e-1,"born":"2024-02-29","tags":[],"kind":null,"inner":{"value":""},"purpose":"x"}`))
	require.NoError(t, err)
	got := decoded.(*sample)
	require.Equal(t, models.Identifier{Type: "ceni", Value: "<1>"}, got.Identifier)
	require.Equal(t, 9, *got.Count)
	require.InDelta(t, 0.1, *got.Share, 1e-12)
	require.Equal(t, "2024-02-29", got.Born.String())
	require.NotNil(t, got.Tags)
	require.Empty(t, *got.Tags)
	require.Nil(t, got.Name)
}

func TestNew_DuplicatesRefused(t *testing.T) {
	t.Parallel()
	first := catalog.Spec{Service: "a", Object: "b", IDPrefix: "c_", Path: "/d", Event: "e"}
	for name, spec := range map[string]catalog.Spec{
		"Service": {Service: "a", Object: "2", IDPrefix: "2_", Path: "/2"}, "Object": {Service: "2", Object: "b", IDPrefix: "2_", Path: "/2"},
		"Prefix": {Service: "2", Object: "2", IDPrefix: "c_", Path: "/2"}, "Path": {Service: "2", Object: "2", IDPrefix: "2_", Path: "/d"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := catalog.New(define(first), define(spec))
			require.ErrorContains(t, err, "share")
		})
	}
	both, err := catalog.New(define(first), operation())
	require.NoError(t, err)
	require.Equal(t, []string{"a", "sample"}, both.Services())
	require.Nil(t, both.Find("nothing"))
}

// canary is a value that no message may repeat.
const canary = "Mwamba-Canary"

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `[]`, `null`, `"x"`, `{"purpose":"x","identifier":{"type":"ceni","value":"` + canary + `"}}`,
		`{"name":"` + canary + `","kind":"` + canary + `","born":"` + canary + `","tags":"` + canary + `","inner":"` + canary + `"}`,
		`{"tags":["` + canary + `",1,null,{}],"count":"` + canary + `","sure":"` + canary + `","share":"` + canary + `"}`,
		`{"purpose":1,"purpose":2,"identifier":{"type":{"` + "a" + `":1}}}`, `{"reference":"\ud800"}`, `{"name":"\u0000"}`, `{"count":1e400}`,
		`{"count":18.0,"share":-0.0}`, strings.Repeat(`[`, 200), strings.Repeat(`{"inner":`, 40) + "1", "\xff", `{"name":"` + canary, `{` + canary + `}`,
		`{"name":` + canary + `}`, `{"items":[{"purpose":"x"}],"purpose":"` + canary + `"}`,
	} {
		f.Add([]byte(seed))
	}
	op := operation()
	f.Fuzz(func(t *testing.T, body []byte) {
		decoded, err := op.Decode(body)
		requireClean(t, body, err)
		if err == nil && decoded == nil {
			t.Fatal("neither a request nor an error")
		}
		items, err := op.DecodeBatch(body, 10_000)
		requireClean(t, body, err)
		for _, item := range items {
			_, err := op.DecodeItem(item)
			requireClean(t, body, err)
		}
	})
}

// requireClean wants an error to be invalid_request, to name every fault, and to repeat no value of the body.
func requireClean(t *testing.T, body []byte, err error) {
	t.Helper()
	if err == nil {
		return
	}
	var e *errs.Error
	require.True(t, errors.As(err, &e), "%v", err)
	require.Equal(t, errs.InvalidRequest, e.Code, "%v", err)
	require.NotEmpty(t, e.Fields)
	told := e.Message
	for _, field := range e.Fields {
		require.NotEmpty(t, field.Problem)
		require.Less(t, len(field.Field), 4000)
		told += field.Problem
	}
	// Names of members are shown, values never.
	if strings.Count(string(body), canary) > 0 && !strings.Contains(string(body), canary+`":`) && !strings.Contains(string(body), `{`+canary) {
		for _, field := range e.Fields {
			told = strings.ReplaceAll(told, field.Field, "")
		}
		require.NotContains(t, told, canary)
	}
}
