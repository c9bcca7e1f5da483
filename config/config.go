// Package config is the platform's configuration: one struct, read once from a file and the environment,
// checked as a whole. config.example.yaml explains every key.
package config

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
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
	Webhooks      Webhooks  `mapstructure:"webhooks"`
	Files         Files     `mapstructure:"files"`
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
	// Deployment and Build name the version of the workers; both are empty when workers have no versions.
	Deployment string `mapstructure:"deployment"`
	Build      string `mapstructure:"build"`
}

// Retention says how long things are kept.
type Retention struct {
	Results time.Duration `mapstructure:"results"`
	// Idempotency is how long an answer is kept under its Idempotency-Key.
	Idempotency time.Duration `mapstructure:"idempotency"`
}

// Files says where the platform keeps files, and how long their URLs are valid.
type Files struct {
	// Store is a folder (file:///…) or a bucket (s3://…).
	Store       string        `mapstructure:"store"`
	URLLifetime time.Duration `mapstructure:"url_lifetime"`
}

// Webhooks says how events reach their endpoints.
type Webhooks struct {
	// Schedule is the waits between the attempts of a delivery.
	Schedule []time.Duration `mapstructure:"schedule"`
	// AllowLoopback lists the host:port pairs on this machine that URLs of callers may lead to.
	AllowLoopback []string `mapstructure:"allow_loopback"`
}

// WebhookSchedule is the schedule of the specification (Events, Acknowledgement and retries).
func WebhookSchedule() []time.Duration {
	return []time.Duration{time.Minute, 10 * time.Minute, time.Hour, 6 * time.Hour}
}

// Log says what is logged, and how.
type Log struct {
	Level  string `mapstructure:"level"`
	Format string `mapstructure:"format"`
}

// Livemode reports whether this is production.
func (c Config) Livemode() bool { return c.Environment == "production" }

// String names the deployment and hides the secrets: a DSN may hold a password.
func (c Config) String() string {
	return fmt.Sprintf("%s at %s, %s database, %s register, Temporal %s/%s", c.Environment, c.PublicURL,
		c.Database.Driver, c.Register.Driver, c.Temporal.Address, c.Temporal.Namespace)
}

// GoString hides the secrets from %#v too.
func (c Config) GoString() string { return c.String() }

// LogValue implements slog.LogValuer, so that a JSON log does not show the secrets.
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }

// String hides the DSN.
func (d Database) String() string { return d.Driver + " database" }

// GoString hides the DSN from %#v too.
func (d Database) GoString() string { return d.String() }

// String hides the DSN.
func (r Register) String() string { return r.Driver + " register" }

// GoString hides the DSN from %#v too.
func (r Register) GoString() string { return r.String() }

func defaults() map[string]any {
	return map[string]any{
		"environment": "sandbox", "public_url": "", "master_key_file": "",
		"api.listen": "127.0.0.1:8080", "api.trusted_proxies": []string{}, "api.spool_dir": "", "api.limits": true,
		"database.driver": "sqlite", "database.dsn": "", "database.max_connections": 0,
		"register.driver": "sqlite", "register.dsn": "",
		"register.http.url": "", "register.http.cert_file": "", "register.http.key_file": "", "register.http.ca_file": "",
		"temporal.address": "127.0.0.1:7233", "temporal.namespace": "", "temporal.deployment": "", "temporal.build": "",
		"retention.results": "720h", "retention.idempotency": "24h",
		"files.store": "", "files.url_lifetime": "5m",
		"webhooks.schedule": []string{"1m", "10m", "1h", "6h"}, "webhooks.allow_loopback": []string{},
		"log.level": "info", "log.format": "text",
	}
}

