package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kingpin/v2"
	"github.com/prometheus/common/promslog"
	logflag "github.com/prometheus/common/promslog/flag"
)

func TestCheckAlerts(t *testing.T) {
	got := execute(t, "check", "alerts")
	if got.code != exitOK || strings.Count(got.stdout, " is valid: ") != 3 || !strings.Contains(got.stdout, "vertex.rules.yml is valid: 16 alerts, 9 recording rules\n") {
		t.Errorf("the built-in rules: %+v", got)
	}

	// The series that the built-in rules record are known without their files.
	good := writeFile(t, "good.yml", "groups: [{name: g, rules: [{alert: A, expr: 'job:flink_skew_vertex_severity:max == 3'}]}]")
	got = execute(t, "check", "alerts", good)
	if got.code != exitOK || got.stdout != good+" is valid: 1 alerts, 0 recording rules\n" {
		t.Errorf("a user's rules: %+v", got)
	}

	board := writeFile(t, "board.json", `{"panels": [{"title": "P", "targets": [{"expr": "flink_skew_up{namespace=\"x\"}"}]}]}`)
	got = execute(t, "check", "alerts", "--target-label=namespace", board)
	if got.code != exitOK || got.stdout != board+" is valid: a dashboard with 1 queries\n" {
		t.Errorf("a dashboard: %+v", got)
	}
}

func TestCheckAlertsProblems(t *testing.T) {
	bad := writeFile(t, "bad.yml", "groups:\n- name: g\n  rules:\n  - alert: A\n    expr: flink_skew_upp == 0\n")
	good := writeFile(t, "good.yml", "groups: [{name: g, rules: [{alert: A, expr: flink_skew_up == 0}]}]")
	got := execute(t, "check", "alerts", bad, good)
	want := bad + ":5: A: there is no metric flink_skew_upp; did you mean flink_skew_up?\n" + good + " is valid: 1 alerts, 0 recording rules\n"
	if got.code != exitUsage || got.stdout != want || got.stderr != "flink-skew-exporter: error: 1 problems in 1 of 2 files; see above\n" {
		t.Errorf("got %+v", got)
	}
	oneLine(t, execute(t, "check", "alerts", "none.yml"), exitUsage, "none.yml cannot be read: no such file or directory")
}

// TestRunbookCommands parses every command that a runbook or the alerts'
// README names, with its flags, as the program itself would.
func TestRunbookCommands(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join("..", "..", "alerts", "runbooks", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("no runbooks: %v", err)
	}
	pages = append(pages, filepath.Join("..", "..", "alerts", "README.md"))
	line := regexp.MustCompile("(?m)^" + appName + " (.*)$|`" + appName + " ([^`]*)`")
	seen := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range line.FindAllStringSubmatch(string(text), -1) {
			seen++
			app := kingpin.New(appName, "").Terminate(nil)
			r := &registry{app: app, actions: map[string]action{}}
			for _, add := range commands() {
				add(r)
			}
			logflag.AddFlags(app, &promslog.Config{})
			nameFlags(app)
			if _, err := app.Parse(strings.Fields(m[1] + m[2])); err != nil {
				t.Errorf("%s: %s: %v", filepath.Base(page), m[0], err)
			}
		}
	}
	if seen < len(pages)-1 {
		t.Errorf("only %d commands in %d pages", seen, len(pages))
	}
}
