// Package config is the platform's configuration: one struct, read once from a file and the environment,
// checked as a whole. config.example.yaml explains every key.
package config

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-viper/mapstructure/v2"
	"github.com/spf13/viper"
)

// Config is the whole configuration.
type Config struct {
	// Environment is sandbox or production; one deployment serves one.
	Environment string `mapstructure:"environment"`
	// PublicURL is where callers reach the API, without a path.
	PublicURL string `mapstructure:"public_url"`
	// MasterKeyFile holds the deployment's master key: 32 bytes in base64.
	MasterKeyFile string    `mapstructure:"master_key_file"`
	API           API       `mapstructure:"api"`
	Database      Database  `mapstructure:"database"`
	Register      Register  `mapstructure:"register"`
	Temporal      Temporal  `mapstructure:"temporal"`
	Retention     Retention `mapstructure:"retention"`
	Log           Log       `mapstructure:"log"`
}

// API is the HTTP listener.
type API struct {
	Listen         string   `mapstructure:"listen"`
	TrustedProxies []string `mapstructure:"trusted_proxies"`
	SpoolDir       string   `mapstructure:"spool_dir"`
	// Limits is false only under `dev --no-limits`.
	Limits bool `mapstructure:"limits"`
}

// Database says where rows are kept.
type Database struct {
	Driver         string `mapstructure:"driver"`
	DSN            string `mapstructure:"dsn"`
	MaxConnections int    `mapstructure:"max_connections"`
}

// Register says where the national register is.
type Register struct {
	// Driver is sqlite or postgres for the embedded register, http for an operator's own.
	Driver string       `mapstructure:"driver"`
	DSN    string       `mapstructure:"dsn"`
	HTTP   RegisterHTTP `mapstructure:"http"`
}

// RegisterHTTP reaches an operator's register.
type RegisterHTTP struct {
	URL      string `mapstructure:"url"`
	CertFile string `mapstructure:"cert_file"`
	KeyFile  string `mapstructure:"key_file"`
	CAFile   string `mapstructure:"ca_file"`
}

// Temporal says where the workflows run.
type Temporal struct {
	Address   string `mapstructure:"address"`
	Namespace string `mapstructure:"namespace"`
}

// Retention says how long things are kept.
type Retention struct {
	Results time.Duration `mapstructure:"results"`
}

// Log says what is logged, and how.
type Log struct {
	Level  string `mapstructure:"level"`
	Format string `mapstructure:"format"`
}

// Livemode reports whether this is production.
func (c Config) Livemode() bool { return c.Environment == "production" }

// String names the deployment and hides the secrets.
func (c Config) String() string {
	return fmt.Sprintf("%s at %s, %s database, %s register, Temporal %s/%s", c.Environment, c.PublicURL,
		c.Database.Driver, c.Register.Driver, c.Temporal.Address, c.Temporal.Namespace)
}

func defaults() map[string]any {
	return map[string]any{
		"environment": "sandbox", "public_url": "", "master_key_file": "",
		"api.listen": "127.0.0.1:8080", "api.trusted_proxies": []string{}, "api.spool_dir": "", "api.limits": true,
		"database.driver": "sqlite", "database.dsn": "", "database.max_connections": 0,
		"register.driver": "sqlite", "register.dsn": "",
		"register.http.url": "", "register.http.cert_file": "", "register.http.key_file": "", "register.http.ca_file": "",
		"temporal.address": "127.0.0.1:7233", "temporal.namespace": "",
		"retention.results": "720h",
		"log.level":         "info", "log.format": "text",
	}
}

// Load reads a file (empty: none), lets PLATFORM_… variables override it, and checks everything at once.
func Load(file string) (Config, error) {
	cfg, err := read(file, nil)
	if err != nil {
		return Config{}, err
	}
	return cfg, cfg.Validate()
}

