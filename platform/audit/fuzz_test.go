package audit_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/database"
	"idplatform/models"
	"idplatform/platform/audit"
)

// No line of an export can be taken away, doubled or exchanged for its neighbour without being missed, whatever
// it holds.
func TestVerifyExport_MissesEveryLine(t *testing.T) {
	t.Parallel()
	d := deploy(t, database.SQLite)
	threeDays(t, d)
	export := d.export(t)
	whole := verified(t, d, string(export))
	lines := strings.SplitAfter(strings.TrimSuffix(string(export), "\n")+"\n", "\n")
	lines = lines[:len(lines)-1]
	require.Len(t, lines, 1+3+12)
	const entries = 4 // where the entries begin; heads may stand in any order
	for i := range lines {
		without := append(append([]string{}, lines[:i]...), lines[i+1:]...)
		require.False(t, verified(t, d, strings.Join(without, "")), "without line %d", i+1)
		if i == 0 || i >= entries {
			twice := append(append([]string{}, lines[:i+1]...), lines[i:]...)
			require.False(t, verified(t, d, strings.Join(twice, "")), "line %d twice", i+1)
		}
		if i == 0 || i >= entries-1 && i+1 < len(lines) {
			swapped := append([]string{}, lines...)
			swapped[i], swapped[i+1] = swapped[i+1], swapped[i]
			require.False(t, verified(t, d, strings.Join(swapped, "")), "line %d behind the next", i+1)
		}
	}
	require.True(t, whole)
}

// verified reports whether an export is taken and holds.
func verified(t *testing.T, d *deployment, export string) bool {
	t.Helper()
	report, err := audit.VerifyExport(strings.NewReader(export), d.log.Public())
	return err == nil && report.Holds()
}

func TestVerifyExport_RefusesWhatIsNone(t *testing.T) {
	t.Parallel()
	header := `{"format":"idplatform-audit-1","public_key":"` + strings.Repeat("00", 32) + `"}` + "\n"
	for name, export := range map[string]string{
		"Empty": "", "NoJSON": "platform.db", "AnotherFormat": `{"format":"idplatform-audit-2"}`, "Array": "[]",
		"KeyTooShort": `{"format":"idplatform-audit-1","public_key":"00"}`, "KeyNoHex": `{"format":"idplatform-audit-1","public_key":"key"}`,
		"TornLine": header + `{"seq":1,"id":"aud`, "NoObject": header + "7\n", "SeqIsText": header + `{"seq":"1"}`,
		"SubjectNoHex": header + `{"seq":1,"subject":"x"}`, "HashNoHex": header + `{"seq":1,"hash":"x"}`,
		"HeadHashNoHex": header + `{"head":"latest","hash":"x"}`, "SignatureNoHex": header + `{"head":"latest","signature":"x"}`,
		"TimeNoTime": header + `{"seq":1,"created_at":"yesterday"}`,
	} {
		_, err := audit.VerifyExport(strings.NewReader(export), nil)
		require.Error(t, err, name)
	}
}

// written is an export as docs/audit.md describes one, made without the platform: two entries on each of two days.
func written(t testing.TB) (export []byte, public ed25519.PublicKey) {
	t.Helper()
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	public = key.Public().(ed25519.PublicKey)
	var entries, heads bytes.Buffer
	head := func(day string, seq int64, link []byte) {
		signature := ed25519.Sign(key, fmt.Appendf(nil, "audit-head-1\n%s\n%d\n%x", day, seq, link))
		fmt.Fprintf(&heads, `{"head":"%s","seq":%d,"hash":"%x","signature":"%x"}`+"\n", day, seq, link, signature)
	}
	link := make([]byte, 32)
	for i := range int64(4) {
		at := models.At(noon.Add(time.Duration(i/2) * 24 * time.Hour))
		e := models.AuditEntry{ID: fmt.Sprintf("aud_%026d", i), ApplicationID: application, Service: "kyc_validation",
			ResultID: fmt.Sprintf("kyc_%026d", i), Purpose: "age_gating", Scopes: models.Words{"kyc.basic", "kyc.emails"},
			Outcome: "verified", Subject: []byte{byte(i)}, CreatedAt: at}
		link = audit.Hash(link, i+1, e)
		fmt.Fprintf(&entries, `{"seq":%d,"id":"%s","application_id":"%s","service":"kyc_validation","result_id":"%s","purpose":"age_gating",`+
			`"scopes":["kyc.basic","kyc.emails"],"outcome":"verified","subject":"%x","created_at":"%s","hash":"%x"}`+"\n",
			i+1, e.ID, application, e.ResultID, e.Subject, at, link)
		if i == 1 {
			head("2026-11-20", 2, link)
		}
	}
	head("latest", 4, link)
	return fmt.Appendf(nil, `{"format":"idplatform-audit-1","public_key":"%x"}`+"\n%s%s", public, heads.Bytes(), entries.Bytes()), public
}

// The form of an export stays what it is: one made by these few lines holds.
func TestVerifyExport_OfAnExportMadeByHand(t *testing.T) {
	t.Parallel()
	export, public := written(t)
	report, err := audit.VerifyExport(bytes.NewReader(export), public)
	require.NoError(t, err)
	require.Empty(t, report.Faults)
	require.Equal(t, audit.Report{Sealed: 4, Heads: 2, Head: "2703e328f6cfd1e52dfc3efe24d88a4b88b60cf9f38825289426827b971a7c1f", PublicKey: hex.EncodeToString(public), Faults: []string{}}, report)
}

// FuzzVerifyExport alters an export: it is refused, or found out, or says the same as before.
func FuzzVerifyExport(f *testing.F) {
	export, public := written(f)
	whole, err := audit.VerifyExport(bytes.NewReader(export), public)
	require.NoError(f, err)
	require.True(f, whole.Holds())
	f.Add(export)
	f.Add(export[:len(export)/2])
	f.Add(bytes.Replace(export, []byte(`"seq":2`), []byte(`"seq":-9223372036854775808`), 1))
	f.Add(bytes.Replace(export, []byte(`"seq":4`), []byte(`"seq":9223372036854775807`), 1))
	f.Add(bytes.ReplaceAll(export, []byte("verified"), []byte("not_found")))
	f.Fuzz(func(t *testing.T, altered []byte) {
		report, err := audit.VerifyExport(bytes.NewReader(altered), public)
		if err != nil || !report.Holds() || report.Sealed == 0 {
			return
		}
		require.Equal(t, whole.Head, report.Head)
		require.Equal(t, whole.Sealed, report.Sealed)
	})
}
