package matching

import (
	"slices"
	"strings"
)

// sameOrAccent tells a word written the same from one which only folds to the same.
func sameOrAccent(claimed, registered string) Rule {
	if strings.EqualFold(claimed, registered) {
		return RuleExact
	}
	return RuleAccent
}

// equalSteps explains names whose sorted words are equal.
func equalSteps(claimed, registered *words) []Step {
	steps := make([]Step, claimed.n)
	for i := range claimed.n {
		c, r := &claimed.list[i], &registered.list[i]
		said, known := claimed.written(i), registered.written(i)
		steps[c.at] = Step{
			Rule: sameOrAccent(said, known), Claimed: said, Registered: known,
			ClaimedAt: int(c.at), RegisteredAt: int(r.at), Weight: 1,
		}
	}
	return steps
}

// steps explains an alignment in the order of the claim; see Comparison.Steps.
func (c *comparison) steps(best *alignment) []Step {
	steps := make([]Step, 0, max(c.first.n, c.second.n)+2)
	var firstUsed, secondUsed uint32
	for i := range c.joins.n {
		if best.joins&(1<<i) != 0 {
			f, s := c.joins.list[i].mask()
			firstUsed, secondUsed = firstUsed|f, secondUsed|s
			steps = append(steps, c.joinStep(&c.joins.list[i]))
		}
	}
	for i := range c.first.n {
		if firstUsed&(1<<i) != 0 {
			continue
		}
		if j := best.partner[i]; j >= 0 {
			secondUsed |= 1 << j
			steps = append(steps, c.pairStep(i, int(j)))
		} else {
			steps = append(steps, loneStep(c.first, i, c.swapped))
		}
	}
	for j := range c.second.n {
		if secondUsed&(1<<j) == 0 {
			steps = append(steps, loneStep(c.second, j, !c.swapped))
		}
	}
	slices.SortFunc(steps, inOrderOfClaim)
	if best.decided != "" {
		steps = append(steps, Step{Rule: best.decided, ClaimedAt: -1, RegisteredAt: -1})
	}
	return steps
}

// inOrderOfClaim puts words which the claim lacks last.
func inOrderOfClaim(a, b Step) int {
	switch {
	case a.ClaimedAt < 0 && b.ClaimedAt < 0:
		return a.RegisteredAt - b.RegisteredAt
	case a.ClaimedAt < 0:
		return 1
	case b.ClaimedAt < 0:
		return -1
	}
	return a.ClaimedAt - b.ClaimedAt
}

func (c *comparison) pairStep(i, j int) Step {
	r := c.relations[i][j]
	step := Step{
		Rule: agreement[r].rule, Weight: float64(r.weight()) / 1000,
		Claimed: c.first.written(i), Registered: c.second.written(j),
		ClaimedAt: int(c.first.list[i].at), RegisteredAt: int(c.second.list[j].at),
	}
	if r == same {
		step.Rule = sameOrAccent(step.Claimed, step.Registered)
	}
	return c.turn(step)
}

func (c *comparison) joinStep(j *join) Step {
	wholes, pieces := c.first, c.second
	if j.split {
		wholes, pieces = c.second, c.first
	}
	step := Step{
		Rule: agreement[j.relation].rule, Weight: float64(j.relation.weight()) / 1000,
		Claimed: wholes.written(int(j.whole)), Registered: j.written(pieces),
		ClaimedAt: int(wholes.list[j.whole].at), RegisteredAt: int(pieces.list[j.pieces[0]].at),
	}
	if j.split {
		step = exchanged(step)
	}
	return c.turn(step)
}

// turn gives the claim its own side.
func (c *comparison) turn(s Step) Step {
	if c.swapped {
		return exchanged(s)
	}
	return s
}

func exchanged(s Step) Step {
	s.Claimed, s.Registered = s.Registered, s.Claimed
	s.ClaimedAt, s.RegisteredAt = s.RegisteredAt, s.ClaimedAt
	return s
}

// loneStep is a word without a partner, of the record or of the claim.
func loneStep(side *words, i int, ofRecord bool) Step {
	if ofRecord {
		return Step{Rule: RuleMissing, Registered: side.written(i), ClaimedAt: -1, RegisteredAt: int(side.list[i].at)}
	}
	return Step{Rule: RuleExtra, Claimed: side.written(i), ClaimedAt: int(side.list[i].at), RegisteredAt: -1}
}
