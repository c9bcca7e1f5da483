package e2e_test

import (
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"idplatform/app"
	"idplatform/config"
	"idplatform/e2e/e2etest"
	"idplatform/engines/registry"
	"idplatform/models"
)

// entryOf is the one audit entry of a result.
func entryOf(t *testing.T, p *e2etest.Platform, a *e2etest.Application, result object) models.AuditEntry {
	t.Helper()
	entries, err := p.Store().Audit.OfResult(t.Context(), a.ID, result["id"].(string))
	require.NoError(t, err)
	require.Len(t, entries, 1, "a call leaves exactly one entry")
	return entries[0]
}

func words(list any) models.Words {
	w := models.Words{}
	for _, each := range list.([]any) {
		w = append(w, each.(string))
	}
	return w
}

// Every call with a result leaves one entry that says who looked at whom, why and at what.
func TestAudit_OneEntryACall(t *testing.T) {
	t.Parallel()
	e2etest.Each(t, func(t *testing.T, p *e2etest.Platform) {
		a := p.NewApplicationWith(granted(p, fileScopes...))
		sdk := a.Client()
		full, bareOne := citizenWith(t, registry.TraitCertified, registry.TraitAllScopes), citizenWith(t, registry.TraitCertified, registry.TraitBasicOnly)
		n := 0
		for _, c := range []struct {
			name    string
			request object
			outcome string
			scopes  []string
			subject bool
		}{
			{"AllScopes", kyc(full, object{"scopes": nil}), "verified", append([]string{"kyc.basic"}, plainScopes...), true},
			{"Narrowed", kyc(full, object{"scopes": []string{"kyc.emails"}, "purpose": "age_gating"}), "verified", []string{"kyc.basic", "kyc.emails"}, true},
			{"WithheldIsNotSeen", kyc(bareOne, object{"scopes": nil}), "verified", []string{"kyc.basic"}, true},
			{"NotCertified", kyc(citizenWith(t, registry.TraitNotCertified, registry.TraitAccountActive), object{"scopes": nil}), "not_certified", nil, true},
			{"Deleted", kyc(citizenWith(t, registry.TraitAccountDeleted), object{"scopes": nil}), "not_certified", nil, true},
			{"NotFound", kyc(0, object{"identifier": unknown(t, models.Passport)}), "not_found", nil, false},
		} {
			result := post(t, sdk, validations, c.request)
			n++
			entry := entryOf(t, p, a, result)
			require.Equal(t, c.outcome, entry.Outcome, c.name)
			require.Equal(t, "kyc_validation", entry.Service)
			require.Equal(t, c.request["purpose"], string(entry.Purpose), c.name)
			require.Equal(t, append([]string{}, c.scopes...), append([]string{}, entry.Scopes...), c.name)
			require.Equal(t, c.subject, len(entry.Subject) == 32, c.name)
			require.WithinDuration(t, p.Clock.Now(), entry.CreatedAt.Time, time.Minute)
		}
		requireRows(t, p, a, n)

		batch := submit(t, sdk, object{"purpose": "fraud_prevention", "items": []any{
			bareItem(full, "1", object{"scopes": []string{"kyc.languages"}}), bareItem(full, "2", object{"scopes": []string{"none"}}), bareItem(bareOne, "3", object{"purpose": "age_gating"})}})
		for place, purpose := range map[int]string{0: "fraud_prevention", 2: "age_gating"} {
			entry := entryOf(t, p, a, batch[place]["result"].(object))
			require.Equal(t, purpose, string(entry.Purpose))
			require.Equal(t, words(batch[place]["result"].(object)["scopes_applied"]), entry.Scopes)
		}
		requireRows(t, p, a, n+2)
	})
}

// A citizen is the same one under each of their identifiers, and nobody reads off the entry who it is.
func TestAudit_SubjectIsABlindIndex(t *testing.T) {
	t.Parallel()
	e2etest.Each(t, func(t *testing.T, p *e2etest.Platform) {
		a := p.NewApplication()
		sdk := a.Client()
		subjects := map[string]bool{}
		for _, id := range e2etest.Citizen(0).Identifiers {
			entry := entryOf(t, p, a, post(t, sdk, validations, kyc(0, object{"identifier": id})))
			subjects[hex.EncodeToString(entry.Subject)] = true
			require.NotContains(t, fmt.Sprintf("%v %s", entry, entry.Subject), id.Value)
		}
		require.Len(t, subjects, 1)
		other := entryOf(t, p, a, post(t, sdk, validations, kyc(1, nil)))
		require.False(t, subjects[hex.EncodeToString(other.Subject)])
	})
}

