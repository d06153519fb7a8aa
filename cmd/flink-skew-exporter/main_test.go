package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kingpin/v2"

	"github.com/flink-skew-exporter/flink-skew-exporter/internal/config"
)

// runMain makes the test binary behave as the program, so that tests can start
// it as a process of its own.
const runMain = "RUN_MAIN_OF_THE_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(runMain) != "" {
		main()
		return
	}
	m.Run()
}

// outcome is what a command left.
type outcome struct {
	code           int
	stdout, stderr string
}

// execute runs a command in process.
func execute(t *testing.T, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), args, process{stdout: &stdout, stderr: &stderr})
	return outcome{code, stdout.String(), stderr.String()}
}

func tape(name string) string {
	return filepath.Join("..", "..", "testdata", "tapes", name+".jsonl.gz")
}

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestUsageErrors(t *testing.T) {
	bad := writeFile(t, "bad.yml", "poll:\n  intervall: 15s\n")
	slow := writeFile(t, "slow.yml", "poll:\n  timeout: 14s\n")
	webConfig := writeFile(t, "web.yml", "tls_server_config:\n  cert_file: none.pem\n")
	const url = "--flink.url=http://127.0.0.1:1"
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"flag":              {[]string{"serve", "--nonsense"}, "unknown long flag '--nonsense'; see flink-skew-exporter serve --help"},
		"flag of check":     {[]string{"check", "config", "--nonsense"}, "unknown long flag '--nonsense'; see flink-skew-exporter check config --help"},
		"command":           {[]string{"explode"}, "unexpected explode; see flink-skew-exporter --help"},
		"argument":          {[]string{"diagnose", "--tape=x", "more"}, "unexpected more; see flink-skew-exporter diagnose --help"},
		"no cluster":        {[]string{"serve"}, "no cluster to poll; give --flink.url=http://jobmanager:8081, or clusters: in --config.file"},
		"default command":   {nil, "no cluster to poll; give --flink.url=http://jobmanager:8081, or clusters: in --config.file"},
		"diagnose nothing":  {[]string{"diagnose"}, "no cluster to poll; give --flink.url=http://jobmanager:8081, or clusters: in --config.file"},
		"config key":        {[]string{"serve", "--config.file", bad}, bad + ":2: poll.intervall: unknown key; known here: interval, timeout, concurrency, max_response_bytes, include_jobs, exclude_jobs, watermark_budget, backlog_budget"},
		"no config file":    {[]string{"serve", "--config.file=none.yml"}, "none.yml: cannot be read: no such file or directory"},
		"file against flag": {[]string{"serve", url, "--config.file", slow, "--poll.interval=5s"}, slow + ":2: poll.timeout: 14s must be below poll.interval (5s), so that a poll ends before the next is due"},
		"URL":               {[]string{"serve", "--flink.url=jobmanager:8081"}, "--flink.url: must begin with http:// or https://; give one such as http://jobmanager:8081"},
		"duration":          {[]string{"serve", url, "--poll.interval=15"}, `--poll.interval: must be a duration with a unit, such as 500ms, 15s or 5m, not "15"; see flink-skew-exporter serve --help`},
		"huge duration":     {[]string{"diagnose", "--interval=99999999h"}, `--interval: must be a duration of at most 292y, with units from large to small, not "99999999h"; see flink-skew-exporter diagnose --help`},
		"negative duration": {[]string{"diagnose", "--interval=-1s"}, `--interval: must not be negative, not "-1s"; see flink-skew-exporter diagnose --help`},
		"port":              {[]string{"diagnose", "--flink.url=http://jm:70000"}, "--flink.url: has a port that is not 1 to 65535; give one such as http://jobmanager:8081"},
		"enum":              {[]string{"diagnose", "--format=xml"}, `--format: must be one of text, json, markdown, not "xml"; see flink-skew-exporter diagnose --help`},
		"fail-on":           {[]string{"diagnose", "--fail-on=bad"}, `--fail-on: must be one of none, info, warning, critical, not "bad"; see flink-skew-exporter diagnose --help`},
		"number":            {[]string{"diagnose", "--polls=few"}, `--polls: must be a whole number from 0 on, not "few"; see flink-skew-exporter diagnose --help`},
		"few polls":         {[]string{"diagnose", url, "--polls=1"}, "--polls is 1; a window lies between two readings, so give at least 2"},
		"silence":           {[]string{"serve", url, "--analysis.silence=hot_key", "--analysis.silence=hotkey"}, `--analysis.silence: "hotkey" is no verdict or finding; known are ` + strings.Join(config.Silenceable(), ", ")},
		"exclude vertices":  {[]string{"diagnose", url, "--analysis.exclude-vertices=("}, `--analysis.exclude-vertices: "(" is not a regular expression: missing closing )`},
		"budget":            {[]string{"serve", url, "--poll.backlog-budget=-2"}, "--poll.backlog-budget: must be a number of sources, 0 for the default or -1 for none"},
		"subtasks":          {[]string{"serve", url, "--collector.subtasks=some"}, `--collector.subtasks: must be all, top or off, not "some"`},
		"names":             {[]string{"serve", url, "--flink.name=a", "--flink.name=b"}, "--flink.name is given 2 times for 1 times --flink.url; give one name for each URL, or none"},
		"auth without URL":  {[]string{"serve", "--flink.username=u"}, "flags --flink.… say how to reach --flink.url, which is missing; give it, or put them into the configuration file"},
		"password alone":    {[]string{"serve", url, "--flink.password-file=p"}, "--flink.username: is needed with a password"},
		"unreadable secret": {[]string{"serve", url, "--flink.bearer-token-file=none"}, "--flink.bearer-token-file: none cannot be read: no such file or directory"},
		"TLS without https": {[]string{"serve", url, "--flink.ca-file=none"}, "--flink.ca-file and other TLS flags: is given for a URL that is not https; change the URL or remove it"},
		"tape and URL":      {[]string{"diagnose", url, "--tape=x"}, "--tape and --flink.url are both given; keep one of them"},
		"record without":    {[]string{"record", url}, "no file to write; give --out=FILE, such as --out=tape.jsonl.gz"},
		"record two":        {[]string{"record", url, "--flink.url=http://127.0.0.1:2", "--out=x"}, "a tape holds one cluster, not 2; name it with --flink.url"},
		"record one poll":   {[]string{"record", url, "--out=x", "--polls=1"}, "--polls is 1; a window lies between two polls, so give at least 2"},
		"web config":        {[]string{"serve", url, "--web.config.file", webConfig}, "--web.config.file " + webConfig + ": missing one of key or key_file"},
		"check nothing":     {[]string{"check", "config"}, "no file to check; name it: flink-skew-exporter check config FILE"},
		"check alone":       {[]string{"check"}, "must select a subcommand of 'check'; see flink-skew-exporter --help"},
		"log level":         {[]string{"--log.level=loud", "serve"}, "--log.level: unrecognized log level loud; see flink-skew-exporter --help"},
	} {
		t.Run(name, func(t *testing.T) {
			got := execute(t, c.args...)
			if got.code != exitUsage {
				t.Errorf("exit code %d, want %d", got.code, exitUsage)
			}
			if want := "flink-skew-exporter: error: " + c.want + "\n"; got.stderr != want {
				t.Errorf("stderr:\n got %swant %s", got.stderr, want)
			}
			if got.stdout != "" {
				t.Errorf("stdout: %q", got.stdout)
			}
		})
	}
}

