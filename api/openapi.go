package api

import (
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"idplatform/catalog"
	"idplatform/errs"
	"idplatform/pipeline"
)

// document builds the OpenAPI 3.1 description from the same Go types that requests are checked with and
// results are made of.
func document(c *catalog.Catalog) *huma.OpenAPI {
	d := &documentBuilder{registry: catalog.NewRegistry(), paths: map[string]*huma.PathItem{}}
	for _, op := range c.Operations() {
		d.operation(op)
	}
	d.asynchronous()
	d.events(c.EventTypes())
	doc := &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{Title: "National Identity Verification Platform", Version: "1.0.0",
			Description: documentIntroduction},
		Servers: []*huma.Server{{URL: "/"}},
		Paths:   d.paths,
		Components: &huma.Components{Schemas: d.registry, SecuritySchemes: map[string]*huma.SecurityScheme{
			"signature": {Type: "apiKey", In: "header", Name: "X-Platform-Signature",
				Description: "HMAC-SHA256 of the canonical string, with X-Platform-Key-Id, X-Platform-Timestamp and X-Platform-Nonce."},
		}},
		Security: []map[string][]string{{"signature": {}}},
		Tags:     d.tags,
	}
	requests := d.requestSchemas(c)
	for name, schema := range d.registry.Map() {
		listKnownValues(schema)
		if !requests[name] {
			allowMore(schema)
		}
	}
	return doc
}

const documentIntroduction = `The digital identity of the Democratic Republic of the Congo as one HTTP API.

Bodies are described here in plain JSON. On the wire every body is ` + "`{\"ciphertext\": \"…\"}`" + `, AES-256-GCM under the
application's encryption key, with the initialization vector in ` + "`X-Platform-IV`" + `, in both directions; and every request
is signed. Errors carry ` + "`error`" + ` (branch on it), ` + "`message`" + ` and ` + "`request_id`" + `; answers given before a request is
authenticated are plain JSON.`

// Problem is the body of every error.
type Problem struct {
	Error     errs.Code    `json:"error" doc:"Machine-readable code: branch on it."`
	Message   string       `json:"message" doc:"For people; its words may change."`
	RequestID string       `json:"request_id"`
	Fields    []errs.Field `json:"fields,omitempty" doc:"Every fault of the body (invalid_request)."`
}

type documentBuilder struct {
	registry huma.Registry
	paths    map[string]*huma.PathItem
	tags     []*huma.Tag
}

func (d *documentBuilder) operation(op *catalog.Operation) {
	d.tags = append(d.tags, &huma.Tag{Name: op.Title, Description: op.Description})
	result := d.schema(op.ResultType)
	d.path(op.Path).Post = d.describe(op, &huma.Operation{
		OperationID: op.Service + "_create", Summary: op.Title, Description: op.Description,
		RequestBody: &huma.RequestBody{Required: true, Content: content(d.schema(op.RequestType))},
	}, result, http.StatusBadRequest, http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden,
		http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity, http.StatusTooManyRequests,
		http.StatusInternalServerError, http.StatusBadGateway)
	d.path(op.Path + "/batches").Post = d.describe(op, &huma.Operation{
		OperationID: op.Service + "_batch", Summary: op.Title + ", batch",
		Description: "Up to 50 items, or 10,000 with Prefer: respond-async. Each is judged and answered by itself; fields at batch level hold for every item that does not set its own.",
		RequestBody: &huma.RequestBody{Required: true, Content: content(d.batchRequest(op))},
	}, d.batchResults(result), http.StatusBadRequest, http.StatusUnauthorized, http.StatusPaymentRequired,
		http.StatusForbidden, http.StatusRequestEntityTooLarge, http.StatusTooManyRequests, http.StatusInternalServerError)
	d.accepted(op.Path, reflect.TypeFor[pipeline.JobView](), "The job that was accepted (Prefer: respond-async).")
	d.accepted(op.Path+"/batches", reflect.TypeFor[pipeline.BatchView](), "The batch that was accepted (Prefer: respond-async).")
	d.path(op.Path + "/{id}").Get = d.describe(op, &huma.Operation{
		OperationID: op.Service + "_retrieve", Summary: "Retrieve by id",
		Description: "The object as it was first returned, for 30 days, to the application that made it.",
		Parameters:  idParameter(),
	}, result, http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound,
		http.StatusTooManyRequests, http.StatusInternalServerError)
}

