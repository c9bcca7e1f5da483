package models

import (
	"fmt"
	"time"
)

// Date is a calendar day without a time zone, written YYYY-MM-DD (RFC 3339 full-date).
// The zero value is no date at all; see IsZero.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// ParseDate reads YYYY-MM-DD. Days that the calendar does not have (2023-02-29) are refused.
func ParseDate(s string) (Date, error) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return Date{}, fmt.Errorf("not a date of the form YYYY-MM-DD")
	}
	return DateOf(t), nil
}

// DateOf is the day on which t falls in UTC: the platform counts days in UTC for the whole country,
// whose two zones (UTC+1, UTC+2) would otherwise give two answers to one question.
func DateOf(t time.Time) Date {
	y, m, d := t.UTC().Date()
	return Date{Year: y, Month: m, Day: d}
}

// IsZero reports whether d is no date.
func (d Date) IsZero() bool { return d == Date{} }

// String is YYYY-MM-DD, or empty for the zero value.
func (d Date) String() string {
	if d.IsZero() {
		return ""
	}
	return fmt.Sprintf("%04d-%02d-%02d", d.Year, d.Month, d.Day)
}

// MarshalText implements encoding.TextMarshaler.
func (d Date) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler; the empty text is the zero value.
func (d *Date) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*d = Date{}
		return nil
	}
	parsed, err := ParseDate(string(text))
	if err != nil {
		return err
	}
	*d = parsed
	return nil
}

// Before reports whether d is an earlier day than o.
func (d Date) Before(o Date) bool {
	if d.Year != o.Year {
		return d.Year < o.Year
	}
	if d.Month != o.Month {
		return d.Month < o.Month
	}
	return d.Day < o.Day
}

// AgeOn is the number of whole years from d to the given day. A person born on 29 February
// completes a year on 1 March of common years (the day after 28 February has ended).
func (d Date) AgeOn(day Date) int {
	years := day.Year - d.Year
	if day.Month < d.Month || (day.Month == d.Month && day.Day < d.Day) {
		years--
	}
	return years
}

// Midnight is the instant at which the day begins in UTC.
func (d Date) Midnight() Timestamp {
	return At(time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC))
}
