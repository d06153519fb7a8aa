package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// Module is how clusters are asked and judged that are not written down one by
// one: those of probes and of discovery. A cluster may name one, too, and gets
// from it what it does not say itself.
type Module struct {
	Name string `yaml:"name"`
	// Interval overrides Poll.Interval, Timeout Poll.Timeout; 0 means no override.
	Interval time.Duration `yaml:"interval"`
	Timeout  time.Duration `yaml:"timeout"`
	// The rest overrides what the whole configuration says; empty means no override.
	IncludeJobs     string    `yaml:"include_jobs"`
	ExcludeJobs     string    `yaml:"exclude_jobs"`
	ExcludeVertices string    `yaml:"exclude_vertices"`
	Subtasks        string    `yaml:"subtasks"`
	BasicAuth       BasicAuth `yaml:"basic_auth"`
	BearerTokenFile string    `yaml:"bearer_token_file"`
	TLS             TLS       `yaml:"tls_config"`
	// Thresholds are those of the configuration but for the keys given here.
	Thresholds analysis.Config `yaml:"thresholds"`
}

// FileSD names files of targets in the format of Prometheus' file_sd.
type FileSD struct {
	// Files are paths whose last part may hold the wildcards of path.Match.
	Files []string `yaml:"files"`
	// Refresh is how often they are read; 0 means DefaultFileRefresh.
	Refresh time.Duration `yaml:"refresh_interval"`
	Module  string        `yaml:"module"`
}

// HTTPSD names an address of targets in the format of Prometheus' http_sd.
type HTTPSD struct {
	URL string `yaml:"url"`
	// Refresh is how often it is asked; 0 means DefaultHTTPRefresh.
	Refresh         time.Duration `yaml:"refresh_interval"`
	Module          string        `yaml:"module"`
	BasicAuth       BasicAuth     `yaml:"basic_auth"`
	BearerTokenFile string        `yaml:"bearer_token_file"`
	TLS             TLS           `yaml:"tls_config"`
}

// Probe says what /probe may be asked for.
type Probe struct {
	// AllowTargets are patterns of host:port; none means that nothing is probed.
	AllowTargets []string `yaml:"allow_targets"`
	// MaxTargets is of how many targets the state is kept between probes.
	MaxTargets int `yaml:"max_targets"`
	// Reuse is how long the last poll of a target answers for further probes.
	Reuse time.Duration `yaml:"reuse"`
}

// How often lists of targets are read unless the configuration says otherwise.
const (
	DefaultFileRefresh = 15 * time.Second
	DefaultHTTPRefresh = time.Minute
)

// DefaultModule is the module of probes and discovery that name none. It need
// not be configured.
const DefaultModule = "default"

// Every is how often the files are read.
func (f FileSD) Every() time.Duration {
	if f.Refresh > 0 {
		return f.Refresh
	}
	return DefaultFileRefresh
}

// Every is how often the address is asked.
func (h HTTPSD) Every() time.Duration {
	if h.Refresh > 0 {
		return h.Refresh
	}
	return DefaultHTTPRefresh
}

// Discovers reports whether targets are found by any source.
func (c *Config) Discovers() bool { return len(c.FileSD) > 0 || len(c.HTTPSD) > 0 }

// Module returns the module of that name, "" meaning DefaultModule, and false
// when there is none. Without being configured the default one says nothing.
func (c *Config) Module(name string) (Module, bool) {
	if name == "" {
		name = DefaultModule
	}
	for i := range c.Modules {
		if c.Modules[i].Name == name {
			return c.Modules[i], true
		}
	}
	return Module{Name: DefaultModule, Thresholds: c.Thresholds}, name == DefaultModule
}

// Discovered returns the cluster of a target that a source or a probe gave, as
// if it stood under clusters: its addresses are those of its JobManagers. The
// error says in one line why there cannot be such a cluster.
func (c *Config) Discovered(name string, addresses []string, module string) (Cluster, error) {
	k := Cluster{Name: name, URLs: addresses, Module: module}
	if module == "" {
		k.Module = DefaultModule
	}
	// What is wrong is in no file of ours.
	bare := *c
	bare.file, bare.lines = "", nil
	if err := bare.validateCluster(&k, ""); err != nil {
		var e *Error
		if errors.As(err, &e) {
			return Cluster{}, errors.New(strings.TrimPrefix(e.Key, ".") + " " + e.Problem)
		}
		return Cluster{}, err
	}
	return k, nil
}

// inherit gives a cluster what its module says and it does not itself.
func (k *Cluster) inherit(m Module) {
	set := func(own *string, from string) {
		if *own == "" {
			*own = from
		}
	}
	if k.Interval == 0 {
		k.Interval = m.Interval
	}
	set(&k.IncludeJobs, m.IncludeJobs)
	set(&k.ExcludeJobs, m.ExcludeJobs)
	set(&k.ExcludeVertices, m.ExcludeVertices)
	if k.BasicAuth == (BasicAuth{}) && k.BearerTokenFile == "" {
		k.BasicAuth, k.BearerTokenFile = m.BasicAuth, m.BearerTokenFile
	}
	if k.TLS == (TLS{}) && strings.HasPrefix(k.Addresses()[0], "https:") {
		k.TLS = m.TLS
	}
}

