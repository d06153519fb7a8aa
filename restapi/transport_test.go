package restapi

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestRedirectToTLSKeepsPrefixAndCredentials is an ingress that moves http to
// https: the same host, another port.
func TestRedirectToTLSKeepsPrefixAndCredentials(t *testing.T) {
	f := newFake()
	secure := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); password != secret {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		http.StripPrefix("/flink/a", f).ServeHTTP(w, r)
	}))
	secure.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	secure.StartTLS()
	defer secure.Close()
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, secure.URL+r.URL.RequestURI(), http.StatusMovedPermanently)
	}))
	defer plain.Close()
	for _, slash := range []string{"", "/"} {
		c, err := New(Options{URL: strings.Replace(plain.URL, "://", "://user:"+secret+"@", 1) + "/flink/a" + slash, TLS: TLS{InsecureSkipVerify: true}})
		if err != nil {
			t.Fatal(err)
		}
		wantGaps(t, mustPoll(t, c))
		c.Close()
	}
}

// TestCredentialsStayOnTheHost proves that a redirect to another port, and so
// another server, is not even tried.
func TestCredentialsStayOnTheHost(t *testing.T) {
	asked := 0
	thief := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer thief.Close()
	for _, target := range []string{thief.URL, strings.Replace(thief.URL, "127.0.0.1", "localhost", 1)} {
		flink := httptest.NewServer(location(target + "/jobs/overview"))
		c, err := New(Options{URL: strings.Replace(flink.URL, "://", "://user:"+secret+"@", 1)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Snapshot(t.Context()); Reason(err) != ReasonRedirect {
			t.Errorf("%s: %v", target, err)
		}
		c.Close()
		flink.Close()
	}
	if asked > 0 {
		t.Errorf("the other server was asked %d times", asked)
	}
}

func TestSameHost(t *testing.T) {
	for _, tc := range []struct {
		from, to string
		want     bool
	}{
		{"http://h:8081/a", "http://H:8081/b", true},
		{"http://h/a", "http://h:80/b", true},
		{"https://h/a", "https://h:443/b", true},
		{"http://h:8081/a", "https://h/b", true},
		{"http://h:8081/a", "http://h:8082/b", false},
		{"https://h/a", "http://h/b", false},
		{"https://h/a", "https://h.evil/b", false},
		{"https://h/a", "https://sub.h/b", false},
	} {
		from, err := url.Parse(tc.from)
		if err != nil {
			t.Fatal(err)
		}
		to, err := url.Parse(tc.to)
		if err != nil {
			t.Fatal(err)
		}
		if got := sameHost(from, to); got != tc.want {
			t.Errorf("%s to %s: %v, want %v", tc.from, tc.to, got, tc.want)
		}
	}
}

func TestOnlyGET(t *testing.T) {
	f := newFake()
	mustPoll(t, fakeClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.ContentLength > 0 {
			t.Errorf("%s %s with %d bytes", r.Method, r.URL, r.ContentLength)
		}
		if r.Header.Get("User-Agent") != defaultUserAgent {
			t.Errorf("user agent %q", r.Header.Get("User-Agent"))
		}
		f.ServeHTTP(w, r)
	}), nil))
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestCredentialsRotate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret")
	for name, tc := range map[string]struct {
		auth         Auth
		first, later string
	}{
		"token":    {Auth{TokenFile: path}, "Bearer one-token", "Bearer two-token"},
		"password": {Auth{User: "u", PasswordFile: path}, "Basic dTpvbmUtdG9rZW4=", "Basic dTp0d28tdG9rZW4="},
	} {
		write(t, path, "one-token\n")
		var sent string
		f := newFake()
		var logs bytes.Buffer
		c := fakeClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			f.mu.Lock()
			sent = r.Header.Get("Authorization")
			f.mu.Unlock()
			f.ServeHTTP(w, r)
		}), func(o *Options) { o.Auth, o.Logger = tc.auth, slog.New(slog.NewTextHandler(&logs, nil)) })
		mustPoll(t, c)
		if sent != tc.first {
			t.Errorf("%s: sent %q, want %q", name, sent, tc.first)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		mustPoll(t, c)
		mustPoll(t, c)
		if sent != tc.first || strings.Count(logs.String(), "cannot re-read") != 1 {
			t.Errorf("%s: sent %q while the file is away; logs %q", name, sent, logs.String())
		}
		write(t, path, "two-token\r\n")
		mustPoll(t, c)
		if sent != tc.later {
			t.Errorf("%s: sent %q after the rotation, want %q", name, sent, tc.later)
		}
		if strings.Contains(logs.String(), "-token") {
			t.Errorf("%s: the log holds the secret: %s", name, logs.String())
		}
	}
}

// authority is a certificate authority of a test.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  string
}

func newAuthority(t *testing.T) authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return authority{cert, key, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))}
}

// issue makes a certificate for a name, as PEM.
func (a authority) issue(t *testing.T, name string) (cert, key string) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &k.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	kder, err := x509.MarshalECPrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
		string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: kder}))
}

func TestTLSOptionsCombineAndRotate(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	ours, other := newAuthority(t), newAuthority(t)
	server := httptest.NewUnstartedServer(newFake())
	cert, key := ours.issue(t, "flink.internal")
	pair, err := tls.X509KeyPair([]byte(cert), []byte(key))
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(ours.cert)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert}
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.StartTLS()
	defer server.Close()

	clientCert, clientKey := ours.issue(t, "exporter")
	write(t, path("crt"), clientCert)
	write(t, path("key"), clientKey)
	write(t, path("ca"), other.pem)
	options := Options{URL: server.URL, TLS: TLS{CAFile: path("ca"), CertFile: path("crt"), KeyFile: path("key"), ServerName: "flink.internal"}}
	c, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Snapshot(t.Context()); Reason(err) != ReasonTLS {
		t.Fatalf("wrong authority: %v", err)
	}
	write(t, path("ca"), ours.pem)
	wantGaps(t, mustPoll(t, c))
	write(t, path("ca"), "half a fi")
	wantGaps(t, mustPoll(t, c))

	write(t, path("ca"), ours.pem)
	strangerCert, strangerKey := other.issue(t, "exporter")
	write(t, path("crt"), strangerCert)
	write(t, path("key"), strangerKey)
	if _, err := c.Snapshot(t.Context()); Reason(err) != ReasonTLS {
		t.Errorf("unknown client certificate: %v", err)
	}
	options.TLS.ServerName = "wrong.internal"
	wrong, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	defer wrong.Close()
	if _, err := wrong.Snapshot(t.Context()); Reason(err) != ReasonTLS {
		t.Errorf("wrong server name: %v", err)
	}
}
