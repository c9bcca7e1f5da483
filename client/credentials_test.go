package client_test

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/client"
)

func TestCredentials_SecretsAreNeverPrinted(t *testing.T) {
	t.Parallel()
	credentials := testCredentials("http://127.0.0.1:1")
	c, err := client.New(credentials, client.WithRetry(client.NoRetry()))
	require.NoError(t, err)
	_, callErr := c.ValidateKYC(t.Context(), sampleRequest())
	require.Error(t, callErr)

	var out bytes.Buffer
	for _, value := range []any{credentials, &credentials, c, callErr} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
			fmt.Fprintf(&out, verb+"\n", value)
		}
		slog.New(slog.NewTextHandler(&out, nil)).Info("x", "value", value)
		slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "value", value)
	}
	require.Contains(t, out.String(), testKeyID)
	for _, secret := range []string{
		credentials.APISecret, credentials.EncryptionKey, fmt.Sprint(testSecret), fmt.Sprint(testKey), "0x1, 0x1, 0x1", "10120301234",
	} {
		require.NotContains(t, out.String(), secret)
	}
}

func TestNew_ErrCredentials(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*client.Credentials){
		"no address":            func(c *client.Credentials) { c.BaseURL = "" },
		"another protocol":      func(c *client.Credentials) { c.BaseURL = "ftp://api.example" },
		"address with a path":   func(c *client.Credentials) { c.BaseURL = "https://api.example/v1" },
		"address with a user":   func(c *client.Credentials) { c.BaseURL = "https://me@api.example" },
		"no key id":             func(c *client.Credentials) { c.KeyID = "" },
		"no secret":             func(c *client.Credentials) { c.APISecret = "" },
		"secret too short":      func(c *client.Credentials) { c.APISecret = "c2hvcnQ=" },
		"key that is no base64": func(c *client.Credentials) { c.EncryptionKey = "?" },
		"missing CA file":       func(c *client.Credentials) { c.CAFile = "absent.pem" },
		"CA file without PEM":   func(c *client.Credentials) { c.CAFile = "doc.go" },
		"certificate alone":     func(c *client.Credentials) { c.ClientCertFile = "cert.pem" },
		"missing certificate":   func(c *client.Credentials) { c.ClientCertFile, c.ClientKeyFile = "absent.pem", "absent.pem" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			credentials := testCredentials("https://api.example/")
			_, err := client.New(credentials)
			require.NoError(t, err)
			change(&credentials)
			_, err = client.New(credentials)
			require.Error(t, err)
			require.NotContains(t, err.Error(), "c2hvcnQ=")
		})
	}
}

func TestLoadCredentials_OK(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "credentials.json")
	want := testCredentials("http://127.0.0.1:8080")
	want.CAFile, want.ClientCertFile, want.ClientKeyFile = "ca.pem", "/abs/cert.pem", "sub/key.pem"
	members := mustJSON(t, want)
	require.NoError(t, os.WriteFile(path, []byte(members[:len(members)-1]+`,"temporal_ui":"http://127.0.0.1:8233","staff":[{}]}`), 0o600))

	got, err := client.LoadCredentials(path)
	require.NoError(t, err)
	want.CAFile, want.ClientKeyFile = filepath.Join(dir, "ca.pem"), filepath.Join(dir, "sub/key.pem")
	require.True(t, want == got)
}

func TestLoadCredentials_ErrFile(t *testing.T) {
	t.Parallel()
	_, err := client.LoadCredentials(filepath.Join(t.TempDir(), "absent.json"))
	require.ErrorIs(t, err, os.ErrNotExist)
	path := filepath.Join(t.TempDir(), "credentials.json")
	require.NoError(t, os.WriteFile(path, []byte("no JSON"), 0o600))
	_, err = client.LoadCredentials(path)
	require.ErrorContains(t, err, "not a JSON object")
}

func TestNew_ErrTLSConfigAndHTTPClient(t *testing.T) {
	t.Parallel()
	_, err := client.New(testCredentials("https://api.example"), client.WithHTTPClient(&http.Client{}), client.WithTLSConfig(&tls.Config{MinVersion: tls.VersionTLS12}))
	require.Error(t, err)
}
