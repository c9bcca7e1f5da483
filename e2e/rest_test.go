package e2e_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"idplatform/client"
	"idplatform/config"
	"idplatform/e2e/e2etest"
)

// After calls in every mode, whoever has the platform's database, file or dump, and not its master key, finds
// nothing of the people that the calls were about.
func TestAtRest_NothingPersonalIsReadable(t *testing.T) {
	t.Parallel()
	for _, driver := range []string{"sqlite", "postgres"} {
		t.Run(driver, func(t *testing.T) {
			t.Parallel()
			var cfg config.Config
			p := e2etest.Start(t, e2etest.Options{Driver: databaseDriver(driver), Temporal: e2etest.Temporal(t), Worker: true,
				Change: func(c *config.Config) { cfg = *c }})
			p.AwaitReady()
			secrets := callInEveryMode(t, p)
			require.Greater(t, len(secrets), 60)

			found := 0
			for place, content := range stored(t, p, cfg) {
				require.NotEmpty(t, content, place)
				if bytes.Contains(content, []byte("kyc_validation")) {
					found++ // what is not personal is there to be read, so that the search would have found the rest
				}
				lower := bytes.ToLower(content)
				for _, secret := range secrets {
					require.False(t, bytes.Contains(lower, bytes.ToLower([]byte(secret))), "%q is in %s", secret, place)
				}
			}
			require.NotZero(t, found)
		})
	}
}

// callInEveryMode makes calls about two citizens and gives what is personal in them and their answers.
func callInEveryMode(t *testing.T, p *e2etest.Platform) (secrets []string) {
	t.Helper()
	a := p.NewApplication()
	sdk := a.Client(client.WithPolling(fastPoll, 4*fastPoll))
	one := kyc(0, object{"scopes": nil, "reference": "Dossier-Zoé-4711", "match": object{
		"full_name": "Célestine Wembo-Otepa", "date_of_birth": "1961-02-03", "age": 64}})
	post(t, sdk, validations, one)
	once(t, p, a, uuid.NewString(), validations, one)
	withReference := func(k int, reference string) object {
		return item(k, reference, object{"scopes": nil, "match": one["match"]})
	}
	submit(t, sdk, object{"items": []any{withReference(0, "Dossier-Un-4712"), withReference(1, "Dossier-Deux-4713"), object{"reference": "Dossier-Trois-4714"}}})
	once(t, p, a, uuid.NewString(), batches, object{"items": []any{withReference(1, "Dossier-Quatre-4715")}})

	accepted, err := sdk.Do(t.Context(), http.MethodPost, validations, text(t, one), client.Async())
	require.NoError(t, err)
	job, err := sdk.WaitJob(t.Context(), read(t, accepted.Body)["id"].(string))
	require.NoError(t, err)
	require.Equal(t, "completed", job.Status)
	accepted, err = sdk.Do(t.Context(), http.MethodPost, batches, text(t, object{"items": []any{withReference(0, "Dossier-Cinq-4716"),
		withReference(1, "Dossier-Six-4717"), object{"reference": "Dossier-Sept-4718", "match": object{"full_name": 7}}}}), client.Async())
	require.NoError(t, err)
	batch, err := sdk.WaitBatch(t.Context(), read(t, accepted.Body)["id"].(string))
	require.NoError(t, err)
	require.Equal(t, 2, batch.SucceededItems)

	secrets = []string{"Dossier-", "Célestine", "Wembo", "Otepa", "1961-02-03", `"identifier"`, `"full_name"`, `"date_of_birth"`, `"items"`}
	for k := range 2 {
		citizen := e2etest.Citizen(k)
		secrets = append(secrets, values(t, citizen.Person)...)
		for _, id := range citizen.Identifiers {
			secrets = append(secrets, id.Value)
		}
	}
	return secrets
}

