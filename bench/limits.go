package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/pprof"
	"time"

	"idplatform/engines/registry"
)

// connections are how many callers call at the same time.
var connections = []int{1, 8, 64}

// aimOfWriter is the least part of the bare writer's throughput that the platform must reach.
const aimOfWriter = 0.6

// printLimits sets a synchronous call through the whole stack beside the bare limits.
func printLimits(ctx context.Context, w io.Writer, s settings, kind string) (err error) {
	p, err := startPlatform(ctx, s, kind, s.small)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	if s.profile != "" {
		return profile(ctx, w, s, p)
	}
	fmt.Fprintf(w, "\n## One synchronous KYC call, %s\n\n%s; %d citizens.\n\n", kind, p.secured, s.small)
	fmt.Fprintln(w, "(a) a bare handler that answers a constant of the same size; (b) that with the register's query; "+
		"(c) a bare handler with the same cryptography and the same row writes, and no query.")
	fmt.Fprintln(w, "\n| scopes | connections | | requests/s | p50 | p99 | platform ÷ it | aim |\n|---|---|---|---|---|---|---|---|")
	for _, how := range bothScopes {
		if err := printLimitsOf(ctx, w, s, p, how); err != nil {
			return err
		}
	}
	return nil
}

func printLimitsOf(ctx context.Context, w io.Writer, s settings, p *platform, how scopes) (err error) {
	at, all, err := contenders(ctx, s, p, how)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, at.close()) }()
	for _, conns := range connections {
		if err := compete(ctx, all, conns, s.rounds, s.duration); err != nil {
			return err
		}
		mine := all[0].median()
		for i, c := range all {
			m, ratio, aim := c.median(), "", ""
			if i > 0 {
				ratio = fmt.Sprintf("%.2f", mine.rate/m.rate)
			}
			if i == len(all)-1 {
				aim = "≥ " + fmt.Sprint(aimOfWriter) + ": " + verdict(mine.rate >= aimOfWriter*m.rate)
			}
			fmt.Fprintf(w, "| %s | %d | %s | %.0f | %s | %s | %s | %s |\n", how.name, conns, c.name, m.rate, shown(m.p50), shown(m.p99), ratio, aim)
		}
	}
	return nil
}

// contenders are the platform and its bare limits, in a place of their own that the caller closes.
func contenders(ctx context.Context, s settings, p *platform, how scopes) (at *place, all []*contender, err error) {
	mine := p.contender(how)
	first, err := mine.run(1, time.Minute, 1)
	if err != nil {
		return nil, nil, err
	}
	if at, err = newPlace(ctx, s, string(p.driver)); err != nil {
		return nil, nil, err
	}
	blocks := registry.Blocks(0)
	if how.member == "" {
		blocks = registry.AllBlocks
	}
	writer, err := newWriter(ctx, at, p.signer, plaintextSize(first.size))
	if err != nil {
		return nil, nil, errors.Join(err, at.close())
	}
	all = []*contender{mine}
	for _, bare := range []struct {
		name    string
		handle  func() (string, error)
		repeats bool
	}{
		{"(a) constant", func() (string, error) { return serveBare(at, constant(first.size)) }, true},
		{"(b) query", func() (string, error) { return serveBare(at, queries(p, blocks, first.size)) }, true},
		{"(c) cryptography and rows", func() (string, error) { return serveBare(at, writer.handle) }, false},
	} {
		address, err := bare.handle()
		if err != nil {
			return nil, nil, errors.Join(err, at.close())
		}
		all = append(all, &contender{name: bare.name, address: address, request: mine.request, repeats: bare.repeats})
	}
	return at, all, nil
}

// tagSize is the size of the tag of AES-GCM.
const tagSize = 16

// plaintextSize is the size of what is in an encrypted body.
func plaintextSize(sealed int) int {
	return base64.StdEncoding.DecodedLen(sealed-len(`{"ciphertext":""}`)) - tagSize
}

func verdict(met bool) string {
	if met {
		return "met"
	}
	return "missed"
}

func shown(d time.Duration) string { return d.Round(10 * time.Microsecond).String() }

// profile runs the platform alone under load and writes where the processor's time goes.
func profile(ctx context.Context, w io.Writer, s settings, p *platform) error {
	f, err := os.Create(s.profile)
	if err != nil {
		return err
	}
	alone := []*contender{p.contender(bothScopes[0])}
	if err := compete(ctx, alone, 8, 1, s.duration); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return errors.Join(err, f.Close())
	}
	err = compete(ctx, alone, 8, s.rounds, s.duration)
	pprof.StopCPUProfile()
	fmt.Fprintf(w, "%s: %.0f requests/s at 8 connections\n", p.driver, alone[0].median().rate)
	return errors.Join(err, f.Close())
}
