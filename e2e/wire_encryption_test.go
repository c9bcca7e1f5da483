package e2e_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"idplatform/e2e/e2etest"
)

func TestWire_EncryptionRequired(t *testing.T) {
	t.Parallel()
	p := onSQLite(t)
	app := p.NewApplication()
	for name, body := range map[string]string{"PlainJSON": string(text(t, kyc(0, nil))), "Envelope": string(signed(t, app).Body), "Blank": " "} {
		t.Run(name, func(t *testing.T) {
			request := app.Request(http.MethodPost, validations, nil)
			request.Body = []byte(body)
			requireRefused(t, p.Send(request.Sign()), http.StatusBadRequest, "encryption_required", true)
		})
	}
	t.Run("OnGETToo", func(t *testing.T) {
		request := app.Request(http.MethodGet, validations+"/kyc_x", nil)
		request.Body = []byte(`{}`)
		requireRefused(t, p.Send(request.Sign()), http.StatusBadRequest, "encryption_required", true)
	})
}

// An envelope that is not exactly what the protocol says, or not under this key, IV and additional data, is refused.
func TestWire_DecryptionFailed(t *testing.T) {
	t.Parallel()
	p := onSQLite(t)
	app, other := p.NewApplication(), p.NewApplication()
	fresh := func() *e2etest.Request { return app.Request(http.MethodPost, validations, text(t, kyc(0, nil))) }
	ciphertext := func(r *e2etest.Request) string {
		var envelope struct{ Ciphertext string }
		require.NoError(t, json.Unmarshal(r.Body, &envelope))
		return envelope.Ciphertext
	}
	wrap := func(r *e2etest.Request, envelope string) {
		r.Body = []byte(strings.Replace(envelope, "@", ciphertext(r), 1))
	}
	for name, alter := range map[string]func(r *e2etest.Request){
		"OtherKey": func(r *e2etest.Request) {
			own := r.Key
			r.Key = decoded(t, other.Credentials.EncryptionKey)
			r.Seal()
			r.Key = own
		},
		"OtherNonce":  func(r *e2etest.Request) { r.Set("X-Platform-Nonce", uuid.NewString()) },
		"OtherMethod": func(r *e2etest.Request) { r.Method = http.MethodPut; r.Seal(); r.Method = http.MethodPost },
		"OtherPath":   func(r *e2etest.Request) { r.Target = "/v1/face/recognitions"; r.Seal(); r.Target = validations },
		"OtherIV":     func(r *e2etest.Request) { r.Set("X-Platform-IV", base64.StdEncoding.EncodeToString(make([]byte, 12))) },
		"ShortIV":     func(r *e2etest.Request) { r.Set("X-Platform-IV", base64.StdEncoding.EncodeToString(make([]byte, 11))) },
		"LongIV":      func(r *e2etest.Request) { r.Set("X-Platform-IV", base64.StdEncoding.EncodeToString(make([]byte, 16))) },
		"HugeIV": func(r *e2etest.Request) {
			r.Set("X-Platform-IV", base64.StdEncoding.EncodeToString(make([]byte, 9000)))
		},
		"IVNotBase64":  func(r *e2etest.Request) { r.Set("X-Platform-IV", "not base64!!") },
		"IVWithoutEnd": func(r *e2etest.Request) { r.Set("X-Platform-IV", "AAAAAAAAAAAAAAA") },
		"NoBody":       func(r *e2etest.Request) { r.Body = nil },
		"OneBit": func(r *e2etest.Request) {
			sealed := decoded(t, ciphertext(r))
			sealed[len(sealed)/2] ^= 1
			r.Body = []byte(`{"ciphertext":"` + base64.StdEncoding.EncodeToString(sealed) + `"}`)
		},
		"NoTag": func(r *e2etest.Request) {
			r.Body = []byte(`{"ciphertext":"` + base64.StdEncoding.EncodeToString(decoded(t, ciphertext(r))[16:]) + `"}`)
		},
		"Empty":     func(r *e2etest.Request) { r.Body = []byte(`{"ciphertext":""}`) },
		"NotBase64": func(r *e2etest.Request) { r.Body = []byte(`{"ciphertext":"???"}`) },
		"LineEnds": func(r *e2etest.Request) {
			c := ciphertext(r)
			r.Body = []byte(`{"ciphertext":"` + c[:8] + `\n` + c[8:] + `"}`)
		},
		"Number":       func(r *e2etest.Request) { r.Body = []byte(`{"ciphertext":5}`) },
		"Null":         func(r *e2etest.Request) { r.Body = []byte(`null`) },
		"Array":        func(r *e2etest.Request) { wrap(r, `["@"]`) },
		"Text":         func(r *e2etest.Request) { wrap(r, `"@"`) },
		"ExtraMember":  func(r *e2etest.Request) { wrap(r, `{"ciphertext":"@","iv":"x"}`) },
		"MemberTwice":  func(r *e2etest.Request) { wrap(r, `{"ciphertext":"","ciphertext":"@"}`) },
		"OtherCase":    func(r *e2etest.Request) { wrap(r, `{"Ciphertext":"@"}`) },
		"TwoEnvelopes": func(r *e2etest.Request) { wrap(r, `{"ciphertext":"@"}{}`) },
		"Truncated":    func(r *e2etest.Request) { wrap(r, `{"ciphertext":"@"`) },
		"Garbage":      func(r *e2etest.Request) { r.Body = []byte{0, 1, 2, 0xff} },
		"Plain":        func(r *e2etest.Request) { r.Body = r.Plain },
	} {
		t.Run(name, func(t *testing.T) {
			request := fresh()
			alter(request)
			problem := requireRefused(t, p.Send(request.Sign()), http.StatusBadRequest, "decryption_failed", true)
			require.Empty(t, problem.Fields, "nothing tells the ways apart")
		})
	}
	for name, envelope := range map[string]string{"WhiteSpace": " {\n\t\"ciphertext\" : \"@\" } \n", "Escaped": `{"\u0063iphertext":"@"}`} {
		t.Run(name+"IsJSONStill", func(t *testing.T) {
			request := fresh()
			wrap(request, envelope)
			require.Equal(t, 200, p.Send(request.Sign()).Status)
		})
	}
	t.Run("AnAnswerIsNoRequest", func(t *testing.T) {
		answer := p.Send(fresh().Sign())
		request := fresh()
		request.Body = answer.Raw
		request.Set("X-Platform-IV", answer.First("X-Platform-IV"))
		requireRefused(t, p.Send(request.Sign()), http.StatusBadRequest, "decryption_failed", true)
	})
	t.Run("EmptyPlaintextIsAMissingBody", func(t *testing.T) {
		request := fresh()
		request.Plain = nil
		problem := requireRefused(t, p.Send(request.Seal().Sign()), http.StatusBadRequest, "invalid_request", true)
		require.Equal(t, "body", problem.Fields[0].Field)
	})
}

func decoded(t *testing.T, text string) []byte {
	t.Helper()
	bytes, err := base64.StdEncoding.DecodeString(text)
	require.NoError(t, err)
	return bytes
}

// Two answers to the same question never look alike on the wire.
func TestWire_AnswersAreEncryptedAnew(t *testing.T) {
	t.Parallel()
	p := onSQLite(t)
	app := p.NewApplication()
	seen := map[string]bool{}
	for range 20 {
		answer := p.Send(app.Signed(http.MethodGet, validations+"/kyc_x", nil))
		require.False(t, seen[answer.First("X-Platform-IV")])
		seen[answer.First("X-Platform-IV")] = true
	}
}