// What is refused, read again or replayed enters nobody's trail.
func TestAudit_NothingElseLeavesATrace(t *testing.T) {
	t.Parallel()
	eachWithEcho(t, func(t *testing.T, p *e2etest.Platform, e *echo) {
		grants := granted(p, "kyc.religion")
		grants.Purposes = []string{"fraud_prevention"}
		a := p.NewApplicationWith(grants)
		sdk := a.Client()
		for name, c := range map[string]struct {
			target string
			body   any
		}{
			"Shape":      {validations, kyc(0, object{"extra": 1})},
			"Purpose":    {validations, kyc(0, object{"purpose": "age_gating"})},
			"Scope":      {validations, kyc(0, object{"purpose": "fraud_prevention", "scopes": []string{"kyc.religion"}})},
			"Identifier": {validations, kyc(0, object{"purpose": "fraud_prevention", "identifier": object{"type": "ceni", "value": "1"}})},
			"Batch":      {batches, object{"items": []any{}}},
			"Unreadable": {echoes, say("unreadable")},
			"Forbidden":  {echoes, say("forbidden")},
			"Broken":     {echoes, say("broken")},
		} {
			require.GreaterOrEqual(t, refusal(t, sdk, http.MethodPost, c.target, text(t, c.body)).Status, 400, name)
		}
		e.away.Store(true)
		refusal(t, sdk, http.MethodPost, echoes, text(t, say("yes")))
		requireRows(t, p, a, 0)

		one := kyc(0, object{"purpose": "fraud_prevention"})
		key := uuid.NewString()
		first := once(t, p, a, key, validations, one)
		require.Equal(t, http.StatusOK, first.Status)
		once(t, p, a, key, validations, one)
		_, err := sdk.GetKYCValidation(t.Context(), read(t, first.Body)["id"].(string))
		require.NoError(t, err)
		requireRows(t, p, a, 1)
	})
}

// The commands work beside a running platform: what it sealed holds, in the database and in an export; what was
// changed is found in both.
func TestAudit_Commands(t *testing.T) {
	t.Parallel()
	for _, driver := range []string{"sqlite", "postgres"} {
		t.Run(driver, func(t *testing.T) {
			t.Parallel()
			var cfg config.Config
			p := e2etest.Start(t, e2etest.Options{Driver: databaseDriver(driver), Worker: true, Change: func(c *config.Config) { cfg = *c }})
			a := p.NewApplication()
			sdk := a.Client()
			const calls = 5
			for k := range calls {
				post(t, sdk, validations, kyc(k%2, nil))
			}
			cfg.PublicURL = p.URL
			d, err := app.OpenDeployment(t.Context(), app.Place{ConfigFile: settings(t, cfg)})
			require.NoError(t, err)
			defer func() { require.NoError(t, d.Close()) }()

			var report app.AuditReport
			require.Eventually(t, func() bool {
				report, err = d.VerifyAudit(t.Context())
				return err == nil && report.Sealed == calls
			}, 10*time.Second, fastPoll, "everything is sealed within moments")
			require.Empty(t, report.Faults)

			ofCitizen, err := d.AuditOfCitizen(t.Context(), strings.ToUpper(e2etest.Citizen(1).Person.PlatformID), 10)
			require.NoError(t, err)
			require.Len(t, ofCitizen, 2)
			require.Equal(t, string(a.ID), ofCitizen[0].ApplicationID)
			_, err = d.AuditOfCitizen(t.Context(), "Bienvenu", 10)
			require.Error(t, err)
			ofApplication, err := d.AuditOfApplication(t.Context(), a.Credentials.KeyID, 3)
			require.NoError(t, err)
			require.Len(t, ofApplication, 3)
			require.GreaterOrEqual(t, ofApplication[0].ID, ofApplication[1].ID, "the newest first")

			offline, err := app.VerifyAuditExport(export(t, d), report.PublicKey)
			require.NoError(t, err)
			require.Equal(t, report, offline)
			_, err = app.VerifyAuditExport(export(t, d), strings.Repeat("00", 32))
			require.ErrorIs(t, err, app.ErrAuditBroken)
			_, err = app.VerifyAuditExport(export(t, d), "a key")
			require.Error(t, err)
			require.NotErrorIs(t, err, app.ErrAuditBroken)

			_, err = p.Store().DB().Exec(t.Context(), "UPDATE audit_entries SET purpose = 'age_gating' WHERE seq = 3")
			require.NoError(t, err)
			report, err = d.VerifyAudit(t.Context())
			require.ErrorIs(t, err, app.ErrAuditBroken)
			require.Len(t, report.Faults, 1)
			require.Contains(t, report.Faults[0], "place 3")
			offline, err = app.VerifyAuditExport(export(t, d), "")
			require.ErrorIs(t, err, app.ErrAuditBroken)
			require.Equal(t, report, offline)
		})
	}
}

func export(t *testing.T, d *app.Deployment) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "audit.jsonl")
	f, err := os.Create(file)
	require.NoError(t, err)
	require.NoError(t, d.ExportAudit(t.Context(), f))
	require.NoError(t, f.Close())
	return file
}

// settings is a configuration file of a deployment.
func settings(t *testing.T, c config.Config) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, `environment: sandbox
public_url: %q
master_key_file: %q
database: {driver: %q, dsn: %q}
register: {driver: %q, dsn: %q}
files: {store: %q}
`, c.PublicURL, c.MasterKeyFile, c.Database.Driver, c.Database.DSN, c.Register.Driver, c.Register.DSN, c.Files.Store), 0o600))
	return file
}
