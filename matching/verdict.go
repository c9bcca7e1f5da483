// Package matching compares what a caller claims with what the national record says: names, dates
// and ages (specification, Match verdicts). Every answer is a Comparison, which holds the verdict, a
// score, and the steps that led to them. docs/matching.md states the decisions and their examples.
//
// The package keeps no state: every function may be called from any number of goroutines.
package matching

import (
	"fmt"
	"math"
	"strings"
)

// Verdict is the outcome of one comparison (specification, Match verdicts).
type Verdict string

// The four verdicts, written as the API shows them.
const (
	Match        Verdict = "match"
	PartialMatch Verdict = "partial_match"
	NoMatch      Verdict = "no_match"
	NotProvided  Verdict = "not_provided"
)

// A verdict follows from its score alone: at or above MatchThreshold it is a match, at or above
// PartialThreshold a partial match. A rule which forbids a verdict therefore lowers the score too,
// so that a caller who sorts by score never contradicts one who reads the verdict.
const (
	MatchThreshold   = 0.9
	PartialThreshold = 0.6
)

// Comparison is a verdict which can explain itself.
type Comparison struct {
	Verdict Verdict
	// Score is from 0 (nothing agrees) to 1 (all agrees); 0 when the claim was not provided.
	Score float64
	// Steps tell why, in the order of the claim: one for each aligned word or field, then the words
	// of the record which the claim lacks, then the rule that decided, where one did.
	Steps []Step
}

// Rule names how one word or field was judged.
type Rule string

// The rules of names. A joined rule sets one word against two to four words of the other side.
const (
	RuleExact          Rule = "exact"           // the same letters
	RuleAccent         Rule = "accent"          // the same letters but for accents, ligatures or apostrophes
	RuleJoined         Rule = "joined"          // the same letters, written as one word or as several
	RuleSpelling       Rule = "spelling"        // two habits of writing one sound (tshi, chi)
	RuleJoinedSpelling Rule = "joined_spelling" // joined, and a habit of spelling
	RuleTypo           Rule = "typo"            // a slip of one letter, of two in long words
	RuleSpellingTypo   Rule = "spelling_typo"   // a slip besides a habit of spelling
	RuleJoinedTypo     Rule = "joined_typo"     // joined, and a slip
	RuleInitial        Rule = "initial"         // one letter stands for the word
	RuleMissing        Rule = "missing"         // the record has it, the claim does not
	RuleExtra          Rule = "extra"           // the claim has it, the record does not
)

// The rules that decide about a whole name.
const (
	RuleContradicted Rule = "contradicted" // each side has a word which the other lacks
	RuleTooLittle    Rule = "too_little"   // too few words agree to tell a person
	RuleUnreadable   Rule = "unreadable"   // a side has neither letter nor digit
	RuleTooLong      Rule = "too_long"     // beyond the limits, and not the same words
)

// The rules of dates and ages; equal ones are RuleExact.
const (
	RuleTransposedDayMonth Rule = "transposed_day_month"
	RuleDigitSlip          Rule = "digit_slip"     // one digit differs
	RuleDigitsSwapped      Rule = "digits_swapped" // two neighbouring digits of one field changed places
	RuleOffByOne           Rule = "off_by_one"     // ages one year apart
	RuleDifferent          Rule = "different"      // nothing explains the difference
	RuleNotProvided        Rule = "not_provided"   // there was no claim
	RuleNotOnRecord        Rule = "not_on_record"  // the record has nothing to compare with
)

// Step is one reason of a Comparison: what was compared, how, and how much it counts.
type Step struct {
	Rule Rule
	// Claimed and Registered are the words or fields as they were written; empty where a side has none.
	Claimed, Registered string
	// ClaimedAt and RegisteredAt are the positions of the (first) word, from 0; -1 where a side has none.
	ClaimedAt, RegisteredAt int
	// Weight is how far the two agree, from 0 to 1.
	Weight float64
}

// String explains the comparison on one line for investigators and debugging. It repeats personal
// data of both sides: never log it, never answer it to a caller.
func (c Comparison) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %.4f", c.Verdict, c.Score)
	separator := ": "
	for _, s := range c.Steps {
		b.WriteString(separator)
		b.WriteString(s.String())
		separator = "; "
	}
	return b.String()
}

// String is the step in words; see Comparison.String for who may read it.
func (s Step) String() string {
	switch {
	case s.Claimed == "" && s.Registered == "":
		return string(s.Rule)
	case s.Registered == "":
		return fmt.Sprintf("%s claimed %q", s.Rule, s.Claimed)
	case s.Claimed == "":
		return fmt.Sprintf("%s registered %q", s.Rule, s.Registered)
	}
	return fmt.Sprintf("%s %q ~ %q (%.2f)", s.Rule, s.Claimed, s.Registered, s.Weight)
}

// scored is the comparison with the verdict that its score stands for.
func scored(score float64, steps []Step) Comparison {
	verdict := NoMatch
	switch {
	case score >= MatchThreshold:
		verdict = Match
	case score >= PartialThreshold:
		verdict = PartialMatch
	}
	return Comparison{Verdict: verdict, Score: score, Steps: steps}
}

// Missing is the comparison of a claim that was not sent.
func Missing() Comparison {
	return Comparison{Verdict: NotProvided, Steps: []Step{{Rule: RuleNotProvided, ClaimedAt: -1, RegisteredAt: -1}}}
}

// Mean is the mean score of the claims that were provided, rounded to four decimals; nil when none
// was (specification, KYC Validation, `match.score`).
func Mean(of ...Comparison) *float64 {
	sum, n := 0.0, 0
	for _, c := range of {
		if c.Verdict == NotProvided {
			continue
		}
		sum += c.Score
		n++
	}
	if n == 0 {
		return nil
	}
	mean := math.Round(sum/float64(n)*1e4) / 1e4
	return &mean
}
