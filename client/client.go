package client

import (
	"errors"
	"net/http"
	"net/url"
	"sync/atomic"
)

// Client calls the platform for one application. It is safe for concurrent use; a program needs one.
type Client struct {
	settings
	base   *url.URL
	signer *signer
	// skew is what to add to the own clock to get the server's, in nanoseconds; see clock.go.
	skew atomic.Int64
}

// New makes a Client. It fails when the credentials are malformed or a file that they name cannot be
// read; it does not call the server.
func New(c Credentials, opts ...Option) (*Client, error) {
	client := &Client{settings: defaults()}
	for _, opt := range opts {
		opt(&client.settings)
	}
	var err error
	if client.base, err = c.base(); err != nil {
		return nil, err
	}
	if client.signer, err = c.signer(); err != nil {
		return nil, err
	}
	if client.http, err = client.sender(c); err != nil {
		return nil, err
	}
	return client, nil
}

// sender is the http.Client to send with: the caller's, or one of our own.
func (c *Client) sender(credentials Credentials) (*http.Client, error) {
	var sender http.Client
	switch {
	case c.http != nil && c.tls != nil:
		return nil, errors.New("WithTLSConfig and WithHTTPClient do not go together: configure TLS in the http.Client")
	case c.http != nil:
		sender = *c.http
	case c.tls != nil:
		sender.Transport = newTransport(c.tls.Clone())
	default:
		config, err := credentials.TLSConfig()
		if err != nil {
			return nil, err
		}
		sender.Transport = newTransport(config)
	}
	sender.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &sender, nil
}

// Close closes idle connections. A Client may be used again afterwards.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// String names the key and hides the secrets.
func (c *Client) String() string { return "client of " + c.signer.keyID + " at " + c.base.String() }

// GoString hides the secrets from %#v too.
func (c *Client) GoString() string { return c.String() }
