package client_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/client"
)

func errorFrom(t *testing.T, say answer) *client.Error {
	t.Helper()
	_, err := overHTTP(t, newServer(t, say), client.WithRetry(client.NoRetry())).Do(t.Context(), http.MethodGet, "/v1/x", nil)
	var e *client.Error
	require.ErrorAs(t, err, &e)
	return e
}

func TestError_Encrypted(t *testing.T) {
	t.Parallel()
	e := errorFrom(t, answer{status: 400, body: `{"error":"invalid_request","message":"Two faults.","request_id":"req_2",
		"fields":[{"field":"purpose","problem":"is missing"},{"field":"items[3].identifier.type","problem":"is not a string"}],"more":{"a":[1]}}`})
	require.Equal(t, 400, e.Status)
	require.Equal(t, client.InvalidRequest, e.Code)
	require.Equal(t, "Two faults.", e.Message)
	require.Equal(t, "req_2", e.RequestID)
	require.Equal(t, []client.Field{
		{Field: "purpose", Problem: "is missing"}, {Field: "items[3].identifier.type", Problem: "is not a string"},
	}, e.Fields)
	require.Equal(t, map[string]any{"more": map[string]any{"a": []any{1.0}}}, e.Context)
	require.True(t, e.Encrypted)
	require.Equal(t, "invalid_request: Two faults. (status 400, request req_2)", e.Error())
}

func TestError_Plain(t *testing.T) {
	t.Parallel()
	e := errorFrom(t, answer{status: 401, plain: true, body: `{"error":"invalid_signature","message":"No.","canonical_string":"a\nb"}`})
	require.Equal(t, client.InvalidSignature, e.Code)
	require.Equal(t, "req_1", e.RequestID, "from the header")
	require.Equal(t, map[string]any{"canonical_string": "a\nb"}, e.Context)
	require.False(t, e.Encrypted)
}

func TestError_NotThePlatforms(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{"html": "<html>", "empty": "", "array": "[]", "of other types": `{"error":{"x":1},"message":7}`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := errorFrom(t, answer{status: 502, plain: true, body: body, header: map[string]string{"Retry-After": "3"}})
			require.Equal(t, 502, e.Status)
			require.Empty(t, e.Code)
			require.Equal(t, "the server answered Bad Gateway", e.Message)
			require.Equal(t, 3*time.Second, e.RetryAfter)
			require.Equal(t, body, string(e.Body))
		})
	}
}

func TestError_RetryAfter(t *testing.T) {
	t.Parallel()
	for want, say := range map[time.Duration]answer{
		90 * time.Second: {body: `{"error":"rate_limited","retry_after":"1m30s"}`},
		2 * time.Second:  {body: `{"error":"rate_limited","retry_after":"soon"}`, header: map[string]string{"Retry-After": "2"}},
		0:                {body: `{"error":"rate_limited","retry_after":"-5s"}`, header: map[string]string{"Retry-After": "later"}},
	} {
		say.status = 429
		require.Equal(t, want, errorFrom(t, say).RetryAfter)
	}
}

func TestIsCode(t *testing.T) {
	t.Parallel()
	wrapped := fmt.Errorf("onboarding: %w", &client.Error{Code: client.ConsentRequired})
	require.True(t, client.IsCode(wrapped, client.ConsentRequired))
	require.False(t, client.IsCode(wrapped, client.NotFound))
	require.True(t, client.IsCode(fmt.Errorf("item: %w", &client.Failure{Code: client.BatchCancelled}), client.BatchCancelled))
	require.False(t, client.IsCode(errors.New("x"), ""))
	require.False(t, client.IsCode(nil, ""))
}

// The codes of the client are those of the server's catalogue, read from its source so that the SDK does not
// depend on it.
func TestCodes_AreTheCatalogues(t *testing.T) {
	t.Parallel()
	catalogue := codesIn(t, "../errs/codes.go", "Code")
	require.NotEmpty(t, catalogue)
	require.Equal(t, catalogue, codesIn(t, "codes.go", ""))
}

func codesIn(t *testing.T, path, ofType string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	require.NoError(t, err)
	var codes []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		if ident, typed := spec.Type.(*ast.Ident); ofType != "" && (!typed || ident.Name != ofType) {
			return true
		}
		if value, ok := spec.Values[0].(*ast.BasicLit); ok && value.Kind == token.STRING {
			codes = append(codes, spec.Names[0].Name+" = "+value.Value)
		}
		return true
	})
	slices.Sort(codes)
	return codes
}
