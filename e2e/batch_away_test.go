package e2e_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"idplatform/client"
	"idplatform/config"
	"idplatform/database"
	"idplatform/e2e/e2etest"
)

// While the register is away a single call is refused, and the items of a batch fail, each for that reason; when
// it is back, all is as before.
func TestBatch_RegisterAway(t *testing.T) {
	t.Parallel()
	for _, driver := range []string{"sqlite", "postgres"} {
		t.Run(driver, func(t *testing.T) {
			t.Parallel()
			var register config.Register
			p := e2etest.Start(t, e2etest.Options{Driver: databaseDriver(driver), Change: func(c *config.Config) { register = c.Register }})
			db, err := database.Open(t.Context(), database.Config{Driver: database.Driver(register.Driver), DSN: register.DSN})
			require.NoError(t, err)
			defer func() { require.NoError(t, db.Close()) }()
			rename := func(from, to string) {
				_, err := db.Exec(t.Context(), "ALTER TABLE "+from+" RENAME TO "+to)
				require.NoError(t, err)
			}
			a := p.NewApplication()
			sdk := a.Client()
			batch := object{"items": []any{item(0, "a", nil), item(1, "b", object{"purpose": "none"}), item(2, "c", nil)}}

			rename("register_citizens", "away")
			refused := refusal(t, sdk, http.MethodPost, validations, text(t, kyc(0, nil)))
			require.Equal(t, client.RegistryUnavailable, refused.Code)
			require.Equal(t, http.StatusBadGateway, refused.Status)
			entries := submit(t, sdk, batch)
			requireFailed(t, entries[0], "a", "registry_unavailable")
			requireFailed(t, entries[1], "b", "purpose_not_approved")
			requireFailed(t, entries[2], "c", "registry_unavailable")
			key := uuid.NewString()
			away := once(t, p, a, key, batches, batch)
			require.Equal(t, http.StatusOK, away.Status)
			requireRows(t, p, a, 0)

			rename("away", "register_citizens")
			post(t, sdk, validations, kyc(0, nil))
			entries = submit(t, sdk, batch)
			requireSucceeded(t, entries[0], "a")
			requireSucceeded(t, entries[2], "c")
			requireRows(t, p, a, 3)

			// What failed for a passing reason is not kept: the same request fares better now, and then stays so.
			better := once(t, p, a, key, batches, batch)
			require.NotEqual(t, away.Body, better.Body)
			requireRows(t, p, a, 5)
			requireReplay(t, better, once(t, p, a, key, batches, batch))
		})
	}
}
