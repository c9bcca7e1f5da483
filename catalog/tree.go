package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"idplatform/errs"
)

// maxDepth bounds nesting; the deepest request of the platform has five levels.
const maxDepth = 32

// What a body may hold at the most. The largest batch of the platform stays far below; beyond, a body is refused
// before it takes more memory than it is worth.
const (
	mostElements = 10_001 // of an array; what goes beyond is counted, not kept
	mostMembers  = 1_000  // of an object
	mostValues   = 2_000_000
	mostFaults   = 20_000
)

// Tree is a parsed JSON body: objects as map[string]any, arrays as []any, numbers as float64. Faults are
// what is wrong in it although it parses: duplicate keys, numbers out of range, NUL characters.
type Tree struct {
	Value  any
	Faults []errs.Field
	// plain tells that encoding/json reads the same from the bytes as from the tree. It does not where
	// an integer is written 18.0.
	plain bool
}

// Parse reads one JSON value and nothing after it. It fails with invalid_request when the body is missing or
// no JSON.
func Parse(body []byte) (*Tree, error) {
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, errs.Invalid(errs.Field{Field: "body", Problem: "is missing: send a JSON object"})
	}
	if !utf8.Valid(body) {
		return nil, errs.Invalid(errs.Field{Field: "body", Problem: "is not UTF-8"})
	}
	if halfSurrogate(body) {
		return nil, errs.Invalid(errs.Field{Field: "body", Problem: "escapes half of a surrogate pair, which is no character"})
	}
	p := parser{dec: json.NewDecoder(bytes.NewReader(body)), tree: &Tree{plain: true}}
	p.dec.UseNumber()
	value, err := p.value(0)
	if err == nil {
		if _, end := p.dec.Token(); !errors.Is(end, io.EOF) {
			err = errors.New("there is more after the first value")
		}
	}
	if err != nil {
		return nil, errs.Invalid(errs.Field{Field: "body", Problem: fmt.Sprintf("is not valid JSON: %s near byte %d", syntaxProblem(err), p.dec.InputOffset())})
	}
	p.tree.Value = value
	return p.tree, nil
}

// halfSurrogate reports whether an escape such as \ud83d stands without its other half. The JSON package would
// put U+FFFD in its place, and what is echoed would not be what was sent.
func halfSurrogate(body []byte) bool {
	for {
		at := bytes.IndexByte(body, '\\')
		if at < 0 || at+1 >= len(body) {
			return false
		}
		first := escaped(body[at:])
		switch {
		case utf16.IsSurrogate(first) && utf16.DecodeRune(first, escaped(body[at+6:])) == utf8.RuneError:
			return true
		case utf16.IsSurrogate(first):
			body = body[at+12:]
		default:
			body = body[at+2:] // one escape; the digits of \u are plain text
		}
	}
}

// escaped is the code unit that \uXXXX at the beginning of text stands for, or -1.
func escaped(text []byte) rune {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return -1
	}
	unit, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(unit)
}

var (
	errTooDeep = fmt.Errorf("it is nested deeper than %d levels", maxDepth)
	errTooMany = fmt.Errorf("it holds more than a request can: at most %d members an object, %d values in all", mostMembers, mostValues)
)

// syntaxProblem words a parse error without quoting the body, which may hold personal data.
func syntaxProblem(err error) string {
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "it ends too early"
	case errors.As(err, &syntax):
		return "unexpected character"
	}
	return err.Error()
}

type parser struct {
	dec    *json.Decoder
	tree   *Tree
	path   []string
	values int
}

func (p *parser) fault(problem string) {
	p.tree.Faults = append(p.tree.Faults, errs.Field{Field: strings.TrimPrefix(strings.Join(p.path, ""), "."), Problem: problem})
}

func (p *parser) value(depth int) (any, error) {
	if depth > maxDepth {
		return nil, errTooDeep
	}
	if p.values++; p.values > mostValues {
		return nil, errTooMany
	}
	token, err := p.dec.Token()
	if err != nil {
		return nil, err
	}
	switch t := token.(type) {
	case json.Delim:
		if t == '{' {
			return p.object(depth)
		}
		return p.array(depth)
	case json.Number:
		return p.number(t), nil
	case string:
		if strings.IndexByte(t, 0) >= 0 {
			p.fault("must not contain the character U+0000")
		}
		return t, nil
	}
	return token, nil
}

func (p *parser) object(depth int) (any, error) {
	object := map[string]any{}
	for p.dec.More() {
		token, err := p.dec.Token()
		if err != nil {
			return nil, err
		}
		key := token.(string)
		if len(object) >= mostMembers || len(p.tree.Faults) > mostFaults {
			return nil, errTooMany
		}
		p.path = append(p.path, "."+safeName(key))
		if _, dup := object[key]; dup {
			p.fault("is given more than once")
		}
		value, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		object[key] = value
		p.path = p.path[:len(p.path)-1]
	}
	_, err := p.dec.Token()
	return object, err
}

func (p *parser) array(depth int) (any, error) {
	array := []any{}
	for p.dec.More() {
		if len(array) == mostElements {
			return array, p.passOver()
		}
		p.path = append(p.path, "["+strconv.Itoa(len(array))+"]")
		value, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		array = append(array, value)
		p.path = p.path[:len(p.path)-1]
	}
	_, err := p.dec.Token()
	return array, err
}

// passOver reads the rest of an array without keeping it.
func (p *parser) passOver() error {
	for open := 1; open > 0; {
		token, err := p.dec.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('['), json.Delim('{'):
			open++
		case json.Delim(']'), json.Delim('}'):
			open--
		}
	}
	return nil
}

func (p *parser) number(n json.Number) any {
	f, err := n.Float64()
	if err != nil {
		p.fault("is a number out of range")
		return float64(0)
	}
	if f == math.Trunc(f) && strings.ContainsAny(string(n), ".eE") {
		p.tree.plain = false
	}
	return f
}

// safeName makes a key that a caller chose fit to be shown back in a path.
func safeName(key string) string {
	const most = 64
	printable := strings.Map(func(r rune) rune {
		if r < ' ' || r == utf8.RuneError {
			return '?'
		}
		return r
	}, key)
	if runes := []rune(printable); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return printable
}
