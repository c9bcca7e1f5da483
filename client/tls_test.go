package client_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"idplatform/client"
)

// authority is a certificate authority of a test and one certificate for both ends.
type authority struct{ caFile, certFile, keyFile string }

func newAuthority(t *testing.T) authority {
	t.Helper()
	dir := t.TempDir()
	ca, caKey := certificate(t, nil, nil)
	leaf, leafKey := certificate(t, ca, caKey)
	keyDER, err := x509.MarshalPKCS8PrivateKey(leafKey)
	require.NoError(t, err)
	a := authority{filepath.Join(dir, "ca.pem"), filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")}
	writePEM(t, a.caFile, "CERTIFICATE", ca.Raw)
	writePEM(t, a.certFile, "CERTIFICATE", leaf.Raw)
	writePEM(t, a.keyFile, "PRIVATE KEY", keyDER)
	return a
}

func certificate(t *testing.T, parent *x509.Certificate, parentKey *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth},
	}
	if parent == nil {
		template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
		parent, parentKey = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), parentKey)
	require.NoError(t, err)
	made, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return made, key
}

func writePEM(t *testing.T, path, kind string, der []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
}

func overMutualTLS(t *testing.T, a authority, s http.Handler) string {
	t.Helper()
	credentials := client.Credentials{CAFile: a.caFile, ClientCertFile: a.certFile, ClientKeyFile: a.keyFile}
	config, err := credentials.TLSConfig()
	require.NoError(t, err)
	config.ClientCAs, config.ClientAuth = config.RootCAs, tls.RequireAndVerifyClientCert
	listening := httptest.NewUnstartedServer(s)
	listening.TLS = config
	listening.Config.ErrorLog = log.New(io.Discard, "", 0)
	listening.EnableHTTP2 = true
	listening.StartTLS()
	t.Cleanup(listening.Close)
	return listening.URL
}

func TestMutualTLS_OK(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	s := newServer(t, answer{body: verifiedJSON})
	credentials := testCredentials(overMutualTLS(t, a, s))
	credentials.CAFile, credentials.ClientCertFile, credentials.ClientKeyFile = a.caFile, a.certFile, a.keyFile
	c, err := client.New(credentials)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	_, err = c.ValidateKYC(t.Context(), sampleRequest())
	require.NoError(t, err)

	config, err := credentials.TLSConfig()
	require.NoError(t, err)
	given, err := client.New(testCredentials(credentials.BaseURL), client.WithTLSConfig(config))
	require.NoError(t, err)
	t.Cleanup(given.Close)
	_, err = given.ValidateKYC(t.Context(), sampleRequest())
	require.NoError(t, err)
}

func TestMutualTLS_ErrUnknownAuthorityIsNotRetried(t *testing.T) {
	t.Parallel()
	a, other := newAuthority(t), newAuthority(t)
	s := newServer(t, answer{body: verifiedJSON})
	credentials := testCredentials(overMutualTLS(t, a, s))
	credentials.CAFile = other.caFile
	c, err := client.New(credentials, client.WithRetry(client.RetryPolicy{Attempts: 2, First: time.Hour, Longest: time.Hour}))
	require.NoError(t, err)
	_, err = c.ValidateKYC(t.Context(), sampleRequest())
	var unknown *tls.CertificateVerificationError
	require.ErrorAs(t, err, &unknown)
	require.Empty(t, s.calls())
}
