package restapi

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-resty/resty/v2"
)

const (
	// readBuffer holds most of a vertex answer (about 600 bytes a subtask), so
	// that one system call reads it.
	readBuffer = 32 << 10
	// maxHeaderBytes bounds an answer's headers.
	maxHeaderBytes = 64 << 10
	// maxRedirects is how many redirects of one request are followed.
	maxRedirects = 5
)

// network is an http.RoundTripper over TCP whose certificates can be exchanged
// while it is in use. A proxy that the environment names (HTTPS_PROXY and the
// like) is used.
type network struct {
	opts    Options
	files   [3][]byte
	current atomic.Pointer[http.Transport]
}

// RoundTrip implements http.RoundTripper.
func (n *network) RoundTrip(r *http.Request) (*http.Response, error) {
	return n.current.Load().RoundTrip(r)
}

// CloseIdleConnections ends the connections that no request uses.
func (n *network) CloseIdleConnections() {
	if t := n.current.Load(); t != nil {
		t.CloseIdleConnections()
	}
}

// load reads the certificate files and, when they changed, starts anew with
// them. When it fails, what was loaded before stays in use. It must not be
// called by two goroutines at once.
func (n *network) load() error {
	var files [3][]byte
	for i, path := range []string{n.opts.TLS.CAFile, n.opts.TLS.CertFile, n.opts.TLS.KeyFile} {
		if path == "" {
			continue
		}
		b, err := readSmall(path)
		if err != nil {
			return fmt.Errorf("reading TLS files: %w", err)
		}
		files[i] = b
	}
	old := n.current.Load()
	if old != nil && bytes.Equal(files[0], n.files[0]) && bytes.Equal(files[1], n.files[1]) && bytes.Equal(files[2], n.files[2]) {
		return nil
	}
	config, err := tlsConfig(n.opts.TLS, files)
	if err != nil {
		return err
	}
	n.files = files
	n.current.Store(newTransport(n.opts, config))
	if old != nil {
		old.CloseIdleConnections()
	}
	return nil
}

func tlsConfig(o TLS, files [3][]byte) (*tls.Config, error) {
	config := &tls.Config{ServerName: o.ServerName, InsecureSkipVerify: o.InsecureSkipVerify} //nolint:gosec // the user's explicit choice
	if o.CAFile != "" {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(files[0]) {
			return nil, fmt.Errorf("CA file %s: no PEM certificate in it; check the file", o.CAFile)
		}
	}
	if o.CertFile != "" {
		cert, err := tls.X509KeyPair(files[1], files[2])
		if err != nil {
			return nil, fmt.Errorf("client certificate %s with key %s: %w", o.CertFile, o.KeyFile, err)
		}
		config.Certificates = []tls.Certificate{cert}
	}
	return config, nil
}

// newTransport does without compression, which Flink never answers with, and
// without HTTP/2, which it does not speak and whose streams would not be
// bounded by the header timeout alike.
func newTransport(o Options, config *tls.Config) *http.Transport {
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: o.ConnectTimeout, KeepAlive: 30 * time.Second}).DialContext,
		TLSClientConfig:        config,
		TLSHandshakeTimeout:    o.ConnectTimeout,
		ResponseHeaderTimeout:  o.HeaderTimeout,
		MaxIdleConnsPerHost:    o.Concurrency,
		IdleConnTimeout:        90 * time.Second,
		DisableCompression:     true,
		ReadBufferSize:         readBuffer,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}
}

// redirectError says that a redirect was not followed. It names only the
// scheme and host it led to, since the rest may hold a token.
type redirectError struct{ target, why string }

func (e *redirectError) Error() string { return "redirect to " + e.target + " not followed: " + e.why }

// followSameHost follows redirects that stay on the host of the URL that is
// asked, on the same port or from http to https, so that credentials go nowhere
// else.
func followSameHost(base func() *url.URL) resty.RedirectPolicy {
	return resty.RedirectPolicyFunc(func(next *http.Request, via []*http.Request) error {
		target := next.URL.Scheme + "://" + next.URL.Host
		if len(via) > maxRedirects {
			return &redirectError{target, "too many redirects"}
		}
		if !sameHost(via[len(via)-1].URL, next.URL) || !sameHost(base(), next.URL) {
			return &redirectError{target, "another host"}
		}
		next.URL.User = nil
		return nil
	})
}

func sameHost(from, to *url.URL) bool {
	if !strings.EqualFold(from.Hostname(), to.Hostname()) {
		return false
	}
	if from.Scheme == "http" && to.Scheme == "https" {
		return true
	}
	return from.Scheme == to.Scheme && port(from) == port(to)
}

func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	if u.Scheme == "https" {
		return "443"
	}
	return "80"
}
