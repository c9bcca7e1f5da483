package main

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// aimOfPopulation bounds how much slower a call may be beside a larger register.
const aimOfPopulation = 1.2

// printPopulations sets the same call beside itself with a register many times as large.
func printPopulations(ctx context.Context, w io.Writer, s settings, kind string) (err error) {
	var all [2]*platform
	for i, population := range []int{s.small, s.large} {
		if all[i], err = startPlatform(ctx, s, kind, population); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, all[i].close()) }()
	}
	fmt.Fprintf(w, "\n## The same call beside a larger register, %s\n\n%s.\n\n", kind, all[0].secured)
	fmt.Fprintln(w, "| scopes | connections | citizens | requests/s | p50 | p99 | time of a call, ratio | aim |\n|---|---|---|---|---|---|---|---|")
	for _, how := range bothScopes {
		pair := []*contender{all[0].contender(how), all[1].contender(how)}
		for _, conns := range []int{1, 8} {
			if err := compete(ctx, pair, conns, s.rounds, s.duration); err != nil {
				return err
			}
			few, many := pair[0].median(), pair[1].median()
			ratio := few.rate / many.rate
			fmt.Fprintf(w, "| %s | %d | %d | %.0f | %s | %s | | |\n", how.name, conns, s.small, few.rate, shown(few.p50), shown(few.p99))
			fmt.Fprintf(w, "| %s | %d | %d | %.0f | %s | %s | %.2f | ≤ %g: %s |\n", how.name, conns, s.large, many.rate,
				shown(many.p50), shown(many.p99), ratio, aimOfPopulation, verdict(ratio <= aimOfPopulation))
		}
	}
	return nil
}
