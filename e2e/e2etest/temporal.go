package e2etest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/app/devtemporal"
	"idplatform/app/devtemporal/devtemporaltest"
)

// Temporal starts a Temporal server in memory for the test and gives its address, with the namespace and search
// attributes of a sandbox.
func Temporal(t testing.TB) string {
	t.Helper()
	server, err := devtemporal.Start(t.Context(), devtemporal.Options{
		Binary: devtemporaltest.Binary(t), Namespace: "platform-sandbox",
		SearchAttributes: map[string]string{"PlatformApplication": "Keyword", "PlatformService": "Keyword", "PlatformStatus": "Keyword"},
	})
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		require.NoError(t, server.Stop(ctx))
	})
	return server.Address()
}
