package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// checkHealth holds the flags of the command.
type checkHealth struct {
	url     *string
	ready   *bool
	timeout *time.Duration
}

// addCheckHealth needs addCheck to have come before it.
func addCheckHealth(r *registry) {
	c := r.app.GetCommand("check").Command("health", withExample(
		"Asks a running flink-skew-exporter whether it is healthy: the health check of a container that has no shell and no curl. The exit code is 1 when it is not.",
		"flink-skew-exporter check health",
		"flink-skew-exporter check health --ready --url=https://localhost:9923"))
	k := &checkHealth{
		url:     c.Flag("url", "Where it listens. A certificate is not verified, since nothing secret is sent.").Default("http://localhost:9923").String(),
		ready:   c.Flag("ready", "Ask also whether the first poll of every cluster has ended.").Bool(),
		timeout: span(c, "timeout", "How long the answer may take.", "3s"),
	}
	r.add(c, k.run)
}

func (k *checkHealth) run(ctx context.Context, p process) error {
	base, err := url.Parse(*k.url)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" || base.User != nil {
		return usagef("--url: must be like http://localhost:9923, without user and password")
	}
	path := "/-/healthy"
	if *k.ready {
		path = "/-/ready"
	}
	ctx, cancel := context.WithTimeout(ctx, *k.timeout)
	defer cancel()
	answer, err := ask(ctx, base.JoinPath(path))
	if err != nil {
		return err
	}
	fmt.Fprintln(p.stdout, answer)
	return nil
}

// ask returns the first line of a healthy answer. A port that wants a password
// or a certificate is alive, which is all that can be known of it without one.
func ask(ctx context.Context, u *url.URL) (string, error) {
	client := http.Client{
		Transport: &http.Transport{
			DisableKeepAlives: true,
			// The certificate names the service and not localhost. Nothing
			// secret is sent and nothing received is believed but the status.
			TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // Said in the flag's help.
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return "", fmt.Errorf("ask for health: %w", err)
	}
	resp, err := client.Do(req)
	var refused *net.OpError
	switch {
	case errors.As(err, &refused) && refused.Op == "remote error": // A TLS alert, which only a living server sends.
		return "flink-skew-exporter answers and wants a certificate", nil
	case err != nil:
		return "", fmt.Errorf("no answer; is flink-skew-exporter running there? %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
	line, _, _ := strings.Cut(strings.TrimSpace(string(body)), "\n")
	switch resp.StatusCode {
	case http.StatusOK:
		return line, nil
	case http.StatusUnauthorized:
		return "flink-skew-exporter answers and wants a password", nil
	}
	return "", fmt.Errorf("%s answered %s: %s", u, resp.Status, line)
}
