package app_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/app"
	"idplatform/config"
	"idplatform/database"
)

// An application is created with all that belongs to it or not at all, so that none is left whose credentials
// nobody has seen.
func TestCreate_AllOrNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cfg, err := config.Dev(dir, "")
	require.NoError(t, err)
	cfg.PublicURL, cfg.Webhooks.AllowLoopback = "http://127.0.0.1:8080", []string{"127.0.0.1:9000"}
	settings, err := json.Marshal(cfg)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "settings.json"), settings, 0o600))
	key := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32))
	require.NoError(t, os.WriteFile(cfg.MasterKeyFile, []byte(key), 0o600))
	d, err := app.OpenDeployment(t.Context(), app.Place{Data: dir})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	db, err := database.Open(t.Context(), database.Config{Driver: database.SQLite, DSN: cfg.Database.DSN})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	count := func(table string) (n int64) {
		require.NoError(t, db.Read(t.Context()).Table(table).Count(&n).Error)
		return n
	}

	hook := app.WebhookNames{URL: "http://127.0.0.1:9000/hook"}
	created, err := d.Create(t.Context(), app.NewApplication{Name: "One", Organisation: "O", Webhook: hook})
	require.NoError(t, err)
	require.NotEmpty(t, created.APISecret)
	view, err := d.Show(t.Context(), created.KeyID)
	require.NoError(t, err)
	require.Equal(t, hook.URL, view.WebhookURL)

	_, err = d.Create(t.Context(), app.NewApplication{Name: strings.Repeat("x", 201), Organisation: "Another"})
	require.ErrorContains(t, err, "characters")
	pool, err := db.SQL()
	require.NoError(t, err)
	_, err = pool.ExecContext(t.Context(), "CREATE TRIGGER refused BEFORE INSERT ON webhook_endpoints BEGIN SELECT RAISE(ABORT, 'no room'); END")
	require.NoError(t, err)
	refused, err := d.Create(t.Context(), app.NewApplication{Name: "Two", Organisation: "Another", Webhook: hook})
	require.ErrorContains(t, err, "no room")
	require.Zero(t, refused, "credentials of nothing")
	for _, table := range []string{"organisations", "applications", "key_pairs", "webhook_endpoints"} {
		require.Equal(t, int64(1), count(table), table)
	}
}
