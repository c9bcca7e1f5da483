package e2etest

import (
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// schema is a JSON Schema (2020-12) as OpenAPI 3.1 holds one. It is judged here by the words of the standard,
// independently of the library that made it; a keyword that is not known here is a fault, lest it pass unjudged.
type schema map[string]any

// annotations say nothing about a value.
var annotations = []string{"description", "title", "default", "examples", "example", "deprecated", "readOnly", "writeOnly", "$schema", "contentEncoding", "contentMediaType"}

// keywords judge a value; each gives the fault, empty when there is none.
var keywords = map[string]func(argument, value any) string{
	"enum": func(argument, value any) string {
		return unless(slices.ContainsFunc(argument.([]any), func(one any) bool { return same(one, value) }), "is none of the enum's values")
	},
	"const":     func(argument, value any) string { return unless(same(argument, value), "is not the constant") },
	"minimum":   bound(func(v, limit float64) bool { return v >= limit }),
	"maximum":   bound(func(v, limit float64) bool { return v <= limit }),
	"minLength": size(func(n, limit int) bool { return n >= limit }),
	"maxLength": size(func(n, limit int) bool { return n <= limit }),
	"minItems":  size(func(n, limit int) bool { return n >= limit }),
	"maxItems":  size(func(n, limit int) bool { return n <= limit }),
	"format":    format,
	"pattern": func(argument, value any) string {
		text, isText := value.(string)
		return unless(!isText || regexp.MustCompile(argument.(string)).MatchString(text), "does not match the pattern")
	},
}

// faults lists where a value is not as the schema says.
func (d *Document) faults(s schema, value any, path string) []string {
	if ref, ok := s["$ref"].(string); ok {
		name := strings.TrimPrefix(ref, "#/components/schemas/")
		target, known := d.Parts.Schemas[name]
		if !known {
			return []string{path + " refers to " + ref + ", which is not there"}
		}
		return d.faults(target, value, path)
	}
	var all []string
	for keyword, argument := range s {
		all = append(all, d.keyword(s, keyword, argument, value, path)...)
	}
	// Answers may grow, so that the document leaves their schemas open; what is sent today stands in it all the same.
	if _, judged := s["additionalProperties"]; s["properties"] != nil && !judged {
		object, _ := value.(map[string]any)
		all = append(all, d.additional(s, false, object, path)...)
	}
	return all
}

func (d *Document) keyword(s schema, keyword string, argument, value any, path string) []string {
	object, _ := value.(map[string]any)
	switch keyword {
	case "type":
		return at(path, unless(isOfType(argument, value), fmt.Sprintf("is %T, not %v", value, argument)))
	case "required":
		return d.required(argument.([]any), object, path, value)
	case "properties":
		var all []string
		for name, property := range argument.(map[string]any) {
			if member, sent := object[name]; sent {
				all = append(all, d.faults(property.(map[string]any), member, path+"."+name)...)
			}
		}
		return all
	case "additionalProperties":
		return d.additional(s, argument, object, path)
	case "items":
		var all []string
		array, _ := value.([]any)
		for i, item := range array {
			all = append(all, d.faults(argument.(map[string]any), item, fmt.Sprintf("%s[%d]", path, i))...)
		}
		return all
	case "oneOf", "anyOf":
		fitting := 0
		for _, each := range argument.([]any) {
			if len(d.faults(each.(map[string]any), value, path)) == 0 {
				fitting++
			}
		}
		return at(path, unless(fitting == 1 || fitting > 1 && keyword == "anyOf", "fits "+fmt.Sprint(fitting)+" of "+keyword))
	}
	if judge, known := keywords[keyword]; known {
		return at(path, judge(argument, value))
	}
	return at(path, unless(slices.Contains(annotations, keyword), "has the keyword "+keyword+", which nobody here knows"))
}

func (d *Document) required(names []any, object map[string]any, path string, value any) []string {
	var all []string
	if _, isObject := value.(map[string]any); isObject {
		for _, name := range names {
			if _, sent := object[name.(string)]; !sent {
				all = append(all, path+"."+name.(string)+" is missing")
			}
		}
	}
	return all
}

func (d *Document) additional(s schema, argument any, object map[string]any, path string) []string {
	known, _ := s["properties"].(map[string]any)
	var all []string
	for name, member := range object {
		if _, ok := known[name]; ok {
			continue
		}
		switch allowed := argument.(type) {
		case bool:
			all = append(all, at(path+"."+name, unless(allowed, "is not in the schema"))...)
		case map[string]any:
			all = append(all, d.faults(allowed, member, path+"."+name)...)
		}
	}
	return all
}

func isOfType(argument, value any) bool {
	if several, ok := argument.([]any); ok {
		return slices.ContainsFunc(several, func(one any) bool { return isOfType(one, value) })
	}
	switch v := value.(type) {
	case nil:
		return argument == "null"
	case bool:
		return argument == "boolean"
	case string:
		return argument == "string"
	case []any:
		return argument == "array"
	case map[string]any:
		return argument == "object"
	case json.Number:
		f, err := v.Float64()
		return argument == "number" || argument == "integer" && err == nil && f == math.Trunc(f)
	}
	return false
}

func format(argument, value any) string {
	text, ok := value.(string)
	if !ok {
		return ""
	}
	switch argument {
	case "date":
		_, err := time.Parse(time.DateOnly, text)
		return unless(err == nil, "is no date")
	case "date-time":
		_, err := time.Parse(time.RFC3339Nano, text)
		return unless(err == nil, "is no date-time")
	case "uri":
		u, err := url.Parse(text)
		return unless(err == nil && u.IsAbs(), "is no absolute URI")
	case "byte":
		return ""
	}
	return fmt.Sprintf("has the format %v, which nobody here knows", argument)
}

func bound(fits func(v, limit float64) bool) func(argument, value any) string {
	return func(argument, value any) string {
		number, ok := value.(json.Number)
		v, _ := number.Float64()
		return unless(!ok || fits(v, argument.(float64)), fmt.Sprintf("is beyond %v", argument))
	}
}

// size judges the length of a text in code points or the number of items.
func size(fits func(n, limit int) bool) func(argument, value any) string {
	return func(argument, value any) string {
		n := -1
		switch v := value.(type) {
		case string:
			n = utf8.RuneCountInString(v)
		case []any:
			n = len(v)
		}
		return unless(n < 0 || fits(n, int(argument.(float64))), fmt.Sprintf("has the size %d, beyond %v", n, argument))
	}
}

func same(one, other any) bool { return fmt.Sprint(one) == fmt.Sprint(other) }

func unless(ok bool, fault string) string {
	if ok {
		return ""
	}
	return fault
}

func at(path, fault string) []string {
	if fault == "" {
		return nil
	}
	return []string{strings.TrimPrefix(path, ".") + " " + fault}
}
