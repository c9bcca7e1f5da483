package registrytest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/engines/registry"
)

// Serve runs a handler over mutual TLS on a loopback port until the test ends, with certificates made for it, and
// gives the configuration with which the HTTP adapter reaches it.
func Serve(t testing.TB, handler http.Handler) registry.HTTPConfig {
	t.Helper()
	dir := t.TempDir()
	authority := newAuthority(t)
	server := httptest.NewUnstartedServer(handler)
	server.TLS = &tls.Config{
		MinVersion:   tls.VersionTLS12,
		Certificates: []tls.Certificate{authority.issue(t, x509.ExtKeyUsageServerAuth)},
		ClientAuth:   tls.RequireAndVerifyClientCert,
		ClientCAs:    authority.pool(),
	}
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)

	cfg := registry.HTTPConfig{
		BaseURL: server.URL, CAFile: filepath.Join(dir, "ca.pem"),
		CertFile: filepath.Join(dir, "client.pem"), KeyFile: filepath.Join(dir, "client-key.pem"),
	}
	WriteClientCertificate(t, cfg, authority.issue(t, x509.ExtKeyUsageClientAuth))
	writePEM(t, cfg.CAFile, "CERTIFICATE", authority.certificate.Raw)
	return cfg
}

// ForeignCertificate is a client certificate of an authority that no server here trusts.
func ForeignCertificate(t testing.TB) tls.Certificate {
	t.Helper()
	return newAuthority(t).issue(t, x509.ExtKeyUsageClientAuth)
}

// WriteClientCertificate puts a certificate where the configuration says the platform's own is.
func WriteClientCertificate(t testing.TB, cfg registry.HTTPConfig, pair tls.Certificate) {
	t.Helper()
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	require.NoError(t, err)
	writePEM(t, cfg.CertFile, "CERTIFICATE", pair.Certificate[0])
	writePEM(t, cfg.KeyFile, "PRIVATE KEY", key)
}

func writePEM(t testing.TB, path, kind string, der []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
}

// authority issues certificates for one test.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func newAuthority(t testing.TB) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "register test CA"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	certificate, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return &authority{certificate, key}
}

func (a *authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.certificate)
	return pool
}

func (a *authority) issue(t testing.TB, usage x509.ExtKeyUsage) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "register test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{usage},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key)
	require.NoError(t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}
