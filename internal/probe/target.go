package probe

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/internal/config"
)

// refusal is why a request is not answered with metrics.
type refusal struct {
	status int
	text   string
}

func (r refusal) Error() string { return r.text }

func refuse(w http.ResponseWriter, err error) {
	status := http.StatusInternalServerError
	var r refusal
	if errors.As(err, &r) {
		status = r.status
	}
	http.Error(w, err.Error(), status)
}

// target returns what is kept of the target that a request names, or opens it.
func (h *Handler) target(r *http.Request) (*target, *config.Config, error) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	q := r.URL.Query()
	address, err := addressOf(q.Get("target"))
	if err != nil {
		return nil, nil, refusal{http.StatusBadRequest, err.Error()}
	}
	if !h.allows(address) {
		return nil, nil, refusal{http.StatusForbidden, fmt.Sprintf(
			"target %s is not allowed: no pattern of probe.allow_targets in the configuration matches its host and port (without a port it is 8081)", address.Host)}
	}
	k, err := h.config.Discovered(q.Get("cluster"), []string{address.String()}, q.Get("module"))
	if err != nil {
		return nil, nil, refusal{http.StatusBadRequest, err.Error()}
	}
	at := key{k.Name, k.Addresses()[0], k.Module}
	if t, ok := h.targets.Get(at); ok {
		return t, h.config, nil
	}
	t, err := h.open(h.config, k)
	if err != nil {
		return nil, nil, fmt.Errorf("target %s: %w", address.Host, err)
	}
	// Of two requests that open a target at once the first is kept.
	if had, ok, _ := h.targets.PeekOrAdd(at, t); ok {
		t.source.Close()
		return had, h.config, nil
	}
	return t, h.config, nil
}

// addressOf reads host:port or a URL of http or https with a path. Its errors
// never quote the text, which may hold a password.
func addressOf(text string) (*url.URL, error) {
	const form = "give host:port or http(s)://host:port[/prefix]"
	switch {
	case text == "":
		return nil, errors.New("the parameter target is missing; " + form)
	case !strings.Contains(text, "://"):
		text = "http://" + text
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("the parameter target is no address; " + form)
	case u.User != nil:
		return nil, errors.New("the parameter target holds a user; credentials belong into a module of the configuration")
	case u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("the parameter target has a query or fragment; " + form)
	}
	u.Host = strings.ToLower(u.Host)
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), ""
	return u, nil
}

// allows reports whether an address may be asked.
func (h *Handler) allows(u *url.URL) bool {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	host, _, err := net.SplitHostPort(net.JoinHostPort(u.Hostname(), port))
	return err == nil && slices.ContainsFunc(h.allowed, func(p config.TargetPattern) bool { return p.Matches(host, port) })
}