// values are the texts of a citizen's record that tell one citizen from another.
func values(t *testing.T, person any) (all []string) {
	t.Helper()
	encoded, err := json.Marshal(person)
	require.NoError(t, err)
	var tree any
	require.NoError(t, json.Unmarshal(encoded, &tree))
	var walk func(any)
	walk = func(value any) {
		switch v := value.(type) {
		case map[string]any:
			for name, member := range v {
				switch name { // words that stand in the platform's own vocabulary, or mean nobody
				case "type", "status", "format", "content_type", "level_of_assurance", "gender", "nationality", "country", "issuing_authority", "created_at":
					continue
				}
				walk(member)
			}
		case []any:
			for _, member := range v {
				walk(member)
			}
		case string:
			if len([]rune(v)) >= 6 { // a shorter one may stand in random bytes
				all = append(all, v)
			}
		}
	}
	walk(tree)
	return all
}

// stored is everything that the platform keeps: the files of its folder, and every row of its database.
func stored(t *testing.T, p *e2etest.Platform, cfg config.Config) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	if cfg.Database.Driver == "sqlite" {
		folder := filepath.Dir(cfg.Database.DSN)
		require.NoError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Base(path) == "master.key" || strings.HasSuffix(path, "-shm") {
				return err
			}
			content, err := os.ReadFile(path)
			if len(content) > 0 {
				all[path] = content
			}
			return err
		}))
		require.Contains(t, all, cfg.Database.DSN+"-wal")
		return all
	}
	pool, err := p.Store().DB().SQL()
	require.NoError(t, err)
	tables, err := pool.QueryContext(t.Context(), "SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
	require.NoError(t, err)
	defer tables.Close()
	for tables.Next() {
		var table string
		require.NoError(t, tables.Scan(&table))
		all[table] = dump(t, p, table)
	}
	require.NoError(t, tables.Err())
	for _, table := range []string{"results", "audit_entries", "idempotency_keys", "jobs", "batch_items", "nonces"} {
		require.NotEmpty(t, all[table], table)
	}
	return all
}

// dump is a table as text, and after each row the bytes that its hexadecimal digits stand for.
func dump(t *testing.T, p *e2etest.Platform, table string) []byte {
	t.Helper()
	pool, err := p.Store().DB().SQL()
	require.NoError(t, err)
	rows, err := pool.QueryContext(t.Context(), "SELECT t::text FROM "+table+" t")
	require.NoError(t, err)
	defer rows.Close()
	out := bytes.NewBufferString(table + "\n")
	for rows.Next() {
		var row string
		require.NoError(t, rows.Scan(&row))
		out.WriteString(row + "\n")
		for _, field := range strings.Split(row, `\x`)[1:] {
			end := strings.IndexFunc(field, func(r rune) bool { return !strings.ContainsRune("0123456789abcdef", r) })
			if end < 0 {
				end = len(field)
			}
			decoded, err := hex.DecodeString(field[:end])
			require.NoError(t, err)
			out.Write(decoded)
		}
	}
	require.NoError(t, rows.Err())
	return out.Bytes()
}

// A sealed value that is put into another row does not open there, and nothing of it is told.
func TestAtRest_SealedValuesStayWhereTheyAre(t *testing.T) {
	t.Parallel()
	e2etest.Each(t, func(t *testing.T, p *e2etest.Platform) {
		sdk := p.NewApplication().Client()
		one, two := post(t, sdk, validations, kyc(0, nil))["id"].(string), post(t, sdk, validations, kyc(1, nil))["id"].(string)
		for name, change := range map[string]string{
			"OfAnotherRow": "(SELECT body FROM results WHERE id = '" + two + "')",
			"Cut":          "substr(body, 1, 40)",
			"Empty":        "''",
		} {
			_, err := p.Store().DB().Exec(t.Context(), "UPDATE results SET body = "+change+" WHERE id = '"+one+"'")
			require.NoError(t, err)
			refused := refusal(t, sdk, http.MethodGet, validations+"/"+one, nil)
			require.Equal(t, client.InternalError, refused.Code, name)
			require.NotContains(t, refused.Message, "seal", name)
		}
		_, err := sdk.GetKYCValidation(t.Context(), two)
		require.NoError(t, err)
	})
}
