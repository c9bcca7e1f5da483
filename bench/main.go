// Command bench measures the platform beside bare limits in the same run and prints the ratios as markdown
// tables. What it prints holds for the machine and the moment; only ratios are worth comparing, which is why
// a table's contenders take turns, round by round, and medians are shown.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// settings are the program's flags.
type settings struct {
	only     *regexp.Regexp
	postgres string
	duration time.Duration
	rounds   int
	profile  string
	// small and large are the populations whose difference a call must not feel.
	small, large int
}

// table is one of the tables; it writes itself as markdown.
type table struct {
	name  string
	print func(ctx context.Context, w io.Writer, s settings) error
}

func tables() []table {
	var all []table
	for _, kind := range []string{"sqlite", "postgres"} {
		all = append(all,
			table{"limits-" + kind, func(ctx context.Context, w io.Writer, s settings) error { return printLimits(ctx, w, s, kind) }},
			table{"population-" + kind, func(ctx context.Context, w io.Writer, s settings) error { return printPopulations(ctx, w, s, kind) }},
			table{"kyc-" + kind, func(ctx context.Context, w io.Writer, s settings) error { return printKYC(ctx, w, s, kind) }},
			table{"async-" + kind, func(ctx context.Context, w io.Writer, s settings) error { return printAsync(ctx, w, s, kind) }},
		)
	}
	return append(all, table{"cryptography", printCryptography})
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer) error {
	var names []string
	for _, t := range tables() {
		names = append(names, t.name)
	}
	s, err := readFlags(names)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s, %d cores, %s; medians of %d rounds of %s, contenders taking turns.\n",
		runtime.Version(), runtime.NumCPU(), time.Now().UTC().Format(time.DateOnly), s.rounds, s.duration)
	for _, t := range tables() {
		if !s.only.MatchString(t.name) {
			continue
		}
		if s.postgres == "none" && strings.HasSuffix(t.name, "postgres") {
			continue
		}
		if err := t.print(ctx, w, s); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		if ctx.Err() != nil {
			return errors.New("interrupted")
		}
	}
	return nil
}

func readFlags(names []string) (settings, error) {
	s := settings{small: 10_000, large: 200_000}
	only := flag.String("only", "", "run the tables whose name matches this expression: "+strings.Join(names, ", "))
	short := flag.Bool("short", false, "few short rounds and a small population: a look, not a measurement")
	flag.DurationVar(&s.duration, "duration", time.Second, "how long each round of a contender lasts")
	flag.IntVar(&s.rounds, "rounds", 5, "rounds of each contender")
	flag.StringVar(&s.postgres, "postgres", "auto", "DSN of a PostgreSQL server on which databases may be created; auto starts one, none leaves it out")
	flag.StringVar(&s.profile, "profile", "", "write a CPU profile of the platform's rounds to this file and leave the bare limits out")
	flag.Parse()
	if *short {
		s.duration, s.rounds, s.large = min(s.duration, 300*time.Millisecond), min(s.rounds, 3), 40_000
	}
	var err error
	if s.only, err = regexp.Compile(*only); err != nil {
		return s, fmt.Errorf("-only: %w", err)
	}
	if s.duration <= 0 || s.rounds < 1 {
		return s, errors.New("-duration and -rounds must be positive")
	}
	return s, nil
}
