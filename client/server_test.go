package client_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/client"
	"idplatform/platform/wire"
)

const testKeyID = "pk_sandbox_0123456789abcdefABCDEFGH"

var (
	testSecret = bytes.Repeat([]byte{1}, wire.SecretSize)
	testKey    = bytes.Repeat([]byte{2}, wire.SecretSize)
)

func testCredentials(baseURL string) client.Credentials {
	return client.Credentials{
		BaseURL: baseURL, KeyID: testKeyID,
		APISecret: base64.StdEncoding.EncodeToString(testSecret), EncryptionKey: base64.StdEncoding.EncodeToString(testKey),
	}
}

// received is a call as the server understood it.
type received struct {
	Method, Target, Body            string
	Nonce, Prefer, Key, Agent, Time string
}

// answer is what a test lets the server say. Zero values: status 200, encrypted for the request.
type answer struct {
	status int
	body   string
	header map[string]string
	plain  bool
	nonce  string // encrypt for this request instead
	sealed int    // encrypt for this status instead
	drop   bool   // close the connection
	hang   bool   // until the request is given up
	cut    bool   // announce more than is sent
}

func failing(status int, code string) answer {
	return answer{status: status, body: `{"error":"` + code + `","message":"No."}`}
}

// server speaks the protocol with platform/wire alone: it checks signature, timestamp, nonce and encryption as
// the platform does, then says what the test wants. The last answer repeats.
type server struct {
	mu      sync.Mutex
	key     *wire.Key
	now     func() time.Time
	seen    []received
	nonces  map[string]bool
	answers []answer
}

func newServer(t *testing.T, answers ...answer) *server {
	t.Helper()
	key, err := wire.NewKey(testKey)
	require.NoError(t, err)
	return &server{key: key, now: time.Now, nonces: map[string]bool{}, answers: answers}
}

func (s *server) calls() []received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]received{}, s.seen...)
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	got, code := s.admit(r)
	s.mu.Lock()
	s.seen = append(s.seen, got)
	say := s.answers[min(len(s.seen), len(s.answers))-1]
	s.mu.Unlock()
	w.Header().Set("Date", s.now().UTC().Format(http.TimeFormat))
	if code != "" {
		say = failing(http.StatusUnauthorized, code)
		say.plain = true
	}
	if say.drop {
		panic(http.ErrAbortHandler)
	}
	if say.hang {
		<-r.Context().Done()
		return
	}
	s.write(w, got.Nonce, say)
}

func (s *server) admit(r *http.Request) (received, string) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return received{}, "unreadable"
	}
	h := r.Header
	got := received{
		Method: r.Method, Target: r.RequestURI, Nonce: h.Get(wire.HeaderNonce), Time: h.Get(wire.HeaderTimestamp),
		Prefer: wire.Prefer(h), Key: h.Get(wire.HeaderIdempotencyKey), Agent: h.Get("User-Agent"),
	}
	sum := sha256.Sum256(body)
	canonical := wire.CanonicalOf(r.Method, r.RequestURI, h, hex.EncodeToString(sum[:]))
	sent, ok := wire.ParseTimestamp(got.Time)
	s.mu.Lock()
	repeated := s.nonces[got.Nonce]
	s.nonces[got.Nonce] = true
	s.mu.Unlock()
	switch {
	case !ok || !wire.InWindow(sent, s.now()):
		return got, "timestamp_out_of_window"
	case h.Get(wire.HeaderKeyID) != testKeyID || !wire.IsUUID(got.Nonce) || !wire.Verify(testSecret, canonical, h.Get(wire.HeaderSignature)):
		return got, "invalid_signature"
	case repeated:
		return got, "nonce_reused"
	case len(body) == 0:
		return got, ""
	}
	path, _, _ := strings.Cut(r.RequestURI, "?")
	plaintext, err := s.key.Open(h.Get(wire.HeaderIV), body, wire.RequestAAD(got.Time, got.Nonce, r.Method, path))
	if err != nil || h.Get("Content-Type") != "application/json" {
		return got, "decryption_failed"
	}
	got.Body = string(plaintext)
	return got, ""
}

func (s *server) write(w http.ResponseWriter, nonce string, say answer) {
	w.Header().Set(wire.HeaderRequestID, "req_1")
	w.Header().Set("Content-Type", "application/json")
	for name, value := range say.header {
		w.Header().Set(name, value)
	}
	if say.status == 0 {
		say.status = http.StatusOK
	}
	body := []byte(say.body)
	if !say.plain {
		if say.nonce != "" {
			nonce = say.nonce
		}
		status := say.status
		if say.sealed != 0 {
			status = say.sealed
		}
		var iv string
		iv, body = s.key.Seal(body, wire.ResponseAAD(nonce, status))
		w.Header().Set(wire.HeaderIV, iv)
	}
	if say.cut {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)+1))
	}
	w.WriteHeader(say.status)
	_, _ = w.Write(body)
}

