package matching

import (
	"strconv"

	"idplatform/models"
)

// The scores of dates and ages which are close but not equal.
const (
	transposedScore = 0.8
	slipScore       = 0.7
	offByOneScore   = 0.7
	sameFieldScore  = 0.1 // each equal field of dates that do not match
)

// Dates compares two calendar days (specification, Match verdicts). Equal ones match. One error of
// the hand is a partial match: day and month transposed (score 0.8), or in YYYY-MM-DD one digit
// wrong or two neighbouring digits of one field swapped (0.7). Anything else is no match, with 0.1
// for each equal field: nearness in time is no likeness, brothers are born a year apart. A claim
// that is no date is not provided; a record without one never matches.
func Dates(claimed, registered models.Date) Comparison {
	if claimed.IsZero() {
		return Missing()
	}
	said, known := claimed.String(), registered.String()
	step := func(rule Rule, score float64) Comparison {
		return scored(score, []Step{{Rule: rule, Claimed: said, Registered: known, Weight: score}})
	}
	switch {
	case registered.IsZero():
		return scored(0, []Step{{Rule: RuleNotOnRecord, Claimed: said, RegisteredAt: -1}})
	case claimed == registered:
		return step(RuleExact, 1)
	case claimed.Year == registered.Year && int(claimed.Month) == registered.Day && claimed.Day == int(registered.Month):
		return step(RuleTransposedDayMonth, transposedScore)
	case oneDigit(said, known):
		return step(RuleDigitSlip, slipScore)
	case digitsSwapped(said, known):
		return step(RuleDigitsSwapped, slipScore)
	}
	return differentDates(claimed, registered)
}

// differentDates explains field by field: year, month, day at the positions 0 to 2.
func differentDates(claimed, registered models.Date) Comparison {
	fields := [3][2]int{
		{claimed.Year, registered.Year}, {int(claimed.Month), int(registered.Month)}, {claimed.Day, registered.Day},
	}
	score, steps := 0.0, make([]Step, 0, len(fields))
	for i, f := range fields {
		s := Step{
			Rule: RuleDifferent, Claimed: strconv.Itoa(f[0]), Registered: strconv.Itoa(f[1]), ClaimedAt: i, RegisteredAt: i,
		}
		if f[0] == f[1] {
			s.Rule, s.Weight = RuleExact, sameFieldScore
			score += sameFieldScore
		}
		steps = append(steps, s)
	}
	return scored(score, steps)
}

func oneDigit(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	different := 0
	for i := range len(a) {
		if a[i] != b[i] {
			different++
		}
	}
	return different == 1
}

// digitsSwapped never crosses from one field into the next: the hyphen between them differs from
// any digit.
func digitsSwapped(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

// Ages compares ages in whole years (specification, KYC Validation, `match.age`). Equal ones match;
// one year apart is a partial match (0.7), as a birthday may lie between the day the claim was
// written and the day it is checked; anything else is no match. A negative age never matches.
func Ages(claimed, registered int) Comparison {
	rule, score := RuleDifferent, 0.0
	switch {
	case claimed < 0 || registered < 0:
	case claimed == registered:
		rule, score = RuleExact, 1
	case claimed == registered+1 || registered == claimed+1:
		rule, score = RuleOffByOne, offByOneScore
	}
	return scored(score, []Step{{
		Rule: rule, Claimed: strconv.Itoa(claimed), Registered: strconv.Itoa(registered), Weight: score,
	}})
}
