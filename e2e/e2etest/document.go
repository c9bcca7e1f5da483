package e2etest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// Document is the platform's OpenAPI document.
type Document struct {
	OpenAPI string                                   `json:"openapi"`
	Paths   map[string]map[string]*DocumentOperation `json:"paths"`
	Parts   struct {
		Schemas map[string]schema `json:"schemas"`
	} `json:"components"`

	checked  atomic.Int64
	reported sync.Map // faults already told of, without their numbers
}

// DocumentOperation is one method of a path.
type DocumentOperation struct {
	OperationID string            `json:"operationId"`
	Parameters  []json.RawMessage `json:"parameters"`
	RequestBody *struct {
		Required bool    `json:"required"`
		Content  content `json:"content"`
	} `json:"requestBody"`
	Responses map[string]struct {
		Content content `json:"content"`
	} `json:"responses"`
}

type content map[string]struct {
	Schema schema `json:"schema"`
}

// Document is the OpenAPI document that the platform serves.
func (p *Platform) Document() *Document { return p.document }

// Checked is how many exchanges were held against the document so far.
func (d *Document) Checked() int64 { return d.checked.Load() }

func documentOf(t testing.TB, p *Platform) *Document {
	t.Helper()
	response, body := p.Page("/openapi.json")
	require.Equal(t, http.StatusOK, response.StatusCode)
	var d Document
	require.NoError(t, json.Unmarshal(body, &d))
	return &d
}

// exchange is a request and its answer, both in plain.
type exchange struct {
	method, target string
	request        []byte
	answer         *Answer
}

var numbers = regexp.MustCompile(`\d+`)

// exchange fails the test when an exchange is not as the document says.
func (d *Document) exchange(t testing.TB, x exchange) {
	if d == nil || strings.HasPrefix(x.target, "/docs") || !strings.HasPrefix(x.target, "/v1") {
		return
	}
	d.checked.Add(1)
	if drift := d.Drift(x.method, x.target, x.request, x.answer.Status, x.answer.Body); drift != "" {
		if _, known := d.reported.LoadOrStore(numbers.ReplaceAllString(drift, "0"), true); known {
			return
		}
		t.Errorf("%s %s answered %d, and the document disagrees: %s", x.method, x.target, x.answer.Status, drift)
	}
}

// Drift says where an exchange departs from the document; empty: nowhere.
func (d *Document) Drift(method, target string, request []byte, status int, response []byte) string {
	path, _, _ := strings.Cut(target, "?")
	operation := d.operation(method, path)
	if operation == nil {
		if status != http.StatusNotFound && status != http.StatusMethodNotAllowed && status != http.StatusUnauthorized && status < 400 {
			return "it does not have this operation"
		}
		return d.check(schema{"$ref": "#/components/schemas/Problem"}, response)
	}
	documented, ok := operation.Responses[fmt.Sprint(status)]
	if !ok {
		return "it does not have this status"
	}
	if drift := d.check(documented.Content["application/json"].Schema, response); drift != "" {
		return "answer: " + drift
	}
	// The items of a batch are judged one by one and may be anything.
	if status < 300 && operation.RequestBody != nil && !strings.HasSuffix(path, "/batches") {
		if drift := d.check(operation.RequestBody.Content["application/json"].Schema, withoutNulls(request)); drift != "" {
			return "request, which was accepted: " + drift
		}
	}
	return ""
}

// withoutNulls drops the members that are null, which are as good as absent.
func withoutNulls(text []byte) []byte {
	var value any
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	if decoder.Decode(&value) != nil {
		return text
	}
	dropNulls(value)
	clean, err := json.Marshal(value)
	if err != nil {
		return text
	}
	return clean
}

func dropNulls(value any) {
	object, _ := value.(map[string]any)
	for name, member := range object {
		if member == nil {
			delete(object, name)
		}
		dropNulls(member)
	}
}

func (d *Document) check(s schema, text []byte) string {
	var value any
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return "the body is no JSON"
	}
	return strings.Join(d.faults(s, value, ""), "; ")
}

// operation finds the operation of a request. A path without parameters goes before one
// with them.
func (d *Document) operation(method, path string) *DocumentOperation {
	if method != strings.ToUpper(method) {
		return nil // methods have a case
	}
	if item, ok := d.Paths[path]; ok {
		return item[strings.ToLower(method)]
	}
	for template, item := range d.Paths {
		if matches(template, path) {
			return item[strings.ToLower(method)]
		}
	}
	return nil
}

func matches(template, path string) bool {
	want, have := strings.Split(template, "/"), strings.Split(path, "/")
	if len(want) != len(have) {
		return false
	}
	for i := range want {
		if want[i] != have[i] && (!strings.HasPrefix(want[i], "{") || have[i] == "") {
			return false
		}
	}
	return true
}
