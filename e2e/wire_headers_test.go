package e2e_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"idplatform/e2e/e2etest"
)

var signatureHeaders = []string{"X-Platform-Key-Id", "X-Platform-Timestamp", "X-Platform-Nonce", "X-Platform-Signature"}

func TestWire_HeaderMissingOrTwice(t *testing.T) {
	t.Parallel()
	p := onSQLite(t)
	app := p.NewApplication()
	for _, name := range signatureHeaders {
		t.Run(name+"Missing", func(t *testing.T) {
			problem := unauthenticated(t, p.Send(signed(t, app).Without(name)), "invalid_signature")
			require.Contains(t, problem.Message, name)
		})
		t.Run(name+"Empty", func(t *testing.T) {
			unauthenticated(t, p.Send(signed(t, app).Set(name, "  ")), "invalid_signature")
		})
		t.Run(name+"Twice", func(t *testing.T) {
			request := signed(t, app)
			unauthenticated(t, p.Send(request.Add(name, request.Get(name))), "invalid_signature")
		})
		t.Run(name+"LowerCaseName", func(t *testing.T) {
			request := signed(t, app)
			value := request.Get(name)
			require.Equal(t, 200, p.Send(request.Without(name).Add(strings.ToLower(name), "\t "+value+"  ")).Status)
		})
	}
	for _, name := range []string{"X-Platform-IV", "Idempotency-Key"} {
		t.Run(name+"Twice", func(t *testing.T) {
			request := signed(t, app).Set("Idempotency-Key", uuid.NewString()).Sign()
			unauthenticated(t, p.Send(request.Add(name, request.Get(name))), "invalid_signature")
		})
	}
	t.Run("NoneAtAll", func(t *testing.T) {
		bare := &e2etest.Request{Method: "GET", Target: "/v1/anything"}
		unauthenticated(t, p.Send(bare.Set("Host", "x")), "invalid_signature")
	})
}

func TestWire_HeaderMalformed(t *testing.T) {
	t.Parallel()
	e2etest.Each(t, headerMalformed)
}

func headerMalformed(t *testing.T, p *e2etest.Platform) {
	app := p.NewApplication()
	now := strconv.FormatInt(p.Clock.Now().Unix(), 10)
	for _, c := range []struct{ name, header, value, code string }{
		{"NonceNoUUID", "X-Platform-Nonce", "1234", "invalid_signature"},
		{"NonceWithoutDashes", "X-Platform-Nonce", strings.ReplaceAll(uuid.NewString(), "-", ""), "invalid_signature"},
		{"NonceInBraces", "X-Platform-Nonce", "{" + uuid.NewString() + "}", "invalid_signature"},
		{"NonceNotHex", "X-Platform-Nonce", "zzzzzzzz-0000-4000-8000-000000000000", "invalid_signature"},
		{"TimestampWord", "X-Platform-Timestamp", "now", "timestamp_out_of_window"},
		{"TimestampFraction", "X-Platform-Timestamp", now + ".0", "timestamp_out_of_window"},
		{"TimestampSigned", "X-Platform-Timestamp", "+" + now, "timestamp_out_of_window"},
		{"TimestampMillis", "X-Platform-Timestamp", now + "000", "timestamp_out_of_window"},
		{"TimestampHuge", "X-Platform-Timestamp", strings.Repeat("9", 400), "timestamp_out_of_window"},
		{"TimestampNegative", "X-Platform-Timestamp", "-" + now, "timestamp_out_of_window"},
		{"TimestampOtherDigits", "X-Platform-Timestamp", "١٧٠٠٠٠٠٠٠٠", "timestamp_out_of_window"},
		{"TimestampRFC3339", "X-Platform-Timestamp", "2026-11-21T08:00:00Z", "timestamp_out_of_window"},
		{"KeyIDNonsense", "X-Platform-Key-Id", "' OR 1=1 --", "invalid_signature"},
		{"KeyIDEndless", "X-Platform-Key-Id", strings.Repeat("k", 10_000), "invalid_signature"},
		{"KeyIDNotUTF8", "X-Platform-Key-Id", "pk_sandbox_\xff\xfe", "invalid_signature"},
		{"KeyIDOfProduction", "X-Platform-Key-Id", strings.Replace(app.Credentials.KeyID, "sandbox", "live", 1), "invalid_signature"},
	} {
		t.Run(c.name, func(t *testing.T) {
			request := app.Request(http.MethodPost, validations, text(t, kyc(0, nil))).Set(c.header, c.value)
			unauthenticated(t, p.Send(request.Seal().Sign()), c.code)
		})
	}
	for name, alter := range map[string]func(string) string{
		"Upper": strings.ToUpper, "Short": func(s string) string { return s[1:] }, "Long": func(s string) string { return s + "0" },
		"NotHex": func(string) string { return strings.Repeat("z", 64) }, "Base64": func(string) string { return "3q2+7w==" },
		"Prefixed": func(s string) string { return "sha256=" + s }, "OneBit": func(s string) string { return flipped(s) },
		"OfNothing": func(string) string { return strings.Repeat("0", 64) },
	} {
		t.Run("Signature"+name, func(t *testing.T) {
			request := signed(t, app)
			request.Set("X-Platform-Signature", alter(request.Get("X-Platform-Signature")))
			problem := unauthenticated(t, p.Send(request), "invalid_signature")
			require.NotNil(t, problem.CanonicalString)
			require.Equal(t, request.Canonical(), *problem.CanonicalString)
		})
	}
}

