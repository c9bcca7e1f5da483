package e2etest

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/google/uuid"
)

// Request is a request on its way to the wire, open to every alteration. Prepared by Application.Request it
// is right in all respects but the signature, which Sign puts on last.
type Request struct {
	Method, Target string
	// Header are the header lines in their order, as sent.
	Header []Line
	// Body is what is sent, encrypted or not.
	Body []byte
	// Plain is what was encrypted.
	Plain []byte
	// Key and Nonce open the answer.
	Key   []byte
	Nonce string

	secret []byte
}

// Line is a header line.
type Line struct{ Name, Value string }

// Request prepares a request; an empty body is none.
func (a *Application) Request(method, target string, plain []byte) *Request {
	r := &Request{Method: method, Target: target, Plain: plain, Key: a.encryptionKey(), Nonce: uuid.NewString(), secret: a.secret()}
	timestamp := strconv.FormatInt(a.platform.Clock.Now().Unix(), 10)
	r.Set("Host", strings.TrimPrefix(a.platform.URL, "http://"))
	r.Set("X-Platform-Key-Id", a.Credentials.KeyID)
	r.Set("X-Platform-Timestamp", timestamp)
	r.Set("X-Platform-Nonce", r.Nonce)
	if len(plain) > 0 {
		r.Seal()
	}
	return r
}

// Signed is Request, signed.
func (a *Application) Signed(method, target string, plain []byte) *Request {
	return a.Request(method, target, plain).Sign()
}

// Seal encrypts Plain for the headers as they are.
func (r *Request) Seal() *Request {
	iv, body := sealBody(r.Key, r.Plain, requestAAD(r.Get("X-Platform-Timestamp"), r.Get("X-Platform-Nonce"), r.Method, r.Target))
	r.Body = body
	return r.Set("X-Platform-IV", iv).Set("Content-Type", "application/json")
}

// Canonical is the string that the signature of the request as it is covers.
func (r *Request) Canonical() string {
	var prefer []string
	for _, line := range r.Header {
		if strings.EqualFold(line.Name, "Prefer") {
			prefer = append(prefer, strings.TrimSpace(line.Value))
		}
	}
	get := func(name string) string { return strings.TrimSpace(r.Get(name)) }
	return Canonical(get("X-Platform-Timestamp"), get("X-Platform-Nonce"), r.Method, r.Target, get("X-Platform-IV"),
		get("Idempotency-Key"), strings.Join(prefer, ", "), r.Body)
}

// Sign signs the request as it is.
func (r *Request) Sign() *Request {
	r.Nonce = strings.TrimSpace(r.Get("X-Platform-Nonce"))
	return r.Set("X-Platform-Signature", sign(r.secret, r.Canonical()))
}

// Get is the value of the first line with the name.
func (r *Request) Get(name string) string {
	for _, line := range r.Header {
		if strings.EqualFold(line.Name, name) {
			return line.Value
		}
	}
	return ""
}

// Set replaces the lines with the name by one.
func (r *Request) Set(name, value string) *Request {
	return r.Without(name).Add(name, value)
}

// Add adds a line.
func (r *Request) Add(name, value string) *Request {
	r.Header = append(r.Header, Line{name, value})
	return r
}

// Without drops the lines with the name.
func (r *Request) Without(name string) *Request {
	var kept []Line
	for _, line := range r.Header {
		if !strings.EqualFold(line.Name, name) {
			kept = append(kept, line)
		}
	}
	r.Header = kept
	return r
}

// Answer is an answer as it came, and what it says.
type Answer struct {
	Status int
	Header map[string][]string
	// Raw is the body as sent, Body the plaintext.
	Raw, Body []byte
	// Encrypted tells that the answer was encrypted for this request.
	Encrypted bool
}

// First is the first value of a header.
func (a *Answer) First(name string) string {
	for key, values := range a.Header {
		if strings.EqualFold(key, name) && len(values) > 0 {
			return values[0]
		}
	}
	return ""
}

// Problem is an error as the platform words one.
type Problem struct {
	Code            string  `json:"error"`
	Message         string  `json:"message"`
	RequestID       string  `json:"request_id"`
	CanonicalString *string `json:"canonical_string"`
	RetryAfter      string  `json:"retry_after"`
	Scope           string  `json:"scope"`
	Fields          []struct {
		Field   string `json:"field"`
		Problem string `json:"problem"`
	} `json:"fields"`
}

// Problem reads the answer as an error; an answer that is none has no code.
func (a *Answer) Problem() Problem {
	var p Problem
	if json.Unmarshal(a.Body, &p) != nil {
		return Problem{}
	}
	return p
}
