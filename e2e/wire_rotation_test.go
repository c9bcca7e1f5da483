package e2e_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/client"
	"idplatform/e2e/e2etest"
	"idplatform/platform/access"
)

// During the overlap both pairs work, on every instance, and each is answered with its own key; after it only the new one.
func TestWire_KeyRotation(t *testing.T) {
	t.Parallel()
	e2etest.Each(t, func(t *testing.T, p *e2etest.Platform) {
		beside := p.Beside()
		old := p.NewApplication()
		shown, err := p.App.Admin.Rotate(t.Context(), old.Model, time.Hour)
		require.NoError(t, err)
		require.Equal(t, old.Credentials.KeyID, shown.KeyID, "the key id stays")
		require.NotEqual(t, old.Credentials.APISecret, shown.APISecret)
		require.NotEqual(t, old.Credentials.EncryptionKey, shown.EncryptionKey)
		renewed := old.With(shown)

		for _, instance := range []*e2etest.Platform{p, beside} {
			for _, app := range []*e2etest.Application{old, renewed} {
				answer := instance.Send(signed(t, app)) // opens the answer with the pair's own key
				require.Equal(t, 200, answer.Status)
				require.True(t, answer.Encrypted)
			}
		}
		t.Run("PairsAreNotMixed", func(t *testing.T) {
			mixed := old.With(access.Credentials{KeyID: shown.KeyID, APISecret: shown.APISecret, EncryptionKey: old.Credentials.EncryptionKey})
			request := signed(t, mixed)
			request.Key = decoded(t, shown.EncryptionKey) // that of the secret that signed
			requireRefused(t, p.Send(request), http.StatusBadRequest, "decryption_failed", true)
		})
		t.Run("NonceIsSharedByThePairs", func(t *testing.T) {
			first, second := signed(t, old), renewed.Request(http.MethodGet, validations+"/kyc_x", nil)
			require.Equal(t, 200, p.Send(first).Status)
			unauthenticated(t, p.Send(second.Set("X-Platform-Nonce", first.Nonce).Sign()), "nonce_reused")
		})
		t.Run("OldFailsAfterTheOverlap", func(t *testing.T) {
			p.Clock.Advance(time.Hour + time.Second)
			for _, instance := range []*e2etest.Platform{p, beside} {
				unauthenticated(t, instance.Send(signed(t, old)), "invalid_signature")
				require.Equal(t, 200, instance.Send(signed(t, renewed)).Status)
			}
		})
		t.Run("AgainWithoutOverlap", func(t *testing.T) {
			again, err := p.App.Admin.Rotate(t.Context(), old.Model, 0)
			require.NoError(t, err)
			unauthenticated(t, beside.Send(signed(t, renewed)), "invalid_signature")
			require.Equal(t, 200, beside.Send(signed(t, old.With(again))).Status)
		})
	})
}

// A change of grants shows on the next request, on every instance.
func TestWire_GrantsAtOnce(t *testing.T) {
	t.Parallel()
	e2etest.Each(t, func(t *testing.T, p *e2etest.Platform) {
		app := p.NewApplicationWith(granted(p, fileScopes...))
		beside := app.At(p.Beside()).Client()
		body := text(t, kyc(0, object{"scopes": []string{"kyc.emails"}}))
		for _, c := range []struct {
			code  string
			grant access.Grants
		}{
			{client.ServiceNotEnabled, access.Grants{Services: []string{"kyc_validation"}}},
			{client.ScopeNotGranted, access.Grants{Scopes: []string{"kyc.emails"}}},
			{client.PurposeNotApproved, access.Grants{Purposes: []string{"customer_onboarding"}}},
		} {
			t.Run(c.code, func(t *testing.T) {
				for range 2 {
					require.NotNil(t, post(t, beside, validations, string(body)))
					require.NoError(t, p.App.Admin.Revoke(t.Context(), app.Model, c.grant))
					require.Equal(t, c.code, refusal(t, beside, http.MethodPost, validations, body).Code)
					require.NoError(t, p.App.Admin.Grant(t.Context(), app.Model, c.grant, false))
				}
			})
		}
	})
}

// What is logged, at the most talkative level, holds neither secrets nor personal data.
func TestWire_LogsKeepSecrets(t *testing.T) {
	t.Parallel()
	p := onSQLite(t)
	app := p.NewApplicationWith(granted(p, fileScopes...))
	person := e2etest.Citizen(0).Person
	got := post(t, app.Client(), validations, kyc(0, object{"scopes": nil, "match": object{"full_name": "Somebody Claimed"}, "reference": "my-own-reference"}))
	p.Send(app.Signed(http.MethodGet, validations+"/"+person.PlatformID+"?token="+person.PlatformID, nil))
	p.Send(signed(t, app).Set("X-Platform-Signature", "wrong"))
	logs := p.Logs()
	require.Contains(t, logs, "route=/v1/kyc/validations")
	for _, private := range []string{app.Credentials.APISecret, app.Credentials.EncryptionKey, person.PlatformID, person.FullName,
		person.LastName, person.DateOfBirth.String(), "Somebody Claimed", "my-own-reference", got["id"].(string)} {
		require.NotContains(t, logs, private)
	}
}
