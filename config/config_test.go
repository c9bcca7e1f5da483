package config_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/spf13/viper"
	"github.com/stretchr/testify/require"

	"idplatform/config"
)

// write puts a configuration file into a folder of its own.
func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// least is the shortest configuration that is valid.
const least = `
public_url: https://identity.example.cd
master_key_file: /etc/platform/master.key
database: {dsn: /var/lib/platform/platform.db}
register: {dsn: /var/lib/platform/register.db}
files: {store: 'file:///var/lib/platform/files'}
`

// keys are those of a struct, with the section before the dot.
func keys(of reflect.Type, section string) (all []string) {
	for field := range of.Fields() {
		name := section + field.Tag.Get("mapstructure")
		if field.Type.Kind() == reflect.Struct {
			all = append(all, keys(field.Type, name+".")...)
			continue
		}
		all = append(all, name)
	}
	return all
}

func TestTheExampleLoads(t *testing.T) {
	cfg, err := config.Load("config.example.yaml")
	require.NoError(t, err)
	require.Equal(t, "postgres", cfg.Database.Driver)
	require.Equal(t, []string{"10.0.0.0/24"}, cfg.API.TrustedProxies)
	require.Equal(t, 30*24*time.Hour, cfg.Retention.Results)
	require.Equal(t, "platform-sandbox", cfg.Temporal.Namespace)
	require.True(t, cfg.API.Limits)
}

func TestTheComposeExampleLoads(t *testing.T) {
	cfg, err := config.Load("config.compose.yaml")
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1:7233", cfg.Temporal.Address)
}

func TestTheExampleHasEveryKeyAndNoOther(t *testing.T) {
	t.Parallel()
	example := viper.New()
	example.SetConfigFile("config.example.yaml")
	require.NoError(t, example.ReadInConfig())
	require.ElementsMatch(t, keys(reflect.TypeFor[config.Config](), ""), example.AllKeys())
}

func TestTheExampleExplainsEveryKey(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("config.example.yaml")
	require.NoError(t, err)
	explained := false // by a comment above, or by one above its neighbour (cert_file and key_file)
	for line := range strings.Lines(string(text)) {
		switch line = strings.TrimSpace(line); {
		case strings.HasPrefix(line, "#"):
			explained = true
		case line == "":
			explained = false
		case strings.Contains(line, ": ") && !strings.HasPrefix(line, "-"):
			require.True(t, explained, "no comment above: %s", line)
		}
	}
}

func TestLoadOK(t *testing.T) {
	cfg, err := config.Load(write(t, least))
	require.NoError(t, err)
	// What the file says, and the defaults of what it does not.
	require.Equal(t, "/var/lib/platform/platform.db", cfg.Database.DSN)
	require.Equal(t, "sandbox", cfg.Environment)
	require.False(t, cfg.Livemode())
	require.Equal(t, config.API{Listen: "127.0.0.1:8080", TrustedProxies: []string{}, Limits: true}, cfg.API)
	require.Equal(t, "sqlite", cfg.Database.Driver)
	require.Equal(t, config.Temporal{Address: "127.0.0.1:7233", Namespace: "platform-sandbox"}, cfg.Temporal)
	require.Equal(t, 30*24*time.Hour, cfg.Retention.Results)
	require.Equal(t, config.Log{Level: "info", Format: "text"}, cfg.Log)
}

func TestLoadRefuses(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		says []string
	}{
		"ErrNothing":         {"", []string{"public_url is", "master_key_file is missing", "database.dsn is missing", "register.dsn is missing", "files.store is missing"}},
		"ErrUnknownKey":      {least + "databse: {driver: sqlite}", []string{"databse.driver is no key of the configuration"}},
		"ErrUnknownInner":    {least + "retention: {result: 1h}", []string{"retention.result is no key of the configuration"}},
		"ErrNoSection":       {least + "log: debug", []string{"log is no key of the configuration"}},
		"ErrWrongType":       {least + "temporal: {namespace: [a]}", []string{"temporal.namespace has the wrong type: use string"}},
		"ErrNoUnit":          {least + "retention: {results: 720}", []string{"retention.results is a number: give a unit, such as 720h or 30s"}},
		"ErrNoLevel":         {least + "log: {level: loud}", []string{`log.level is "loud": use debug, info, warn or error`}},
		"ErrNoFormat":        {least + "log: {format: xml}", []string{`log.format is "xml": use text or json`}},
		"ErrNoEnvironment":   {least + "environment: test", []string{`environment is "test": use sandbox`}},
		"ErrProduction":      {least + "environment: production", []string{`environment is "production": production needs TLS and client certificates, which this version does not have`}},
		"ErrProxy":           {least + "api: {trusted_proxies: [proxy.internal]}", []string{`api.trusted_proxies holds "proxy.internal"`}},
		"ErrListen":          {least + "api: {listen: '8080'}", []string{`api.listen is "8080"`}},
		"ErrPath":            {strings.Replace(least, "example.cd", "example.cd/api", 1), []string{"public_url is"}},
		"ErrForever":         {least + "retention: {results: 0s}", []string{"retention.results must be longer than nothing"}},
		"ErrAllAtOnce":       {"environment: test\nlog: {level: 1, colour: red}\nretention: {results: many}", []string{"log.colour is no key", "retention.results", "environment is", "public_url is", "log.level is"}},
		"ErrRegisterByHTTP":  {strings.Replace(least, "register: {", "register: {driver: http, ", 1), []string{"register.http.url is missing", "register.http.cert_file", "register.http.key_file", "register.http.ca_file"}},
		"ErrMaxConnections":  {strings.Replace(least, "database: {", "database: {max_connections: -1, ", 1), []string{"database.max_connections is -1"}},
		"ErrDatabaseDriver":  {strings.Replace(least, "database: {", "database: {driver: mysql, ", 1), []string{`database.driver is "mysql": use sqlite or postgres`}},
		"ErrRegisterDriver":  {strings.Replace(least, "register: {", "register: {driver: ldap, ", 1), []string{`register.driver is "ldap": use sqlite, postgres or http`}},
		"ErrSchedule":        {least + "webhooks: {schedule: [1s]}", []string{"webhooks.schedule can be changed under `platform dev` only"}},
		"ErrNoWait":          {least + "webhooks: {schedule: [0s]}", []string{"webhooks.schedule must be up to 20 waits"}},
		"ErrLoopback":        {least + "webhooks: {allow_loopback: ['127.0.0.1:9000']}", []string{"webhooks.allow_loopback can be set under `platform dev` only"}},
		"ErrNotYAML":         {"environment: [", []string{"cannot be read"}},
		"ErrNumberForString": {least + "api: {limits: perhaps}", []string{"api.limits cannot parse value as 'bool'"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := config.Load(write(t, tc.text))
			for _, part := range tc.says {
				require.ErrorContains(t, err, part)
			}
			require.NotContains(t, strings.TrimSpace(err.Error()), "\n", "one sentence")
			for key := range strings.SplitSeq(strings.TrimPrefix(err.Error(), "the configuration is not valid: "), "; ") {
				key, _, _ = strings.Cut(key, " ")
				require.Equal(t, 1, strings.Count(err.Error(), key+" "), "%s is named once", key)
			}
		})
	}
	_, err := config.Load(filepath.Join(t.TempDir(), "absent.yaml"))
	require.ErrorContains(t, err, "cannot be read")
}