// batchRequest is the batch's own fields and items, which may leave out what they inherit but not their
// reference.
func (d *documentBuilder) batchRequest(op *catalog.Operation) *huma.Schema {
	single := d.registry.SchemaFromRef(d.schema(op.RequestType).Ref)
	item := *single
	item.Required = []string{"reference"}
	batch := &huma.Schema{Type: huma.TypeObject, AdditionalProperties: false, Required: []string{"items"},
		Properties: map[string]*huma.Schema{"items": {Type: huma.TypeArray, Items: &item, MinItems: new(1)}}}
	for _, name := range single.Required {
		if !slices.Contains(op.BatchFields(), name) {
			item.Required = append(item.Required, name)
		}
	}
	for _, name := range op.BatchFields() {
		batch.Properties[name] = single.Properties[name]
	}
	return batch
}

// accepted adds what the asynchronous mode of a path answers, and the headers that modes and repetition use.
func (d *documentBuilder) accepted(path string, t reflect.Type, description string) {
	post := d.path(path).Post
	post.Responses["202"] = &huma.Response{Description: description, Content: content(d.schema(t))}
	for _, status := range []int{http.StatusConflict, http.StatusUnprocessableEntity, http.StatusServiceUnavailable} {
		post.Responses[strconv.Itoa(status)] = &huma.Response{Description: http.StatusText(status), Content: content(d.schema(reflect.TypeFor[Problem]()))}
	}
	post.Parameters = []*huma.Param{
		{Name: "Prefer", In: "header", Description: "respond-async for an asynchronous answer.", Schema: &huma.Schema{Type: huma.TypeString}},
		{Name: "Idempotency-Key", In: "header", Description: "A UUID: the same request under the same key is answered alike for 24 hours, and done once.",
			Schema: &huma.Schema{Type: huma.TypeString, Format: "uuid"}},
	}
}

// batchResults is a batch result list of one service.
func (d *documentBuilder) batchResults(result *huma.Schema) *huma.Schema {
	list := *d.registry.SchemaFromRef(d.schema(reflect.TypeFor[pipeline.ItemList]()).Ref)
	entry := *d.registry.SchemaFromRef(d.schema(reflect.TypeFor[pipeline.ItemResult]()).Ref)
	list.Properties, entry.Properties = maps.Clone(list.Properties), maps.Clone(entry.Properties)
	entry.Properties["result"] = result
	list.Properties["data"] = &huma.Schema{Type: huma.TypeArray, Items: &entry}
	return &list
}

// asynchronous describes jobs and batches, which all services share.
func (d *documentBuilder) asynchronous() {
	const tag = "Jobs and batches"
	d.tags = append(d.tags, &huma.Tag{Name: tag, Description: "With the header Prefer: respond-async a single call is answered 202 with a job and a batch of up to 10,000 items 202 with a batch."})
	d.path("/v1/jobs/{id}").Get = d.about(tag, &huma.Operation{OperationID: "job_retrieve", Summary: "A job",
		Description: "The job, with its result once it is completed, for 30 days.", Parameters: idParameter(),
	}, d.schema(reflect.TypeFor[pipeline.JobView]()), http.StatusNotFound)
	batch := d.schema(reflect.TypeFor[pipeline.BatchView]())
	d.path("/v1/batches/{id}").Get = d.about(tag, &huma.Operation{OperationID: "batch_retrieve", Summary: "A batch",
		Description: "The batch with its present counts, for 30 days.", Parameters: idParameter()}, batch, http.StatusNotFound)
	d.path("/v1/batches/{id}/cancel").Post = d.about(tag, &huma.Operation{OperationID: "batch_cancel", Summary: "Cancel a batch",
		Description: "Items that are not processed yet fail with batch_cancelled and are not billed. It may be called again. Takes no body.", Parameters: idParameter(),
	}, batch, http.StatusNotFound, http.StatusConflict)
	d.path("/v1/batches/{id}/results").Get = d.about(tag, &huma.Operation{OperationID: "batch_results", Summary: "The results of a batch",
		Description: "In the order of submission, as far as they are settled. Page until next_cursor is null; before the batch has finished a page may be empty and still carry a cursor.",
		Parameters: append(idParameter(),
			&huma.Param{Name: "limit", In: "query", Schema: &huma.Schema{Type: huma.TypeInteger, Minimum: new(1.0), Maximum: new(500.0), Default: 100}},
			&huma.Param{Name: "cursor", In: "query", Description: "The previous next_cursor.", Schema: &huma.Schema{Type: huma.TypeString}}),
	}, d.schema(reflect.TypeFor[pipeline.ItemList]()), http.StatusNotFound)
}

