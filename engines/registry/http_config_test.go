package registry_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/engines/registry"
	"idplatform/engines/registry/registrytest"
	"idplatform/models"
)

func TestConfigurationIsChecked(t *testing.T) {
	t.Parallel()
	cfg := registrytest.Serve(t, http.NotFoundHandler())
	for name, spoil := range map[string]func(*registry.HTTPConfig){
		"PlainHTTP":     func(c *registry.HTTPConfig) { c.BaseURL = "http://127.0.0.1" },
		"NoHost":        func(c *registry.HTTPConfig) { c.BaseURL = "https:///x" },
		"Query":         func(c *registry.HTTPConfig) { c.BaseURL += "?a=b" },
		"Malformed":     func(c *registry.HTTPConfig) { c.BaseURL = "https://%zz" },
		"NoCA":          func(c *registry.HTTPConfig) { c.CAFile = filepath.Join(t.TempDir(), "absent") },
		"EmptyCA":       func(c *registry.HTTPConfig) { c.CAFile = c.KeyFile },
		"NoCertificate": func(c *registry.HTTPConfig) { c.CertFile = filepath.Join(t.TempDir(), "absent") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spoilt := cfg
			spoil(&spoilt)
			_, err := registry.NewHTTP(spoilt)
			require.Error(t, err)
		})
	}
}

func TestBothSidesMustShowATrustedCertificate(t *testing.T) {
	t.Parallel()
	cfg := registrytest.Serve(t, answer(`{"citizens":[null]}`))
	other := registrytest.Serve(t, answer(`{"citizens":[null]}`))

	r, err := registry.NewHTTP(cfg)
	require.NoError(t, err)
	_, err = r.People(t.Context(), anybody, 0)
	require.NoError(t, err)

	impostor := cfg
	impostor.CAFile = other.CAFile
	r, err = registry.NewHTTP(impostor)
	require.NoError(t, err)
	_, err = r.People(t.Context(), anybody, 0)
	require.ErrorIs(t, err, registry.ErrUnreachable)

	registrytest.WriteClientCertificate(t, other, registrytest.ForeignCertificate(t))
	r, err = registry.NewHTTP(other)
	require.NoError(t, err)
	_, err = r.People(t.Context(), anybody, 0)
	require.ErrorIs(t, err, registry.ErrUnreachable)
}

// exampleBlock is a JSON example in the document, told by the marker before it.
var exampleBlock = regexp.MustCompile("(?s)<!-- (lookup|changes) (request|answer) -->\n```json\n(.*?)```")

func TestTheDocumentsExamplesAreWhatTheAdapterSpeaks(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("../../docs/registry-adapter.md")
	require.NoError(t, err)
	examples := map[string]string{}
	for _, m := range exampleBlock.FindAllStringSubmatch(string(document), -1) {
		examples[m[1]+" "+m[2]] = m[3]
	}
	require.Len(t, examples, 4)
	r, _ := adapter(t, func(w http.ResponseWriter, req *http.Request) {
		of := filepath.Base(req.URL.Path)
		body, err := io.ReadAll(req.Body)
		if err != nil || !sameJSON(string(body), examples[of+" request"]) {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		answer(examples[of+" answer"])(w, req)
	}, nil)

	people, err := r.People(t.Context(), []models.Identifier{
		{Type: models.PlatformID, Value: "COD-1A2B-3C4D-5E6F"}, {Type: models.Passport, Value: "OZ0000000"},
	}, registry.BlocksOf("kyc.documents.primary", "kyc.addresses", "kyc.languages", "kyc.biometrics.fingerprint"))
	require.NoError(t, err)
	require.Nil(t, people[1])
	require.NotNil(t, people[0].Documents.Primary)
	require.NotEmpty(t, people[0].Addresses)
	require.NotEmpty(t, people[0].Languages)
	require.NotEmpty(t, people[0].Fingerprints)

	page, err := r.Changes(t.Context(), "184467", 100)
	require.NoError(t, err)
	require.NotEmpty(t, page.PlatformIDs)
}

func sameJSON(a, b string) bool {
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return false
	}
	first, err1 := json.Marshal(x)
	second, err2 := json.Marshal(y)
	return err1 == nil && err2 == nil && string(first) == string(second)
}
