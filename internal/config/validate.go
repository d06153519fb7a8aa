package config

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// Bounds that keep a typing error from harming a JobManager.
const (
	minInterval    = time.Second
	maxConcurrency = 64
	maxNameRunes   = 100
	minResponse    = 1 << 20
	maxResponse    = 1 << 30
)

// Validate checks every value, gives clusters without a name their host:port,
// and moves a user and password in a URL to BasicAuth, so that URLs can be
// printed. The error is an *Error for each key that is wrong, joined, with its
// line when it was read from a file.
func (c *Config) Validate() error {
	errs := []error{c.validatePoll(), c.validateCollector(), c.validateAnalysis(), c.validateModules(), c.validateSources(), c.validateProbe()}
	if err := c.Thresholds.Validate(); err != nil {
		key, why, _ := strings.Cut(err.Error(), " ")
		errs = append(errs, c.errorf("thresholds."+key, "%s", why))
	}
	names := map[string]int{}
	for i := range c.Clusters {
		at := fmt.Sprintf("clusters[%d]", i)
		if err := c.validateCluster(&c.Clusters[i], at); err != nil {
			errs = append(errs, err)
			continue
		}
		name := c.Clusters[i].Name
		if first, dup := names[name]; dup {
			errs = append(errs, c.errorf(at+".name", "%q is also the name of clusters[%d]; give each its own", name, first))
			continue
		}
		names[name] = i
	}
	return errors.Join(errs...)
}

// problems collects what is wrong with single keys.
type problems struct {
	c    *Config
	errs []error
}

// add notes a problem of a key if there is one.
func (p *problems) add(wrong bool, key, format string, args ...any) {
	if wrong {
		p.errs = append(p.errs, p.c.errorf(key, format, args...))
	}
}

func (c *Config) validatePoll() error {
	p, e := c.Poll, problems{c: c}
	e.add(p.Interval < minInterval, "poll.interval", "must be at least %v; Flink refreshes its metrics every 10s", minInterval)
	e.add(p.Timeout < 0, "poll.timeout", "must not be negative; 0 means four fifths of the interval")
	e.add(p.Timeout >= p.Interval && p.Interval >= minInterval, "poll.timeout",
		"%v must be below poll.interval (%v), so that a poll ends before the next is due", p.Timeout, p.Interval)
	e.add(p.Concurrency < 1 || p.Concurrency > maxConcurrency, "poll.concurrency", "must be 1 to %d requests at once", maxConcurrency)
	e.add(p.MaxResponseBytes < minResponse || p.MaxResponseBytes > maxResponse, "poll.max_response_bytes",
		"must be %d to %d bytes", minResponse, maxResponse)
	e.add(p.WatermarkBudget < -1, "poll.watermark_budget", "must be a number of vertices, 0 for the default or -1 for none")
	e.add(p.BacklogBudget < -1, "poll.backlog_budget", "must be a number of sources, 0 for the default or -1 for none")
	return errors.Join(append(e.errs,
		c.validatePattern("poll.include_jobs", p.IncludeJobs), c.validatePattern("poll.exclude_jobs", p.ExcludeJobs))...)
}

func (c *Config) validatePattern(key, pattern string) error {
	if _, err := regexp.Compile(pattern); err != nil {
		return c.errorf(key, "%q is not a regular expression: %v", pattern, reason(err))
	}
	return nil
}

func (c *Config) validateAnalysis() error {
	e := problems{c: c}
	known := Silenceable()
	for i, id := range c.Analysis.Silence {
		e.add(!slices.Contains(known, id), fmt.Sprintf("analysis.silence[%d]", i),
			"%q is no verdict or finding; known are %s", id, strings.Join(known, ", "))
	}
	return errors.Join(append(e.errs, c.validatePattern("analysis.exclude_vertices", c.Analysis.ExcludeVertices))...)
}

// Silenceable returns the ids that analysis.silence may hold: verdicts, then
// findings, in the order of their documentation.
func Silenceable() []string {
	var ids []string
	for _, id := range analysis.Verdicts() {
		ids = append(ids, string(id))
	}
	for _, id := range analysis.FindingIDs() {
		ids = append(ids, string(id))
	}
	return ids
}

// reason is what is wrong with an expression, without the expression.
func reason(err error) string {
	var e *syntax.Error
	if errors.As(err, &e) {
		return e.Code.String()
	}
	return err.Error()
}

func (c *Config) validateCollector() error {
	k, e := c.Collector, problems{c: c}
	e.add(k.Subtasks != SubtasksAll && k.Subtasks != SubtasksTop && k.Subtasks != SubtasksOff,
		"collector.subtasks", "must be all, top or off, not %q", k.Subtasks)
	e.add(k.Top < 1, "collector.top", "must be at least 1; to export no subtasks set collector.subtasks to off")
	e.add(k.SeriesBudget < 1, "collector.series_budget", "must be at least 1; to export no subtasks set collector.subtasks to off")
	return errors.Join(e.errs...)
}

