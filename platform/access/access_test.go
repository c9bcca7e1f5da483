package access_test

import (
	"bytes"
	"encoding/base64"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/catalog"
	"idplatform/database"
	"idplatform/models"
	"idplatform/platform/access"
	"idplatform/platform/vault"
	"idplatform/platform/wire"
	"idplatform/store"
)

// deployment is a database with its vault and administration.
type deployment struct {
	store     *store.Store
	admin     *access.Admin
	directory *access.Directory
	now       time.Time
}

func deploy(t *testing.T) *deployment {
	t.Helper()
	db, err := database.Open(t.Context(), database.Config{Driver: database.SQLite, DSN: filepath.Join(t.TempDir(), "test.db")})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	s, err := store.New(t.Context(), db)
	require.NoError(t, err)
	d := &deployment{store: s, now: time.Now()}
	v, err := vault.Open(t.Context(), bytes.Repeat([]byte{7}, vault.KeySize), s.DataKeys, d.now)
	require.NoError(t, err)
	d.admin = access.NewAdmin(s, v, []string{"kyc_validation", "age_verification"}, false, func() time.Time { return d.now })
	d.directory = access.NewDirectory(s.Applications, v)
	return d
}

func (d *deployment) application(t *testing.T, subscription, g access.Grants) (*models.Application, access.Credentials) {
	t.Helper()
	organisation, err := d.admin.CreateOrganisation(t.Context(), "O", subscription)
	require.NoError(t, err)
	app, shown, err := d.admin.CreateApplication(t.Context(), organisation, "A", g)
	require.NoError(t, err)
	return app, shown
}

func (d *deployment) caller(t *testing.T, keyID string) *access.Caller {
	t.Helper()
	caller, err := d.directory.Find(t.Context(), keyID, models.At(d.now))
	require.NoError(t, err)
	return caller
}

func signature(t *testing.T, c access.Credentials) string {
	t.Helper()
	secret, err := base64.StdEncoding.DecodeString(c.APISecret)
	require.NoError(t, err)
	return wire.Sign(secret, wire.Canonical{Method: "GET"})
}

func TestCaller_NarrowScopes(t *testing.T) {
	t.Parallel()
	d := deploy(t)
	subscription := access.Grants{Services: []string{"kyc_validation"}, Scopes: []string{"kyc.emails", "kyc.languages", "kyc.addresses", "kyb.officers"}}
	app, _ := d.application(t, subscription, access.Grants{Services: []string{"kyc_validation", "age_verification"}, Scopes: []string{"kyc.languages", "kyc.religion", "kyc.addresses", "kyb.officers"}})
	caller := d.caller(t, app.KeyID)
	require.True(t, caller.ServiceEnabled("kyc_validation"))
	require.False(t, caller.ServiceEnabled("age_verification"), "not subscribed")
	require.False(t, caller.ServiceEnabled("never_heard_of"))
	for _, c := range []struct {
		name      string
		family    *catalog.Family
		requested *[]string
		applied   []string
		refused   string
		ok        bool
	}{
		{"Default", catalog.KYC, nil, []string{"kyc.addresses", "kyc.languages"}, "", true},
		{"OtherFamily", catalog.KYB, nil, []string{"kyb.officers"}, "", true},
		{"NoFamily", nil, &[]string{"kyc.emails"}, nil, "", true},
		{"None", catalog.KYC, &[]string{}, []string{}, "", true},
		{"Basic", catalog.KYC, &[]string{"kyc.basic"}, []string{}, "", true},
		{"InOrder", catalog.KYC, &[]string{"kyc.languages", "kyc.addresses", "kyc.languages"}, []string{"kyc.addresses", "kyc.languages"}, "", true},
		{"NotSelected", catalog.KYC, &[]string{"kyc.addresses", "kyc.emails"}, nil, "kyc.emails", false},
		{"NotSubscribed", catalog.KYC, &[]string{"kyc.religion"}, nil, "kyc.religion", false},
		{"BasicOfOtherFamily", catalog.KYC, &[]string{"kyb.basic"}, nil, "kyb.basic", false},
		{"Empty", catalog.KYC, &[]string{""}, nil, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			applied, refused, ok := caller.NarrowScopes(c.family, c.requested)
			require.Equal(t, c.applied, applied)
			require.Equal(t, c.refused, refused)
			require.Equal(t, c.ok, ok)
		})
	}
}

func TestDirectory_Pairs(t *testing.T) {
	t.Parallel()
	d := deploy(t)
	app, first := d.application(t, d.admin.Everything(), d.admin.Everything())
	require.True(t, wire.IsKeyID(first.KeyID))
	d.now = d.now.Add(time.Second)
	second, err := d.admin.Rotate(t.Context(), app, time.Hour)
	require.NoError(t, err)
	caller := d.caller(t, app.KeyID)
	for _, c := range []access.Credentials{first, second} {
		pair, ok := caller.Verify(wire.Canonical{Method: "GET"}, signature(t, c))
		require.True(t, ok)
		require.Equal(t, c.EncryptionKey, base64.StdEncoding.EncodeToString(pair.EncryptionKey))
	}
	_, ok := caller.Verify(wire.Canonical{Method: "POST"}, signature(t, second))
	require.False(t, ok)

	d.now = d.now.Add(time.Hour)
	caller = d.caller(t, app.KeyID)
	_, ok = caller.Verify(wire.Canonical{Method: "GET"}, signature(t, first))
	require.False(t, ok, "the overlap is over to the millisecond")
	_, ok = caller.Verify(wire.Canonical{Method: "GET"}, signature(t, second))
	require.True(t, ok)
	d.now = d.now.Add(365 * 24 * time.Hour)
	_, ok = d.caller(t, app.KeyID).Verify(wire.Canonical{Method: "GET"}, signature(t, second))
	require.True(t, ok, "the current pair does not end by itself")
}

