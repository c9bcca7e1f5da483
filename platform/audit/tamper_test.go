package audit_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/platform/audit"
)

// threeDays is a log of twelve entries: places 1 to 4, 5 to 8 and 9 to 12 are a day each.
func threeDays(t testing.TB, d *deployment) {
	t.Helper()
	for range 3 {
		d.sealed(t, 4)
		d.advance(24 * time.Hour)
	}
	d.requireHolds(t, 12, 0)
}

// set changes an entry.
func set(place int, assignment string) string {
	return fmt.Sprintf("UPDATE audit_entries SET %s WHERE seq = %d", assignment, place)
}

// insert copies an entry to another place, or to none.
func insert(place string) string {
	return `INSERT INTO audit_entries (id, application_id, service, result_id, purpose, scopes, outcome, subject, created_at, seq, hash)
		SELECT 'aud_put_in', application_id, service, result_id, purpose, scopes, outcome, subject, created_at, ` + place + `, hash
		FROM audit_entries WHERE seq = 12`
}

// tampers are what somebody with the database in their hands may do to the log. Each is found in the log itself,
// in an export of it, and still so when the platform has gone on to seal.
var tampers = []struct {
	name string
	do   []string
	// found is in one of the faults.
	found string
}{
	{"ID", []string{set(6, "id = 'aud_00000000000000000000000000'")}, "place 6: the entry aud_00000000000000000000000000 is not the one that was sealed"},
	{"Application", []string{set(6, "application_id = 'app_other'")}, "place 6: the entry"},
	{"Service", []string{set(6, "service = 'age_verification'")}, "place 6: the entry"},
	{"Result", []string{set(6, "result_id = 'kyc_other'")}, "place 6: the entry"},
	{"Purpose", []string{set(6, "purpose = 'credit_assessment'")}, "place 6: the entry"},
	{"Scopes", []string{set(6, "scopes = 'kyc.basic'")}, "place 6: the entry"},
	{"ScopesEmptied", []string{set(6, "scopes = ''")}, "place 6: the entry"},
	{"Outcome", []string{set(6, "outcome = 'not_found'")}, "place 6: the entry"},
	{"OutcomeIntoScopes", []string{set(6, "scopes = scopes || ' ' || outcome"), set(6, "outcome = ''")}, "place 6: the entry"},
	{"Subject", []string{set(6, "subject = hash")}, "place 6: the entry"},
	{"SubjectEmptied", []string{set(6, "subject = ''")}, "place 6: the entry"},
	{"Time", []string{set(6, "created_at = created_at + 1")}, "place 6: the entry"},
	{"Link", []string{set(6, "hash = subject")}, "place 6: the entry"},
	{"LinkEmptied", []string{set(6, "hash = ''")}, "place 6: the entry"},
	{"LinkRemoved", []string{set(6, "hash = NULL")}, "place 6: the entry"},
	{"Place", []string{set(6, "seq = 60")}, "place 7: the entry"},
	{"First", []string{set(1, "outcome = 'not_found'")}, "place 1: the entry"},
	{"Last", []string{set(12, "outcome = 'not_found'")}, "place 12: the entry"},

	{"FirstRemoved", []string{"DELETE FROM audit_entries WHERE seq = 1"}, "stands where place 1 was expected"},
	{"MiddleRemoved", []string{"DELETE FROM audit_entries WHERE seq = 6"}, "stands where place 6 was expected"},
	{"EndOfADayRemoved", []string{"DELETE FROM audit_entries WHERE seq = 8"}, "the signed head of 2026-11-21 ends with one"},
	{"LastRemoved", []string{"DELETE FROM audit_entries WHERE seq = 12"}, "place 12"},
	{"TailRemoved", []string{"DELETE FROM audit_entries WHERE seq > 5"}, "the signed head of 2026-11-21 ends with one"},
	{"AllRemoved", []string{"DELETE FROM audit_entries"}, "place 12"},
	{"RemovedAndClosedUp", []string{"DELETE FROM audit_entries WHERE seq = 6", "UPDATE audit_entries SET seq = seq + 100 WHERE seq > 6",
		"UPDATE audit_entries SET seq = seq - 101 WHERE seq > 100"}, "place 6: the entry"},
	{"LastUnsealed", []string{set(12, "outcome = 'not_found', seq = NULL, hash = NULL")}, "place 12"},
	{"TailAndItsHeadRemoved", []string{"DELETE FROM audit_entries WHERE seq > 8", "DELETE FROM audit_heads WHERE day = 'latest'"}, "signed head of the chain's end is missing"},
	{"TailRemovedAndDayHeadMadeTheLatest", []string{"DELETE FROM audit_entries WHERE seq > 8", "DELETE FROM audit_heads WHERE day = 'latest'",
		"UPDATE audit_heads SET day = 'latest' WHERE day = '2026-11-21'"}, "the head of latest is not signed by this deployment"},

	{"PlacesSwapped", []string{set(6, "seq = 999"), set(7, "seq = 6"), set(999, "seq = 7")}, "place 6: the entry"},
	{"DistantOnesSwapped", []string{set(2, "seq = 999"), set(11, "seq = 2"), set(999, "seq = 11")}, "place 2: the entry"},

	{"PutInBehindTheEnd", []string{insert("13")}, "behind its signed end at place 12"},
	{"PutInFarBehindTheEnd", []string{insert("5000")}, "behind its signed end at place 12"},
	{"PutInBeforeTheBeginning", []string{insert("0")}, "place 0: the entry aud_put_in"},
	{"PutInAtANegativePlace", []string{insert("-7")}, "place -7: the entry aud_put_in"},
	{"PutInBetween", []string{"UPDATE audit_entries SET seq = seq + 1000 WHERE seq > 5", "UPDATE audit_entries SET seq = seq - 999 WHERE seq > 1000",
		"INSERT INTO audit_entries SELECT 'aud_put_in', application_id, service, result_id, purpose, scopes, outcome, subject, created_at, 6, hash FROM audit_entries WHERE seq = 5"},
		"place 6: the entry aud_put_in is not the one that was sealed"},

	{"DayHeadRemoved", []string{"DELETE FROM audit_heads WHERE day = '2026-11-20'"}, "the signed head of 2026-11-20, which ends here at the latest, is missing"},
	{"EndHeadRemoved", []string{"DELETE FROM audit_heads WHERE day = 'latest'"}, "signed head of the chain's end is missing"},
	{"HeadsRemoved", []string{"DELETE FROM audit_heads"}, "signed head of the chain's end is missing"},
	{"HeadMoved", []string{"UPDATE audit_heads SET seq = seq - 1 WHERE day = '2026-11-20'"}, "the head of 2026-11-20 is not signed"},
	{"HeadRenamed", []string{"UPDATE audit_heads SET day = '2026-11-19' WHERE day = '2026-11-20'"}, "the head of 2026-11-19 is not signed"},
	{"HeadOfAnotherChain", []string{"UPDATE audit_heads SET hash = (SELECT hash FROM audit_entries WHERE seq = 2) WHERE day = '2026-11-20'"}, "the head of 2026-11-20 is not signed"},
	{"SignatureEmptied", []string{"UPDATE audit_heads SET signature = '' WHERE day = '2026-11-20'"}, "the head of 2026-11-20 is not signed"},
	{"SignaturesSwapped", []string{"UPDATE audit_heads SET signature = (SELECT signature FROM audit_heads WHERE day = 'latest') WHERE day = '2026-11-20'"}, "the head of 2026-11-20 is not signed"},
}

