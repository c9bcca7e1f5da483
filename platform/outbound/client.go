package outbound

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"time"
)

// RefusedError is a request that the guard stopped.
type RefusedError struct{ Reason string }

// Error implements error. It names no address, as it may be shown to the caller who gave the URL.
func (e *RefusedError) Error() string { return "the request was not made: " + e.Reason }

// ErrBodyTooLarge is an answer with more bytes than its reader was to take.
var ErrBodyTooLarge = errors.New("the answer is larger than its limit")

// Limits bound one request.
type Limits struct {
	// Time is from the dialling to the last byte of the answer.
	Time time.Duration
	// Body is how many bytes of the answer are read; the next one is ErrBodyTooLarge.
	Body int64
}

const (
	mostHeaders = 32 << 10
	idleTime    = 90 * time.Second
	// dialTime bounds connecting, for all addresses of a host together.
	dialTime       = 5 * time.Second
	idleAltogether = 512
	idlePerHost    = 4
)

// Client makes requests that go nowhere but where the guard lets them. It keeps connections alive; redirects
// are answers like any other, and bodies are not unpacked.
func (g *Guard) Client(l Limits) *http.Client {
	return &http.Client{
		Transport:     &limited{next: g.Transport(), body: l.Body},
		Timeout:       l.Time,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Transport is what Client sends with: each is a pool of connections of its own.
func (g *Guard) Transport() http.RoundTripper {
	return &guarded{guard: g, next: &http.Transport{
		Proxy:                  nil, // the environment's proxies would resolve and dial unguarded
		DialContext:            g.dial,
		TLSClientConfig:        &tls.Config{RootCAs: g.roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    5 * time.Second,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: mostHeaders,
		MaxIdleConns:           idleAltogether,
		MaxIdleConnsPerHost:    idlePerHost,
		IdleConnTimeout:        idleTime,
	}}
}

// guarded judges a request's URL before the transport sees it.
type guarded struct {
	guard *Guard
	next  *http.Transport
}

// RoundTrip implements http.RoundTripper.
func (t *guarded) RoundTrip(r *http.Request) (*http.Response, error) {
	if _, problem := t.guard.parse(r.URL.String()); problem != "" {
		return nil, &RefusedError{"its URL " + problem}
	}
	return t.next.RoundTrip(r)
}

// CloseIdleConnections is found by http.Client.
func (t *guarded) CloseIdleConnections() { t.next.CloseIdleConnections() }

// dial resolves a host and connects to its addresses, none of which may be refused. The address is looked at
// once more at the socket, before the first packet.
func (g *Guard) dial(ctx context.Context, network, hostPort string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(hostPort)
	if err != nil {
		return nil, err
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	judge := refusal
	if g.loopback[net.JoinHostPort(host, port)] {
		judge = onlyLoopback
	}
	addresses, err := g.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	for _, address := range addresses {
		if what := judge(address); what != "" {
			return nil, &RefusedError{"the host has an address that is " + what}
		}
	}
	return connect(ctx, network, addresses, port, judge)
}

func onlyLoopback(address netip.Addr) string {
	if address.Unmap().IsLoopback() {
		return ""
	}
	return "not on this machine"
}

// connect tries the addresses in turn; each gets an even share of the time that is left.
func connect(ctx context.Context, network string, addresses []netip.Addr, port string, judge func(netip.Addr) string) (net.Conn, error) {
	dialer := net.Dialer{Control: func(_, address string, _ syscall.RawConn) error {
		dialled, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		if what := judge(dialled.Addr()); what != "" {
			return &RefusedError{"the host has an address that is " + what}
		}
		return nil
	}}
	end := time.Now().Add(dialTime)
	failed := errors.New("the host has no address")
	for i, address := range addresses {
		attempt, cancel := context.WithTimeout(ctx, time.Until(end)/time.Duration(len(addresses)-i))
		conn, err := dialer.DialContext(attempt, network, net.JoinHostPort(address.String(), port))
		cancel()
		if err == nil {
			return conn, nil
		}
		failed = err
		if ctx.Err() != nil {
			break
		}
	}
	return nil, failed
}

// limited cuts answers off.
type limited struct {
	next http.RoundTripper
	body int64
}

// RoundTrip implements http.RoundTripper.
func (t *limited) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := t.next.RoundTrip(r)
	if err == nil {
		answer.Body = &limitedBody{ReadCloser: answer.Body, left: t.body}
	}
	return answer, err
}

// CloseIdleConnections is found by http.Client.
func (t *limited) CloseIdleConnections() { (&http.Client{Transport: t.next}).CloseIdleConnections() }

type limitedBody struct {
	io.ReadCloser
	left int64
}

// Read implements io.Reader.
func (b *limitedBody) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	if int64(n) > b.left {
		return int(b.left), ErrBodyTooLarge
	}
	b.left -= int64(n)
	return n, err
}