func flipped(hex string) string {
	last := "0"
	if hex[len(hex)-1] == '0' {
		last = "1"
	}
	return hex[:len(hex)-1] + last
}

// The signature covers every part that the protocol names: each changed after signing is refused.
func TestWire_SignatureCovers(t *testing.T) {
	t.Parallel()
	p := onSQLite(t)
	app := p.NewApplication()
	full := func() *e2etest.Request {
		return app.Request(http.MethodPost, validations+"?a=1&b=%20", text(t, kyc(0, nil))).
			Add("Prefer", "wait=10").Add("Prefer", " handling=strict ").Set("Idempotency-Key", uuid.NewString()).Sign()
	}
	t.Run("Nothing", func(t *testing.T) { require.Equal(t, 200, p.Send(full()).Status) })
	for name, alter := range map[string]func(*e2etest.Request){
		"Timestamp": func(r *e2etest.Request) {
			r.Set("X-Platform-Timestamp", strconv.FormatInt(p.Clock.Now().Unix()-7, 10))
		},
		"Nonce":          func(r *e2etest.Request) { r.Set("X-Platform-Nonce", uuid.NewString()) },
		"Method":         func(r *e2etest.Request) { r.Method = http.MethodPut },
		"Path":           func(r *e2etest.Request) { r.Target = strings.Replace(r.Target, "validations", "v%61lidations", 1) },
		"Query":          func(r *e2etest.Request) { r.Target = strings.Replace(r.Target, "%20", "+", 1) },
		"QueryDropped":   func(r *e2etest.Request) { r.Target = validations },
		"IV":             func(r *e2etest.Request) { r.Set("X-Platform-IV", "AAAAAAAAAAAAAAAA") },
		"IdempotencyKey": func(r *e2etest.Request) { r.Set("Idempotency-Key", uuid.NewString()) },
		"KeyAdded":       func(r *e2etest.Request) { r.Without("Idempotency-Key") },
		"Prefer":         func(r *e2etest.Request) { r.Without("Prefer").Add("Prefer", "respond-async") },
		"PreferAdded":    func(r *e2etest.Request) { r.Add("Prefer", "respond-async") },
		"Body":           func(r *e2etest.Request) { r.Body = []byte(strings.Replace(string(r.Body), ":", ": ", 1)) },
		"BodyDropped":    func(r *e2etest.Request) { r.Body = nil },
	} {
		t.Run(name, func(t *testing.T) {
			request := full()
			alter(request)
			problem := unauthenticated(t, p.Send(request), "invalid_signature")
			require.Equal(t, request.Canonical(), *problem.CanonicalString)
		})
	}
}

// Who guesses learns nothing from the answer: not whether a key id exists, nor how near the guess was.
func TestWire_UnknownKeyLooksLikeWrongSignature(t *testing.T) {
	t.Parallel()
	e2etest.Each(t, func(t *testing.T, p *e2etest.Platform) {
		known, stranger := p.NewApplication(), p.NewApplication()
		wrong := signed(t, known)
		wrong.Set("X-Platform-Signature", flipped(wrong.Get("X-Platform-Signature")))
		unknown := signed(t, stranger).Set("X-Platform-Key-Id", "pk_sandbox_"+strings.Repeat("0", 24))
		foreign := signed(t, known).Set("X-Platform-Key-Id", stranger.Credentials.KeyID)
		var said []string
		for _, request := range []*e2etest.Request{wrong, unknown, foreign} {
			answer := p.Send(request)
			problem := unauthenticated(t, answer, "invalid_signature")
			require.Equal(t, request.Canonical(), *problem.CanonicalString)
			body := read(t, answer.Body)
			delete(body, "request_id")
			delete(body, "canonical_string")
			said = append(said, string(text(t, body)))
		}
		require.Equal(t, said[0], said[1])
		require.Equal(t, said[0], said[2])
	})
}

func TestWire_ProductionHidesTheCanonicalString(t *testing.T) {
	t.Parallel()
	p := e2etest.Start(t, e2etest.Options{Driver: "sqlite", Environment: "production"})
	app := p.NewApplication()
	require.True(t, strings.HasPrefix(app.Credentials.KeyID, "pk_live_"))
	request := signed(t, app)
	request.Set("X-Platform-Signature", flipped(request.Get("X-Platform-Signature")))
	require.Nil(t, unauthenticated(t, p.Send(request), "invalid_signature").CanonicalString)
	requireRefused(t, p.Send(signed(t, app)), http.StatusForbidden, "production_access_required", true)
}
