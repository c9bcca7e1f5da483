package matching_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"idplatform/matching"
)

func TestNamesFoldTheSame(t *testing.T) {
	t.Parallel()
	for _, same := range [][]string{
		{"Søren Łukasz Đorđe", "soren lukasz dorde", "SOREN LUKASZ DORDE"},
		{"Groß Cœur Cæsar", "gross coeur caesar", "GROSS COEUR CAESAR"},
		{"N'Sele", "N’Sele", "Nʼsele", "N´Sele", "N`Sele", "Nsele", "N＇Sele"},
		{"Jean-Pierre", "Jean Pierre", "Pierre/Jean", "jean—pierre", "JEAN.PIERRE", " Jean\tPierre\n"},
		{"Mbɔ́ngɔ Ngɛli", "Mbongo Ngeli"},
		{"Kabongo", "K\u200fab\u200bon\u00adgo", "Ｋａｂｏｎｇｏ", "Kabo\u0301ngo", "🙂 Kabongo 🙂", "Kabongo\xff"},
		{"Ñkóyi Ëlîkyà", "nkoyi elikya"},
		{"ΟΔΥΣΣΕΥΣ", "οδυσσευς", "οδυσσευσ"},
	} {
		for _, a := range same {
			for _, b := range same {
				c := matching.Names(a, b)
				require.Equal(t, matching.Match, c.Verdict, "%s", c)
				require.InDelta(t, 1, c.Score, 0, "%s", c)
			}
		}
	}
}

func TestStepsPointAtTheWords(t *testing.T) {
	t.Parallel()
	c := matching.Names("jean Van Damme", "Vandamme Kabongo Jéan")
	require.Equal(t, []matching.Step{
		{Rule: matching.RuleAccent, Claimed: "jean", Registered: "Jéan", ClaimedAt: 0, RegisteredAt: 2, Weight: 1},
		{Rule: matching.RuleJoined, Claimed: "Van Damme", Registered: "Vandamme", ClaimedAt: 1, RegisteredAt: 0, Weight: 0.98},
		{Rule: matching.RuleMissing, Registered: "Kabongo", ClaimedAt: -1, RegisteredAt: 1},
	}, c.Steps)
}

func TestUnreadableNamesNeverMatch(t *testing.T) {
	t.Parallel()
	for _, empty := range []string{"", " ", "-", "'’", "...", "🙂🙂", "\u202e\u200f", "\xff\xfe", "\u0301"} {
		for _, other := range []string{empty, "", "Kabongo Jean"} {
			c := matching.Names(empty, other)
			require.Equal(t, matching.NoMatch, c.Verdict, "%q %q", empty, other)
			require.Zero(t, c.Score)
			require.Equal(t, matching.RuleUnreadable, c.Steps[0].Rule)
			require.NotEmpty(t, c.String())
		}
	}
}

func TestNamesBeyondTheLimitsMatchOnlyTheSameWords(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Kabongo Mwamba Ilunga ", 9)
	require.Equal(t, matching.Match, matching.Names(long, strings.ToUpper(long)).Verdict)
	require.Equal(t, matching.Match, matching.Names(long, strings.Repeat("ilunga kabóngo mwamba ", 9)).Verdict)
	require.Equal(t, matching.NoMatch, matching.Names(long, long+"Jean").Verdict, "words past the limit count")
	require.Equal(t, matching.NoMatch, matching.Names(long, "Kabongo Mwamba Ilunga").Verdict)
	require.Equal(t, matching.NoMatch, matching.Names(strings.Repeat("a", 300), strings.Repeat("a", 301)).Verdict)
	require.Equal(t, matching.Match, matching.Names(strings.Repeat("a", 300), strings.Repeat("A", 300)).Verdict)
}

