package files_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/catalog"
	"idplatform/engines/registry"
	"idplatform/models"
	"idplatform/platform/files"
	"idplatform/platform/identity"
	"idplatform/platform/vault"
)

const publicURL = "https://identity.example.cd"

// The register is a source of files as it is.
var _ files.Source = registry.Register(nil)

func TestMain(m *testing.M) {
	_ = os.Setenv("AWS_ACCESS_KEY_ID", s3Key) // buckets take their credentials from the environment
	_ = os.Setenv("AWS_SECRET_ACCESS_KEY", "a secret of the tests")
	os.Exit(m.Run())
}

// keys keeps data keys in memory.
type keys struct {
	mu   sync.Mutex
	rows []models.DataKey
}

func (k *keys) List(context.Context) ([]models.DataKey, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]models.DataKey(nil), k.rows...), nil
}

func (k *keys) Add(_ context.Context, key models.DataKey) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.rows = append(k.rows, key)
	return nil
}

func newVault(t testing.TB) *vault.Vault {
	t.Helper()
	v, err := vault.Open(context.Background(), make([]byte, vault.KeySize), &keys{}, start)
	require.NoError(t, err)
	return v
}

var start = time.Date(2026, 11, 20, 9, 30, 0, 123_456_789, time.UTC)

// clock is a time that tests move.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

// source holds files by reference; err is what it fails with, none what it says of references it lacks.
type source struct {
	files     map[string]files.Content
	err, none error
	onOpen    func()
}

func (s source) Open(_ context.Context, ref string) (files.Content, error) {
	if s.onOpen != nil {
		s.onOpen()
	}
	if s.err != nil {
		return files.Content{}, s.err
	}
	content, ok := s.files[ref]
	if !ok {
		return files.Content{}, s.none
	}
	return content, nil
}

const (
	selfieRef   = "register/COD-1A2B-3C4D-5E6F/selfie"
	evidenceRef = "evidence/frd_01/0"
)

var (
	selfie   = files.Content{Type: "image/jpeg", Bytes: []byte("\xff\xd8 a portrait")}
	evidence = files.Content{Type: "application/pdf", Bytes: []byte("%PDF- a letter")}
)

// fixture is Files at a time that stands still, with a register of one portrait and a store of one letter.
type fixture struct {
	*files.Files
	clock *clock
	cfg   files.Config
}

func newFiles(t testing.TB, change func(*files.Config)) fixture {
	t.Helper()
	c := &clock{now: start}
	cfg := files.Config{
		Vault: newVault(t), PublicURL: publicURL, Now: c.Now,
		Register: source{files: map[string]files.Content{selfieRef: selfie}, none: registry.ErrNoFile},
		Store:    source{files: map[string]files.Content{evidenceRef: evidence}, none: files.ErrNoFile},
	}
	if change != nil {
		change(&cfg)
	}
	return fixture{files.New(cfg), c, cfg}
}

// stored is the stored form of a file object.
func stored(t testing.TB, delivery catalog.Delivery, contentType, ref string) string {
	t.Helper()
	text, err := json.Marshal(catalog.File{ContentType: contentType, Ref: ref, Delivery: delivery})
	require.NoError(t, err)
	return string(text)
}

// shown is a file object as a caller reads it.
type shown struct {
	ContentType string            `json:"content_type"`
	URL         string            `json:"url"`
	ExpiresAt   *models.Timestamp `json:"expires_at"`
	Data        *string           `json:"data"`
}

// sign shows one file by URL.
func (f fixture) sign(t testing.TB, ref string) shown {
	t.Helper()
	text, err := f.Show(t.Context(), []byte(stored(t, catalog.SignedURL, "image/jpeg", ref)))
	require.NoError(t, err)
	var file shown
	require.NoError(t, json.Unmarshal(text, &file))
	return file
}

// token is a fresh token.
func (f fixture) token(t testing.TB, ref string) string {
	t.Helper()
	return strings.TrimPrefix(f.sign(t, ref).URL, publicURL+files.Path)
}

// everything is the stored result of a citizen with all scopes.
func everything(t testing.TB, delivery catalog.Delivery) []byte {
	t.Helper()
	person := registry.SyntheticCitizen(0).Person
	disclosed := identity.Disclose(&person, catalog.Facts{Scopes: catalog.KYC.Names(), Delivery: delivery})
	text, err := json.Marshal(disclosed)
	require.NoError(t, err)
	return text
}
