package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"
)

// authority signs certificates for tests.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return authority{cert, key}
}

// file is the authority's certificate in PEM.
func (a authority) file(t *testing.T) string {
	t.Helper()
	return writeFile(t, "ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw})))
}

// sign returns a certificate of a server at an address, valid until then.
func (a authority) sign(t *testing.T, address string, until time.Time) *tls.Certificate {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: until,
		IPAddresses: []net.IP{net.ParseIP(address)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &a.key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: a.key}
}

// TestCertificateFaults: a server whose certificate has expired, or is that of
// another host, is not spoken to; once it has a right one it is polled again.
func TestCertificateFaults(t *testing.T) {
	sim, _ := small(t)
	ca := newAuthority(t)
	right := ca.sign(t, "127.0.0.1", time.Now().Add(time.Hour))
	for name, wrong := range map[string]*tls.Certificate{
		"expired":      ca.sign(t, "127.0.0.1", time.Now().Add(-time.Hour)),
		"another host": ca.sign(t, "192.0.2.1", time.Now().Add(time.Hour)),
	} {
		t.Run(name, func(t *testing.T) {
			var shown atomic.Pointer[tls.Certificate]
			shown.Store(wrong)
			secure := httptest.NewUnstartedServer(sim)
			secure.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
			secure.TLS = &tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
				return &tls.Config{Certificates: []tls.Certificate{*shown.Load()}}, nil
			}}
			secure.StartTLS()
			defer secure.Close()
			s := serveFile(t, fmt.Sprintf("clusters:\n- {name: c, url: '%s', tls_config: {ca_file: '%s'}}\npoll: {interval: 1s}\n", secure.URL, ca.file(t)))
			s.await(t, "/metrics", holds(`flink_skew_down_info{cluster="c",reason="tls"} 1`))
			shown.Store(right)
			s.await(t, "/metrics", holds(`flink_skew_up{cluster="c"} 1`))
		})
	}
}