func idParameter() []*huma.Param {
	return []*huma.Param{{Name: "id", In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeString}}}
}

// about describes a request that belongs to no single service.
func (d *documentBuilder) about(tag string, o *huma.Operation, result *huma.Schema, failures ...int) *huma.Operation {
	o.Tags = []string{tag}
	return d.respond(o, result, append(failures, http.StatusBadRequest, http.StatusUnauthorized, http.StatusTooManyRequests, http.StatusInternalServerError)...)
}

func (d *documentBuilder) path(p string) *huma.PathItem {
	if d.paths[p] == nil {
		d.paths[p] = &huma.PathItem{}
	}
	return d.paths[p]
}

func (d *documentBuilder) describe(op *catalog.Operation, o *huma.Operation, result *huma.Schema, failures ...int) *huma.Operation {
	o.Tags = []string{op.Title}
	return d.respond(o, result, failures...)
}

func (d *documentBuilder) respond(o *huma.Operation, result *huma.Schema, failures ...int) *huma.Operation {
	o.Responses = map[string]*huma.Response{
		"200": {Description: "The result.", Content: content(result)},
	}
	problem := d.schema(reflect.TypeFor[Problem]())
	for _, status := range failures {
		o.Responses[strconv.Itoa(status)] = &huma.Response{Description: http.StatusText(status), Content: content(problem)}
	}
	return o
}

func (d *documentBuilder) schema(t reflect.Type) *huma.Schema {
	s := d.registry.Schema(t, true, "")
	if t == reflect.TypeFor[Problem]() {
		problem := d.registry.SchemaFromRef(s.Ref)
		problem.AdditionalProperties = true // context fields
		problem.Properties["error"].Description = "Machine-readable code: branch on it. Codes: " + fmt.Sprint(errs.Codes()) + "."
	}
	return s
}

func content(s *huma.Schema) map[string]*huma.MediaType {
	return map[string]*huma.MediaType{"application/json": {Schema: s}}
}

// listKnownValues shows as an enum what the pipeline judges in place of the schema.
func listKnownValues(s *huma.Schema) {
	if s == nil {
		return
	}
	if known, ok := s.Extensions[catalog.KnownValues].([]any); ok {
		s.Enum = slices.Clone(known)
		delete(s.Extensions, catalog.KnownValues)
	}
	listKnownValues(s.Items)
	for _, property := range s.Properties {
		listKnownValues(property)
	}
}

// requestSchemas names the schemas that requests are made of: they take no fields beyond their own.
func (d *documentBuilder) requestSchemas(c *catalog.Catalog) map[string]bool {
	names := map[string]bool{}
	var walk func(s *huma.Schema)
	walk = func(s *huma.Schema) {
		if s == nil {
			return
		}
		if name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/"); ok && !names[name] {
			names[name] = true
			walk(d.registry.SchemaFromRef(s.Ref))
		}
		walk(s.Items)
		for _, property := range s.Properties {
			walk(property)
		}
	}
	for _, op := range c.Operations() {
		walk(d.schema(op.RequestType))
	}
	return names
}

// allowMore lets an answer grow: clients must ignore fields that they do not know.
func allowMore(s *huma.Schema) {
	if s == nil {
		return
	}
	if closed, ok := s.AdditionalProperties.(bool); ok && !closed {
		s.AdditionalProperties = nil
	}
	allowMore(s.Items)
	for _, property := range s.Properties {
		allowMore(property)
	}
}
