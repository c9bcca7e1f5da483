package matching

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Beyond these a name is compared only for holding the same words: they bound the time of the hot
// path against hostile input. A name of the API has at most 200 code points.
const (
	maxWords   = 20
	maxLetters = 256
)

// kind is how much a word can tell about a person.
type kind uint8

const (
	full     kind = iota // a name
	initial              // a single letter
	particle             // a word that links names, or the legal form of a business
)

// linking are the particles, and the legal forms of businesses, which agree between so many names
// that they are no evidence of a person. Words that are also given names (Ben, Do) are not here.
var linking = []string{
	"wa", "ya", "va", "za", "mwa", "na", "la", "le", "les", "de", "du", "da", "di", "des", "dos", "del", "den", "der",
	"van", "von", "el", "al", "bin", "ibn", "bint", "et",
	"sa", "sas", "sarl", "sarlu", "sprl", "snc", "scs", "gie", "asbl", "ets", "ltd",
}

// mass is the share of a word in the whole name, in quarters of a name.
func (k kind) mass() int {
	if k == particle {
		return 1
	}
	return 4
}

// word is one folded word: where its letters and its spelling key are, and where it was written.
type word struct {
	from, to       int16
	keyFrom, keyTo int16
	at             int8 // position in the name, from 0
	kind           kind
	textFrom       int32
	textTo         int32
}

// words is a folded name, its words sorted by their letters so that no result depends on their
// order. The arrays keep it on the stack.
type words struct {
	text    string
	letters [maxLetters]rune
	keys    [maxLetters]rune
	list    [maxWords]word
	n       int
	mass    int
}

func (w *words) of(i int) []rune  { return w.letters[w.list[i].from:w.list[i].to] }
func (w *words) key(i int) []rune { return w.keys[w.list[i].keyFrom:w.list[i].keyTo] }
func (w *words) written(i int) string {
	return w.text[w.list[i].textFrom:w.list[i].textTo]
}

// read folds and splits the name; false when it is beyond the limits.
func (w *words) read(name string) bool {
	if len(name) > maxLetters*utf8.UTFMax {
		return false
	}
	w.text = name
	var buffer [24]rune // more than the longest decomposition of one rune (18)
	letters, open := 0, false
	for i, r := range name {
		folded := fold(buffer[:0], r)
		next := int32(i + max(1, utf8.RuneLen(r)))
		if len(folded) == 0 && open {
			w.list[w.n].textTo = next // a mark is part of the word as written
		}
		for _, letter := range folded {
			if letter == separator {
				if open {
					w.close(letters)
					open = false
				}
				continue
			}
			if !open {
				if w.n == maxWords {
					return false
				}
				w.list[w.n] = word{from: int16(letters), at: int8(w.n), textFrom: int32(i)}
				open = true
			}
			if letters == maxLetters {
				return false
			}
			w.letters[letters] = letter
			letters++
			w.list[w.n].textTo = next
		}
	}
	if open {
		w.close(letters)
	}
	w.sort()
	return true
}

func (w *words) close(to int) {
	last := &w.list[w.n]
	last.to = int16(to)
	last.kind = kindOf(w.letters[last.from:to])
	w.mass += last.kind.mass()
	w.n++
}

func kindOf(letters []rune) kind {
	if len(letters) == 1 {
		return initial
	}
	if len(letters) > 5 {
		return full
	}
	for _, l := range linking {
		if equalASCII(letters, l) {
			return particle
		}
	}
	return full
}

func equalASCII(letters []rune, s string) bool {
	if len(letters) != len(s) {
		return false
	}
	for i, r := range letters {
		if r != rune(s[i]) {
			return false
		}
	}
	return true
}

// sort is by insertion: a name has three words or so.
func (w *words) sort() {
	for i := 1; i < w.n; i++ {
		for j := i; j > 0 && slices.Compare(w.of(j), w.of(j-1)) < 0; j-- {
			w.list[j], w.list[j-1] = w.list[j-1], w.list[j]
		}
	}
}

// spell fills the spelling keys, which only names that are not equal need.
func (w *words) spell() {
	n := 0
	for i := range w.n {
		w.list[i].keyFrom = int16(n)
		n += spellingKey(w.keys[n:], w.of(i))
		w.list[i].keyTo = int16(n)
	}
}

// compareWords orders two names by their sorted words.
func compareWords(a, b *words) int {
	for i := range min(a.n, b.n) {
		if c := slices.Compare(a.of(i), b.of(i)); c != 0 {
			return c
		}
	}
	return a.n - b.n
}

// allWords are the folded words of a name of any length, sorted.
func allWords(name string) []string {
	folded := make([]rune, 0, len(name))
	for _, r := range name {
		folded = fold(folded, r)
	}
	list := strings.Fields(string(folded))
	slices.Sort(list)
	return list
}