// Load reads a file (empty: none), lets PLATFORM_… variables override it, and lists everything that is wrong,
// all at once.
func Load(file string) (Config, error) {
	cfg, faults, err := read(file, nil)
	if err != nil {
		return Config{}, err
	}
	for _, fault := range slices.Concat(cfg.faults(), cfg.devOnly(), cfg.notYet()) {
		if !slices.ContainsFunc(faults, func(said string) bool { return aboutSame(said, fault) }) {
			faults = append(faults, fault)
		}
	}
	if err := invalid(faults); err != nil {
		return Config{}, err
	}
	return cfg, nil
}

// aboutSame reports whether a second fault only follows from the first: both are about one key, or the first
// is about the whole section of the second.
func aboutSame(first, second string) bool {
	first, _, _ = strings.Cut(first, " ")
	second, _, _ = strings.Cut(second, " ")
	return first == second || strings.HasPrefix(second, first+".")
}

// Dev is the configuration of `platform dev` in a data folder: the embedded databases and the folder's master
// key, with the file's settings (empty: none) on top.
func Dev(dir, file string) (Config, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Config{}, err
	}
	cfg, faults, err := read(file, map[string]any{
		"master_key_file": filepath.Join(dir, "master.key"),
		"database.dsn":    filepath.Join(dir, "platform.db"),
		"register.dsn":    filepath.Join(dir, "register.db"),
		"files.store":     (&url.URL{Scheme: "file", Path: filepath.Join(dir, "files")}).String(),
		"log.level":       "warn",
	})
	if err != nil {
		return Config{}, err
	}
	return cfg, invalid(faults)
}

// read gives the configuration as far as it can be decoded, and what is wrong with its keys and types.
func read(file string, base map[string]any) (cfg Config, faults []string, err error) {
	v := viper.New()
	known := defaults()
	for key, value := range known {
		v.SetDefault(key, value)
		// Key by key: with AutomaticEnv a variable such as PLATFORM_TEMPORAL would hide the whole section temporal.
		if err := v.BindEnv(key, Variable(key)); err != nil {
			return Config{}, nil, err
		}
	}
	for key, value := range base {
		v.SetDefault(key, value)
	}
	if file != "" {
		v.SetConfigFile(file)
		if err := v.ReadInConfig(); err != nil {
			return Config{}, nil, fmt.Errorf("the configuration file %s cannot be read: %w", file, err)
		}
	}
	for _, key := range slices.Sorted(slices.Values(v.AllKeys())) {
		if _, ok := known[key]; ok {
			continue
		}
		value := v.Get(key)
		if _, emptySection := value.(map[string]any); value != nil && !emptySection {
			faults = append(faults, key+" is no key of the configuration")
		}
	}
	settings := map[string]any{}
	for key := range known {
		if value := v.Get(key); value != nil { // nil where the file has a plain value in place of the section
			set(settings, strings.Split(key, "."), value)
		}
	}
	decoder, err := mapstructure.NewDecoder(&mapstructure.DecoderConfig{
		Result: &cfg, WeaklyTypedInput: true, // variables are text
		DecodeHook: mapstructure.ComposeDecodeHookFunc(
			unitOfDuration, mapstructure.StringToTimeDurationHookFunc(), mapstructure.StringToSliceHookFunc(",")),
	})
	if err != nil {
		return Config{}, nil, err
	}
	faults = append(faults, decodingFaults(decoder.Decode(settings))...)
	if cfg.Temporal.Namespace == "" {
		cfg.Temporal.Namespace = "platform-" + cfg.Environment
	}
	return cfg, faults, nil
}

