package config

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

func TestLoadSources(t *testing.T) {
	file := write(t, `
clusters:
- urls: [http://jm-0:8081/flink, http://jm-1:8081/flink]
  basic_auth: {username: u, password: p}
- name: own
  url: https://own
  module: yarn
  exclude_jobs: ^own-
- url: http://plain
  module: yarn
file_sd_configs:
- files: [targets/*.json, /etc/more.yml]
http_sd_configs:
- url: https://inventory/targets?team=a
  refresh_interval: 5m
  module: yarn
  bearer_token_file: sd-token
modules:
- name: yarn
  interval: 1m
  timeout: 20s
  exclude_jobs: ^tmp-
  bearer_token_file: token
  tls_config: {ca_file: ca.pem}
  thresholds: {skew_enter: 3}
thresholds: {skew_enter: 2.5, catch_up: 1h}
probe: {allow_targets: ['*.svc:8081'], max_targets: 5}
`)
	c, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(filepath.Dir(file), name) }
	want := []Cluster{
		{Name: "jm-0:8081", URLs: []string{"http://jm-0:8081/flink", "http://jm-1:8081/flink"}, BasicAuth: BasicAuth{Username: "u", Password: "p"}},
		{Name: "own", URL: "https://own", Module: "yarn", Interval: time.Minute, ExcludeJobs: "^own-", BearerTokenFile: at("token"), TLS: TLS{CAFile: at("ca.pem")}},
		{Name: "plain", URL: "http://plain", Module: "yarn", Interval: time.Minute, ExcludeJobs: "^tmp-", BearerTokenFile: at("token")},
	}
	if !reflect.DeepEqual(c.Clusters, want) {
		t.Errorf("clusters:\n got %+v\nwant %+v", c.Clusters, want)
	}
	if c.FileSD[0].Files[0] != at("targets/*.json") || c.FileSD[0].Files[1] != "/etc/more.yml" || c.FileSD[0].Every() != DefaultFileRefresh {
		t.Errorf("file_sd: %+v", c.FileSD)
	}
	if h := c.HTTPSD[0]; h.Every() != 5*time.Minute || h.BearerTokenFile != at("sd-token") || (HTTPSD{}).Every() != DefaultHTTPRefresh {
		t.Errorf("http_sd: %+v", h)
	}
	if c.Probe.MaxTargets != 5 || c.Probe.Reuse != 5*time.Second || !c.Discovers() || Default().Discovers() {
		t.Errorf("probe: %+v", c.Probe)
	}
	// A module's thresholds are the configuration's but for those it names.
	thresholds := analysis.Defaults()
	thresholds.SkewEnter, thresholds.CatchUp = 3, time.Hour
	if got := c.Judging(c.Clusters[1]); !reflect.DeepEqual(got, thresholds) {
		t.Errorf("a module's thresholds: %+v", got)
	}
	if got := c.Judging(c.Clusters[0]).SkewEnter; got != 2.5 {
		t.Errorf("skew_enter without a module is %v, want 2.5", got)
	}
	if c.PollTimeout(c.Clusters[1]) != 20*time.Second || c.PollTimeout(c.Clusters[0]) != 12*time.Second {
		t.Error("a module's timeout is not used, or used where it is not named")
	}
}

func TestDiscovered(t *testing.T) {
	c, err := Load(write(t, "modules:\n- name: default\n  basic_auth: {username: u, password: p}\n  tls_config: {server_name: flink}\n"))
	if err != nil {
		t.Fatal(err)
	}
	k, err := c.Discovered("", []string{"http://a:8081", "http://b:8081"}, "")
	want := Cluster{Name: "a:8081", URLs: []string{"http://a:8081", "http://b:8081"}, Module: "default", BasicAuth: BasicAuth{Username: "u", Password: "p"}}
	if err != nil || !reflect.DeepEqual(k, want) {
		t.Errorf("got %+v, %v", k, err)
	}
	if k, err = c.Discovered("eu", []string{"https://a"}, "default"); err != nil || k.Name != "eu" || k.TLS.ServerName != "flink" {
		t.Errorf("got %+v, %v", k, err)
	}
	for problem, bad := range map[string][3]string{
		"has no host":               {"", "http://:8081", ""},
		"holds a user":              {"", "http://u:p@a", ""},
		"must not hold a slash":     {"a/b", "http://a", ""},
		`module "no" is no module`:  {"", "http://a", "no"},
		"urls[0] must not have a q": {"", "http://a?b", ""},
	} {
		if _, err := c.Discovered(bad[0], []string{bad[1]}, bad[2]); err == nil || !strings.Contains(err.Error(), problem) || strings.Contains(err.Error(), ".yml") {
			t.Errorf("%v: %v", bad, err)
		}
	}
	if _, err := Default().Discovered("", []string{"http://a"}, ""); err != nil {
		t.Errorf("the default module need not be configured: %v", err)
	}
}

