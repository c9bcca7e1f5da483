package app

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/schollz/progressbar/v3"

	"idplatform/config"
	"idplatform/engines/registry"
	"idplatform/platform/access"
	"idplatform/platform/vault"
)

// devOrganisation owns the application that a first start creates.
const devOrganisation = "Sandbox organisation"

// DevCredentials is credentials.json of a data folder.
type DevCredentials struct {
	BaseURL string `json:"base_url"`
	access.Credentials
	TemporalUI string `json:"temporal_ui,omitempty"`
}

const (
	credentialsFile = "credentials.json"
	settingsFile    = "settings.json"
)

// ensureMasterKey makes the deployment's master key once.
func ensureMasterKey(path string) error {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	key := make([]byte, vault.KeySize)
	_, _ = rand.Read(key) // crypto/rand does not fail
	return writePrivate(path, []byte(base64.StdEncoding.EncodeToString(key)+"\n"))
}

// writePrivate writes a file for its owner's eyes, whole or not at all.
func writePrivate(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// populate brings the register to n citizens, with a progress bar when there is something to do.
func populate(ctx context.Context, register *registry.SQL, n int, w io.Writer) error {
	var bar *progressbar.ProgressBar
	return register.Populate(ctx, n, func(done, total int) {
		if w == nil {
			return
		}
		if bar == nil {
			bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(w), progressbar.OptionShowCount(),
				progressbar.OptionSetDescription("Population"), progressbar.OptionClearOnFinish())
		}
		_ = bar.Set(done) // a bar that cannot be drawn is no reason to stop
	})
}

// ensureCredentials creates the first application and credentials.json, once, and keeps the addresses in it
// true on later starts.
func (d *dev) ensureCredentials(ctx context.Context) error {
	path := filepath.Join(d.folder, credentialsFile)
	creds, err := readCredentials(d.folder)
	if errors.Is(err, fs.ErrNotExist) {
		creds, err = d.firstApplication(ctx)
	}
	if err != nil {
		return err
	}
	creds.BaseURL, creds.TemporalUI = d.cfg.PublicURL, d.temporal.UIAddress()
	text, err := json.MarshalIndent(creds, "", "  ")
	if err != nil {
		return err
	}
	return writePrivate(path, append(text, '\n'))
}

func readCredentials(folder string) (DevCredentials, error) {
	var creds DevCredentials
	text, err := os.ReadFile(filepath.Join(folder, credentialsFile))
	if err != nil {
		return creds, err
	}
	if err := json.Unmarshal(text, &creds); err != nil {
		return creds, fmt.Errorf("%s in %s is damaged: remove it, and the next start creates a new application", credentialsFile, folder)
	}
	return creds, nil
}

func (d *dev) firstApplication(ctx context.Context) (DevCredentials, error) {
	admin := d.app.Admin
	org, err := admin.EnsureOrganisation(ctx, devOrganisation, admin.Everything())
	if err != nil {
		return DevCredentials{}, err
	}
	_, shown, err := admin.CreateApplication(ctx, org, "Sandbox application", admin.Everything())
	return DevCredentials{Credentials: shown}, err
}

// writeSettings leaves the configuration of the running platform for the commands that take --data.
func writeSettings(folder string, cfg config.Config) error {
	text, err := json.MarshalIndent(cfg, "", "  ")
	if err != nil {
		return err
	}
	return writePrivate(filepath.Join(folder, settingsFile), append(text, '\n'))
}

// Settings is the configuration that a data folder was last run with, or its defaults when it never was.
func Settings(folder string) (config.Config, error) {
	text, err := os.ReadFile(filepath.Join(folder, settingsFile))
	if err != nil {
		return config.Config{}, fmt.Errorf("%s is not a data folder of `platform dev`: start it once, or name another with --data DIR", folder)
	}
	var cfg config.Config
	if err := json.Unmarshal(text, &cfg); err != nil {
		return config.Config{}, fmt.Errorf("%s in %s is damaged: start `platform dev` to write it anew", settingsFile, folder)
	}
	return cfg, nil
}
