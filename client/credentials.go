package client

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"

	"idplatform/platform/wire"
)

// Credentials are what an application needs to call the platform. They belong to one environment: a key
// of the sandbox is unknown in production.
type Credentials struct {
	// BaseURL is scheme and host of the API, such as https://api.example.cd, without a path.
	BaseURL string `json:"base_url"`
	// KeyID is the public name of the key: pk_sandbox_… or pk_live_….
	KeyID string `json:"key_id"`
	// APISecret signs requests: base64 of 32 bytes.
	APISecret string `json:"api_secret"`
	// EncryptionKey encrypts bodies and verifies webhooks: base64 of 32 bytes.
	EncryptionKey string `json:"encryption_key"`
	// CAFile names a PEM file of the certificates to trust instead of the system's. Optional.
	CAFile string `json:"ca_file,omitempty"`
	// ClientCertFile and ClientKeyFile name the PEM files of the client certificate, which production
	// requires. Either both or none.
	ClientCertFile string `json:"client_cert_file,omitempty"`
	ClientKeyFile  string `json:"client_key_file,omitempty"`
}

// LoadCredentials reads credentials from a JSON file, such as the credentials.json of a first start. Other
// members of the file are ignored. Relative file names in it are relative to its own folder.
func LoadCredentials(path string) (Credentials, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Credentials{}, fmt.Errorf("read the credentials: %w", err)
	}
	var c Credentials
	if err := json.Unmarshal(data, &c); err != nil {
		return Credentials{}, fmt.Errorf("read the credentials: %s is not a JSON object of credentials: %w", path, err)
	}
	for _, name := range []*string{&c.CAFile, &c.ClientCertFile, &c.ClientKeyFile} {
		if *name != "" && !filepath.IsAbs(*name) {
			*name = filepath.Join(filepath.Dir(path), *name)
		}
	}
	return c, nil
}

// String names the key and hides the secrets.
func (c Credentials) String() string {
	return fmt.Sprintf("credentials of %s at %s (secrets hidden)", c.KeyID, c.BaseURL)
}

// GoString hides the secrets from %#v too.
func (c Credentials) GoString() string { return c.String() }

// LogValue implements slog.LogValuer, so that a JSON log does not show the secrets.
func (c Credentials) LogValue() slog.Value { return slog.StringValue(c.String()) }

// base is the address of the API: scheme and host.
func (c Credentials) base() (*url.URL, error) {
	base, err := url.Parse(c.BaseURL)
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") {
		return nil, errors.New("credentials: base_url must be an http or https address such as https://api.example.cd")
	}
	if (base.Path != "" && base.Path != "/") || base.RawQuery != "" || base.Fragment != "" || base.User != nil {
		// The signature covers the path as the server sees it; a prefix that a proxy strips would break it.
		return nil, errors.New("credentials: base_url must be scheme and host only")
	}
	return &url.URL{Scheme: base.Scheme, Host: base.Host}, nil
}

// signer holds the secrets. Client keeps it behind a pointer, so that printing a Client shows an address.
type signer struct {
	keyID  string
	secret []byte
	key    *wire.Key
}

func (c Credentials) signer() (*signer, error) {
	if !wire.IsKeyID(c.KeyID) {
		return nil, errors.New("credentials: key_id must be pk_sandbox_ or pk_live_ and 24 letters or digits")
	}
	secret, err := decodeSecret(c.APISecret)
	if err != nil {
		return nil, fmt.Errorf("credentials: api_secret %w", err)
	}
	encryption, err := decodeSecret(c.EncryptionKey)
	if err != nil {
		return nil, fmt.Errorf("credentials: encryption_key %w", err)
	}
	key, err := wire.NewKey(encryption)
	if err != nil {
		return nil, err
	}
	return &signer{keyID: c.KeyID, secret: secret, key: key}, nil
}

// decodeSecret reads base64 of 32 bytes. Its error does not quote the text.
func decodeSecret(text string) ([]byte, error) {
	secret, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(secret) != wire.SecretSize {
		return nil, fmt.Errorf("must be the base64 of %d bytes", wire.SecretSize)
	}
	return secret, nil
}