// overHTTP serves over a real connection.
func overHTTP(t *testing.T, s http.Handler, opts ...client.Option) *client.Client {
	t.Helper()
	listening := httptest.NewServer(s)
	t.Cleanup(listening.Close)
	c, err := client.New(testCredentials(listening.URL), opts...)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// inMemory serves without a connection, so that a test can run on synctest's clock.
func inMemory(t *testing.T, s *server, opts ...client.Option) *client.Client {
	t.Helper()
	opts = append([]client.Option{client.WithHTTPClient(&http.Client{Transport: handlerTransport{s}})}, opts...)
	c, err := client.New(testCredentials("http://platform.test"), opts...)
	require.NoError(t, err)
	return c
}

type handlerTransport struct{ handler http.Handler }

func (h handlerTransport) RoundTrip(r *http.Request) (resp *http.Response, err error) {
	defer func() {
		if recover() != nil {
			err = io.ErrUnexpectedEOF
		}
	}()
	if r.Context().Err() != nil {
		return nil, r.Context().Err()
	}
	incoming := r.Clone(r.Context())
	incoming.RequestURI = r.URL.RequestURI()
	if incoming.Body == nil {
		incoming.Body = http.NoBody
	}
	recorder := httptest.NewRecorder()
	h.handler.ServeHTTP(recorder, incoming)
	if r.Context().Err() != nil {
		return nil, r.Context().Err()
	}
	return recorder.Result(), nil
}

// verifiedJSON is a validation with every block, and a member and an enum value that this version does not know.
const verifiedJSON = `{"id":"kyc_01jd7000000000000000000000","object":"kyc_validation","livemode":false,"reference":"r-1",
"status":"completed","result":"verified","certified_account":true,"a_later_field":{"x":1},
"identifier":{"type":"ceni","value":"10120301234"},
"match":{"full_name":"match","date_of_birth":"partial_match","age":"not_provided","score":0.95},
"account":{"platform_id":"COD-A1B2-C3D4-E5F6","status":"a_later_status","certified":true,"created_at":"2024-05-01T10:00:00.000Z","level_of_assurance":"LOA3"},
"kyc":{"basic":{"full_name":"Kabongo Mwamba Joséphine","first_name":"Joséphine","last_name":"Kabongo","date_of_birth":"1990-04-02","age":35,"gender":"female","nationality":"COD"},
"documents":{"primary":{"type":"ceni","number":"10120301234","issued_at":"2020-01-01","expires_at":null,"issuing_authority":"CENI","status":"valid",
"image":{"content_type":"image/png","url":"http://127.0.0.1/f/1","expires_at":"2026-01-01T00:05:00.000Z"}},
"others":[{"type":"passport","number":"OP1234567","issued_at":"2021-01-01","expires_at":"2031-01-01","issuing_authority":"DGM","status":"valid","image":{"content_type":"image/png","data":"aGk="}}]},
"addresses":[{"type":"residential","province":"Kinshasa","city":"Kinshasa","commune":"Gombe","quartier":"Golf","avenue":"du Port","number":"4","is_primary":true,"verified_at":null}],
"emails":[{"address":"j@example.cd","is_primary":true,"verified":false}],
"phone_numbers":[{"number":"+243810000000","operator":"Vodacom","is_primary":true,"verified":true}],
"professions":[{"title":"Nurse","employer":"HGR","sector":"health","since":"2015-09-01"}],
"place_of_birth":{"country":"COD","province":"Kasaï","city":"Kananga"},"marital_status":"married","languages":["fr","lua"],
"religion":"catholic","ethnicity":"Luba",
"biometrics":{"selfie":{"captured_at":"2024-05-01T10:00:00.000Z","file":{"content_type":"image/jpeg","data":"aGk="}},
"fingerprints":[{"format":"ISO_19794_2","finger":"right_thumb","file":{"content_type":"application/octet-stream","data":"aGk="}}],
"iris":[{"format":"ISO_19794_6","eye":"left","file":{"content_type":"application/octet-stream","data":"aGk="}}]}},
"scopes_applied":["kyc.basic"],"scopes_withheld":["kyc.religion"],"purpose":"customer_onboarding","created_at":"2026-01-01T00:00:00.000Z"}`

func mustJSON(t *testing.T, value any) string {
	t.Helper()
	data, err := json.Marshal(value)
	require.NoError(t, err)
	return string(data)
}
