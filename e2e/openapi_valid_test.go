package e2e_test

import (
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"
)

// The document is judged by a library that had no part in making it.
func TestDocument_IsValidOpenAPI(t *testing.T) {
	t.Parallel()
	p := onSQLite(t)
	_, text := p.Page("/openapi.json")
	document, err := openapi3.NewLoader().LoadFromData(text)
	require.NoError(t, err)
	require.NoError(t, document.Validate(t.Context()))
	require.NotNil(t, document.Paths.Find("/v1/kyc/validations").Post.RequestBody)
}
