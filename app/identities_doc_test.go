package app_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/app"
)

// The documentation shows the identities that the command lists.
func TestIdentities_AreDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/kyc.md")
	require.NoError(t, err)
	for _, identity := range app.Identities() {
		require.Contains(t, string(page), identity.Identifiers[0].Value)
		for _, trait := range identity.Traits {
			require.Contains(t, string(page), "`"+string(trait)+"`")
		}
	}
}
