package config

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"regexp/syntax"
	"slices"
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
)

// Validate checks every value, gives clusters without a name their host:port,
// and moves a user and password in a URL to BasicAuth, so that URLs can be
// printed. The error, an *Error, names the first key that is wrong, and its
// line when it was read from a file.
func (c *Config) Validate() error {
	if err := c.validatePoll(); err != nil {
		return err
	}
	if err := c.validateCollector(); err != nil {
		return err
	}
	if err := c.validateAnalysis(); err != nil {
		return err
	}
	if err := c.Thresholds.Validate(); err != nil {
		key, why, _ := strings.Cut(err.Error(), " ")
		return c.errorf("thresholds."+key, "%s", why)
	}
	names := map[string]int{}
	for i := range c.Clusters {
		at := fmt.Sprintf("clusters[%d]", i)
		if err := c.validateCluster(&c.Clusters[i], at); err != nil {
			return err
		}
		name := c.Clusters[i].Name
		if first, dup := names[name]; dup {
			return c.errorf(at+".name", "%q is also the name of clusters[%d]; give each its own", name, first)
		}
		names[name] = i
	}
	return nil
}

func (c *Config) validatePoll() error {
	switch p := c.Poll; {
	case p.Interval < minInterval:
		return c.errorf("poll.interval", "must be at least %v; Flink refreshes its metrics every 10s", minInterval)
	case p.Timeout < 0:
		return c.errorf("poll.timeout", "must not be negative; 0 means four fifths of the interval")
	case p.Timeout >= p.Interval:
		return c.errorf("poll.timeout", "%v must be below poll.interval (%v), so that a poll ends before the next is due", p.Timeout, p.Interval)
	case p.Concurrency < 1 || p.Concurrency > maxConcurrency:
		return c.errorf("poll.concurrency", "must be 1 to %d requests at once", maxConcurrency)
	case p.WatermarkBudget < -1:
		return c.errorf("poll.watermark_budget", "must be a number of vertices, 0 for the default or -1 for none")
	case p.BacklogBudget < -1:
		return c.errorf("poll.backlog_budget", "must be a number of sources, 0 for the default or -1 for none")
	}
	if err := c.validatePattern("poll.include_jobs", c.Poll.IncludeJobs); err != nil {
		return err
	}
	return c.validatePattern("poll.exclude_jobs", c.Poll.ExcludeJobs)
}

func (c *Config) validatePattern(key, pattern string) error {
	if _, err := regexp.Compile(pattern); err != nil {
		return c.errorf(key, "%q is not a regular expression: %v", pattern, reason(err))
	}
	return nil
}

func (c *Config) validateAnalysis() error {
	if err := c.validatePattern("analysis.exclude_vertices", c.Analysis.ExcludeVertices); err != nil {
		return err
	}
	known := Silenceable()
	for i, id := range c.Analysis.Silence {
		if !slices.Contains(known, id) {
			return c.errorf(fmt.Sprintf("analysis.silence[%d]", i), "%q is no verdict or finding; known are %s", id, strings.Join(known, ", "))
		}
	}
	return nil
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
	switch k := c.Collector; {
	case k.Subtasks != SubtasksAll && k.Subtasks != SubtasksTop && k.Subtasks != SubtasksOff:
		return c.errorf("collector.subtasks", "must be all, top or off, not %q", k.Subtasks)
	case k.Top < 1:
		return c.errorf("collector.top", "must be at least 1; to export no subtasks set collector.subtasks to off")
	case k.SeriesBudget < 1:
		return c.errorf("collector.series_budget", "must be at least 1; to export no subtasks set collector.subtasks to off")
	}
	return nil
}

func (c *Config) validateCluster(k *Cluster, at string) error {
	u, err := parseURL(k.URL)
	if err != nil {
		return c.errorf(at+".url", "%v", err)
	}
	if u.User != nil {
		if k.BasicAuth != (BasicAuth{}) {
			return c.errorf(at+".url", "holds a user while basic_auth is set; keep one of them")
		}
		password, _ := u.User.Password()
		k.BasicAuth = BasicAuth{Username: u.User.Username(), Password: Secret(password)}
		u.User = nil
		k.URL = u.String()
	}
	if k.Name == "" {
		k.Name = u.Host
	}
	switch {
	case !utf8.ValidString(k.Name) || utf8.RuneCountInString(k.Name) > maxNameRunes:
		return c.errorf(at+".name", "must be valid UTF-8 of at most %d characters", maxNameRunes)
	case strings.ContainsAny(k.Name, "/\n\r"):
		return c.errorf(at+".name", "must not hold a slash or a line break: it is a part of the API's paths")
	case k.Interval != 0 && k.Interval < minInterval:
		return c.errorf(at+".interval", "must be at least %v", minInterval)
	case c.Poll.Timeout >= c.PollInterval(*k):
		return c.errorf(at+".interval", "must be above poll.timeout (%v)", c.Poll.Timeout)
	}
	for _, p := range []struct{ key, pattern string }{
		{"include_jobs", k.IncludeJobs}, {"exclude_jobs", k.ExcludeJobs}, {"exclude_vertices", k.ExcludeVertices},
	} {
		if err := c.validatePattern(at+"."+p.key, p.pattern); err != nil {
			return err
		}
	}
	return c.validateAuth(k, at)
}

func (c *Config) validateAuth(k *Cluster, at string) error {
	basic := k.BasicAuth != (BasicAuth{})
	switch {
	case basic && k.BasicAuth.Username == "":
		return c.errorf(at+".basic_auth.username", "is needed with a password")
	case k.BasicAuth.Password != "" && k.BasicAuth.PasswordFile != "":
		return c.errorf(at+".basic_auth.password_file", "is given beside password; keep one of them")
	case basic && k.BearerTokenFile != "":
		return c.errorf(at+".basic_auth", "is given beside bearer_token_file; keep one of them")
	case (k.TLS.CertFile == "") != (k.TLS.KeyFile == ""):
		return c.errorf(at+".tls_config", "cert_file and key_file must be given together")
	case k.TLS != (TLS{}) && !strings.HasPrefix(k.URL, "https:"):
		return c.errorf(at+".tls_config", "is given for a URL that is not https; change the URL or remove it")
	}
	return nil
}

// parseURL accepts what a JobManager's REST address can be. Its errors never
// quote the text, which may hold a password.
func parseURL(text string) (*url.URL, error) {
	const example = "give one such as http://jobmanager:8081"
	if text == "" {
		return nil, fmt.Errorf("is missing; %s", example)
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("is not a URL; %s", example)
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("must begin with http:// or https://; %s", example)
	case u.Hostname() == "":
		return nil, fmt.Errorf("has no host; %s", example)
	case u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("must not have a query or fragment; %s", example)
	}
	return u, nil
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