// fillThresholds completes the thresholds of modules, of which the file gives
// single keys, by those of the whole configuration.
func (c *Config) fillThresholds() {
	all := reflect.ValueOf(c.Thresholds)
	for i := range c.Modules {
		own := reflect.ValueOf(&c.Modules[i].Thresholds).Elem()
		for f := range own.Type().Fields() {
			key := keyOf(f)
			if _, given := c.lines[fmt.Sprintf("modules[%d].thresholds.%s", i, key)]; key != "" && !given {
				own.FieldByIndex(f.Index).Set(all.FieldByIndex(f.Index))
			}
		}
	}
}

func (c *Config) validateModules() error {
	var errs []error
	seen := map[string]int{}
	for i := range c.Modules {
		m, at, e := &c.Modules[i], fmt.Sprintf("modules[%d]", i), problems{c: c}
		e.add(m.Name == "", at+".name", "is missing; %s is the one of probes and sources that name none", DefaultModule)
		if first, dup := seen[m.Name]; dup {
			e.add(true, at+".name", "%q is also the name of modules[%d]; give each its own", m.Name, first)
		}
		seen[m.Name] = i
		e.add(m.Interval != 0 && m.Interval < minInterval, at+".interval", "must be at least %v", minInterval)
		e.add(m.Timeout < 0, at+".timeout", "must not be negative; 0 means that of poll")
		interval := m.Interval
		if interval == 0 {
			interval = c.Poll.Interval
		}
		timeout := m.Timeout
		if timeout == 0 {
			timeout = c.Poll.Timeout
		}
		e.add(timeout >= interval && interval >= minInterval, at+".timeout", "%v must be below the interval (%v), so that a poll ends before the next is due", timeout, interval)
		e.add(m.Subtasks != "" && !slices.Contains([]string{SubtasksAll, SubtasksTop, SubtasksOff}, m.Subtasks),
			at+".subtasks", "must be all, top or off, not %q", m.Subtasks)
		for _, p := range []struct{ key, pattern string }{
			{"include_jobs", m.IncludeJobs}, {"exclude_jobs", m.ExcludeJobs}, {"exclude_vertices", m.ExcludeVertices},
		} {
			e.errs = append(e.errs, c.validatePattern(at+"."+p.key, p.pattern))
		}
		if err := m.Thresholds.Validate(); err != nil {
			key, why, _ := strings.Cut(err.Error(), " ")
			e.add(true, at+".thresholds."+key, "%s", why)
		}
		// A module may be for http and for https.
		e.errs = append(e.errs, c.validateAuth(access{m.BasicAuth, m.BearerTokenFile, m.TLS, "https:"}, at))
		errs = append(errs, e.errs...)
	}
	return errors.Join(errs...)
}

func (c *Config) validateSources() error {
	e := problems{c: c}
	for i, f := range c.FileSD {
		at := fmt.Sprintf("file_sd_configs[%d]", i)
		e.add(len(f.Files) == 0, at+".files", "is missing; give paths such as targets/*.json")
		for n, path := range f.Files {
			_, err := filepath.Match(path, "")
			ext := filepath.Ext(path)
			e.add(err != nil, fmt.Sprintf("%s.files[%d]", at, n), "%q is not a pattern of file names", path)
			e.add(ext != ".json" && ext != ".yml" && ext != ".yaml", fmt.Sprintf("%s.files[%d]", at, n), "must end in .json, .yml or .yaml")
			e.add(strings.ContainsAny(filepath.Dir(path), "*?["), fmt.Sprintf("%s.files[%d]", at, n), "may hold wildcards in its last part only")
		}
		c.validateSource(&e, at, f.Refresh, f.Module)
	}
	for i := range c.HTTPSD {
		h, at := &c.HTTPSD[i], fmt.Sprintf("http_sd_configs[%d]", i)
		c.validateSource(&e, at, h.Refresh, h.Module)
		const example = "give one such as http://inventory/flink-targets"
		u, problem := checkURL(h.URL)
		switch {
		case problem != "":
			e.add(true, at+".url", "%s; %s", problem, example)
			continue
		case u.User != nil:
			e.add(true, at+".url", "holds a user; use basic_auth")
			continue
		}
		e.errs = append(e.errs, c.validateAuth(access{h.BasicAuth, h.BearerTokenFile, h.TLS, h.URL}, at))
	}
	return errors.Join(e.errs...)
}

func (c *Config) validateSource(e *problems, at string, refresh time.Duration, module string) {
	e.add(refresh != 0 && refresh < minInterval, at+".refresh_interval", "must be at least %v", minInterval)
	_, known := c.Module(module)
	e.add(!known, at+".module", "%q is no module; modules: lists them", module)
}

func (c *Config) validateProbe() error {
	p, e := c.Probe, problems{c: c}
	for i, pattern := range p.AllowTargets {
		_, err := ParseTargetPattern(pattern)
		e.add(err != nil, fmt.Sprintf("probe.allow_targets[%d]", i), "%v", err)
	}
	e.add(p.MaxTargets < 1, "probe.max_targets", "must be at least 1")
	e.add(p.Reuse < 0, "probe.reuse", "must not be negative; 0s polls at every probe")
	return errors.Join(e.errs...)
}
