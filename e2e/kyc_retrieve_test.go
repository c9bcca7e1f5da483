package e2e_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/client"
	"idplatform/e2e/e2etest"
)

func TestKYC_Retrieve(t *testing.T) {
	t.Parallel()
	e2etest.Each(t, func(t *testing.T, p *e2etest.Platform) {
		app := p.NewApplicationWith(granted(p, fileScopes...))
		sdk := app.Client()
		first, err := sdk.Do(t.Context(), http.MethodPost, validations, text(t, kyc(0, object{"scopes": nil, "reference": "a <b> & c"})))
		require.NoError(t, err)
		id := read(t, first.Body)["id"].(string)

		t.Run("AsFirstReturned", func(t *testing.T) {
			again, err := sdk.Do(t.Context(), http.MethodGet, validations+"/"+id, nil)
			require.NoError(t, err)
			require.Equal(t, string(first.Body), string(again.Body))
			require.NotEqual(t, first.RequestID, again.RequestID)
		})
		t.Run("Typed", func(t *testing.T) {
			got, err := sdk.GetKYCValidation(t.Context(), id)
			require.NoError(t, err)
			require.Equal(t, id, got.ID)
		})
		t.Run("AfterGrantsChanged", func(t *testing.T) {
			require.NoError(t, p.App.Admin.Revoke(t.Context(), app.Model, p.App.Admin.Everything()))
			refused := refusal(t, sdk, http.MethodGet, validations+"/"+id, nil)
			require.Equal(t, client.ServiceNotEnabled, refused.Code)
			require.NoError(t, p.App.Admin.Grant(t.Context(), app.Model, app.Grants, true))
		})
		t.Run("ForeignIsNotFound", func(t *testing.T) {
			refused := refusal(t, p.NewApplication().Client(), http.MethodGet, validations+"/"+id, nil)
			require.Equal(t, client.NotFound, refused.Code)
			require.Equal(t, http.StatusNotFound, refused.Status)
		})
		for name, other := range map[string]string{
			"Unknown": id[:len(id)-2] + strings.Map(func(r rune) rune { return '0' + (r+1)%8 }, id[len(id)-2:]), "Upper": strings.ToUpper(id), "OtherPrefix": "face_" + id[4:], "NoPrefix": id[4:], "Long": id + "0",
			"Percent": strings.Replace(id, "kyc", "k%79c", 1) + "0", "Quote": "kyc_'%20OR%201=1", "NUL": "kyc_%00", "NotUTF8": "%ff", "Dots": "..%2f..%2fetc", "Endless": strings.Repeat("k", 8000),
		} {
			t.Run(name+"IsNotFound", func(t *testing.T) {
				refused := refusal(t, sdk, http.MethodGet, validations+"/"+other, nil)
				require.Equal(t, client.NotFound, refused.Code)
			})
		}
		t.Run("WithBody", func(t *testing.T) {
			refused := refusal(t, sdk, http.MethodGet, validations+"/"+id, []byte(`{}`))
			require.Equal(t, client.InvalidRequest, refused.Code)
			require.Equal(t, []string{"body"}, fields(refused))
		})
		t.Run("GoneAfterRetention", func(t *testing.T) {
			p.Clock.Advance(30*24*time.Hour - time.Minute)
			_, err := sdk.GetKYCValidation(t.Context(), id)
			require.NoError(t, err)
			p.Clock.Advance(2 * time.Minute)
			require.Equal(t, client.NotFound, refusal(t, sdk, http.MethodGet, validations+"/"+id, nil).Code)
		})
	})
}