func (c *Config) validateCluster(k *Cluster, at string) error {
	host, err := c.validateAddresses(k, at)
	if err != nil {
		return err
	}
	if k.Name == "" {
		k.Name = host
	}
	module, known := c.Module(k.Module)
	switch {
	case !known:
		return c.errorf(at+".module", "%q is no module; modules: lists them", k.Module)
	case !utf8.ValidString(k.Name) || utf8.RuneCountInString(k.Name) > maxNameRunes:
		return c.errorf(at+".name", "must be valid UTF-8 of at most %d characters", maxNameRunes)
	case strings.ContainsAny(k.Name, "/\n\r"):
		return c.errorf(at+".name", "must not hold a slash or a line break: it is a part of the API's paths")
	case k.Interval != 0 && k.Interval < minInterval:
		return c.errorf(at+".interval", "must be at least %v", minInterval)
	case k.Interval != 0 && c.PollTimeout(*k) >= k.Interval:
		return c.errorf(at+".interval", "must be above poll.timeout (%v)", c.PollTimeout(*k))
	}
	for _, p := range []struct{ key, pattern string }{
		{"include_jobs", k.IncludeJobs}, {"exclude_jobs", k.ExcludeJobs}, {"exclude_vertices", k.ExcludeVertices},
	} {
		if err := c.validatePattern(at+"."+p.key, p.pattern); err != nil {
			return err
		}
	}
	if err := c.validateAuth(access{k.BasicAuth, k.BearerTokenFile, k.TLS, k.Addresses()[0]}, at); err != nil {
		return err
	}
	if k.Module != "" {
		k.inherit(module)
	}
	return nil
}

// validateAddresses checks url or urls, moves a user in url to BasicAuth, and
// returns the first one's host:port.
func (c *Config) validateAddresses(k *Cluster, at string) (host string, err error) {
	if len(k.URLs) == 0 {
		u, err := parseURL(k.URL)
		if err != nil {
			return "", c.errorf(at+".url", "%v", err)
		}
		if u.User != nil {
			if k.BasicAuth != (BasicAuth{}) {
				return "", c.errorf(at+".url", "holds a user while basic_auth is set; keep one of them")
			}
			password, _ := u.User.Password()
			k.BasicAuth = BasicAuth{Username: u.User.Username(), Password: Secret(password)}
			u.User = nil
			k.URL = u.String()
		}
		return u.Host, nil
	}
	if k.URL != "" {
		return "", c.errorf(at+".urls", "is given beside url; keep one of them")
	}
	seen := map[string]bool{}
	scheme := ""
	for i, text := range k.URLs {
		key := fmt.Sprintf("%s.urls[%d]", at, i)
		u, err := parseURL(text)
		switch {
		case err != nil:
			return "", c.errorf(key, "%v", err)
		case u.User != nil:
			return "", c.errorf(key, "holds a user; use basic_auth, which is for all of them")
		case seen[text]:
			return "", c.errorf(key, "is there twice; remove one")
		case i > 0 && u.Scheme != scheme:
			return "", c.errorf(key, "must be %s as the first one is; all JobManagers of a cluster are asked alike", scheme)
		}
		seen[text], scheme = true, u.Scheme
		if i == 0 {
			host = u.Host
		}
	}
	return host, nil
}

// access is how an address is asked.
type access struct {
	basic BasicAuth
	token string
	tls   TLS
	url   string
}

func (c *Config) validateAuth(a access, at string) error {
	basic := a.basic != (BasicAuth{})
	switch {
	case basic && a.basic.Username == "":
		return c.errorf(at+".basic_auth.username", "is needed with a password")
	case a.basic.Password != "" && a.basic.PasswordFile != "":
		return c.errorf(at+".basic_auth.password_file", "is given beside password; keep one of them")
	case basic && a.token != "":
		return c.errorf(at+".basic_auth", "is given beside bearer_token_file; keep one of them")
	case (a.tls.CertFile == "") != (a.tls.KeyFile == ""):
		return c.errorf(at+".tls_config", "cert_file and key_file must be given together")
	case a.tls != (TLS{}) && !strings.HasPrefix(a.url, "https:"):
		return c.errorf(at+".tls_config", "is given for a URL that is not https; change the URL or remove it")
	}
	return nil
}

// parseURL accepts what a JobManager's REST address can be. Its errors never
// quote the text, which may hold a password.
func parseURL(text string) (*url.URL, error) {
	const example = "give one such as http://jobmanager:8081"
	u, problem := checkURL(text)
	switch {
	case problem != "":
		return nil, fmt.Errorf("%s; %s", problem, example)
	case u.RawQuery != "":
		return nil, fmt.Errorf("must not have a query or fragment; %s", example)
	}
	return u, nil
}

// checkURL says what is wrong with an address of http or https, without
// quoting it; nothing when it is good.
func checkURL(text string) (_ *url.URL, problem string) {
	if text == "" {
		return nil, "is missing"
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, "is not a URL"
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, "must begin with http:// or https://"
	case u.Hostname() == "":
		return nil, "has no host"
	case u.Port() != "" && !isPort(u.Port()):
		return nil, "has a port that is not 1 to 65535"
	case u.Fragment != "":
		return nil, "must not have a query or fragment"
	}
	return u, ""
}

func isPort(text string) bool {
	n, err := strconv.Atoi(text)
	return err == nil && n >= 1 && n <= 65535
}

// errorf makes an Error for key with the line it, or else the nearest group
// around it, was read from.
func (c *Config) errorf(key, format string, args ...any) error {
	e := &Error{Key: key, Problem: fmt.Sprintf(format, args...)}
	for at := key; ; {
		if line, ok := c.lines[at]; ok {
			if line != notInFile {
				e.File, e.Line = c.file, line
			}
			return e
		}
		i := strings.LastIndexByte(at, '.')
		if i < 0 {
			return e
		}
		at = at[:i]
	}
}
