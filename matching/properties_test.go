package matching_test

import (
	"math/bits"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"idplatform/matching"
)

// aWord draws words which are often near each other: a drawn syllable repeats.
var aWord = rapid.OneOf(
	rapid.StringMatching(`(ka|mu|tshi|chi|ngo|wa|yi|lu|ou|dja|pho|bb){1,4}`),
	rapid.SampledFrom([]string{"jean", "jeanne", "j", "p", "wa", "de", "luba", "lubu", "kabongo", "kabonga", "kabungo", "van", "damme", "vandamme", "sarl"}),
	rapid.StringMatching(`[a-z]{1,12}`),
)

var aName = rapid.Custom(func(t *rapid.T) []string { return rapid.SliceOfN(aWord, 1, 6).Draw(t, "words") })

func spaced(words []string) string { return strings.Join(words, " ") }

func TestOrderNeverMatters(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		claimed, registered := aName.Draw(t, "claimed"), aName.Draw(t, "registered")
		c := matching.Names(spaced(claimed), spaced(registered))
		consistent(t, c)
		shuffled := rapid.Permutation(claimed).Draw(t, "shuffled")
		require.InDelta(t, c.Score, matching.Names(spaced(shuffled), spaced(registered)).Score, 0)
		shuffled = rapid.Permutation(registered).Draw(t, "shuffled record")
		require.InDelta(t, c.Score, matching.Names(spaced(claimed), spaced(shuffled)).Score, 0)
	})
}

func TestEitherSideMayBeTheClaim(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := spaced(aName.Draw(t, "claimed")), spaced(aName.Draw(t, "registered"))
		there, back := matching.Names(a, b), matching.Names(b, a)
		require.InDelta(t, there.Score, back.Score, 0)
		require.Equal(t, there.Verdict, back.Verdict)
		require.Len(t, back.Steps, len(there.Steps))
	})
}

func TestNameMatchesItself(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.Map(aName, spaced)).Draw(t, "name")
		c := matching.Names(text, text)
		if c.Steps[0].Rule == matching.RuleUnreadable {
			return
		}
		require.Equal(t, matching.Match, c.Verdict)
		require.InDelta(t, 1, c.Score, 0)
	})
}

// accented draws the text with other accents, case and hyphens.
func accented(t *rapid.T, text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == ' ':
			b.WriteString(rapid.SampledFrom([]string{" ", "-", "  ", "/", "‑"}).Draw(t, "space"))
			continue
		case rapid.Bool().Draw(t, "upper"):
			b.WriteString(strings.ToUpper(string(r)))
		default:
			b.WriteRune(r)
		}
		b.WriteString(rapid.SampledFrom([]string{"", "", "", "\u0301", "\u0327", "'", "’", "\u200f"}).Draw(t, "accent"))
	}
	return b.String()
}

func TestAccentsAndCaseNeverMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		claimed, registered := spaced(aName.Draw(t, "claimed")), spaced(aName.Draw(t, "registered"))
		plain := matching.Names(claimed, registered)
		require.InDelta(t, plain.Score, matching.Names(accented(t, claimed), registered).Score, 0)
		require.InDelta(t, plain.Score, matching.Names(claimed, accented(t, registered)).Score, 0)
	})
}

func TestShortNamesOneLetterApartAreNotTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		short := []byte(rapid.StringMatching(`[a-z]{2,4}`).Draw(t, "short"))
		rest := rapid.SliceOfN(rapid.StringMatching(`[a-z]{5,8}`), 0, 3).Draw(t, "rest")
		other := append([]byte(nil), short...)
		at := rapid.IntRange(0, len(short)-1).Draw(t, "at")
		other[at] = 'a' + (other[at]-'a'+byte(rapid.IntRange(1, 25).Draw(t, "by")))%26
		c := matching.Names(spaced(append(rest, string(short))), spaced(append(rest, string(other))))
		require.NotEqual(t, matching.Match, c.Verdict, "%s", c)
	})
}

func TestOneNameAloneIsNeverEnough(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfNDistinct(rapid.StringMatching(`[b-df-hj-np-tv-z][aeiou][b-df-hj-np-tv-z][aeiou]`), 2, 5, rapid.ID[string]).Draw(t, "name")
		require.Equal(t, matching.NoMatch, matching.Names(words[0], spaced(words)).Verdict)
		if len(words) > 2 {
			require.Equal(t, matching.PartialMatch, matching.Names(spaced(words[:2]), spaced(words)).Verdict)
		}
	})
}

func TestExtraInitialIsNeverSwallowed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(rapid.StringMatching(`(ka|bo|mu|lou|ngo|tshi){2,4}`), 1, 3).Draw(t, "names")
		letter := rapid.StringMatching(`[a-z]`).Draw(t, "initial")
		c := matching.Names(spaced(append([]string{letter}, names...)), spaced(names))
		require.NotEqual(t, matching.Match, c.Verdict, "%s", c)
	})
}

func TestAssignmentIsTheBest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rows, columns := rapid.IntRange(1, 7).Draw(t, "rows"), rapid.IntRange(1, 7).Draw(t, "columns")
		table := make([][]int32, rows)
		for i := range table {
			table[i] = rapid.SliceOfN(rapid.SampledFrom([]int32{0, 0, 1, 2, 6, 7, 9, 10}), columns, columns).Draw(t, "row")
		}
		total, valid := matching.AssignedGain(table)
		require.True(t, valid)
		require.Equal(t, bestOfAll(table, 0), total)
	})
}

// bestOfAll tries every assignment.
func bestOfAll(table [][]int32, used uint32) int32 {
	if len(table) == 0 {
		return 0
	}
	best := bestOfAll(table[1:], used)
	for j, gain := range table[0] {
		if used&bits.RotateLeft32(1, j) == 0 {
			best = max(best, gain+bestOfAll(table[1:], used|1<<j))
		}
	}
	return best
}

func TestBestAssignmentBeatsTheFirstEqualWord(t *testing.T) {
	t.Parallel()
	// Aligning the equal words would leave Kabonga and Kabungo, two slips apart, to contradict.
	c := matching.Names("Kabongo Kabonga", "Kabungo Kabongo")
	require.Equal(t, matching.PartialMatch, c.Verdict, "%s", c)
}

func TestBoundedDistanceIsDamerauLevenshtein(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[abc]{0,8}`)
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		for k := range 3 {
			require.Equal(t, distance(a, b) <= k, matching.Within(a, b, k), "%q %q %d", a, b, k)
		}
	})
}

// distance is the textbook table of optimal string alignment.
func distance(a, b string) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			changed := 1
			if a[i-1] == b[j-1] {
				changed = 0
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+changed)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}

func TestSpellingHabitsShareAKey(t *testing.T) {
	t.Parallel()
	for _, same := range [][]string{
		{"tshibangu", "chibangu", "cibangu", "tchibangu", "tshibangou"}, {"ngoyi", "ngoy", "ngoi"}, {"djamba", "jamba"},
		{"joseph", "josef"}, {"mwamba", "muamba", "mouamba"}, {"emmanuel", "emanuel"}, {"moussa", "musa"},
	} {
		for _, word := range same[1:] {
			require.Equal(t, matching.SpellingKey(same[0]), matching.SpellingKey(word), word)
		}
	}
	require.NotEqual(t, matching.SpellingKey("desire"), matching.SpellingKey("desiree"))
	require.NotEqual(t, matching.SpellingKey("daniel"), matching.SpellingKey("danielle"))
}
