package main

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/alecthomas/kingpin/v2"
	"github.com/prometheus/client_golang/api"
	v1 "github.com/prometheus/client_golang/api/prometheus/v1"
	httpconfig "github.com/prometheus/common/config"

	"github.com/flink-skew-exporter/flink-skew-exporter/internal/buildinfo"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/promhistory"
)

// maxAnswer bounds one answer of Prometheus, in bytes.
const maxAnswer = 256 << 20

// prometheusFlags say how Prometheus is reached.
type prometheusFlags struct {
	url                       *string
	username, passwordFile    *string
	tokenFile                 *string
	caFile, certFile, keyFile *string
	serverName                *string
	insecure                  *bool
	timeout                   *time.Duration
	concurrency               *int
}

func addPrometheusFlags(c *kingpin.CmdClause) *prometheusFlags {
	text := func(flag, help, placeholder string) *string {
		return c.Flag("prometheus."+flag, help).PlaceHolder(placeholder).String()
	}
	return &prometheusFlags{
		url:          text("url", "Address of the Prometheus that scrapes this exporter, such as http://prometheus:9090; of Thanos, Mimir and the like the address below which /api/v1/query is.", "URL"),
		username:     text("username", "User name for --prometheus.url.", "USER"),
		passwordFile: text("password-file", "File that holds its password.", "FILE"),
		tokenFile:    text("bearer-token-file", "File that holds a token for the header Authorization: Bearer.", "FILE"),
		caFile:       text("ca-file", "PEM file of the authorities to trust for https. (default the system's)", "FILE"),
		certFile:     text("cert-file", "PEM file of our client certificate.", "FILE"),
		keyFile:      text("key-file", "PEM file of its key.", "FILE"),
		serverName:   text("server-name", "Name to expect in Prometheus' certificate. (default the URL's host)", "NAME"),
		insecure:     c.Flag("prometheus.insecure-skip-verify", "Accept any certificate. Whoever is in between can then read the credentials.").Bool(),
		timeout:      span(c, "prometheus.timeout", "Longest that one query may take.", "1m"),
		concurrency:  count(c, "prometheus.concurrency", "Queries under way at once, from 1 on.", "4"),
	}
}

// shown is the address without what may be secret in it.
func (f *prometheusFlags) shown() string {
	u, err := url.Parse(*f.url)
	if err != nil {
		return "(unreadable)"
	}
	return u.Scheme + "://" + u.Host + u.Path
}

// client makes the client of Prometheus' API. Redirects are not followed: the
// credentials would go along.
func (f *prometheusFlags) client() (promhistory.API, error) {
	u, err := url.Parse(*f.url)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, usagef("--prometheus.url must begin with http:// or https://; give one such as http://prometheus:9090")
	}
	if *f.timeout <= 0 || *f.concurrency < 1 {
		return nil, usagef("--prometheus.timeout and --prometheus.concurrency must be above 0")
	}
	h := httpconfig.HTTPClientConfig{
		EnableHTTP2: true, BearerTokenFile: *f.tokenFile,
		TLSConfig: httpconfig.TLSConfig{
			CAFile: *f.caFile, CertFile: *f.certFile, KeyFile: *f.keyFile, ServerName: *f.serverName, InsecureSkipVerify: *f.insecure,
		},
	}
	h.ProxyFromEnvironment = true
	switch {
	case u.User != nil && *f.username != "":
		return nil, usagef("--prometheus.url holds a user while --prometheus.username is set; keep one of them")
	case u.User != nil:
		password, _ := u.User.Password()
		h.BasicAuth = &httpconfig.BasicAuth{Username: u.User.Username(), Password: httpconfig.Secret(password)}
	case *f.username != "":
		h.BasicAuth = &httpconfig.BasicAuth{Username: *f.username, PasswordFile: *f.passwordFile}
	case *f.passwordFile != "":
		return nil, usagef("--prometheus.username is needed with --prometheus.password-file")
	}
	u.User = nil
	if err := h.Validate(); err != nil {
		return nil, usagef("flags --prometheus.…: %w", err)
	}
	client, err := httpconfig.NewClientFromConfig(h, "prometheus", httpconfig.WithUserAgent(appName+"/"+buildinfo.Read().Version))
	if err != nil {
		return nil, usagef("flags --prometheus.…: %w", err)
	}
	client.Transport = boundedAnswers{client.Transport}
	c, err := api.NewClient(api.Config{Address: u.String(), Client: client})
	if err != nil {
		return nil, usagef("--prometheus.url: %w", err)
	}
	return v1.NewAPI(c), nil
}

// boundedAnswers ends answers that are larger than any that is asked for.
type boundedAnswers struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b boundedAnswers) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := b.next.RoundTrip(req)
	if err == nil {
		resp.Body = &boundedBody{ReadCloser: resp.Body, left: maxAnswer}
	}
	return resp, err
}

type boundedBody struct {
	io.ReadCloser
	left int64
}

// Read implements io.Reader.
func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return n, errors.New("the answer is larger than 256 MiB; is it a Prometheus?")
	}
	return n, err
}
