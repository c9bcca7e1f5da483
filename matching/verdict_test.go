package matching_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"idplatform/matching"
	"idplatform/models"
)

// consistent asserts what holds for every comparison: the score is from 0 to 1 and the verdict is
// the one that the thresholds give it, so that it never falls while the score rises.
func consistent(t require.TestingT, c matching.Comparison) {
	require.GreaterOrEqual(t, c.Score, 0.0, "%s", c)
	require.LessOrEqual(t, c.Score, 1.0, "%s", c)
	require.NotEmpty(t, c.Steps)
	expected := matching.NoMatch
	if c.Score >= matching.PartialThreshold {
		expected = matching.PartialMatch
	}
	if c.Score >= matching.MatchThreshold {
		expected = matching.Match
	}
	require.Equal(t, expected, c.Verdict, "%s", c)
	for _, s := range c.Steps {
		require.True(t, s.Weight >= 0 && s.Weight <= 1, "%s", c)
	}
}

func TestMeanOfProvidedComparisons(t *testing.T) {
	t.Parallel()
	require.Nil(t, matching.Mean())
	require.Nil(t, matching.Mean(matching.Missing(), matching.Missing()))
	one := matching.Ages(30, 30)
	require.InDelta(t, 1, *matching.Mean(matching.Missing(), one), 0)
	require.InDelta(t, 0.85, *matching.Mean(one, matching.Ages(30, 31)), 0)
	third := *matching.Mean(one, matching.Ages(30, 50), matching.Ages(30, 50))
	require.InDelta(t, 0.3333, third, 0, "four decimals")
}

func TestComparisonExplainsItself(t *testing.T) {
	t.Parallel()
	require.Equal(t,
		`partial_match 0.7725: initial "J" ~ "Jean" (0.40); typo "Kabogno" ~ "Kabongo" (0.70); exact "Mwamba" ~ "Mwamba" (1.00); `+
			`extra claimed "Paul"`,
		withScore(matching.Names("J. Kabogno Mwamba Paul", "Kabongo Mwamba Jean"), 0.7725).String())
	require.Equal(t, `no_match 0.4000: exact "Jean" ~ "Jean" (1.00); missing registered "Kabongo"; too_little`,
		matching.Names("Jean", "Kabongo Jean").String())
	require.Equal(t, "not_provided 0.0000: not_provided", matching.Missing().String())
}

// withScore pins the wording of an explanation apart from its figure.
func withScore(c matching.Comparison, score float64) matching.Comparison {
	c.Score = score
	return c
}

func TestDateWithoutClaimIsNotProvided(t *testing.T) {
	t.Parallel()
	day := models.Date{Year: 1990, Month: 4, Day: 7}
	require.Equal(t, matching.NotProvided, matching.Dates(models.Date{}, day).Verdict)
	require.Equal(t, matching.NoMatch, matching.Dates(day, models.Date{}).Verdict)
}

func TestAgeBelowZeroNeverMatches(t *testing.T) {
	t.Parallel()
	require.Equal(t, matching.NoMatch, matching.Ages(-1, -1).Verdict)
	require.Equal(t, matching.NoMatch, matching.Ages(-1, 0).Verdict)
	require.Equal(t, matching.NoMatch, matching.Ages(math.MinInt, math.MaxInt).Verdict)
}

func TestDatesAndAgesAreSymmetricAndConsistent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		day := rapid.Custom(func(t *rapid.T) models.Date {
			d, err := models.ParseDate(rapid.StringMatching(`19[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])`).Draw(t, "text"))
			require.NoError(t, err)
			return d
		})
		a, b := day.Draw(t, "claimed"), day.Draw(t, "registered")
		c := matching.Dates(a, b)
		consistent(t, c)
		require.InDelta(t, c.Score, matching.Dates(b, a).Score, 0)
		require.Equal(t, a == b, c.Verdict == matching.Match)

		x, y := rapid.IntRange(-3, 130).Draw(t, "claimed age"), rapid.IntRange(-3, 130).Draw(t, "registered age")
		ages := matching.Ages(x, y)
		consistent(t, ages)
		require.Equal(t, x == y && x >= 0, ages.Verdict == matching.Match)
	})
}
