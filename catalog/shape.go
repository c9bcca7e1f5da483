package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"

	"idplatform/errs"
	"idplatform/models"
)

// KnownValues is the schema extension under which a string type lists its values for the documents while the
// pipeline, not the schema, judges it: an unknown purpose is 403, an unknown identifier type its own 400.
const KnownValues = "x-known-values"

// strict sets the library up once: names are compared with their case, and an array is not null.
var strict = sync.OnceFunc(func() {
	huma.ValidateStrictCasing = true
	huma.DefaultArrayNullable = false
})

// NewRegistry is an empty schema registry that knows the platform's own scalar types.
func NewRegistry() huma.Registry {
	strict()
	registry := huma.NewMapRegistry("#/components/schemas/", schemaName)
	registry.RegisterTypeAlias(reflect.TypeFor[models.Timestamp](), reflect.TypeFor[time.Time]())
	registry.RegisterTypeAlias(reflect.TypeFor[models.Date](), reflect.TypeFor[dateSchema]())
	registry.RegisterTypeAlias(reflect.TypeFor[models.Purpose](), reflect.TypeFor[purposeSchema]())
	registry.RegisterTypeAlias(reflect.TypeFor[models.IdentifierType](), reflect.TypeFor[identifierTypeSchema]())
	return registry
}

// schemaName is Package + Type, so that the Request of two services do not meet.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	pkg := t.PkgPath()[strings.LastIndexByte(t.PkgPath(), '/')+1:]
	if pkg == "" || pkg == "models" || pkg == "catalog" || pkg == "api" {
		return name
	}
	return strings.ToUpper(pkg[:1]) + pkg[1:] + name
}

type dateSchema string

// Schema implements huma.SchemaProvider.
func (dateSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date"}
}

type purposeSchema string

// Schema implements huma.SchemaProvider.
func (purposeSchema) Schema(huma.Registry) *huma.Schema { return knownValues(models.Purposes()...) }

type identifierTypeSchema string

// Schema implements huma.SchemaProvider.
func (identifierTypeSchema) Schema(huma.Registry) *huma.Schema {
	return knownValues(append(models.PersonIdentifierTypes(), models.BusinessIdentifierTypes()...)...)
}

func knownValues[T ~string](values ...T) *huma.Schema {
	known := make([]any, len(values))
	for i, v := range values {
		known[i] = string(v)
	}
	return &huma.Schema{Type: huma.TypeString, Extensions: map[string]any{KnownValues: known}}
}

// shape checks and decodes bodies of one request type by the schema made from it.
type shape struct {
	typ      reflect.Type
	registry huma.Registry
	schema   *huma.Schema
}

func newShape(t reflect.Type) *shape {
	registry := NewRegistry()
	return &shape{typ: t, registry: registry, schema: huma.SchemaFromType(registry, t)}
}

// faults lists everything in value that the schema does not allow, in the order of the paths.
func (s *shape) faults(value any) []errs.Field {
	var res huma.ValidateResult
	huma.Validate(s.registry, s.schema, huma.NewPathBuffer(nil, 0), huma.ModeWriteToServer, value, &res)
	if len(res.Errors) == 0 {
		return nil
	}
	fields := make([]errs.Field, 0, len(res.Errors))
	for _, err := range res.Errors {
		if detail := (*huma.ErrorDetail)(nil); errors.As(err, &detail) {
			fields = append(fields, fieldOf(detail))
		}
	}
	slices.SortStableFunc(fields, func(a, b errs.Field) int { return strings.Compare(a.Field, b.Field) })
	return fields
}

// fieldOf words a schema violation for the caller. The library places a missing property at its parent and
// quotes values in some messages; the path is completed here and the values are dropped.
func fieldOf(d *huma.ErrorDetail) errs.Field {
	path, message := d.Location, d.Message
	before, after, _ := strings.Cut(validation.MsgExpectedRequiredProperty, "%s")
	if name, ok := strings.CutPrefix(message, before); ok {
		if path != "" {
			path += "."
		}
		return errs.Field{Field: path + strings.TrimSuffix(name, after), Problem: "is required"}
	}
	switch {
	case path == "":
		path = "body"
	case d.Value == nil && !strings.HasSuffix(path, "]"): // null is absent, also where a value is required
		return errs.Field{Field: safeName(path), Problem: "is required"}
	}
	return errs.Field{Field: safeName(path), Problem: problemOf(message)}
}

// problems words the library's fixed messages; the others are its "expected X", said as "must be X".
var problems = map[string]string{
	validation.MsgUnexpectedProperty:      "is not a field of this request",
	validation.MsgExpectedRFC3339DateTime: "must be an RFC 3339 date and time such as 2026-01-31T08:00:00Z",
	validation.MsgExpectedRFC3339Date:     "must be a date of the form YYYY-MM-DD",
	validation.MsgExpectedBoolean:         "must be true or false",
	validation.MsgExpectedNumber:          "must be a number",
	validation.MsgExpectedInteger:         "must be a whole number",
	validation.MsgExpectedString:          "must be a string",
	validation.MsgExpectedArray:           "must be an array",
	validation.MsgExpectedObject:          "must be an object",
}

func problemOf(message string) string {
	if p, ok := problems[message]; ok {
		return p
	}
	var n int
	for format, words := range map[string]string{
		validation.MsgExpectedMinLength: "must have at least %d characters",
		validation.MsgExpectedMaxLength: "must have at most %d characters",
		validation.MsgExpectedMinItems:  "must have at least %d items",
		validation.MsgExpectedMaxItems:  "must have at most %d items",
	} {
		if _, err := fmt.Sscanf(message, format, &n); err == nil {
			if strings.Contains(words, "least") && n == 1 {
				return "must not be empty"
			}
			return fmt.Sprintf(words, n)
		}
	}
	message, _, _ = strings.Cut(message, ": ") // what follows quotes the value
	message = strings.ReplaceAll(message, `"`, "")
	message = strings.TrimPrefix(strings.TrimPrefix(message, "expected "), "string to ")
	return "must be " + strings.TrimPrefix(message, "value to be ")
}

// Decode reads a body of the operation's single call. Every fault of it is in the one error.
func (o *Operation) Decode(body []byte) (Request, error) {
	tree, err := Parse(body)
	if err != nil {
		return nil, err
	}
	if !tree.plain {
		if body, err = json.Marshal(tree.Value); err != nil {
			return nil, errs.Internal(err)
		}
	}
	return o.decode(tree.Value, body, tree.Faults)
}

// DecodeValue reads a request that is part of a larger body; faults are those of parsing that concern it.
func (o *Operation) DecodeValue(value any, faults []errs.Field) (Request, error) {
	body, err := json.Marshal(value)
	if err != nil {
		return nil, errs.Internal(err)
	}
	return o.decode(value, body, faults)
}

func (o *Operation) decode(value any, body []byte, faults []errs.Field) (Request, error) {
	faults = append(faults, o.shape.faults(value)...)
	request := reflect.New(o.shape.typ).Interface().(Request)
	if err := json.Unmarshal(body, request); err != nil && len(faults) == 0 {
		return nil, errs.Invalid(errs.Field{Field: "body", Problem: "holds a value of the wrong kind"}).Because(err)
	}
	// The request's own rules see also what the schema let pass of a faulty body, so that one answer
	// names every fault.
	for _, f := range request.Validate() {
		if !slices.ContainsFunc(faults, func(known errs.Field) bool { return known.Field == f.Field }) {
			faults = append(faults, f)
		}
	}
	if len(faults) > 0 {
		return nil, errs.Invalid(faults...)
	}
	return request, nil
}
