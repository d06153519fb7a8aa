package config

import (
	"cmp"
	"regexp"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// Config is all that the configuration file says. Default gives its zero point.
type Config struct {
	Clusters   []Cluster       `yaml:"clusters"`
	FileSD     []FileSD        `yaml:"file_sd_configs"`
	HTTPSD     []HTTPSD        `yaml:"http_sd_configs"`
	Modules    []Module        `yaml:"modules"`
	Probe      Probe           `yaml:"probe"`
	Poll       Poll            `yaml:"poll"`
	Collector  Collector       `yaml:"collector"`
	Analysis   Analysis        `yaml:"analysis"`
	Thresholds analysis.Config `yaml:"thresholds"`

	// file and lines say where a value was read, for messages of Validate.
	file  string
	lines map[string]int
}

// Cluster is one Flink cluster, by the URL of its JobManager's REST API.
type Cluster struct {
	// Name is the value of the cluster label; empty means the URL's host:port.
	Name string `yaml:"name"`
	// URL is the one address; URLs are those of several JobManagers of the
	// cluster, of which one leads. Exactly one of the two is set.
	URL  string   `yaml:"url"`
	URLs []string `yaml:"urls"`
	// Module names the module that says what is not said here; empty means none.
	Module string `yaml:"module"`
	// Interval overrides Poll.Interval; 0 means no override.
	Interval time.Duration `yaml:"interval"`
	// IncludeJobs and ExcludeJobs override Poll's, ExcludeVertices overrides
	// Analysis's; empty means no override.
	IncludeJobs     string    `yaml:"include_jobs"`
	ExcludeJobs     string    `yaml:"exclude_jobs"`
	ExcludeVertices string    `yaml:"exclude_vertices"`
	BasicAuth       BasicAuth `yaml:"basic_auth"`
	BearerTokenFile string    `yaml:"bearer_token_file"`
	TLS             TLS       `yaml:"tls_config"`
}

// BasicAuth is a user name and its password, given here or in a file.
type BasicAuth struct {
	Username     string `yaml:"username"`
	Password     Secret `yaml:"password"`
	PasswordFile string `yaml:"password_file"`
}

// TLS says how a JobManager's certificate is verified and what we show it.
// Paths are those of PEM files.
type TLS struct {
	CAFile             string `yaml:"ca_file"`
	CertFile           string `yaml:"cert_file"`
	KeyFile            string `yaml:"key_file"`
	ServerName         string `yaml:"server_name"`
	InsecureSkipVerify bool   `yaml:"insecure_skip_verify"`
}

// Poll is how clusters are asked.
type Poll struct {
	Interval time.Duration `yaml:"interval"`
	// Timeout bounds one whole poll; 0 means four fifths of the interval.
	Timeout time.Duration `yaml:"timeout"`
	// Concurrency is how many requests one cluster gets at once, 1–64.
	Concurrency int `yaml:"concurrency"`
	// MaxResponseBytes is the largest answer that is read, 1 MiB to 1 GiB.
	MaxResponseBytes int `yaml:"max_response_bytes"`
	// IncludeJobs and ExcludeJobs are regular expressions that a part of a
	// job's name must and must not match; empty includes all, excludes none.
	IncludeJobs string `yaml:"include_jobs"`
	ExcludeJobs string `yaml:"exclude_jobs"`
	// WatermarkBudget and BacklogBudget are of how many vertices watermarks
	// and backlogs are read in one poll; 0 means the client's defaults, -1 none.
	WatermarkBudget int `yaml:"watermark_budget"`
	BacklogBudget   int `yaml:"backlog_budget"`
}

// Analysis is what is judged, and what is said of it.
type Analysis struct {
	// ExcludeVertices is a regular expression; vertices a part of whose name
	// it matches get no verdict and no finding. Empty excludes none.
	ExcludeVertices string `yaml:"exclude_vertices"`
	// Silence holds ids of verdicts and findings that keep quiet.
	Silence []string `yaml:"silence"`
}

// Collector is how much is exported.
type Collector struct {
	// Subtasks is one of SubtasksAll, SubtasksTop and SubtasksOff.
	Subtasks string `yaml:"subtasks"`
	// Top is how many subtasks a vertex keeps with SubtasksTop.
	Top int `yaml:"top"`
	// SeriesBudget is how many per-subtask series all clusters together may have.
	SeriesBudget int `yaml:"series_budget"`
}

// Values of Collector.Subtasks.
const (
	SubtasksAll = "all"
	SubtasksTop = "top"
	SubtasksOff = "off"
)

// Default returns the configuration of an empty file: no clusters, and for all
// else the values that the reference shows.
func Default() *Config {
	return &Config{
		Poll:       Poll{Interval: 15 * time.Second, Concurrency: 8, MaxResponseBytes: 64 << 20},
		Probe:      Probe{MaxTargets: 1000, Reuse: 5 * time.Second},
		Collector:  Collector{Subtasks: SubtasksTop, Top: 10, SeriesBudget: 200_000},
		Thresholds: analysis.Defaults(),
	}
}

// Addresses returns the addresses of the cluster's JobManagers, at least one
// once Validate has accepted it.
func (k Cluster) Addresses() []string {
	if len(k.URLs) > 0 {
		return k.URLs
	}
	return []string{k.URL}
}

// PollInterval is the time between two polls of cluster c.
func (c *Config) PollInterval(cluster Cluster) time.Duration {
	if cluster.Interval > 0 {
		return cluster.Interval
	}
	return c.Poll.Interval
}

// PollTimeout is the deadline of one poll of the cluster, always below its interval.
func (c *Config) PollTimeout(cluster Cluster) time.Duration {
	if m, ok := c.Module(cluster.Module); ok && cluster.Module != "" && m.Timeout > 0 {
		return m.Timeout
	}
	if c.Poll.Timeout > 0 {
		return c.Poll.Timeout
	}
	return c.PollInterval(cluster) * 4 / 5
}

// Jobs returns the expressions that choose the cluster's jobs by name.
func (c *Config) Jobs(cluster Cluster) (include, exclude string) {
	return cmp.Or(cluster.IncludeJobs, c.Poll.IncludeJobs), cmp.Or(cluster.ExcludeJobs, c.Poll.ExcludeJobs)
}

// Judging returns all that the cluster is judged by: the thresholds, the
// vertices that are excluded and what is silenced. Validate must have accepted
// the configuration.
func (c *Config) Judging(cluster Cluster) analysis.Config {
	out := c.Thresholds
	if m, ok := c.Module(cluster.Module); ok && cluster.Module != "" {
		out = m.Thresholds
	}
	if excluded := cmp.Or(cluster.ExcludeVertices, c.Analysis.ExcludeVertices); excluded != "" {
		out.ExcludeVertices = regexp.MustCompile(excluded)
	}
	if len(c.Analysis.Silence) > 0 {
		out.Silenced = make(map[string]bool, len(c.Analysis.Silence))
		for _, id := range c.Analysis.Silence {
			out.Silenced[id] = true
		}
	}
	return out
}