func TestSourceErrors(t *testing.T) {
	for text, want := range map[string]string{
		"clusters:\n- url: http://a\n  urls: [http://b]\n":                                              "FILE:3: clusters[0].urls: is given beside url; keep one of them",
		"clusters:\n- urls:\n  - http://a\n  - https://b\n":                                             "FILE:4: clusters[0].urls[1]: must be http as the first one is; all JobManagers of a cluster are asked alike",
		"clusters:\n- urls: [http://a, http://a]\n":                                                     "FILE:2: clusters[0].urls[1]: is there twice; remove one",
		"clusters:\n- urls: ['http://u:hunter2@a']\n":                                                   "FILE:2: clusters[0].urls[0]: holds a user; use basic_auth, which is for all of them",
		"clusters:\n- urls: [a:8081]\n":                                                                 "FILE:2: clusters[0].urls[0]: must begin with http:// or https://; give one such as http://jobmanager:8081",
		"clusters:\n- url: http://a\n  module: x\n":                                                     `FILE:3: clusters[0].module: "x" is no module; modules: lists them`,
		"modules:\n- timeout: 1s\n":                                                                     "FILE:2: modules[0].name: is missing; default is the one of probes and sources that name none",
		"modules:\n- name: a\n- name: a\n":                                                              `FILE:3: modules[1].name: "a" is also the name of modules[0]; give each its own`,
		"modules:\n- name: a\n  timeout: 15s\n":                                                         "FILE:3: modules[0].timeout: 15s must be below the interval (15s), so that a poll ends before the next is due",
		"modules:\n- name: a\n  timeout: -1s\n":                                                         "FILE:3: modules[0].timeout: must not be negative; 0 means that of poll",
		"modules:\n- name: a\n  interval: 1ms\n":                                                        "FILE:3: modules[0].interval: must be at least 1s",
		"modules:\n- name: a\n  subtasks: few\n":                                                        `FILE:3: modules[0].subtasks: must be all, top or off, not "few"`,
		"modules:\n- name: a\n  include_jobs: '('\n":                                                    `FILE:3: modules[0].include_jobs: "(" is not a regular expression: missing closing )`,
		"modules:\n- name: a\n  thresholds:\n    min_coverage: 2\n":                                     "FILE:4: modules[0].thresholds.min_coverage: must be in (0, 1]",
		"modules:\n- name: a\n  basic_auth: {username: u}\n  bearer_token_file: f":                      "FILE:3: modules[0].basic_auth: is given beside bearer_token_file; keep one of them",
		"file_sd_configs:\n- module: default\n":                                                         "FILE:2: file_sd_configs[0].files: is missing; give paths such as targets/*.json",
		"file_sd_configs:\n- files: [a.txt]\n":                                                          "FILE:2: file_sd_configs[0].files[0]: must end in .json, .yml or .yaml",
		"file_sd_configs:\n- files: ['*/a.yml']\n":                                                      "FILE:2: file_sd_configs[0].files[0]: may hold wildcards in its last part only",
		"file_sd_configs:\n- files: [a.yml]\n  refresh_interval: 1ms\n":                                 "FILE:3: file_sd_configs[0].refresh_interval: must be at least 1s",
		"file_sd_configs:\n- files: [a.yml]\n  module: x\n":                                             `FILE:3: file_sd_configs[0].module: "x" is no module; modules: lists them`,
		"http_sd_configs:\n- url: inventory\n":                                                          "FILE:2: http_sd_configs[0].url: must begin with http:// or https://; give one such as http://inventory/flink-targets",
		"http_sd_configs:\n- url: http://u:hunter2@a\n":                                                 "FILE:2: http_sd_configs[0].url: holds a user; use basic_auth",
		"http_sd_configs:\n- url: http://a\n  tls_config: {server_name: b}\n":                           "FILE:3: http_sd_configs[0].tls_config: is given for a URL that is not https; change the URL or remove it",
		"probe: {allow_targets: ['http://a']}\n":                                                        `FILE:1: probe.allow_targets[0]: "http://a" has a port that is neither 1 to 65535 nor *; give HOST[:PORT], such as *.flink.svc:8081 or 10.0.0.0/8:8081`,
		"probe: {max_targets: 0}\n":                                                                     "FILE:1: probe.max_targets: must be at least 1",
		"probe: {reuse: -1s}\n":                                                                         "FILE:1: probe.reuse: must not be negative; 0s polls at every probe",
		"clusters:\n- url: http://a\n  interval: 10s\n  module: m\nmodules:\n- name: m\n  timeout: 12s": "FILE:3: clusters[0].interval: must be above poll.timeout (12s)",
	} {
		wantError(t, text, want)
	}
}

func TestTargetPatterns(t *testing.T) {
	for pattern, cases := range map[string]map[string]bool{
		"jm":               {"jm:8081": true, "JM:8081": true, "jm:8082": false, "jm.evil:8081": false, "xjm:8081": false},
		"*.svc:8081":       {"a.b.svc:8081": true, "svc:8081": false, "a.svc.evil.org:8081": false, "a.svc:80": false},
		"*-rest.*.svc:*":   {"orders-rest.flink.svc:8081": true, "orders-rest.flink.svc:443": true, "orders.flink.svc:8081": false},
		"10.1.0.0/16:8081": {"10.1.2.3:8081": true, "10.2.2.3:8081": false, "10.1.2.3:22": false, "10.1.2.3.evil.org:8081": false, "::ffff:10.1.2.3:8081": true},
		"10.0.0.7":         {"10.0.0.7:8081": true, "10.0.0.70:8081": false},
		"[fd00::/8]:8081":  {"fd12::1:8081": true, "fe80::1:8081": false},
		"fd00::/8":         {"fd12::1:8081": true},
		"[::1]:9000":       {"::1:9000": true, "::2:9000": false},
		"*:8081":           {"anything:8081": true, "anything:9090": false},
	} {
		p, err := ParseTargetPattern(pattern)
		if err != nil {
			t.Errorf("%s: %v", pattern, err)
			continue
		}
		for target, want := range cases {
			i := strings.LastIndexByte(target, ':')
			if got := p.Matches(target[:i], target[i+1:]); got != want {
				t.Errorf("%s on %s: %v, want %v", pattern, target, got, want)
			}
		}
	}
	for _, bad := range []string{"", ":8081", "a:0", "a:70000", "a b", "a/b:1", "u@a", "a[b]c", `a\b`} {
		if p, err := ParseTargetPattern(bad); err == nil {
			t.Errorf("%q is accepted: %+v", bad, p)
		}
	}
}
