package access_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"idplatform/database"
	"idplatform/database/databasetest"
	"idplatform/models"
	"idplatform/platform/access"
	"idplatform/platform/vault"
	"idplatform/store"
)

func adminOn(t *testing.T, driver database.Driver) (*access.Admin, *store.Store) {
	t.Helper()
	cfg := database.Config{Driver: driver, DSN: filepath.Join(t.TempDir(), "test.db"), MaxConnections: 8}
	if driver == database.Postgres {
		cfg.DSN = databasetest.Postgres(t)
	}
	db, err := database.Open(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	s, err := store.New(t.Context(), db)
	require.NoError(t, err)
	v, err := vault.Open(t.Context(), bytes.Repeat([]byte{7}, vault.KeySize), s.DataKeys, time.Now())
	require.NoError(t, err)
	return access.NewAdmin(s, v, []string{"kyc_validation"}, false, time.Now), s
}

// Two changes at the same time both count, of an application and of its organisation, however old what each
// of them was given is.
func TestAdmin_ConcurrentChangesBothCount(t *testing.T) {
	t.Parallel()
	for _, driver := range []database.Driver{database.SQLite, database.Postgres} {
		t.Run(string(driver), func(t *testing.T) {
			t.Parallel()
			admin, s := adminOn(t, driver)
			for range 15 {
				org, err := admin.CreateOrganisation(t.Context(), models.NewID("org_", time.Now()), access.Grants{Scopes: []string{"kyc.emails"}})
				require.NoError(t, err)
				app, _, err := admin.CreateApplication(t.Context(), org, "A", access.Grants{Scopes: []string{"kyc.emails"}})
				require.NoError(t, err)
				// Approved by somebody else since the application was read.
				require.NoError(t, s.DB().Write(t.Context()).Model(&models.Application{}).Where("id = ?", app.ID).
					Update("production_services", models.Words{"kyc_validation"}).Error)
				addresses, languages, emails, religion := *app, *app, *app, access.Grants{Scopes: []string{"kyc.religion"}}
				var all errgroup.Group
				all.Go(func() error {
					return admin.Grant(t.Context(), &addresses, access.Grants{Scopes: []string{"kyc.addresses"}}, true)
				})
				all.Go(func() error {
					return admin.Grant(t.Context(), &languages, access.Grants{Scopes: []string{"kyc.languages"}}, true)
				})
				all.Go(func() error {
					return admin.Revoke(t.Context(), &emails, access.Grants{Scopes: []string{"kyc.emails"}})
				})
				all.Go(func() error { _, err := admin.EnsureOrganisation(t.Context(), org.Name, religion); return err })
				require.NoError(t, all.Wait())

				stored, err := s.Applications.Get(t.Context(), app.ID)
				require.NoError(t, err)
				require.ElementsMatch(t, []string{"kyc.addresses", "kyc.languages"}, stored.Scopes)
				require.Equal(t, models.Words{"kyc_validation"}, stored.ProductionServices)
				org, err = s.Applications.Organisation(t.Context(), org.ID)
				require.NoError(t, err)
				require.ElementsMatch(t, []string{"kyc.emails", "kyc.addresses", "kyc.languages", "kyc.religion"}, org.Scopes)
				require.NoError(t, admin.Revoke(t.Context(), app, religion))
				require.ElementsMatch(t, stored.Scopes, app.Scopes, "who changes it is shown what it has become")
			}
		})
	}
}

func TestAdmin_NamesAreCountedInCharacters(t *testing.T) {
	t.Parallel()
	admin, _ := adminOn(t, database.SQLite)
	org, err := admin.CreateOrganisation(t.Context(), "O", access.Grants{})
	require.NoError(t, err)
	_, _, err = admin.CreateApplication(t.Context(), org, strings.Repeat("é", 200), access.Grants{})
	require.NoError(t, err)
	_, _, err = admin.CreateApplication(t.Context(), org, strings.Repeat("é", 201), access.Grants{})
	require.ErrorContains(t, err, "1 to 200 characters")
}

// Nobody takes over the id or key id of an application by naming another after it.
func TestAdmin_FindPrefersTheID(t *testing.T) {
	t.Parallel()
	admin, _ := adminOn(t, database.SQLite)
	org, err := admin.CreateOrganisation(t.Context(), "O", access.Grants{})
	require.NoError(t, err)
	app, shown, err := admin.CreateApplication(t.Context(), org, "A", access.Grants{})
	require.NoError(t, err)
	for _, name := range []string{string(app.ID), shown.KeyID} {
		_, _, err := admin.CreateApplication(t.Context(), org, name, access.Grants{})
		require.NoError(t, err)
		found, err := admin.Find(t.Context(), name)
		require.NoError(t, err)
		require.Equal(t, app.ID, found.ID)
	}
	_, _, err = admin.CreateApplication(t.Context(), org, "A", access.Grants{})
	require.NoError(t, err)
	_, err = admin.Find(t.Context(), "A")
	require.ErrorContains(t, err, "several applications")
}
