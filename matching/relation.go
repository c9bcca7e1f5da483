package matching

import (
	"slices"
	"strings"
)

// relation is how two words agree.
type relation uint8

const (
	unrelated relation = iota
	same
	joined
	spelled
	joinedSpelled
	slipped
	slippedTwice
	spelledSlipped
	joinedSlipped
	initialOf
)

// agreement is the weight, in thousandths, and the rule of each relation. Any two slips outweigh one
// equal word, so that the best assignment is the one which leaves the fewest words alone.
var agreement = [...]struct {
	weight int
	rule   Rule
}{
	same:           {1000, RuleExact},
	joined:         {980, RuleJoined},
	spelled:        {900, RuleSpelling},
	joinedSpelled:  {880, RuleJoinedSpelling},
	slipped:        {700, RuleTypo},
	slippedTwice:   {600, RuleTypo},
	spelledSlipped: {600, RuleSpellingTypo},
	joinedSlipped:  {600, RuleJoinedTypo},
	initialOf:      {400, RuleInitial},
}

func (r relation) weight() int { return agreement[r].weight }

// relate compares word i of a with word j of b.
func relate(a *words, i int, b *words, j int) relation {
	x, y := a.of(i), b.of(j)
	if len(x) == 1 || len(y) == 1 {
		switch {
		case x[0] != y[0] || a.list[i].kind == particle || b.list[j].kind == particle:
			return unrelated
		case len(x) == len(y):
			return same
		}
		return initialOf
	}
	return relateLetters(x, a.key(i), y, b.key(j))
}

func relateLetters(x, xKey, y, yKey []rune) relation {
	switch {
	case slices.Equal(x, y):
		return same
	case slices.Equal(xKey, yKey):
		return spelled
	}
	switch slips(x, y) {
	case 1:
		return slipped
	case 2:
		return slippedTwice
	}
	// Two slips are not forgiven in letters that are themselves a reading of the word.
	if min(len(xKey), len(yKey)) >= slipFrom && within(xKey, yKey, 1) {
		return spelledSlipped
	}
	return unrelated
}

// join is one word (whole) of a side that is several words (pieces) of the other.
type join struct {
	whole    int8
	pieces   [maxPieces]int8 // in the order in which they make the whole
	n        int8
	relation relation
	split    bool // the pieces are of the first name, the whole of the second
}

// The limits of joins: pieces of one whole, and joins tried for one direction.
const (
	maxPieces = 4
	maxJoins  = 3
)

// joins are those found between two names.
type joins struct {
	list [2 * maxJoins]join
	n    int
}

// find adds the joins whose wholes are words of one name and whose pieces are words of the other.
// The pieces need be neither neighbours nor in order, as the order of words is ignored.
func (js *joins) find(wholes, pieces *words, split bool) {
	limit := js.n + maxJoins
	for t := 0; t < wholes.n && js.n < limit; t++ {
		if len(wholes.of(t)) < 2 {
			continue
		}
		j := join{whole: int8(t), relation: joined, split: split}
		if exactPieces(&j, wholes.of(t), pieces, 0) || closePieces(&j, wholes, t, pieces) {
			js.list[js.n] = j
			js.n++
		}
	}
}

// exactPieces finds two to four words which together are exactly the letters that are left.
func exactPieces(j *join, left []rune, pieces *words, used uint32) bool {
	if len(left) == 0 {
		return j.n > 1
	}
	if j.n == maxPieces {
		return false
	}
	for p := range pieces.n {
		piece := pieces.of(p)
		repeats := p > 0 && used&(1<<(p-1)) == 0 && slices.Equal(piece, pieces.of(p-1))
		if used&(1<<p) != 0 || repeats || len(piece) > len(left) || !slices.Equal(piece, left[:len(piece)]) {
			continue
		}
		j.pieces[j.n] = int8(p)
		j.n++
		if exactPieces(j, left[len(piece):], pieces, used|1<<p) {
			return true
		}
		j.n--
	}
	return false
}

// closePieces finds two words which together are nearly the letters of the whole. Neither may be near
// it alone, nor be an initial: the forgiven letter would swallow a word, and with it a contradiction.
func closePieces(j *join, wholes *words, t int, pieces *words) bool {
	whole := wholes.of(t)
	for p := range pieces.n {
		for q := range pieces.n {
			length := len(pieces.of(p)) + len(pieces.of(q))
			if p == q || min(len(pieces.of(p)), len(pieces.of(q))) < 2 || length < len(whole)-2 || length > len(whole)+2 || !mayBegin(pieces.of(p)[0], whole[0]) {
				continue
			}
			if relate(pieces, p, wholes, t) != unrelated || relate(pieces, q, wholes, t) != unrelated {
				continue
			}
			var letters, key [maxLetters]rune
			copy(letters[copy(letters[:], pieces.of(p)):], pieces.of(q))
			n := spellingKey(key[:], letters[:length])
			switch relateLetters(letters[:length], key[:n], whole, wholes.key(t)) {
			case spelled:
				j.relation = joinedSpelled
			case slipped:
				j.relation = joinedSlipped
			default:
				continue
			}
			j.pieces[0], j.pieces[1], j.n = int8(p), int8(q), 2
			return true
		}
	}
	return false
}

// mayBegin tells whether two letters may begin one word written in two habits. A slip in the first
// letter of a joined word is not looked for: it would cost every pair of names the search.
func mayBegin(a, b rune) bool {
	if a == b {
		return true
	}
	const habits = "tc dj ow uw ou pf yi"
	for i := 0; i < len(habits); i += 3 {
		x, y := rune(habits[i]), rune(habits[i+1])
		if a == x && b == y || a == y && b == x {
			return true
		}
	}
	return false
}

// written is the text of the pieces as the caller wrote them.
func (j *join) written(pieces *words) string {
	texts := make([]string, 0, maxPieces)
	for _, p := range j.pieces[:j.n] {
		texts = append(texts, pieces.written(int(p)))
	}
	return strings.Join(texts, " ")
}

// mask are the words that the join takes of each name.
func (j *join) mask() (first, second uint32) {
	for _, p := range j.pieces[:j.n] {
		second |= 1 << p
	}
	first = 1 << j.whole
	if j.split {
		return second, first
	}
	return first, second
}
