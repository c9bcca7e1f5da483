package registry

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"
	"github.com/sony/gobreaker/v2"
)

// HTTPConfig says where an operator's own register is and how patient to be with it. Zero values mean the
// defaults named.
type HTTPConfig struct {
	// BaseURL is where the paths of docs/registry-adapter.md begin: https, no query.
	BaseURL string
	// CAFile holds the PEM certificates that the register's certificate must come from; CertFile and KeyFile are
	// the platform's own, shown to the register. The latter two are read at every handshake, so that a renewed
	// certificate needs no restart.
	CAFile, CertFile, KeyFile string
	// Timeout bounds one attempt, the answer's body included. Default 3 s.
	Timeout time.Duration
	// Retries is how often a failed attempt is repeated at once, with short pauses. Default 2; negative: never.
	Retries int
	// OpenAfter calls that failed in a row, the register is left alone for OpenFor and every call fails at once;
	// then one call tries. Defaults 5 and 5 s.
	OpenAfter int
	OpenFor   time.Duration
	// MaxAnswer bounds the bytes of one answer. Default 16 MiB.
	MaxAnswer int64
}

// HTTP is the adapter for an operator's own register, spoken to over HTTPS with mutual TLS.
type HTTP struct {
	base      string
	client    *retryablehttp.Client
	breaker   *gobreaker.CircuitBreaker[Content]
	maxAnswer int64
}

var _ Register = (*HTTP)(nil)

// NewHTTP checks the configuration and reads the certificates; it does not call the register yet (see Ping).
func NewHTTP(cfg HTTPConfig) (*HTTP, error) {
	base, err := url.Parse(cfg.BaseURL)
	if err != nil || base.Scheme != "https" || base.Host == "" || base.RawQuery != "" || base.Fragment != "" {
		return nil, errors.New("the register's base URL must be https://HOST[:PORT][/PATH]")
	}
	tlsConfig, err := cfg.tls()
	if err != nil {
		return nil, err
	}
	cfg = cfg.withDefaults()
	return &HTTP{
		base:      strings.TrimRight(base.String(), "/"),
		client:    cfg.client(tlsConfig),
		breaker:   cfg.breaker(),
		maxAnswer: cfg.MaxAnswer,
	}, nil
}

func (cfg HTTPConfig) withDefaults() HTTPConfig {
	if cfg.Timeout == 0 {
		cfg.Timeout = 3 * time.Second
	}
	if cfg.Retries == 0 {
		cfg.Retries = 2
	}
	if cfg.OpenAfter == 0 {
		cfg.OpenAfter = 5
	}
	if cfg.OpenFor == 0 {
		cfg.OpenFor = 5 * time.Second
	}
	if cfg.MaxAnswer == 0 {
		cfg.MaxAnswer = 16 << 20
	}
	return cfg
}

func (cfg HTTPConfig) tls() (*tls.Config, error) {
	pem, err := os.ReadFile(cfg.CAFile)
	if err != nil {
		return nil, fmt.Errorf("read the register's CA certificates: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no PEM certificate", cfg.CAFile)
	}
	own := func() (*tls.Certificate, error) {
		pair, err := tls.LoadX509KeyPair(cfg.CertFile, cfg.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("read the client certificate for the register: %w", err)
		}
		return &pair, nil
	}
	if _, err := own(); err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion:           tls.VersionTLS12,
		RootCAs:              roots,
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return own() },
	}, nil
}

// The pauses between attempts: short, since somebody is waiting for the answer.
const (
	firstPause   = 50 * time.Millisecond
	longestPause = 400 * time.Millisecond
)

func (cfg HTTPConfig) client(tlsConfig *tls.Config) *retryablehttp.Client {
	client := retryablehttp.NewClient()
	client.Logger = nil
	client.RetryMax = max(cfg.Retries, 0)
	client.RetryWaitMin, client.RetryWaitMax = firstPause, longestPause
	// The library's own pauses obey a Retry-After of any length, past what our callers wait.
	client.Backoff = func(shortest, longest time.Duration, attempt int, _ *http.Response) time.Duration {
		return min(shortest<<attempt, longest)
	}
	// After the last attempt the answer itself is wanted, whatever its status.
	client.ErrorHandler = retryablehttp.PassthroughErrorHandler
	client.HTTPClient = &http.Client{
		Timeout: cfg.Timeout,
		Transport: &http.Transport{
			// No Proxy: personal data goes to the configured host and nowhere else.
			TLSClientConfig:     tlsConfig,
			TLSHandshakeTimeout: cfg.Timeout,
			ForceAttemptHTTP2:   true,
			MaxIdleConnsPerHost: 64,
			IdleConnTimeout:     90 * time.Second,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return client
}

func (cfg HTTPConfig) breaker() *gobreaker.CircuitBreaker[Content] {
	return gobreaker.NewCircuitBreaker[Content](gobreaker.Settings{
		Name:        "register of citizens",
		Timeout:     cfg.OpenFor,
		ReadyToTrip: func(n gobreaker.Counts) bool { return int(n.ConsecutiveFailures) >= cfg.OpenAfter },
		// "No such file" is an answer; a caller who hangs up says nothing about the register.
		IsSuccessful: func(err error) bool {
			return err == nil || errors.Is(err, ErrNoFile) || errors.Is(err, ErrUnknownCursor)
		},
		IsExcluded: isCancelled,
	})
}
