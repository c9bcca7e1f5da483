// Package e2e_test drives the whole platform from outside, on both databases.
package e2e_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/client"
	"idplatform/database"
	"idplatform/e2e/e2etest"
	"idplatform/engines/registry"
	"idplatform/models"
	"idplatform/platform/access"
)

const validations = "/v1/kyc/validations"

// fileScopes are those whose blocks hold file objects.
var fileScopes = []string{"kyc.documents.primary", "kyc.documents.all", "kyc.biometrics.selfie", "kyc.biometrics.fingerprint", "kyc.biometrics.iris"}

// object is a JSON object, for requests made by hand and answers read whole.
type object = map[string]any

func text(t *testing.T, value any) []byte {
	t.Helper()
	if s, ok := value.(string); ok {
		return []byte(s)
	}
	body, err := json.Marshal(value)
	require.NoError(t, err)
	return body
}

// kyc is a valid request about a citizen's platform id, with changes; a change to nil drops the field.
func kyc(k int, changes object) object {
	request := object{
		"identifier": object{"type": "platform_id", "value": e2etest.Citizen(k).Person.PlatformID},
		"purpose":    "customer_onboarding",
		"scopes":     []string{},
	}
	for name, value := range changes {
		if request[name] = value; value == nil {
			delete(request, name)
		}
	}
	return request
}

// post makes a call that succeeds and gives the answer's object.
func post(t *testing.T, c *client.Client, path string, request any) object {
	t.Helper()
	answer, err := c.Do(t.Context(), http.MethodPost, path, text(t, request))
	require.NoError(t, err)
	return read(t, answer.Body)
}

func read(t *testing.T, body []byte) object {
	t.Helper()
	var o object
	require.NoError(t, json.Unmarshal(body, &o))
	return o
}

// refusal makes a call that is refused, encrypted and with a request id, and gives the error.
func refusal(t *testing.T, c *client.Client, method, path string, body []byte) *client.Error {
	t.Helper()
	_, err := c.Do(t.Context(), method, path, body)
	var refused *client.Error
	require.True(t, errors.As(err, &refused), "want a refusal, have %v", err)
	require.True(t, refused.Encrypted, "a refusal after authentication is encrypted")
	require.True(t, models.IsID("req_", refused.RequestID), refused.RequestID)
	return refused
}

// fields are the paths of the faults, in the order of the answer.
func fields(refused *client.Error) []string {
	paths := make([]string, len(refused.Fields))
	for i, f := range refused.Fields {
		paths[i] = f.Field
	}
	return paths
}

// citizenWith is the place of a citizen with all the traits.
func citizenWith(t *testing.T, traits ...registry.Trait) int {
	t.Helper()
	for k, identity := range registry.Identities() {
		if has(identity.Traits, traits) {
			return k
		}
	}
	t.Fatalf("no test identity has all of %v", traits)
	return 0
}

func has(have, want []registry.Trait) bool {
	for _, w := range want {
		found := false
		for _, h := range have {
			found = found || h == w
		}
		if !found {
			return false
		}
	}
	return true
}

// unknown is a well-formed identifier that nobody bears.
func unknown(t *testing.T, of models.IdentifierType) models.Identifier {
	t.Helper()
	for _, identity := range registry.Identities() {
		if identity.Kind == registry.KindUnknown {
			for _, id := range identity.Identifiers {
				if id.Type == of {
					return id
				}
			}
		}
	}
	t.Fatalf("no unknown identifier of type %s", of)
	return models.Identifier{}
}

// granted is everything but some scopes.
func granted(p *e2etest.Platform, without ...string) access.Grants {
	g := p.App.Admin.Everything()
	var scopes []string
	for _, scope := range g.Scopes {
		if strings.HasPrefix(scope, "kyc.") && !contains(without, scope) {
			scopes = append(scopes, scope)
		}
	}
	g.Scopes = scopes
	return g
}

func contains(list []string, name string) bool {
	for _, each := range list {
		if each == name {
			return true
		}
	}
	return false
}

func databaseDriver(name string) database.Driver { return database.Driver(name) }

// fastPoll is how often a test asks whether something is done; asyncTime is how long it asks.
const (
	fastPoll  = 20 * time.Millisecond
	asyncTime = time.Minute
)