// Variable is the environment variable that overrides a key, such as PLATFORM_DATABASE_DSN for database.dsn.
func Variable(key string) string {
	return "PLATFORM_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// unitOfDuration refuses a bare number as a duration: it would count nanoseconds.
func unitOfDuration(from, to reflect.Type, value any) (any, error) {
	if to == reflect.TypeFor[time.Duration]() && from.Kind() != reflect.String {
		return nil, errors.New("is a number: give a unit, such as 720h or 30s")
	}
	return value, nil
}

// set puts a value at its path into nested maps.
func set(settings map[string]any, path []string, value any) {
	if len(path) == 1 {
		settings[path[0]] = value
		return
	}
	section, ok := settings[path[0]].(map[string]any)
	if !ok {
		section = map[string]any{}
		settings[path[0]] = section
	}
	set(section, path[1:], value)
}

// decodingFaults lists the values of a wrong type, by walking the tree of errors. The values themselves stay
// out: one may be a password.
func decodingFaults(err error) []string {
	switch e := err.(type) { //nolint:errorlint // each node of the tree is looked at
	case nil:
		return nil
	case *mapstructure.DecodeError:
		var unconvertible *mapstructure.UnconvertibleTypeError
		if errors.As(e, &unconvertible) {
			return []string{fmt.Sprintf("%s has the wrong type: use %s", e.Name(), unconvertible.Expected.Type())}
		}
		return []string{e.Name() + " " + e.Unwrap().Error()}
	case interface{ Unwrap() []error }:
		var faults []string
		for _, one := range e.Unwrap() {
			faults = append(faults, decodingFaults(one)...)
		}
		return faults
	}
	if inner := errors.Unwrap(err); inner != nil {
		return decodingFaults(inner)
	}
	return []string{err.Error()}
}

// Validate lists everything that is wrong, all at once.
func (c Config) Validate() error { return invalid(c.faults()) }

func invalid(faults []string) error {
	if len(faults) == 0 {
		return nil
	}
	return errors.New("the configuration is not valid: " + strings.Join(faults, "; "))
}

// faults begin with the key that each is about.
func (c Config) faults() (faults []string) {
	check := func(ok bool, fault string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Sprintf(fault, args...))
		}
	}
	check(c.Environment == "sandbox" || c.Environment == "production", "environment is %q: use sandbox", c.Environment)
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
	check(c.Database.MaxConnections >= 0, "database.max_connections is %d: use 0 for the default, or a number above", c.Database.MaxConnections)
	check(c.Database.DSN != "", "database.dsn is missing: a file for sqlite, a connection URL for postgres")
	switch c.Register.Driver {
	case "sqlite", "postgres":
		check(c.Register.DSN != "", "register.dsn is missing")
	case "http":
		check(c.Register.HTTP.URL != "", "register.http.url is missing")
		check(c.Register.HTTP.CertFile != "", "register.http.cert_file is missing")
		check(c.Register.HTTP.KeyFile != "", "register.http.key_file is missing")
		check(c.Register.HTTP.CAFile != "", "register.http.ca_file is missing")
	default:
		check(false, "register.driver is %q: use sqlite, postgres or http", c.Register.Driver)
	}
	check(c.Temporal.Address != "", "temporal.address is missing")
	check((c.Temporal.Deployment == "") == (c.Temporal.Build == ""), "temporal.build and temporal.deployment go together: give both or neither")
	check(c.Retention.Results > 0, "retention.results must be longer than nothing")
	check(c.Retention.Idempotency > 0, "retention.idempotency must be longer than nothing")
	check(c.Files.Store != "", "files.store is missing: file:///… for a folder, s3://… for a bucket")
	check(c.Files.URLLifetime > 0, "files.url_lifetime must be longer than nothing")
	check(!slices.ContainsFunc(c.Webhooks.Schedule, func(wait time.Duration) bool { return wait <= 0 }) && len(c.Webhooks.Schedule) <= 20,
		"webhooks.schedule must be up to 20 waits, each longer than nothing")
	var level slog.Level
	check(level.UnmarshalText([]byte(c.Log.Level)) == nil, "log.level is %q: use debug, info, warn or error", c.Log.Level)
	check(c.Log.Format == "text" || c.Log.Format == "json", "log.format is %q: use text or json", c.Log.Format)
	return faults
}

// MasterKeyText reads the master key file.
func (c Config) MasterKeyText() (string, error) {
	text, err := os.ReadFile(c.MasterKeyFile)
	if err != nil {
		return "", fmt.Errorf("the master key cannot be read: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}
