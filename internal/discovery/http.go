package discovery

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"time"

	promconfig "github.com/prometheus/common/config"
)

// httpTimeout bounds one request for a list, its body included.
const httpTimeout = 10 * time.Second

// HTTP asks an address for a list.
type HTTP struct {
	url    string
	name   string
	client *http.Client
}

// HTTPOptions say how an address is asked. Files are read again when used, so
// that rotation needs no restart.
type HTTPOptions struct {
	URL                          string
	User, Password, PasswordFile string
	BearerTokenFile              string
	CAFile, CertFile, KeyFile    string
	ServerName                   string
	InsecureSkipVerify           bool
}

// NewHTTP returns a reader of the address. It fails when the options do not
// make a client.
func NewHTTP(o HTTPOptions) (*HTTP, error) {
	u, err := url.Parse(o.URL)
	if err != nil {
		return nil, errors.New("the address of the list cannot be parsed")
	}
	u.User = nil
	name := *u
	name.RawQuery = ""
	c := promconfig.HTTPClientConfig{
		// A redirect could lead credentials to another host.
		FollowRedirects: false,
		TLSConfig: promconfig.TLSConfig{
			CAFile: o.CAFile, CertFile: o.CertFile, KeyFile: o.KeyFile, ServerName: o.ServerName, InsecureSkipVerify: o.InsecureSkipVerify,
		},
	}
	switch {
	case o.BearerTokenFile != "":
		c.Authorization = &promconfig.Authorization{Type: "Bearer", CredentialsFile: o.BearerTokenFile}
	case o.User != "":
		c.BasicAuth = &promconfig.BasicAuth{Username: o.User, Password: promconfig.Secret(o.Password), PasswordFile: o.PasswordFile}
	}
	client, err := promconfig.NewClientFromConfig(c, "http_sd", promconfig.WithHTTP2Disabled())
	if err != nil {
		return nil, fmt.Errorf("list of targets at %s: %w", name.String(), err)
	}
	client.Timeout = httpTimeout
	return &HTTP{url: u.String(), name: name.String(), client: client}, nil
}

// Name returns the address without user and query.
func (h *HTTP) Name() string { return h.name }

// Close ends idle connections.
func (h *HTTP) Close() { h.client.CloseIdleConnections() }

// Read asks for the list.
func (h *HTTP) Read(ctx context.Context) ([]Cluster, error) {
	all, err := h.read(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", h.name, err)
	}
	return all, nil
}

func (h *HTTP) read(ctx context.Context) ([]Cluster, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, h.url, http.NoBody)
	if err != nil {
		return nil, errors.New("no request can be made of the address")
	}
	req.Header.Set("Accept", "application/json")
	answer, err := h.client.Do(req)
	if err != nil {
		var wrapped *url.Error
		if errors.As(err, &wrapped) {
			err = wrapped.Err // It repeats the address with its query.
		}
		return nil, err
	}
	defer func() {
		_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 64<<10))
		_ = answer.Body.Close()
	}()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("answered %d; redirects are not followed, and a list comes with 200", answer.StatusCode)
	}
	text, err := readAll(answer.Body)
	if err != nil {
		return nil, err
	}
	groups, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	return clusters(groups)
}

// withoutPath strips the path from an error of package os.
func withoutPath(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
