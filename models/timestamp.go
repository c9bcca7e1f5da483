package models

import (
	"database/sql/driver"
	"fmt"
	"time"
)

// timestampLayout is RFC 3339 in UTC with exactly three fractional digits.
const timestampLayout = "2006-01-02T15:04:05.000Z"

// Timestamp is an instant in UTC with millisecond precision: RFC 3339 in JSON, milliseconds since 1970
// in the database (an integer in both SQLite and PostgreSQL, so that both compare alike).
type Timestamp struct{ time.Time }

// At is t in UTC, cut to the millisecond.
func At(t time.Time) Timestamp { return Timestamp{t.UTC().Truncate(time.Millisecond)} }

// String is RFC 3339 with three fractional digits, such as 2026-11-20T08:00:00.000Z.
func (t Timestamp) String() string { return t.UTC().Format(timestampLayout) }

// MarshalJSON implements json.Marshaler; it takes the place of time.Time's, whose digits vary.
func (t Timestamp) MarshalJSON() ([]byte, error) { return []byte(`"` + t.String() + `"`), nil }

// MarshalText implements encoding.TextMarshaler.
func (t Timestamp) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalJSON implements json.Unmarshaler and takes any RFC 3339 text.
func (t *Timestamp) UnmarshalJSON(text []byte) error {
	var parsed time.Time
	if err := parsed.UnmarshalJSON(text); err != nil {
		return err
	}
	*t = At(parsed)
	return nil
}

// Value implements driver.Valuer.
func (t Timestamp) Value() (driver.Value, error) { return t.UnixMilli(), nil }

// Scan implements sql.Scanner.
func (t *Timestamp) Scan(src any) error {
	ms, ok := src.(int64)
	if !ok {
		return fmt.Errorf("a timestamp column holds %T, want an integer of milliseconds", src)
	}
	*t = At(time.UnixMilli(ms))
	return nil
}

// GormDataType names the column type.
func (Timestamp) GormDataType() string { return "bigint" }
