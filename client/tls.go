package client

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"
)

// idleConnections is how many connections stay open for the next calls; net/http's two would make every
// program that calls in parallel shake hands again and again.
const idleConnections = 100

// TLSConfig is the TLS configuration that the credentials' files ask for: nil when they name none. It is for
// those who build their own http.Client; New applies it by itself otherwise.
func (c Credentials) TLSConfig() (*tls.Config, error) {
	if c.CAFile == "" && c.ClientCertFile == "" && c.ClientKeyFile == "" {
		return nil, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.CAFile != "" {
		pem, err := os.ReadFile(c.CAFile)
		if err != nil {
			return nil, fmt.Errorf("credentials: ca_file: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("credentials: ca_file %s holds no PEM certificate", c.CAFile)
		}
	}
	if (c.ClientCertFile == "") != (c.ClientKeyFile == "") {
		return nil, errors.New("credentials: client_cert_file and client_key_file go together")
	}
	if c.ClientCertFile != "" {
		pair, err := tls.LoadX509KeyPair(c.ClientCertFile, c.ClientKeyFile)
		if err != nil {
			return nil, fmt.Errorf("credentials: client certificate: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

func newTransport(config *tls.Config) *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.TLSClientConfig = config
	t.MaxIdleConns = idleConnections
	t.MaxIdleConnsPerHost = idleConnections
	t.DisableCompression = true // ciphertext does not shrink
	return t
}
