package main

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// show prints a value for programs (JSON) or for people (a line a field).
func show(w io.Writer, value any, asJSON bool) error {
	if asJSON {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(value)
	}
	v := reflect.ValueOf(value)
	if v.Kind() == reflect.Slice {
		for i := range v.Len() {
			if err := showFields(w, v.Index(i)); err != nil {
				return err
			}
			fmt.Fprintln(w)
		}
		return nil
	}
	return showFields(w, v)
}

func showFields(w io.Writer, v reflect.Value) error {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if field.Anonymous {
			if err := showFields(w, v.Field(i)); err != nil {
				return err
			}
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if v.Field(i).IsZero() {
			continue
		}
		if _, err := fmt.Fprintf(w, "%-20s %s\n", name, words(v.Field(i))); err != nil {
			return err
		}
	}
	return nil
}

// words is a value on one line, lists separated by spaces.
func words(v reflect.Value) string {
	if v.Kind() != reflect.Slice {
		return fmt.Sprint(v.Interface())
	}
	parts := make([]string, v.Len())
	for i := range parts {
		parts[i] = fmt.Sprint(v.Index(i).Interface())
	}
	return strings.Join(parts, " ")
}
