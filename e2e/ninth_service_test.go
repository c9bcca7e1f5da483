package e2e_test

import (
	"context"
	"strings"

	"idplatform/catalog"
	"idplatform/errs"
	"idplatform/models"
)

// A service that the platform has never heard of: it spells words backwards. It is all here; nothing else in the platform
// is touched for it.

const spellings = "/v1/spelling/reversals"

func spelling() *catalog.Operation {
	return catalog.Define(catalog.Spec{
		Service: "spelling_reversal", Object: "spelling_reversal", IDPrefix: "spl_", Path: spellings,
		// The types of events are a closed list: this one is borrowed.
		Event: "spelling.completed", Title: "Spelling", Description: "Spells a word backwards.",
	}, speller{})
}

type spellingRequest struct {
	Word      string         `json:"word" minLength:"1" maxLength:"20" doc:"What to spell."`
	Times     *int           `json:"times,omitempty" minimum:"1" maximum:"3"`
	Purpose   models.Purpose `json:"purpose"`
	Reference *string        `json:"reference,omitempty" minLength:"1" maxLength:"255"`
}

// Common implements catalog.Request.
func (r *spellingRequest) Common() catalog.Common {
	return catalog.Common{Purpose: r.Purpose, Reference: r.Reference}
}

// Validate implements catalog.Request.
func (r *spellingRequest) Validate() []errs.Field {
	if strings.ContainsAny(r.Word, "0123456789") {
		return []errs.Field{{Field: "word", Problem: "must be spelled without digits"}}
	}
	return nil
}

// Normalize implements catalog.Request.
func (r *spellingRequest) Normalize() error {
	if r.Word = strings.TrimSpace(r.Word); r.Word == "" {
		return errs.New(errs.InvalidIdentifier)
	}
	return nil
}

type spellingResult struct {
	catalog.Envelope
	Result string `json:"result" enum:"spelled"`
	Word   string `json:"word"`
}

type speller struct{}

// Load implements catalog.Service.
func (speller) Load(_ context.Context, calls []*catalog.Call[*spellingRequest]) ([]string, error) {
	words := make([]string, len(calls))
	for i, call := range calls {
		switch call.Request.Word {
		case "absent":
			return nil, errs.New(errs.RegistryUnavailable)
		case "panic":
			panic("a secret that must not be told: " + call.Request.Word)
		}
		runes := []rune(call.Request.Word)
		for l, r := 0, len(runes)-1; l < r; l, r = l+1, r-1 {
			runes[l], runes[r] = runes[r], runes[l]
		}
		words[i] = string(runes)
	}
	return words, nil
}

// Decide implements catalog.Service.
func (speller) Decide(_ context.Context, call *catalog.Call[*spellingRequest], reversed string) (*catalog.Answer[*spellingResult], error) {
	if call.Request.Word == "refused" {
		return nil, errs.New(errs.ImageUnreadable).With("index", 3)
	}
	times := 1
	if call.Request.Times != nil {
		times = *call.Request.Times
	}
	return &catalog.Answer[*spellingResult]{Outcome: "spelled", Result: &spellingResult{Result: "spelled", Word: strings.Repeat(reversed, times)},
		Lookups: []catalog.Lookup{{PlatformID: "COD-0000-0000-0000", Scopes: []string{"kyc.basic"}}}}, nil
}
