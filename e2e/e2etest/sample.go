package e2etest

import (
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
)

// Route is a method and path of the document, with the schema of its request where it takes one.
type Route struct {
	Method, Path string
	request      schema
}

// TakesBody reports whether the route has a request body.
func (r Route) TakesBody() bool { return r.request != nil }

// Routes lists the document's operations, in a fixed order.
func (d *Document) Routes() []Route {
	var routes []Route
	for path, item := range d.Paths {
		for method, operation := range item {
			route := Route{Method: strings.ToUpper(method), Path: path}
			if operation.RequestBody != nil {
				route.request = operation.RequestBody.Content["application/json"].Schema
			}
			routes = append(routes, route)
		}
	}
	sort.Slice(routes, func(i, j int) bool { return routes[i].Method+routes[i].Path < routes[j].Method+routes[j].Path })
	return routes
}

// Sample makes a request body by the route's schema, nearly valid: identifiers are often those of citizens.
func (d *Document) Sample(r *rand.Rand, route Route) any { return d.sample(r, route.request) }

func (d *Document) sample(r *rand.Rand, s schema) any {
	if ref, ok := s["$ref"].(string); ok {
		if name := strings.TrimPrefix(ref, "#/components/schemas/"); name == "Identifier" && r.IntN(10) > 0 {
			ids := Citizen(r.IntN(Population)).Identifiers
			id := ids[r.IntN(len(ids))]
			return map[string]any{"type": string(id.Type), "value": id.Value}
		}
		return d.sample(r, d.Parts.Schemas[strings.TrimPrefix(ref, "#/components/schemas/")])
	}
	if values, ok := s["enum"].([]any); ok {
		return values[r.IntN(len(values))]
	}
	kind := s["type"]
	if several, ok := kind.([]any); ok {
		kind = several[0]
	}
	switch kind {
	case "object":
		return d.sampleObject(r, s)
	case "array":
		items, _ := s["items"].(map[string]any)
		array := make([]any, r.IntN(3)+1)
		for i := range array {
			array[i] = d.sample(r, items)
		}
		return array
	case "integer":
		return r.IntN(120)
	case "number":
		return r.Float64()
	case "boolean":
		return r.IntN(2) == 0
	}
	if s["format"] == "date" {
		return "1987-04-09"
	}
	return pick(r, "kyc.emails", "kyc.addresses", "kyc.basic", "a reference", "Bienvenu Kayembe")
}

func (d *Document) sampleObject(r *rand.Rand, s schema) any {
	properties, _ := s["properties"].(map[string]any)
	required, _ := s["required"].([]any)
	names := make([]string, 0, len(properties))
	for name := range properties {
		names = append(names, name)
	}
	slices.Sort(names) // chance must not depend on the order of a map
	object := map[string]any{}
	for _, name := range names {
		if slices.Contains(required, any(name)) || r.IntN(2) == 0 {
			object[name] = d.sample(r, properties[name].(map[string]any))
		}
	}
	return object
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }
