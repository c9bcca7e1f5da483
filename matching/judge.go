package matching

// The least agreement, in thousandths, of a partial match.
const (
	// enoughNames is what the names that agree must add up to when some are missing: two names are
	// enough, and so are a name and an initial, unless that name has a slip.
	enoughNames = 1300
	// enoughOfAll is the share of the whole that must agree when no name is missing.
	enoughOfAll = 600
)

// longSpelling is the least length, in letters, of a word whose other spelling is still a match.
const longSpelling = 5

// evidence is what an alignment has shown.
type evidence struct {
	agreed    int // weight × mass of both sides, over all that is aligned
	mass      int // mass of both sides, aligned or not
	names     int // weights of the names that agree: neither particles nor the second piece of a short join
	sameNames int // names whose letters are the same
	spellings int // words in another spelling habit
	shortest  int // letters of the shortest of those
	otherwise bool
	alone     [2]int // names and initials without a partner, of each side
	loneLinks bool   // particles without one
}

func (e *evidence) add(r relation, names int, mass int, letters int) {
	e.agreed += r.weight() * mass
	e.names += r.weight() * names
	switch r {
	case same, joined:
		e.sameNames += names
	case spelled, joinedSpelled:
		e.spellings++
		if e.shortest == 0 || letters < e.shortest {
			e.shortest = letters
		}
	default:
		e.otherwise = true
	}
}

func (e *evidence) leave(side int, k kind) {
	if k == particle {
		e.loneLinks = true
		return
	}
	e.alone[side]++
}

// judge gives the score, within the band of the verdict that the evidence allows, and the rule
// which kept the names apart, if one did.
func (e *evidence) judge() (float64, Rule) {
	raw := float64(e.agreed) / float64(1000*e.mass)
	complete := e.alone == [2]int{}
	switch {
	case e.alone[0] > 0 && e.alone[1] > 0:
		return PartialThreshold * raw, RuleContradicted
	case complete && !e.loneLinks && !e.otherwise && e.spellingsAllowed():
		return MatchThreshold + (1-MatchThreshold)*raw, ""
	case e.names >= enoughNames, complete && e.agreed >= enoughOfAll*e.mass:
		return PartialThreshold + (MatchThreshold-PartialThreshold)*raw, ""
	}
	return PartialThreshold * raw, RuleTooLittle
}

func (e *evidence) spellingsAllowed() bool {
	return e.spellings == 0 || e.spellings == 1 && e.shortest >= longSpelling && e.sameNames > 0
}

// align finds the best assignment of the words that the joins leave, and judges the whole.
func (c *comparison) align(out *alignment, set, firstUsed, secondUsed uint32) {
	e := evidence{mass: c.first.mass + c.second.mass}
	for i := range c.joins.n {
		if set&(1<<i) != 0 {
			c.addJoin(&e, &c.joins.list[i])
		}
	}
	var gain gains
	for i := range c.first.n {
		for j := range c.second.n {
			if firstUsed&(1<<i) == 0 && secondUsed&(1<<j) == 0 {
				mass := c.first.list[i].kind.mass() + c.second.list[j].kind.mass()
				gain[i][j] = int32(c.relations[i][j].weight() * mass)
			}
		}
	}
	out.joins = set
	out.partner = assign(&gain, c.first.n, c.second.n)
	for i := range c.first.n {
		if firstUsed&(1<<i) != 0 {
			continue
		}
		j := out.partner[i]
		if j < 0 {
			e.leave(0, c.first.list[i].kind)
			continue
		}
		secondUsed |= 1 << j
		c.addPair(&e, i, int(j))
	}
	for j := range c.second.n {
		if secondUsed&(1<<j) == 0 {
			e.leave(1, c.second.list[j].kind)
		}
	}
	out.score, out.decided = e.judge()
}

func (c *comparison) addPair(e *evidence, i, j int) {
	a, b := &c.first.list[i], &c.second.list[j]
	names := 1
	r := c.relations[i][j]
	mass := a.kind.mass() + b.kind.mass()
	switch {
	case a.kind == particle || b.kind == particle:
		names = 0
	case a.kind == initial && b.kind == initial:
		// Two equal initials agree fully, and tell as little of the person as one.
		e.agreed += r.weight() * mass
		e.names += initialOf.weight()
		return
	}
	e.add(r, names, mass, int(min(a.to-a.from, b.to-b.from)))
}

// pieceLetters is the length from which a piece of a joined word counts as a name of its own: Ilunga
// and Mwamba are two names, Ka and Bongo are one.
const pieceLetters = 4

func (c *comparison) addJoin(e *evidence, j *join) {
	wholes, pieces := c.first, c.second
	if j.split {
		wholes, pieces = c.second, c.first
	}
	names, letters := 0, int16(0)
	mass := wholes.list[j.whole].kind.mass()
	for _, p := range j.pieces[:j.n] {
		piece := &pieces.list[p]
		mass += piece.kind.mass()
		letters += piece.to - piece.from
		if piece.kind == full && piece.to-piece.from >= pieceLetters {
			names++
		}
	}
	whole := &wholes.list[j.whole]
	e.add(j.relation, max(1, names), mass, int(min(letters, whole.to-whole.from)))
}
