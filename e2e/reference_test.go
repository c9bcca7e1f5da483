package e2e_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The page needs nothing but this server, and may load nothing else.
func TestReference_PageAndAssets(t *testing.T) {
	t.Parallel()
	p := onSQLite(t)
	response, page := p.Page("/docs")
	require.Equal(t, 200, response.StatusCode)
	require.True(t, strings.HasPrefix(response.Header.Get("Content-Type"), "text/html"))
	policy := response.Header.Get("Content-Security-Policy")
	require.Contains(t, policy, "default-src 'self'")
	require.NotContains(t, policy, "unsafe-eval")
	require.NotRegexp(t, `script-src[^;]*'unsafe-inline'`, policy)
	require.Equal(t, "nosniff", response.Header.Get("X-Content-Type-Options"))

	require.NotRegexp(t, `(?i)<script(>|[^>]*[^/]>[^<])`, strings.ReplaceAll(string(page), "></script>", "/>"), "no inline script, which the policy would stop")
	assets := regexp.MustCompile(`(?:src|href)="([^"]+)"`).FindAllStringSubmatch(string(page), -1)
	require.NotEmpty(t, assets)
	for _, asset := range assets {
		if strings.HasPrefix(asset[1], "data:") {
			continue
		}
		require.True(t, strings.HasPrefix(asset[1], "/"), "%s is of this server", asset[1])
		response, body := p.Page(asset[1])
		require.Equal(t, 200, response.StatusCode, asset[1])
		require.NotEmpty(t, body, asset[1])
	}
	_, boot := p.Page("/docs/boot.js")
	require.Contains(t, string(boot), "/openapi.json")
}

func TestReference_ScriptIsCompressed(t *testing.T) {
	t.Parallel()
	p := onSQLite(t)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.URL+"/docs/scalar.js", nil)
	require.NoError(t, err)
	request.Header.Set("Accept-Encoding", "gzip")
	response, err := http.DefaultTransport.RoundTrip(request)
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, "gzip", response.Header.Get("Content-Encoding"))
	raw, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	unpacked, err := gzip.NewReader(bytes.NewReader(raw))
	require.NoError(t, err)
	script, err := io.ReadAll(unpacked)
	require.NoError(t, err)
	require.Greater(t, len(script), len(raw))
}

// The document stands on its own feet: every reference leads somewhere, every operation has an id, and a summary and
// answers; the fields that callers rely on are there.
func TestReference_Document(t *testing.T) {
	t.Parallel()
	p := onSQLite(t)
	response, body := p.Page("/openapi.json")
	require.Equal(t, "application/json", response.Header.Get("Content-Type"))
	var document struct {
		OpenAPI string
		Info    struct{ Title, Version string }
		Paths   map[string]map[string]struct {
			OperationID string
			Summary     string
			Parameters  []struct{ Name, In string }
			Responses   map[string]json.RawMessage
		}
		Components struct{ Schemas map[string]json.RawMessage }
	}
	require.NoError(t, json.Unmarshal(body, &document))
	require.True(t, strings.HasPrefix(document.OpenAPI, "3.1."))
	require.NotEmpty(t, document.Info.Title)
	require.NotEmpty(t, document.Info.Version)
	for _, ref := range regexp.MustCompile(`"\$ref":\s*"([^"]+)"`).FindAllStringSubmatch(string(body), -1) {
		name, ok := strings.CutPrefix(ref[1], "#/components/schemas/")
		require.True(t, ok, ref[1])
		require.Contains(t, document.Components.Schemas, name)
	}
	ids := map[string]bool{}
	for path, item := range document.Paths {
		for method, operation := range item {
			require.NotEmpty(t, operation.OperationID, "%s %s", method, path)
			require.False(t, ids[operation.OperationID], "%s is not the only one", operation.OperationID)
			ids[operation.OperationID] = true
			require.NotEmpty(t, operation.Summary)
			require.Contains(t, operation.Responses, "401", "%s %s", method, path)
			var declared []string
			for _, parameter := range operation.Parameters {
				if parameter.In == "path" {
					declared = append(declared, "{"+parameter.Name+"}")
				}
			}
			require.ElementsMatch(t, regexp.MustCompile(`\{[^}]+\}`).FindAllString(path, -1), declared, path)
		}
	}
}

// The harness holds every exchange against the document. Were it to let everything pass, it would be of no use.
func TestReference_DriftIsSeen(t *testing.T) {
	t.Parallel()
	p := onSQLite(t)
	before := p.Document().Checked()
	answer := p.Send(p.NewApplicationWith(granted(p, fileScopes...)).Signed(http.MethodPost, validations, text(t, kyc(0, object{"scopes": nil}))))
	require.Equal(t, 200, answer.Status)
	require.Equal(t, before+1, p.Document().Checked())

	request := text(t, kyc(0, nil))
	require.Empty(t, p.Document().Drift(http.MethodPost, validations, request, 200, answer.Body))
	for name, alter := range map[string]func(o object){
		"MemberMissing":  func(o object) { delete(o, "scopes_applied") },
		"MemberUnknown":  func(o object) { o["internal"] = 1 },
		"OtherType":      func(o object) { o["livemode"] = "no" },
		"NullNotAllowed": func(o object) { o["id"] = nil },
		"NotInTheEnum":   func(o object) { o["result"] = "perhaps" },
		"NoDateTime":     func(o object) { o["created_at"] = "yesterday" },
		"Deeper":         func(o object) { o["kyc"].(object)["basic"].(object)["age"] = "old" },
		"InAnArray":      func(o object) { o["kyc"].(object)["addresses"].([]any)[0].(object)["is_primary"] = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			o := read(t, answer.Body)
			alter(o)
			require.NotEmpty(t, p.Document().Drift(http.MethodPost, validations, request, 200, text(t, o)))
		})
	}
	require.NotEmpty(t, p.Document().Drift(http.MethodPost, validations, request, 418, answer.Body), "a status that is not there")
	require.NotEmpty(t, p.Document().Drift(http.MethodPost, validations, []byte(`{}`), 200, answer.Body), "a request that should not pass")
	require.NotEmpty(t, p.Document().Drift(http.MethodGet, "/v1/nothing", nil, 200, []byte(`{}`)), "an operation that is not there")
}
