package matching

import "slices"

// Names compares the name that a caller claims with the registered one (specification, Match
// verdicts). It ignores the order of the words, accents, case, punctuation and hyphens; each word is
// aligned with at most one of the other side, or with the words it joins, by the best assignment.
//
//   - match: every word of each side has its partner of the same letters; one, of five letters or
//     more and not alone, may be written in another spelling habit.
//   - partial match: no word of one side contradicts a word of the other, and either two names agree
//     (one may be an initial), or all of them do to six tenths.
//   - no match: everything else, thus a first name alone, or one name that differs.
//
// The answer does not depend on which of the two is the claim. Any text is accepted, valid UTF-8 or
// not; beyond 20 words or 256 letters only the same words are a match and all else is none.
func Names(claimed, registered string) Comparison {
	var a, b words
	if !a.read(claimed) || !b.read(registered) {
		return longNames(claimed, registered)
	}
	if a.n == 0 || b.n == 0 {
		return scored(0, []Step{{Rule: RuleUnreadable, ClaimedAt: -1, RegisteredAt: -1}})
	}
	order := compareWords(&a, &b)
	if order == 0 {
		return scored(1, equalSteps(&a, &b))
	}
	a.spell()
	b.spell()
	// Solved from the same side whichever is claimed: among equally good alignments the same is found.
	if order > 0 {
		c := comparison{first: &b, second: &a, swapped: true}
		return c.run()
	}
	c := comparison{first: &a, second: &b}
	return c.run()
}

func longNames(claimed, registered string) Comparison {
	if slices.Equal(allWords(claimed), allWords(registered)) {
		return scored(1, []Step{{Rule: RuleExact, Claimed: claimed, Registered: registered, Weight: 1}})
	}
	return scored(0, []Step{{Rule: RuleTooLong, ClaimedAt: -1, RegisteredAt: -1}})
}

// comparison is the search for the best alignment of two names that are not equal.
type comparison struct {
	first, second *words
	swapped       bool // first is the registered name
	relations     [maxWords][maxWords]relation
	joins         joins
}

// alignment is one way to align two names, and what it is worth.
type alignment struct {
	partner assignment // of the words of first that no join takes
	joins   uint32     // those taken
	score   float64
	decided Rule // the rule which kept the names apart, or none
}

func (c *comparison) run() Comparison {
	for i := range c.first.n {
		for j := range c.second.n {
			c.relations[i][j] = relate(c.first, i, c.second, j)
		}
	}
	c.joins.find(c.first, c.second, false)
	c.joins.find(c.second, c.first, true)
	var best alignment
	c.align(&best, 0, 0, 0)
	for taken := uint32(1); taken < 1<<c.joins.n; taken++ {
		if first, second, ok := c.take(taken); ok {
			var other alignment
			c.align(&other, taken, first, second)
			if other.score > best.score {
				best = other
			}
		}
	}
	return scored(best.score, c.steps(&best))
}

// take tells which words a set of joins uses, and whether no two of them use the same.
func (c *comparison) take(set uint32) (first, second uint32, ok bool) {
	for i := range c.joins.n {
		if set&(1<<i) == 0 {
			continue
		}
		f, s := c.joins.list[i].mask()
		if first&f != 0 || second&s != 0 {
			return 0, 0, false
		}
		first, second = first|f, second|s
	}
	return first, second, true
}
