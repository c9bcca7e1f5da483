// Package outbound guards every request to a URL that a caller gave us: webhook endpoints, images, evidence.
// Such a URL must lead to the public internet. It is checked when it is given (CheckURL), and again, by the
// address itself, whenever it is dialled (Client), so that a name that has come to mean another address
// since reaches nothing. Redirects are not followed and proxies of the environment are not used.
package outbound

import (
	"context"
	"crypto/x509"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"idplatform/errs"
)

// Resolver finds the addresses of a host name. *net.Resolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Options say what a guard lets through besides the public internet.
type Options struct {
	// AllowLoopback lists host:port pairs on this machine that may be reached, over plain HTTP too. It is for
	// `platform dev` alone.
	AllowLoopback []string
	// Resolver is the system's unless told.
	Resolver Resolver
	// Roots are the authorities that servers' certificates must come from; nil: the system's.
	Roots *x509.CertPool
}

// Guard decides where requests may go. It is safe for concurrent use.
type Guard struct {
	resolver Resolver
	loopback map[string]bool // host:port, the host in lower case
	roots    *x509.CertPool
}

// New makes a guard. It fails when an address of AllowLoopback is not a host of this machine with a port.
func New(o Options) (*Guard, error) {
	g := &Guard{resolver: o.Resolver, loopback: map[string]bool{}, roots: o.Roots}
	if g.resolver == nil {
		g.resolver = net.DefaultResolver
	}
	for _, address := range o.AllowLoopback {
		host, port, err := net.SplitHostPort(address)
		if err != nil || !validPort(port) || !isLoopback(host) {
			return nil, fmt.Errorf("%q is no address of this machine: give host and port, such as 127.0.0.1:9000", address)
		}
		g.loopback[net.JoinHostPort(strings.ToLower(host), port)] = true
	}
	return g, nil
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}

// LoopbackOf is the host:port of a URL that leads to this machine, for AllowLoopback; ok is false for others.
func LoopbackOf(rawURL string) (address string, ok bool) {
	u, err := url.Parse(rawURL)
	if err != nil || !isLoopback(u.Hostname()) {
		return "", false
	}
	return authority(u), true
}

// mostURL is the longest URL taken, in bytes.
const mostURL = 2048

// resolveTime bounds how long a name may take to resolve.
const resolveTime = 5 * time.Second

// CheckURL judges a URL that is to be kept: its form, and where its host leads at present. What is wrong is
// invalid_request with the field "url".
func (g *Guard) CheckURL(ctx context.Context, rawURL string) error {
	return g.CheckField(ctx, "url", rawURL)
}

// CheckField is CheckURL for a field of another name.
func (g *Guard) CheckField(ctx context.Context, field, rawURL string) error {
	problem := g.judge(ctx, rawURL)
	if problem == "" {
		return nil
	}
	return errs.Invalid(errs.Field{Field: field, Problem: problem})
}

func (g *Guard) judge(ctx context.Context, rawURL string) (problem string) {
	u, problem := g.parse(rawURL)
	if problem != "" || g.loopback[authority(u)] {
		return problem
	}
	ctx, cancel := context.WithTimeout(ctx, resolveTime)
	defer cancel()
	addresses, err := g.resolve(ctx, hostOf(u))
	if err != nil || len(addresses) == 0 {
		return "names a host that cannot be found"
	}
	for _, address := range addresses {
		if what := refusal(address); what != "" {
			return "must lead to the public internet; its host has an address that is " + what
		}
	}
	return ""
}

// parse judges all of a URL but where its host leads.
func (g *Guard) parse(rawURL string) (u *url.URL, problem string) {
	if rawURL == "" || len(rawURL) > mostURL {
		return nil, "must be a URL of 1 to " + strconv.Itoa(mostURL) + " characters"
	}
	if strings.ContainsFunc(rawURL, func(r rune) bool { return r <= ' ' || r > '~' || r == '\\' }) {
		return nil, "must be written in ASCII, without spaces and backslashes"
	}
	u, err := url.Parse(rawURL)
	if err != nil || u.Opaque != "" || u.Host == "" {
		return nil, "must be a URL such as https://example.cd/hooks"
	}
	switch {
	case u.User != nil:
		return nil, "must not hold a user name or password"
	case strings.Contains(rawURL, "#"):
		return nil, "must not have a fragment"
	case u.Port() != "" && !validPort(u.Port()) || strings.HasSuffix(u.Host, ":"):
		return nil, "must have a port between 1 and 65535, or none"
	case strings.Contains(u.Hostname(), "%"):
		return nil, "must not have a zone in its address"
	case !validHost(hostOf(u)):
		return nil, "must name its host plainly, by name or by address"
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !g.loopback[authority(u)]) {
		return nil, "must begin with https://"
	}
	return u, ""
}

func validPort(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && n > 0 && strconv.FormatUint(n, 10) == port
}

// hostOf is a URL's host in lower case, without the dot that may end a name.
func hostOf(u *url.URL) string { return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".") }

// authority is a URL's host:port, with the port of its scheme where it has none.
func authority(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = "443"
		if u.Scheme == "http" {
			port = "80"
		}
	}
	return net.JoinHostPort(hostOf(u), port)
}

// validHost lets addresses and names through. A name whose last label is a number is an address in disguise
// to some resolvers (127.1, 2130706433, 0x7f000001).
func validHost(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	if host == "" || len(host) > 253 {
		return false
	}
	labels := strings.Split(host, ".")
	for _, label := range labels {
		if !validLabel(label) {
			return false
		}
	}
	last := labels[len(labels)-1]
	return strings.Trim(last, "0123456789") != "" && !strings.HasPrefix(last, "0x")
}

func validLabel(label string) bool {
	return label != "" && len(label) <= 63 && label[0] != '-' && label[len(label)-1] != '-' &&
		strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") == ""
}

// resolve gives the addresses of a host, which may be an address itself.
func (g *Guard) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if address, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{address}, nil
	}
	return g.resolver.LookupNetIP(ctx, "ip", host)
}