func TestVerify_FindsEveryTamper(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *deployment) {
		for _, c := range tampers {
			t.Run(c.name, func(t *testing.T) { // one after the other, each on a log of its own
				d.exec(t, "DELETE FROM audit_entries", "DELETE FROM audit_heads")
				d.now = noon
				threeDays(t, d)
				d.exec(t, c.do...)
				requireFound(t, d, c.found)
				d.sealed(t, 2)
				require.NotEmpty(t, d.verify(t).Faults, "the sealer must not make it good")
			})
		}
	})
}

// requireFound finds the same faults in the log and in an export of it.
func requireFound(t *testing.T, d *deployment, fault string) {
	t.Helper()
	report := d.verify(t)
	require.Contains(t, fmt.Sprint(report.Faults), fault)
	offline, err := audit.VerifyExport(bytes.NewReader(d.export(t)), d.log.Public())
	require.NoError(t, err)
	require.Equal(t, report, offline)
}

// rewrite changes an entry and makes all links behind it anew, as somebody can who knows how they are made.
func rewrite(t *testing.T, d *deployment) (end []byte) {
	t.Helper()
	entries, err := d.Audit.Chain(t.Context(), 0, 12, 100)
	require.NoError(t, err)
	for i := 5; i < len(entries); i++ {
		if i == 5 {
			entries[i].Outcome = "not_found"
			d.exec(t, set(6, "outcome = 'not_found'"))
		}
		entries[i].Hash = audit.Hash(entries[i-1].Hash, *entries[i].Seq, entries[i])
		_, err := d.DB().Exec(t.Context(), "UPDATE audit_entries SET hash = ? WHERE seq = ?", entries[i].Hash, *entries[i].Seq)
		require.NoError(t, err)
	}
	return entries[len(entries)-1].Hash
}

