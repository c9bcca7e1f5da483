package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/google/uuid"

	"idplatform/database"
)

// Aims of the kinds of KYC calls, as times beside that of another in the same run.
const (
	aimOfBatch     = 12.0 // a batch of 50 beside one call
	aimOfAllScopes = 2.5  // a call with all scopes beside one with none
	aimOfOnce      = 1.6  // idempotency and audit beside neither
	itemsOfBatch   = 50
)

// printKYC sets kinds of KYC calls beside one another.
func printKYC(ctx context.Context, w io.Writer, s settings, kind string) (err error) {
	p, err := startPlatform(ctx, s, kind, s.small)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	none, all := bothScopes[0], bothScopes[1]
	fmt.Fprintf(w, "\n## Kinds of KYC calls, %s\n\n%s. One connection; the time is that of a whole call or batch.\n\n", kind, p.secured)
	fmt.Fprintln(w, "| kind | a second | p50 | p99 | time beside | ratio | aim |\n|---|---|---|---|---|---|---|")
	plain := p.contender(none)
	plain.name = "call, scopes `[]`"
	kinds := []*contender{plain, p.batches(none), p.allScopes(all), p.keyed(none)}
	if err := compete(ctx, kinds, 1, s.rounds, s.duration); err != nil {
		return err
	}
	base := plain.median()
	for i, aim := range []float64{0, aimOfBatch, aimOfAllScopes, 0} {
		printKind(w, kinds[i], base, plain.name, aim)
	}
	if kind != string(database.SQLite) {
		return nil
	}
	return p.printOnce(ctx, w, s, none)
}

func printKind(w io.Writer, c *contender, base round, beside string, aim float64) {
	m := c.median()
	ratio := float64(m.p50) / float64(base.p50)
	judged := ""
	if aim > 0 {
		judged = fmt.Sprintf("≤ %g: %s", aim, verdict(ratio <= aim))
	}
	fmt.Fprintf(w, "| %s | %.0f | %s | %s | %s | %.2f | %s |\n", c.name, m.rate, shown(m.p50), shown(m.p99), beside, ratio, judged)
}

// printOnce sets a call under an idempotency key, with its audit row, beside one with neither. The audit row
// is left out by a trigger in a second database, so that the code is the same.
func (p *platform) printOnce(ctx context.Context, w io.Writer, s settings, how scopes) (err error) {
	bare, err := startPlatform(ctx, s, string(database.SQLite), s.small)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bare.close()) }()
	db, err := database.Open(ctx, database.Config{Driver: database.SQLite, DSN: bare.dsn})
	if err != nil {
		return err
	}
	err = db.Write(ctx).Exec("CREATE TRIGGER unaudited BEFORE INSERT ON audit_entries BEGIN SELECT RAISE(IGNORE); END").Error
	if err = errors.Join(err, db.Close()); err != nil {
		return err
	}
	without, with := bare.contender(how), p.keyed(how)
	without.name, with.name = "call, no audit row, no key", "call, audit row and key"
	if err := compete(ctx, []*contender{without, with}, 1, s.rounds, s.duration); err != nil {
		return err
	}
	printKind(w, with, without.median(), without.name, aimOfOnce)
	return nil
}

// keyed is the platform answering calls that each have an idempotency key of their own.
func (p *platform) keyed(how scopes) *contender {
	body := p.bodies(how)
	return &contender{name: "call, idempotency key", address: p.app.Address(),
		request: func() []byte { return p.signer.requestTo(kycPath, uuid.NewString(), body()) }}
}

func (p *platform) allScopes(how scopes) *contender {
	c := p.contender(how)
	c.name = "call, all scopes"
	return c
}

// batches is the platform answering synchronous batches.
func (p *platform) batches(how scopes) *contender {
	body, n := p.bodies(how), 0
	return &contender{name: fmt.Sprintf("batch of %d", itemsOfBatch), address: p.app.Address(), request: func() []byte {
		var b bytes.Buffer
		b.WriteString(`{"items":[`)
		for i := range itemsOfBatch {
			if i > 0 {
				b.WriteByte(',')
			}
			item := body()
			n++
			fmt.Fprintf(&b, `%s,"reference":"r%d"}`, item[:len(item)-1], n)
		}
		b.WriteString("]}")
		return p.signer.requestTo(kycPath+"/batches", "", b.Bytes())
	}}
}
