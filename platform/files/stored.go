package files

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"idplatform/catalog"
)

// member is a stored reference in a result: the bytes from "$file" to the end of its value.
type member struct {
	from, to int
	delivery catalog.Delivery
	ref      string
}

var marker = []byte(`"$file"`)

var errStored = errors.New("a stored result holds a file in an unknown form")

// membersOf finds the stored references of a JSON text in one pass. Only a member of that name counts: within
// a string every quote has a backslash before it, and outside of strings there are no backslashes, so that a
// marker with none before it is a whole string, and one followed by a colon is the name of a member.
func membersOf(stored []byte, found []member) ([]member, error) {
	for at := 0; ; {
		next := bytes.Index(stored[at:], marker)
		if next < 0 {
			return found, nil
		}
		from := at + next
		at = from + len(marker)
		colon := skipSpace(stored, at)
		if (from > 0 && stored[from-1] == '\\') || colon == len(stored) || stored[colon] != ':' {
			continue
		}
		value := skipSpace(stored, colon+1)
		text, to, ok := stringAt(stored, value)
		if !ok {
			return nil, errStored
		}
		delivery, ref, _ := strings.Cut(text, " ")
		m := member{from: from, to: to, delivery: catalog.Delivery(delivery), ref: ref}
		if m.delivery != catalog.SignedURL && m.delivery != catalog.Base64 {
			return nil, errStored
		}
		if !usable(ref) {
			return nil, errReference
		}
		found, at = append(found, m), to
	}
}

func skipSpace(text []byte, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r') {
		at++
	}
	return at
}

// stringAt reads the JSON string that begins at a place, and says where it ends.
func stringAt(text []byte, from int) (value string, to int, ok bool) {
	if from >= len(text) || text[from] != '"' {
		return "", 0, false
	}
	end := bytes.IndexByte(text[from+1:], '"')
	if end < 0 {
		return "", 0, false
	}
	if plain := text[from+1 : from+1+end]; bytes.IndexByte(plain, '\\') < 0 {
		return string(plain), from + 1 + end + 1, true
	}
	for to = from + 1; to < len(text) && text[to] != '"'; to++ {
		if text[to] == '\\' {
			to++
		}
	}
	if to >= len(text) {
		return "", 0, false
	}
	to++
	err := json.Unmarshal(text[from:to], &value)
	return value, to, err == nil
}