// TestEveryFlagHasAVariable holds the environment's names against the flags,
// and every command against the promise of an example.
func TestEveryFlagHasAVariable(t *testing.T) {
	app := kingpin.New(appName, appHelp)
	r := &registry{app: app, actions: map[string]action{}}
	for _, add := range commands() {
		add(r)
	}
	nameFlags(app)
	var walk func(at []*kingpin.CmdModel)
	walk = func(at []*kingpin.CmdModel) {
		for _, c := range at {
			for _, f := range c.Flags {
				if want := "FLINK_SKEW_" + strings.ToUpper(strings.NewReplacer(".", "_", "-", "_").Replace(f.Name)); f.Envar != want {
					t.Errorf("%s --%s: variable %q, want %q", c.Name, f.Name, f.Envar, want)
				}
				if f.Help == "" || strings.HasPrefix(f.Help, " ") {
					t.Errorf("%s --%s: help %q", c.Name, f.Name, f.Help)
				}
			}
			if r.actions[c.FullCommand] != nil && !strings.Contains(c.Help, "Example:\n\n  flink-skew-exporter") {
				t.Errorf("%s: no example in its help", c.FullCommand)
			}
			walk(c.Commands)
		}
	}
	walk(app.Model().Commands)
}

func TestHelpAndVersion(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"serve", "--help"}, {"diagnose", "--help"}, {"help", "record"}, {"check", "config", "--help"}, {"--version"}, {"serve", "--version"}} {
		got := execute(t, args...)
		if got.code != exitOK || got.stderr != "" || !strings.Contains(got.stdout, appName) {
			t.Errorf("%v: code %d, stderr %q, stdout %.100q", args, got.code, got.stderr, got.stdout)
		}
	}
	if help := execute(t, "serve", "--help").stdout; !strings.Contains(help, "$FLINK_SKEW_FLINK_URL") || !strings.Contains(help, "(default 15s)") {
		t.Errorf("help of serve lacks a variable or a default:\n%s", help)
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("FLINK_SKEW_FLINK_URL", "ftp://x")
	if got := execute(t, "serve"); got.code != exitUsage || !strings.Contains(got.stderr, "--flink.url: must begin with http") {
		t.Errorf("the variable was not read: %+v", got)
	}
	if got := execute(t, "serve", "--flink.url=http://"); !strings.Contains(got.stderr, "--flink.url: has no host") {
		t.Errorf("the flag does not win: %+v", got)
	}
	t.Setenv("FLINK_SKEW_POLL_WATERMARK_BUDGET", "all")
	if got := execute(t, "serve", "--flink.url=http://a"); got.code != exitUsage || !strings.Contains(got.stderr, `--poll.watermark-budget: must be a whole number, not "all"`) {
		t.Errorf("a bad value in the environment: %+v", got)
	}
	t.Setenv("FLINK_SKEW_POLL_WATERMARK_BUDGET", "-1")
	t.Setenv("FLINK_SKEW_ANALYSIS_SILENCE", "hot_key\nloud")
	if got := execute(t, "serve", "--flink.url=http://a"); got.code != exitUsage || !strings.Contains(got.stderr, `--analysis.silence: "loud" is no verdict or finding`) {
		t.Errorf("a list in the environment: %+v", got)
	}
}