// Dev is the configuration of `platform dev` in a data folder: the embedded databases and the folder's master
// key, with the file's settings (empty: none) on top.
func Dev(dir, file string) (Config, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Config{}, err
	}
	return read(file, map[string]any{
		"master_key_file": filepath.Join(dir, "master.key"),
		"database.dsn":    filepath.Join(dir, "platform.db"),
		"register.dsn":    filepath.Join(dir, "register.db"),
		"log.level":       "warn",
	})
}

func read(file string, base map[string]any) (Config, error) {
	v := viper.New()
	for key, value := range defaults() {
		v.SetDefault(key, value)
	}
	for key, value := range base {
		v.SetDefault(key, value)
	}
	v.SetEnvPrefix("PLATFORM")
	v.SetEnvKeyReplacer(strings.NewReplacer(".", "_"))
	v.AutomaticEnv()
	if file != "" {
		v.SetConfigFile(file)
		if err := v.ReadInConfig(); err != nil {
			return Config{}, fmt.Errorf("the configuration file %s cannot be read: %w", file, err)
		}
	}
	var cfg Config
	err := v.UnmarshalExact(&cfg, viper.DecodeHook(mapstructure.ComposeDecodeHookFunc(
		mapstructure.StringToTimeDurationHookFunc(), mapstructure.StringToSliceHookFunc(","))))
	if err != nil {
		return Config{}, fmt.Errorf("the configuration is not valid: %w", err)
	}
	if cfg.Temporal.Namespace == "" {
		cfg.Temporal.Namespace = "platform-" + cfg.Environment
	}
	return cfg, nil
}

// Validate lists everything that is wrong, all at once.
func (c Config) Validate() error {
	var faults []string
	check := func(ok bool, fault string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Sprintf(fault, args...))
		}
	}
	check(c.Environment == "sandbox" || c.Environment == "production", "environment is %q: use sandbox or production", c.Environment)
	u, err := url.Parse(c.PublicURL)
	check(err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && strings.Trim(u.Path, "/") == "",
		"public_url is %q: give scheme and host, such as https://identity.example.cd", c.PublicURL)
	check(c.MasterKeyFile != "", "master_key_file is missing: it names the file with the deployment's master key")
	_, _, err = net.SplitHostPort(c.API.Listen)
	check(err == nil, "api.listen is %q: give address and port, such as 127.0.0.1:8080", c.API.Listen)
	for _, proxy := range c.API.TrustedProxies {
		_, notPrefix := netip.ParsePrefix(proxy)
		_, notAddr := netip.ParseAddr(proxy)
		check(notPrefix == nil || notAddr == nil, "api.trusted_proxies holds %q, which is neither an address nor a network", proxy)
	}
	check(c.Database.Driver == "sqlite" || c.Database.Driver == "postgres", "database.driver is %q: use sqlite or postgres", c.Database.Driver)
	check(c.Database.DSN != "", "database.dsn is missing: a file for sqlite, a connection URL for postgres")
	switch c.Register.Driver {
	case "sqlite", "postgres":
		check(c.Register.DSN != "", "register.dsn is missing")
	case "http":
		check(c.Register.HTTP.URL != "", "register.http.url is missing")
	default:
		check(false, "register.driver is %q: use sqlite, postgres or http", c.Register.Driver)
	}
	check(c.Temporal.Address != "", "temporal.address is missing")
	check(c.Retention.Results > 0, "retention.results must be longer than nothing")
	check(c.Log.Format == "text" || c.Log.Format == "json", "log.format is %q: use text or json", c.Log.Format)
	if len(faults) > 0 {
		return errors.New("the configuration is not valid: " + strings.Join(faults, "; "))
	}
	return nil
}

// MasterKeyText reads the master key file.
func (c Config) MasterKeyText() (string, error) {
	text, err := os.ReadFile(c.MasterKeyFile)
	if err != nil {
		return "", fmt.Errorf("the master key cannot be read: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}
