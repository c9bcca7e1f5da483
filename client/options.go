package client

import (
	"crypto/tls"
	"net/http"
	"time"
)

// What a Client does unless told otherwise.
const (
	DefaultTimeout       = 60 * time.Second
	DefaultResponseLimit = 128 << 20
	defaultUserAgent     = "idplatform-go"
)

// Option changes how a Client works.
type Option func(*settings)

type settings struct {
	http          *http.Client
	tls           *tls.Config
	now           func() time.Time
	retry         RetryPolicy
	timeout       time.Duration
	responseLimit int64
	userAgent     string
	pollFirst     time.Duration
	pollLongest   time.Duration
}

func defaults() settings {
	return settings{
		now:           time.Now,
		retry:         DefaultRetry(),
		timeout:       DefaultTimeout,
		responseLimit: DefaultResponseLimit,
		userAgent:     defaultUserAgent,
		pollFirst:     200 * time.Millisecond,
		pollLongest:   5 * time.Second,
	}
}

// WithHTTPClient sends through h. TLS is then h's own matter: the files that the credentials name are not
// read (see Credentials.TLSConfig). Redirects are never followed, whatever h says, as a signature covers one path.
func WithHTTPClient(h *http.Client) Option { return func(s *settings) { s.http = h } }

// WithTLSConfig replaces the TLS configuration of the credentials. It cannot go with WithHTTPClient.
func WithTLSConfig(config *tls.Config) Option { return func(s *settings) { s.tls = config } }

// WithClock gives the time that requests are signed with.
func WithClock(now func() time.Time) Option { return func(s *settings) { s.now = now } }

// WithRetry replaces DefaultRetry(); NoRetry() switches retrying off.
func WithRetry(policy RetryPolicy) Option { return func(s *settings) { s.retry = policy } }

// WithTimeout bounds each attempt, from the dialling to the last byte of the answer; DefaultTimeout unless
// told. The context bounds the call as a whole.
func WithTimeout(d time.Duration) Option { return func(s *settings) { s.timeout = d } }

// WithResponseLimit bounds the bytes of an answer on the wire; DefaultResponseLimit unless told.
func WithResponseLimit(bytes int64) Option { return func(s *settings) { s.responseLimit = bytes } }

// WithUserAgent names the calling program in the User-Agent header.
func WithUserAgent(name string) Option { return func(s *settings) { s.userAgent = name } }

// WithPolling sets how often WaitJob, WaitBatch and AllBatchResults ask: first after the first interval, then
// half as long again each time up to the longest.
func WithPolling(first, longest time.Duration) Option {
	return func(s *settings) { s.pollFirst, s.pollLongest = first, longest }
}

// CallOption changes a single call.
type CallOption func(*callSettings)

type callSettings struct {
	idempotencyKey string
	async          bool
}

// IdempotencyKey makes a POST safe to repeat for 24 hours: the same key and the same request give the first
// answer again and are billed once. The key must be a UUID. Without it a Client that retries makes
// a key of its own for each call; give one to be safe over a crash of your own program as well.
func IdempotencyKey(uuid string) CallOption { return func(s *callSettings) { s.idempotencyKey = uuid } }

// Async asks for an asynchronous answer to Do: 202 with a job or a batch. The typed calls have a function of
// their own for it.
func Async() CallOption { return func(s *callSettings) { s.async = true } }

func callSettingsOf(opts []CallOption) callSettings {
	var s callSettings
	for _, opt := range opts {
		opt(&s)
	}
	return s
}