// hostile are names within the API's 200 code points which are made to be slow.
func hostile() []string {
	cut := func(s string) string { return string([]rune(strings.Repeat(s, 200))[:200]) }
	return []string{
		cut("a"), cut("a "), cut("ab"), cut("aaaaaaaaab "), cut("aaaaaaaabaa "), cut("ﷺ"), cut("\u0301"), cut("\xff"), cut("y̷̧"),
		"a aa aaa aaaa aaaaa aaaaaa aaaaaaa aaaaaaaa aaaaaaaaa aaaaaaaaaa aaaaaaaaaaa b",
		strings.Repeat("a ", 15) + "aaaa aaab aaba abaa",
		"aaaab aaaac aaaad aaaae aaaaf aaaag aaaah aaaai aaaaj aaaak aaaal aaaam aaaan aaaao aaaap aaaaq aaaar aaaas aaaat aaaau",
		"baaaa caaaa daaaa eaaaa faaaa gaaaa haaaa iaaaa jaaaa kaaaa laaaa maaaa naaaa oaaaa paaaa qaaaa raaaa saaaa taaaa aaaax",
		"aa ab ac ad ae af ag ah ai aj aaab abac acad adae aeaf afag agah ahai aiaj ajaa",
	}
}

func TestHostileNamesTakeBoundedTime(t *testing.T) {
	t.Parallel()
	names := hostile()
	for _, a := range names {
		require.LessOrEqual(t, utf8.RuneCountInString(a), 200)
		for _, b := range names {
			start := time.Now()
			consistent(t, matching.Names(a, b))
			// The slowest takes well under 1 ms alone; the rest is for a busy machine.
			require.Less(t, time.Since(start), 100*time.Millisecond, "%q %q", a, b)
		}
	}
}

func FuzzNames(f *testing.F) {
	for _, pair := range [][2]string{
		{"Kabongo Mwamba Jean", "KABÓNGO mwamba jéan"}, {"J.-P. Kabongo", "Kabongo Jean-Pierre"}, {"", "\xff\xfe"},
		{"Vandamme", "Van Damme"}, {"Tshibangu wa Mulumba", "Chibangu Wamulumba"}, {"a a a aa aaa", "aaa aa aaaa"},
		{"Luba", "Lubu"}, {"🙂\u202eKa\u0301", "ﷺ ½ ß"}, {"Ngoyi", "Ngoy"}, {strings.Repeat("x ", 30), strings.Repeat("ou", 150)},
	} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		c := matching.Names(a, b)
		consistent(t, c)
		require.InDelta(t, c.Score, matching.Names(b, a).Score, 0, "the same from both sides")
		require.NotEmpty(t, c.String())
		itself := matching.Names(a, a)
		if itself.Steps[0].Rule != matching.RuleUnreadable {
			require.Equal(t, matching.Match, itself.Verdict)
			require.InDelta(t, 1, itself.Score, 0)
		}
	})
}

// typical are pairs as the KYC service sees them, of every way through the comparison.
var typical = [][2]string{
	{"Kabongo Mwamba Jean", "KABONGO Mwamba Jean"},
	{"Jean-Pierre Kabóngo", "KABONGO MWAMBA Jean-Pierre"},
	{"J. Kabongo", "Kabongo Jean"},
	{"Tshibangu Kabogno Marie", "Chibangu Kabongo Marie"},
	{"Vandamme Ilunga Joseph", "Van Damme Ilunga Joseph"},
	{"Mukendi Kalala Béatrice", "Ngoyi Lukusa Thérèse"},
	{"Tshisekedi wa Mulumba Étienne", "Etienne Tshisekedi Wamulumba"},
	{"Kabongo Mwamba Jean", "Kabongo Mwamba Marie"},
}

func BenchmarkNames(b *testing.B) {
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		pair := typical[i%len(typical)]
		matching.Names(pair[0], pair[1])
	}
}

// BenchmarkNamesEach shows each way through the comparison apart.
func BenchmarkNamesEach(b *testing.B) {
	for _, pair := range typical {
		b.Run(pair[0], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				matching.Names(pair[0], pair[1])
			}
		})
	}
}

func BenchmarkNamesHostile(b *testing.B) {
	names := hostile()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		matching.Names(names[i%len(names)], names[(i/len(names))%len(names)])
	}
}