func TestDirectory_Strangers(t *testing.T) {
	t.Parallel()
	d := deploy(t)
	_, shown := d.application(t, d.admin.Everything(), d.admin.Everything())
	for _, keyID := range []string{"", "pk_sandbox_" + strings.Repeat("0", 24), "pk_live_" + shown.KeyID[len("pk_sandbox_"):], "\xff", "a\x00b"} {
		stranger := d.caller(t, keyID)
		_, ok := stranger.Verify(wire.Canonical{Method: "GET"}, signature(t, shown))
		require.False(t, ok)
		_, ok = stranger.Verify(wire.Canonical{Method: "GET"}, wire.Sign(nil, wire.Canonical{Method: "GET"}))
		require.False(t, ok)
		require.False(t, stranger.ServiceEnabled("kyc_validation"))
		require.Equal(t, 1, stranger.PairsReady(), "a pair was unsealed for nobody, as for a known key")
		require.Empty(t, stranger.ApplicationID)
	}
}

// The stored pair opens for its own row alone, and nothing of it is stored in clear.
func TestAdmin_SecretsAreSealed(t *testing.T) {
	t.Parallel()
	d := deploy(t)
	app, shown := d.application(t, d.admin.Everything(), d.admin.Everything())
	pairs, err := d.store.Applications.KeyPairs(t.Context(), app.ID)
	require.NoError(t, err)
	require.Len(t, pairs, 1)
	for _, text := range []string{shown.APISecret, shown.EncryptionKey} {
		secret, err := base64.StdEncoding.DecodeString(text)
		require.NoError(t, err)
		require.Len(t, secret, wire.SecretSize)
		require.False(t, bytes.Contains(pairs[0].Sealed, secret))
	}
}

func TestAdmin_GrantNeedsTheSubscription(t *testing.T) {
	t.Parallel()
	d := deploy(t)
	app, _ := d.application(t, access.Grants{}, access.Grants{})
	more := access.Grants{Services: []string{"kyc_validation"}, Scopes: []string{"kyc.emails"}, Purposes: []string{"age_gating"}}
	require.ErrorContains(t, d.admin.Grant(t.Context(), app, more, false), "subscribe")
	require.False(t, d.caller(t, app.KeyID).ServiceEnabled("kyc_validation"))
	require.NoError(t, d.admin.Grant(t.Context(), app, more, true))
	require.True(t, d.caller(t, app.KeyID).ServiceEnabled("kyc_validation"))
	require.NoError(t, d.admin.Revoke(t.Context(), app, more))
	require.False(t, d.caller(t, app.KeyID).PurposeApproved("age_gating"))
	require.ErrorContains(t, d.admin.Grant(t.Context(), app, access.Grants{Scopes: []string{"kyc.shoe_size"}, Services: []string{"x"}}, true), "kyc.shoe_size")
}

// Half of what a key may encrypt is a warning; all of it is the end, and an answer needs its message before it is sent.
func TestMeter_Limits(t *testing.T) {
	t.Parallel()
	d := deploy(t)
	app, _ := d.application(t, d.admin.Everything(), d.admin.Everything())
	pairs, err := d.store.Applications.KeyPairs(t.Context(), app.ID)
	require.NoError(t, err)
	pair := &access.Pair{ID: pairs[0].ID}
	const block = 1 << 16
	for _, c := range []struct {
		name         string
		spent        int64
		warned, over bool
	}{
		{"Fresh", 0, false, false},
		{"BeforeHalf", 1<<31 - block, false, false},
		{"Half", 1 << 31, true, false},
		{"LastBlock", 1<<32 - block, true, false},
		{"WornOut", 1<<32 - block + 1, false, true},
		{"FarBeyond", 1 << 40, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			pool, err := d.store.DB().SQL()
			require.NoError(t, err)
			_, err = pool.ExecContext(t.Context(), "UPDATE key_pairs SET messages = ? WHERE id = ?", c.spent, pair.ID)
			require.NoError(t, err)
			var log bytes.Buffer
			meter := access.NewMeter(d.store.Applications, slog.New(slog.NewTextHandler(&log, nil)))
			for range 3 {
				err := meter.Spend(t.Context(), app.ID, pair, 2)
				if c.over {
					require.ErrorIs(t, err, access.ErrKeyWornOut)
				} else {
					require.NoError(t, err)
				}
			}
			require.Equal(t, c.warned, strings.Contains(log.String(), "rotate"), log.String())
		})
	}
}

// What is set aside is more than what was spent, whatever happens to the process.
func TestMeter_SetsAsideBeforeItSpends(t *testing.T) {
	t.Parallel()
	d := deploy(t)
	app, _ := d.application(t, d.admin.Everything(), d.admin.Everything())
	pairs, err := d.store.Applications.KeyPairs(t.Context(), app.ID)
	require.NoError(t, err)
	meter := access.NewMeter(d.store.Applications, slog.New(slog.DiscardHandler))
	for range 50_000 {
		require.NoError(t, meter.Spend(t.Context(), app.ID, &access.Pair{ID: pairs[0].ID}, 2))
	}
	pairs, err = d.store.Applications.KeyPairs(t.Context(), app.ID)
	require.NoError(t, err)
	require.GreaterOrEqual(t, pairs[0].Messages, int64(100_000))
	require.Less(t, pairs[0].Messages, int64(100_000+2<<16))
}
