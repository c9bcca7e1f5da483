package matching_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/matching"
	"idplatform/models"
)

const document = "../docs/matching.md"

// examples are the rows of the table under a heading of the document: claim, record, verdict, rule.
func examples(t *testing.T, heading string) [][]string {
	t.Helper()
	text, err := os.ReadFile(document)
	require.NoError(t, err)
	_, section, found := strings.Cut(string(text), "\n## "+heading+"\n")
	require.True(t, found, "the document has no section %q", heading)
	section, _, _ = strings.Cut(section, "\n## ")
	var rows [][]string
	for line := range strings.Lines(section) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		require.Len(t, cells, 4, line)
		for i := range cells {
			cells[i] = strings.Trim(strings.TrimSpace(cells[i]), "`")
		}
		rows = append(rows, cells)
	}
	require.NotEmpty(t, rows)
	return rows
}

// holds asserts that the comparison is as a row of the document says, its reason included.
func holds(t *testing.T, row []string, c matching.Comparison) {
	t.Helper()
	require.Equal(t, row[2], string(c.Verdict), "%s", c)
	rules := map[string]bool{}
	for _, s := range c.Steps {
		rules[string(s.Rule)] = true
	}
	for rule := range strings.FieldsSeq(row[3]) {
		require.True(t, rules[strings.Trim(rule, "`,")], "no step %s in: %s", rule, c)
	}
}

func TestDocumentedExamplesOfNames(t *testing.T) {
	t.Parallel()
	for _, row := range examples(t, "Examples of names") {
		t.Run(row[0]+" for "+row[1], func(t *testing.T) {
			t.Parallel()
			holds(t, row, matching.Names(row[0], row[1]))
			require.Equal(t, row[2], string(matching.Names(row[1], row[0]).Verdict), "the other way round")
		})
	}
}

func TestDocumentedExamplesOfDates(t *testing.T) {
	t.Parallel()
	for _, row := range examples(t, "Examples of dates") {
		t.Run(row[0]+" for "+row[1], func(t *testing.T) {
			t.Parallel()
			claimed, err := models.ParseDate(row[0])
			require.NoError(t, err)
			registered, err := models.ParseDate(row[1])
			require.NoError(t, err)
			holds(t, row, matching.Dates(claimed, registered))
			require.Equal(t, row[2], string(matching.Dates(registered, claimed).Verdict), "the other way round")
		})
	}
}

func TestDocumentedExamplesOfAges(t *testing.T) {
	t.Parallel()
	for _, row := range examples(t, "Examples of ages") {
		t.Run(row[0]+" for "+row[1], func(t *testing.T) {
			t.Parallel()
			claimed, err := strconv.Atoi(row[0])
			require.NoError(t, err)
			registered, err := strconv.Atoi(row[1])
			require.NoError(t, err)
			holds(t, row, matching.Ages(claimed, registered))
		})
	}
}
