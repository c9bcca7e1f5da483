package errs_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/errs"
)

func TestInvalid_ManyFaultsAreCounted(t *testing.T) {
	t.Parallel()
	faults := make([]errs.Field, 5_000)
	for i := range faults {
		faults[i] = errs.Field{Field: fmt.Sprintf("f%d", i), Problem: "is not a field of this request"}
	}
	e := errs.Invalid(faults...)
	require.Len(t, e.Fields, 101)
	require.Equal(t, errs.Field{Field: "body", Problem: "has 4900 more faults"}, e.Fields[100])
	require.Less(t, len(e.Message), 1_000)
	require.Len(t, errs.Invalid(faults[:100]...).Fields, 100)
}
