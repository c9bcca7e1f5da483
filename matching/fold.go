package matching

import (
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// separator is what a fold puts where a word ends; no folded letter is a space.
const separator = ' '

// foldRune appends the letters and digits that r stands for, without accent or case: none for marks,
// apostrophes and invisible characters, a separator for whatever else is no letter. A name is
// decomposed rune by rune, which equals NFKD of the whole text but for the order of marks, and marks
// are dropped.
func foldRune(dst []rune, r rune) []rune {
	if isApostrophe(r) {
		return dst
	}
	for _, d := range norm.NFKD.String(string(r)) {
		switch {
		case isApostrophe(d), unicode.Is(unicode.M, d), unicode.Is(unicode.Cf, d):
		case unicode.IsLetter(d):
			// Through the upper case, so that letters with two lower cases (σ, ς) become one.
			d = unicode.ToLower(unicode.ToUpper(d))
			if plain, ok := undecomposed[d]; ok {
				dst = append(dst, []rune(plain)...)
			} else {
				dst = append(dst, d)
			}
		case unicode.IsNumber(d):
			dst = append(dst, d)
		default:
			dst = append(dst, separator)
		}
	}
	return dst
}

// isApostrophe tells the apostrophes of every keyboard: N'Sele, N’Sele and Nsele are one name. Some
// of them are letters or spacing accents to Unicode, therefore they are asked for first.
func isApostrophe(r rune) bool {
	switch r {
	case '\'', '`', '´', '‘', '’', '‚', '‛', '′', '‵', 'ʹ', 'ʻ', 'ʼ', 'ʽ', 'ʾ', 'ʿ', 'ˈ', 'ˊ', 'ˋ', '՚', '׳', 'ꞌ', 'Ꞌ', '＇':
		return true
	}
	return false
}

// undecomposed are the Latin letters which Unicode does not take apart, in lower case; ɛ, ɔ and ŋ
// are letters of Lingala and its neighbours.
var undecomposed = map[rune]string{
	'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'ß': "ss", 'œ': "oe", 'æ': "ae", 'ı': "i", 'ħ': "h", 'ŧ': "t",
	'ŋ': "ng", 'ɛ': "e", 'ɔ': "o", 'ə': "e", 'ǝ': "e", 'ɓ': "b", 'ɗ': "d", 'ɖ': "d", 'ƙ': "k", 'ƴ': "y", 'ɩ': "i",
	'ʋ': "v", 'ɲ': "ny", 'ɨ': "i", 'ʉ': "u", 'ƒ': "f", 'ɣ': "g", 'ĸ': "k", 'ȷ': "j", 'ɂ': "", 'ʔ': "",
}

// The folds of Latin letters are read from a table: they are nearly all that names hold.
const (
	latinEnd       = 0x250
	additionalFrom = 0x1E00
	additionalEnd  = 0x1F00
)

type folds struct {
	letters [3]rune
	n       int8
}

var (
	latin      = foldTable(0, latinEnd)
	additional = foldTable(additionalFrom, additionalEnd)
)

func foldTable(from, end rune) []folds {
	table := make([]folds, end-from)
	for r := from; r < end; r++ {
		letters := foldRune(nil, r)
		entry := &table[r-from]
		// Three letters are enough for the longest fold of these blocks, ¼ (1, separator, 4).
		entry.n = int8(copy(entry.letters[:], letters))
	}
	return table
}

// fold appends the fold of r. Its answer is that of foldRune but from the tables where they reach.
func fold(dst []rune, r rune) []rune {
	switch {
	case r < latinEnd:
		f := &latin[r]
		return append(dst, f.letters[:f.n]...)
	case r >= additionalFrom && r < additionalEnd:
		f := &additional[r-additionalFrom]
		return append(dst, f.letters[:f.n]...)
	case r >= 0x300 && r < 0x370 && unicode.Is(unicode.Mn, r):
		return dst
	}
	return foldRune(dst, r)
}