func TestCheckConfig(t *testing.T) {
	file := writeFile(t, "good.yml", `
clusters:
  - url: http://user:hunter2@jm-a:8081
  - {name: prod-eu, url: https://jm-b, interval: 1m}
thresholds: {skew_enter: 2, window: 2m}
analysis: {silence: [waiting, stalled]}
`)
	got := execute(t, "check", "config", file)
	want := file + ` is valid
  cluster jm-a:8081 at http://jm-a:8081, every 15s, at most 12s a poll, with basic auth
  cluster prod-eu at https://jm-b, every 1m0s, at most 48s a poll
  subtasks: top 10 a vertex
  silenced: waiting, stalled
  thresholds: 2 differ from the defaults
`
	if got != (outcome{exitOK, want, ""}) {
		t.Errorf("got %+v\nwant %s", got, want)
	}
	empty := writeFile(t, "empty.yml", "collector: {subtasks: off}\n")
	got = execute(t, "check", "config", "--config.file", empty)
	want = empty + " is valid\n  no clusters: serve needs --flink.url\n  subtasks: off\n  thresholds: the defaults\n"
	if got != (outcome{exitOK, want, ""}) {
		t.Errorf("got %+v\nwant %s", got, want)
	}
	bad := writeFile(t, "bad.yml", "collector:\n  top: none\n")
	got = execute(t, "check", "config", bad)
	if want := "flink-skew-exporter: error: " + bad + ":2: collector.top: must be a whole number, not \"none\"\n"; got != (outcome{exitUsage, "", want}) {
		t.Errorf("got %+v, want %s", got, want)
	}
}

func TestClosersRunInReverse(t *testing.T) {
	var order []int
	var c closers
	for i := range 3 {
		c.add(func() { order = append(order, i) })
	}
	c.close()
	if len(order) != 3 || order[0] != 2 || order[2] != 0 {
		t.Errorf("got %v, want 2 1 0", order)
	}
}

func TestFirstErrorLineOnly(t *testing.T) {
	var b bytes.Buffer
	complain(&b, context.DeadlineExceeded)
	complain(&b, usagef("a\nb\n  c"))
	if want := "flink-skew-exporter: error: context deadline exceeded\nflink-skew-exporter: error: a b c\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

// TestAllMistakesHaveALineEach: those of flags name the flags.
func TestAllMistakesHaveALineEach(t *testing.T) {
	file := writeFile(t, "bad.yml", "poll:\n  concurrency: 0\ncollector:\n  top: 0\n")
	want := "flink-skew-exporter: error: --poll.timeout: must not be negative; 0 means four fifths of the interval\n" +
		"flink-skew-exporter: error: " + file + ":2: poll.concurrency: must be 1 to 64 requests at once\n" +
		"flink-skew-exporter: error: " + file + ":4: collector.top: must be at least 1; to export no subtasks set collector.subtasks to off\n" +
		"flink-skew-exporter: error: --flink.url: has no host; give one such as http://jobmanager:8081\n"
	if got := execute(t, "serve", "--config.file", file, "--flink.url=http://", "--poll.timeout=-1s"); got != (outcome{exitUsage, "", want}) {
		t.Errorf("got %+v, want %s", got, want)
	}
	lines := strings.Split(want, "\n")
	if got := execute(t, "check", "config", file); got != (outcome{exitUsage, "", strings.Join(lines[1:3], "\n") + "\n"}) {
		t.Errorf("got %+v", got)
	}
}
