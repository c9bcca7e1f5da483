package matching

import "slices"

// hushed is the one letter which a key writes for tsh, tch, ch, and for c before e, i, y, all of
// which write the sound of Tshibangu, Tchibangu, Chibangu, Cibangu.
const hushed = 'ʧ'

// spellingKey writes into dst the word as it sounds under the spelling habits of the country, and
// returns its length, which never exceeds that of the word: tsh/tch/ch/ci, dj/j, ou/w/u, ph/f, y/i,
// doubled letters, and thereby Ngoyi/Ngoy. A doubled e at the end is kept: it tells Désirée from
// Désiré, a sister from her brother.
func spellingKey(dst, word []rune) int {
	n := 0
	for i := 0; i < len(word); {
		letter, taken := sound(word[i:])
		i += taken
		feminine := letter == 'e' && i == len(word)
		if n > 0 && dst[n-1] == letter && !feminine {
			continue
		}
		dst[n] = letter
		n++
	}
	return n
}

// sound is the first sound of the letters, and how many of them write it.
func sound(w []rune) (letter rune, taken int) {
	switch w[0] {
	case 't':
		if starts(w[1:], "sh") || starts(w[1:], "ch") {
			return hushed, 3
		}
	case 'c':
		if len(w) > 1 {
			switch w[1] {
			case 'h':
				return hushed, 2
			case 'e', 'i', 'y':
				return hushed, 1
			}
		}
	case 'd':
		if starts(w[1:], "j") {
			return 'j', 2
		}
	case 'o':
		if starts(w[1:], "u") {
			return 'u', 2
		}
	case 'p':
		if starts(w[1:], "h") {
			return 'f', 2
		}
	case 'w':
		return 'u', 1
	case 'y':
		return 'i', 1
	}
	return w[0], 1
}

func starts(w []rune, with string) bool {
	return len(w) >= len(with) && equalASCII(w[:len(with)], with)
}

// The lengths, in letters of the shorter word, from which a slip is forgiven. Below, one letter is
// the difference between two names (Luba, Lubu); only neighbours that changed places are forgiven
// one letter earlier, as they seldom make another name (Jaen).
const (
	swapFrom     = 4
	slipFrom     = 5
	twoSlipsFrom = 10
)

// slips is the Damerau-Levenshtein distance (neighbours changing places count once, no letter is
// touched twice) when it is within the tolerance of the words' length, else 0. The words differ.
func slips(a, b []rune) int {
	shorter := min(len(a), len(b))
	switch {
	case shorter < swapFrom || max(len(a), len(b))-shorter > 2:
		return 0
	case shorter < slipFrom:
		if len(a) == len(b) && swapped(a, b) {
			return 1
		}
		return 0
	case within(a, b, 1):
		return 1
	case shorter >= twoSlipsFrom && within(a, b, 2):
		return 2
	}
	return 0
}

// swapped tells whether a and b differ by one change of places of neighbours.
func swapped(a, b []rune) bool {
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && slices.Equal(a[i+2:], b[i+2:])
}

// within tells whether the distance is at most k. It branches four ways for each slip, so that for
// k ≤ 2 it is linear in the length.
func within(a, b []rune, k int) bool {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	if difference := len(a) - len(b); difference > k || -difference > k {
		return false
	}
	switch {
	case len(a) == 0 || len(b) == 0:
		return true // as many letters are left as the lengths differ
	case k == 0:
		return false
	}
	return within(a[1:], b[1:], k-1) || within(a[1:], b, k-1) || within(a, b[1:], k-1) ||
		len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] && within(a[2:], b[2:], k-1)
}
