package matching_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/matching"
)

// The aims of docs/matching.md.
const (
	pairs            = 2000
	leastTrueKept    = 0.99 // of the pairs of one person, not no_match
	mostFalsePartial = 0.02 // of the pairs of two persons, partial_match
)

// confusion counts verdicts by kind.
type confusion map[string]map[matching.Verdict]int

func evaluate(t *testing.T, p pool, seed uint64) confusion {
	t.Helper()
	table, g := confusion{}, newGenerator(p, seed)
	var surprises []string
	for i := range pairs {
		kind := kinds[i%len(kinds)]
		a, b := kind.make(g)
		claimed, registered := g.noisy(a), g.noisy(b)
		c := matching.Names(claimed, registered)
		consistent(t, c)
		if table[kind.name] == nil {
			table[kind.name] = map[matching.Verdict]int{}
		}
		table[kind.name][c.Verdict]++
		if kind.person == same && c.Verdict == matching.NoMatch || kind.person == other && c.Verdict != matching.NoMatch {
			surprises = append(surprises, fmt.Sprintf("%s: %q for %q: %s", kind.name, claimed, registered, c))
		}
	}
	t.Logf("%d pairs, seed %d\n%s", pairs, seed, table)
	for _, s := range surprises {
		t.Log(s)
	}
	return table
}

// String is the table as docs/matching.md shows it.
func (c confusion) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-18s %-7s %7s %13s %8s\n", "kind", "person", "match", "partial_match", "no_match")
	row := func(kind, person string, n map[matching.Verdict]int) {
		fmt.Fprintf(&b, "%-18s %-7s %7d %13d %8d\n", kind, person, n[matching.Match], n[matching.PartialMatch], n[matching.NoMatch])
	}
	for _, k := range kinds {
		row(k.name, k.person, c[k.name])
	}
	row("all", same, c.all(same))
	row("all", other, c.all(other))
	return b.String()
}

// all sums the kinds of one person, or of two.
func (c confusion) all(person string) map[matching.Verdict]int {
	sum := map[matching.Verdict]int{}
	for _, k := range kinds {
		if k.person == person {
			for verdict, n := range c[k.name] {
				sum[verdict] += n
			}
		}
	}
	return sum
}

// share is the part of the pairs of one person, or of two, which have the verdict.
func (c confusion) share(person string, v matching.Verdict) float64 {
	counts, of := c.all(person), 0
	for _, n := range counts {
		of += n
	}
	return float64(counts[v]) / float64(of)
}

func (c confusion) reachesTheAims(t *testing.T) {
	t.Helper()
	require.GreaterOrEqual(t, 1-c.share(same, matching.NoMatch), leastTrueKept)
	require.Zero(t, c.share(other, matching.Match))
	require.LessOrEqual(t, c.share(other, matching.PartialMatch), mostFalsePartial)
	require.Len(t, c["same words"], 1)
	require.NotZero(t, c["same words"][matching.Match], "the same words are always a match")
	require.Zero(t, c["near long name"][matching.Match])
}

// TestEvaluationDevelopment is the set on which the rules may be worked.
func TestEvaluationDevelopment(t *testing.T) {
	t.Parallel()
	evaluate(t, development, 1).reachesTheAims(t)
}

// TestEvaluation is the set that is measured: other names, another seed.
func TestEvaluation(t *testing.T) {
	t.Parallel()
	table := evaluate(t, asserted, 20260)
	table.reachesTheAims(t)
	text, err := os.ReadFile(document)
	require.NoError(t, err)
	require.Contains(t, string(text), table.String(), "the document shows the figures of this test")
}
