package e2etest

import (
	"crypto/tls"
	"encoding/base64"
	"net/http"

	"github.com/stretchr/testify/require"

	"idplatform/client"
	"idplatform/models"
	"idplatform/platform/access"
)

// Application is an application of a platform, with the secrets that its owner has.
type Application struct {
	ID    models.ApplicationID
	Model *models.Application
	// Credentials are those given last.
	Credentials access.Credentials
	// Grants are what it was created with.
	Grants access.Grants

	platform *Platform
}

// NewApplication creates an application that may do everything.
func (p *Platform) NewApplication() *Application {
	return p.NewApplicationWith(p.App.Admin.Everything())
}

// NewApplicationWith creates an application of an organisation that subscribes to everything.
func (p *Platform) NewApplicationWith(g access.Grants) *Application {
	p.t.Helper()
	return p.NewApplicationOf(p.App.Admin.Everything(), g)
}

// NewApplicationOf creates an organisation with its subscription, and an application of it.
func (p *Platform) NewApplicationOf(subscription, g access.Grants) *Application {
	p.t.Helper()
	organisation, err := p.App.Admin.CreateOrganisation(p.t.Context(), "Organisation", subscription)
	require.NoError(p.t, err)
	created, shown, err := p.App.Admin.CreateApplication(p.t.Context(), organisation, "Application", g)
	require.NoError(p.t, err)
	return &Application{ID: created.ID, Model: created, Credentials: shown, Grants: g, platform: p}
}

// At is the same application, calling another instance.
func (a *Application) At(p *Platform) *Application {
	other := *a
	other.platform = p
	return &other
}

// With is the same application with other credentials.
func (a *Application) With(c access.Credentials) *Application {
	other := *a
	other.Credentials = c
	return &other
}

// Client is an SDK client of the application. Its exchanges are held against the OpenAPI document.
func (a *Application) Client(options ...client.Option) *client.Client {
	t := a.platform.t
	t.Helper()
	transport := &http.Transport{TLSNextProto: map[string]func(string, *tls.Conn) http.RoundTripper{}}
	t.Cleanup(transport.CloseIdleConnections)
	sdk, err := client.New(
		client.Credentials{BaseURL: a.platform.URL, KeyID: a.Credentials.KeyID, APISecret: a.Credentials.APISecret, EncryptionKey: a.Credentials.EncryptionKey},
		append([]client.Option{
			client.WithHTTPClient(&http.Client{Transport: &recorder{application: a, next: transport}}),
			client.WithClock(a.platform.Clock.Now), client.WithRetry(client.NoRetry()),
		}, options...)...)
	require.NoError(t, err)
	return sdk
}

func (a *Application) secret() []byte        { return decoded(a.Credentials.APISecret) }
func (a *Application) encryptionKey() []byte { return decoded(a.Credentials.EncryptionKey) }

func decoded(text string) []byte {
	bytes, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		panic(err) // the platform gave it
	}
	return bytes
}