func TestVerify_FindsAChainThatWasRewritten(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *deployment) {
		threeDays(t, d)
		rewrite(t, d)
		requireFound(t, d, "place 8: the chain differs from the signed head of 2026-11-21: it was rewritten")
		d.sealed(t, 2)
		requireFound(t, d, "place 8: the chain differs from the signed head of 2026-11-21: it was rewritten")
	})
}

// Whoever rewrites the chain can sign heads of it, but not with the deployment's key.
func TestVerify_FindsForgedSignatures(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *deployment) {
		threeDays(t, d)
		end := rewrite(t, d)
		public, private, err := ed25519.GenerateKey(nil)
		require.NoError(t, err)
		heads, err := d.Audit.Heads(t.Context())
		require.NoError(t, err)
		for _, h := range heads {
			entries, err := d.Audit.Chain(t.Context(), h.Seq-1, h.Seq, 1)
			require.NoError(t, err)
			h.Hash = entries[0].Hash
			h.Signature = ed25519.Sign(private, fmt.Appendf(nil, "audit-head-1\n%s\n%d\n%x", h.Day, h.Seq, h.Hash))
			require.NoError(t, d.Audit.SetHead(t.Context(), h))
		}
		requireFound(t, d, "the head of latest is not signed by this deployment")
		requireFound(t, d, "the head of 2026-11-20 is not signed by this deployment")

		// In an export the key can be exchanged too: then only who knows the deployment's own finds it.
		forged := bytes.Replace(d.export(t), []byte(hex.EncodeToString(d.log.Public())), []byte(hex.EncodeToString(public)), 1)
		report, err := audit.VerifyExport(bytes.NewReader(forged), nil)
		require.NoError(t, err)
		require.True(t, report.Holds())
		require.Equal(t, hex.EncodeToString(end), report.Head)
		require.Equal(t, hex.EncodeToString(public), report.PublicKey)
		report, err = audit.VerifyExport(bytes.NewReader(forged), d.log.Public())
		require.NoError(t, err)
		require.False(t, report.Holds())
	})
}

// What no log can tell by itself: that all of it, signatures included, was put back to what it was. Its end is
// then another than the one that was noted.
func TestVerify_AnEarlierStateDiffersFromTheNotedHead(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *deployment) {
		d.sealed(t, 4)
		heads, err := d.Audit.Heads(t.Context())
		require.NoError(t, err)
		d.sealed(t, 4)
		noted := d.requireHolds(t, 8, 0).Head
		d.exec(t, "DELETE FROM audit_entries WHERE seq > 4")
		require.NoError(t, d.Audit.SetHead(t.Context(), heads[0]))
		require.NotEqual(t, noted, d.requireHolds(t, 4, 0).Head)
	})
}

// An entry without a seal can be changed unseen; a second later it cannot.
func TestVerify_CountsWhatHasNoSeal(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *deployment) {
		threeDays(t, d)
		require.NoError(t, d.write(t.Context(), d.entries(1100)))
		d.requireHolds(t, 12, 1100)
		offline, err := audit.VerifyExport(bytes.NewReader(d.export(t)), nil)
		require.NoError(t, err)
		require.Equal(t, d.verify(t), offline)
	})
}
