package models

import (
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"
)

// Words is a list of names without spaces (services, scopes, purposes), kept in one column separated by
// spaces.
type Words []string

// Has reports whether the list holds the name.
func (w Words) Has(name string) bool { return slices.Contains(w, name) }

// Value implements driver.Valuer.
func (w Words) Value() (driver.Value, error) { return strings.Join(w, " "), nil }

// Scan implements sql.Scanner.
func (w *Words) Scan(src any) error {
	switch text := src.(type) {
	case string:
		*w = strings.Fields(text)
	case []byte:
		*w = strings.Fields(string(text))
	default:
		return fmt.Errorf("a column of names holds %T, want text", src)
	}
	return nil
}

// GormDataType names the column type.
func (Words) GormDataType() string { return "text" }