func TestVariablesOverrideTheFile(t *testing.T) {
	t.Setenv("PLATFORM_DATABASE_DSN", "/elsewhere/platform.db")
	t.Setenv("PLATFORM_API_TRUSTED_PROXIES", "10.0.0.1,10.0.1.0/24")
	t.Setenv("PLATFORM_API_LIMITS", "false")
	t.Setenv("PLATFORM_RETENTION_RESULTS", "48h")
	t.Setenv("PLATFORM_LOG_LEVEL", "debug")
	// Variables that share a section's name, such as a container platform sets, hide nothing.
	t.Setenv("PLATFORM_TEMPORAL", "/usr/bin/temporal")
	t.Setenv("PLATFORM_API", "tcp://10.0.0.9:8080")
	cfg, err := config.Load(write(t, least+"log:\n")) // a section that is left empty is overridden as well
	require.NoError(t, err)
	require.Equal(t, "/elsewhere/platform.db", cfg.Database.DSN)
	require.Equal(t, []string{"10.0.0.1", "10.0.1.0/24"}, cfg.API.TrustedProxies)
	require.False(t, cfg.API.Limits)
	require.Equal(t, 48*time.Hour, cfg.Retention.Results)
	require.Equal(t, "debug", cfg.Log.Level)
	require.Equal(t, "127.0.0.1:7233", cfg.Temporal.Address)
	require.Equal(t, "PLATFORM_REGISTER_HTTP_CA_FILE", config.Variable("register.http.ca_file"))
}

func TestAVariableOfTheWrongTypeIsNotQuoted(t *testing.T) {
	t.Setenv("PLATFORM_DATABASE_MAX_CONNECTIONS", "hunter2")
	_, err := config.Load(write(t, least))
	require.ErrorContains(t, err, "database.max_connections")
	require.NotContains(t, err.Error(), "hunter2")
}

func TestDev(t *testing.T) {
	dir := t.TempDir()
	cfg, err := config.Dev(dir, write(t, "retention: {results: 1m}"))
	require.NoError(t, err)
	require.Equal(t, filepath.Join(dir, "platform.db"), cfg.Database.DSN)
	require.Equal(t, filepath.Join(dir, "master.key"), cfg.MasterKeyFile)
	require.Equal(t, time.Minute, cfg.Retention.Results)
	require.Equal(t, "warn", cfg.Log.Level)

	cfg, err = config.Dev(dir, write(t, "webhooks: {schedule: [1s, 2s], allow_loopback: ['127.0.0.1:9000']}"))
	require.NoError(t, err)
	require.Equal(t, []time.Duration{time.Second, 2 * time.Second}, cfg.Webhooks.Schedule)
	require.Equal(t, []string{"127.0.0.1:9000"}, cfg.Webhooks.AllowLoopback)

	_, err = config.Dev(dir, write(t, "retentoin: {results: 1m}"))
	require.ErrorContains(t, err, "retentoin.results is no key of the configuration")
}

func TestSecretsAreHidden(t *testing.T) {
	const password = "Correct-Horse"
	const dsn = "postgres://platform:" + password + "@db/platform"
	cfg := config.Config{Database: config.Database{Driver: "postgres", DSN: dsn}, Register: config.Register{Driver: "postgres", DSN: dsn}}
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("start", "config", cfg)
	for _, printed := range []string{
		log.String(), cfg.String(), fmt.Sprint(cfg), fmt.Sprintf("%+v", cfg), fmt.Sprintf("%#v", cfg),
		fmt.Sprint(cfg.Database), fmt.Sprintf("%#v", cfg.Database), fmt.Sprintf("%+v", cfg.Register), fmt.Sprintf("%#v", cfg.Register),
	} {
		require.NotContains(t, printed, password)
		require.Contains(t, printed, "postgres")
	}
}
