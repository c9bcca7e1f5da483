package models_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/models"
)

func day(t *testing.T, text string) models.Date {
	t.Helper()
	d, err := models.ParseDate(text)
	require.NoError(t, err)
	return d
}

func TestDate_AgeOn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		born, on string
		age      int
	}{
		{"1990-06-15", "2008-06-14", 17}, {"1990-06-15", "2008-06-15", 18}, {"1990-06-15", "2008-06-16", 18},
		{"1990-12-31", "2008-01-01", 17}, {"1990-01-01", "2007-12-31", 17},
		{"2004-02-29", "2022-02-28", 17}, {"2004-02-29", "2022-03-01", 18}, {"2004-02-29", "2024-02-28", 19}, {"2004-02-29", "2024-02-29", 20},
		{"2026-11-21", "2026-11-21", 0}, {"1900-03-01", "2026-02-28", 125},
	} {
		require.Equal(t, c.age, day(t, c.born).AgeOn(day(t, c.on)), "%s on %s", c.born, c.on)
	}
}

func TestDate_Text(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"2024-02-29", "0001-01-01", "9999-12-31"} {
		require.Equal(t, text, day(t, text).String())
	}
	for _, text := range []string{"2023-02-29", "2023-13-01", "2023-1-1", "23-01-01", "2023-01-01T00:00:00Z", " 2023-01-01", "10000-01-01", "2023-00-10", ""} {
		_, err := models.ParseDate(text)
		require.Error(t, err, text)
	}
	require.True(t, day(t, "1999-12-31").Before(day(t, "2000-01-01")))
	require.False(t, day(t, "2000-01-01").Before(day(t, "2000-01-01")))
	require.Equal(t, "2026-11-20", models.DateOf(time.Date(2026, 11, 21, 0, 30, 0, 0, time.FixedZone("WAT", 3600))).String(), "days are counted in UTC")
}

func TestTimestamp_Format(t *testing.T) {
	t.Parallel()
	for text, instant := range map[string]time.Time{
		"2026-11-20T08:00:00.000Z": time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC),
		"2026-11-20T07:00:00.120Z": time.Date(2026, 11, 20, 8, 0, 0, 120_999_999, time.FixedZone("WAT", 3600)),
		"1969-12-31T23:59:59.999Z": time.UnixMilli(-1),
	} {
		stamp := models.At(instant)
		written, err := json.Marshal(map[string]any{"at": stamp, "pointer": &stamp})
		require.NoError(t, err)
		require.JSONEq(t, `{"at":"`+text+`","pointer":"`+text+`"}`, string(written))
		var back models.Timestamp
		require.NoError(t, json.Unmarshal([]byte(`"`+text+`"`), &back))
		require.Equal(t, stamp, back)
		value, err := stamp.Value()
		require.NoError(t, err)
		var scanned models.Timestamp
		require.NoError(t, scanned.Scan(value))
		require.Equal(t, stamp, scanned)
	}
	var stamp models.Timestamp
	require.Error(t, stamp.Scan("2026"))
	require.Error(t, json.Unmarshal([]byte(`"yesterday"`), &stamp))
}

// A value of the right form, as written sloppily, its canonical form, and values that are not of the form.
func TestIdentifier_Normalize(t *testing.T) {
	t.Parallel()
	for of, c := range map[models.IdentifierType]struct {
		written, canonical string
		malformed          []string
	}{
		models.PlatformID:     {" COD 01AB-CDEF 2345", "COD-01AB-CDEF-2345", []string{"cod-01AB-CDEF-2345", "COD-01AB-CDEF-234", "COD-01AB-CDEF-23456", "CDO-01AB-CDEF-2345", "COD_01AB_CDEF_2345", "COD-01ab-CDEF-2345"}},
		models.Passport:       {"OP-123 4567", "OP1234567", []string{"op1234567", "O1234567", "OPA123456", "OP12345678", "OP.1234567"}},
		models.Ceni:           {"123 4567-8901", "12345678901", []string{"1234567890", "123456789012", "1234567890A"}},
		models.DrivingLicence: {"KN-1234 5678", "KN12345678", []string{"KN12345", "KN12345678901", "kn12345678"}},
		models.NationalID:     {"1-2345-67890", "1234567890", []string{"123456789", "12345678901234567", "12345678_0"}},
		models.RCCM:           {"\t cd/kin/rccm/14-b-01234 ", "CD/KIN/RCCM/14-B-01234", []string{"CD/KIN/RCCM/14-B-012", "CD/KIN/RCCM/14B01234", "CD /KIN/RCCM/14-B-01234"}},
		models.IDNat:          {" 01-f4300-n12345a", "01-F4300-N12345A", []string{"01F4300N12345A", "1-F4300-N12345A", "01-F4300-N1234A"}},
		models.NIF:            {"a1234567b ", "A1234567B", []string{"A123456B", "A-1234567-B", "11234567B"}},
	} {
		got, ok := models.Identifier{Type: of, Value: c.written}.Normalize()
		require.True(t, ok, "%s %q", of, c.written)
		require.Equal(t, models.Identifier{Type: of, Value: c.canonical}, got)
		again, ok := got.Normalize()
		require.True(t, ok)
		require.Equal(t, got, again, "what is canonical stays as it is")
		for _, value := range append(c.malformed, "", " ", "-", "\n"+c.canonical+"\n\x00", c.canonical+"é", strings.Repeat("1", 100_000)) {
			_, ok := models.Identifier{Type: of, Value: value}.Normalize()
			require.False(t, ok, "%s %.40q", of, value)
		}
	}
	_, ok := models.Identifier{Type: "library_card", Value: "1"}.Normalize()
	require.False(t, ok)
	require.Len(t, append(models.PersonIdentifierTypes(), models.BusinessIdentifierTypes()...), 8)
}

func TestID(t *testing.T) {
	t.Parallel()
	now := time.Now()
	seen := map[string]bool{}
	for range 1000 {
		id := models.NewID("kyc_", now)
		require.True(t, models.IsID("kyc_", id))
		require.Equal(t, strings.ToLower(id), id)
		require.False(t, seen[id])
		seen[id] = true
	}
	require.Less(t, models.NewID("a_", now), models.NewID("a_", now.Add(time.Millisecond)), "ids follow time")
	id := models.NewID("kyc_", now)
	for _, other := range []string{"", "kyc_", id[4:], "job_" + id[4:], strings.ToUpper(id), id + "0", id[:29], "kyc_" + strings.Repeat("8", 26), "kyc_" + strings.Repeat("u", 26), id[:29] + "\x00", id[:28] + "é"} {
		require.False(t, models.IsID("kyc_", other), "%q", other)
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for _, list := range []models.Words{{}, {"a"}, {"a", "b.c"}} {
		value, err := list.Value()
		require.NoError(t, err)
		for _, stored := range []any{value, []byte(fmt.Sprint(value))} {
			var back models.Words
			require.NoError(t, back.Scan(stored))
			require.Equal(t, list, back)
		}
	}
	var words models.Words
	require.Error(t, words.Scan(7))
	require.False(t, models.Words{"ab"}.Has("a"))
}
