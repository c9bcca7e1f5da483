package client

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxItemLine bounds one line of a file of items, in bytes.
const maxItemLine = 16 << 20

// ItemsFromJSONL reads batch items from JSON lines: one object a line, empty lines ignored.
func ItemsFromJSONL(r io.Reader) ([]json.RawMessage, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxItemLine)
	items := []json.RawMessage{}
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		if !json.Valid(line) {
			return nil, fmt.Errorf("line %d is not JSON", n)
		}
		items = append(items, bytes.Clone(line))
	}
	return items, lines.Err()
}

// ItemsFromCSV reads batch items from CSV with a header line. A column's name is the path of a field, such as
// identifier.type; its cells are strings, numbers when the name ends in :number, lists separated by spaces
// when it ends in :list. An empty cell leaves its field out.
func ItemsFromCSV(r io.Reader) ([]json.RawMessage, error) {
	rows := csv.NewReader(r)
	header, err := rows.Read()
	if err != nil {
		return nil, fmt.Errorf("read the header line: %w", err)
	}
	columns, err := csvColumns(header)
	if err != nil {
		return nil, err
	}
	items := []json.RawMessage{}
	for {
		cells, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return items, nil
		}
		if err != nil {
			return nil, err
		}
		item := map[string]any{}
		for i, cell := range cells {
			if err := columns[i].put(item, cell); err != nil {
				line, _ := rows.FieldPos(i)
				return nil, fmt.Errorf("line %d: %w", line, err)
			}
		}
		text, err := json.Marshal(item)
		if err != nil {
			return nil, err
		}
		items = append(items, text)
	}
}

// csvColumn is where the cells of a column go, and as what.
type csvColumn struct {
	path []string
	kind string
}

func csvColumns(header []string) ([]csvColumn, error) {
	columns := make([]csvColumn, len(header))
	for i, name := range header {
		name, kind, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(name, "\ufeff")), ":")
		if name == "" || (kind != "" && kind != "number" && kind != "list") {
			return nil, fmt.Errorf("column %d is named %q: name a field, such as identifier.type, match.age:number or scopes:list", i+1, header[i])
		}
		columns[i] = csvColumn{path: strings.Split(name, "."), kind: kind}
	}
	return columns, nil
}

func (c csvColumn) put(item map[string]any, cell string) error {
	if cell = strings.TrimSpace(cell); cell == "" {
		return nil
	}
	for _, name := range c.path[:len(c.path)-1] {
		inner, ok := item[name].(map[string]any)
		if !ok {
			inner = map[string]any{}
			item[name] = inner
		}
		item = inner
	}
	var value any = cell
	switch c.kind {
	case "number":
		number := json.Number(cell)
		if _, err := number.Float64(); err != nil {
			return fmt.Errorf("%s is not a number", strings.Join(c.path, "."))
		}
		value = number
	case "list":
		value = strings.Fields(cell)
	}
	item[c.path[len(c.path)-1]] = value
	return nil
}
