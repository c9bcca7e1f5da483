package catalog_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/catalog"
	"idplatform/errs"
)

// A body that would cost much more memory than it has bytes is refused while it is read.
func TestParse_Limits(t *testing.T) {
	t.Parallel()
	t.Run("ALongArrayIsNotKept", func(t *testing.T) {
		t.Parallel()
		tree, err := catalog.Parse([]byte(`[` + strings.Repeat(`1,`, 1_000_000) + `[{"a":[1]}]]`))
		require.NoError(t, err)
		require.Len(t, tree.Value, 10_001)
	})
	for name, body := range map[string]string{
		"ManyMembers": members(1_001),
		"ManyValues":  `[` + strings.Repeat(`[`+strings.Repeat(`1,`, 9_999)+`1],`, 250) + `1]`,
		"BrokenTail":  `[` + strings.Repeat(`1,`, 20_000) + `]`,
	} {
		t.Run(name+"IsRefused", func(t *testing.T) {
			t.Parallel()
			_, err := catalog.Parse([]byte(body))
			require.Equal(t, errs.InvalidRequest, errs.From(err).Code)
		})
	}
	_, err := catalog.Parse([]byte(members(1_000)))
	require.NoError(t, err)
}

func members(n int) string {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, `,"m%d":1`, i)
	}
	return `{` + b.String()[1:] + `}`
}
