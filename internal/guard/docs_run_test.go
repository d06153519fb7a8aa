package guard

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// block is a fenced block of a page.
type block struct {
	lang string
	line int
	text string
	// notRun is why it is not run, from the comment before it; empty if it is.
	notRun string
}

// blocks returns the fenced blocks of a page.
func blocks(page string) []block {
	var all []block
	var open *block
	reason := ""
	for i, line := range strings.Split(page, "\n") {
		switch {
		case open != nil && line == "```":
			all = append(all, *open)
			open, reason = nil, ""
		case open != nil:
			open.text += line + "\n"
		case strings.HasPrefix(line, "```"):
			open = &block{lang: strings.TrimPrefix(line, "```"), line: i + 1, notRun: reason}
		case strings.HasPrefix(line, "<!-- not run: "):
			reason = strings.TrimSuffix(strings.TrimPrefix(line, "<!-- not run: "), " -->")
		case line != "":
			reason = ""
		}
	}
	return all
}

// unread names the pages whose commands this test does not run, and why.
func unread() map[string]string {
	return map[string]string{
		"docs/dashboards.md": "its commands are of the module dashboards, or need Prometheus and Chromium",
		// Written elsewhere at the same time: run them, mark what cannot run, and
		// delete the entry.
		"docs/probe.md": "new", "docs/report.md": "new", "docs/plan.md": "new", "docs/whatif.md": "new", "docs/status-page.md": "new",
	}
}

// notHere are command lines of README.md that cannot run within a test, by how
// they begin.
func notHere() map[string]string {
	return map[string]string{
		"make test":  "runs this test",
		"make build": "the test has built the program",
	}
}

// TestDocumentedCommands runs the commands of README.md and the pages of docs
// as a reader would, one after the other, and holds what a console block shows
// against what is printed. The JobManager of the pages is a simulated one.
func TestDocumentedCommands(t *testing.T) {
	all := pages(t)
	program := buildProgram(t)
	ran := map[string]bool{}
	for page, text := range all {
		dir := filepath.ToSlash(filepath.Dir(page))
		if page != "README.md" && !in(dir, "docs") || unread()[page] != "" {
			continue
		}
		todo := slices.DeleteFunc(blocks(text), func(b block) bool {
			return b.notRun != "" || !slices.Contains([]string{"sh", "console", "yaml"}, b.lang)
		})
		// Pages of verdicts repeat each other's commands; one of them is enough.
		var commands strings.Builder
		for _, b := range todo {
			commands.WriteString(b.text)
		}
		if commands.Len() == 0 || ran[commands.String()] {
			continue
		}
		ran[commands.String()] = true
		t.Run(page, func(t *testing.T) {
			r := newReader(t, program)
			r.abridged = page == "README.md"
			r.follow(todo)
		})
	}
	if len(ran) < 8 {
		t.Errorf("commands of only %d pages were run: the test looks for the wrong thing", len(ran))
	}
}

// TestBlocksThatAreNotRunSayWhy: a command that a reader is told to type is run,
// or the page says what it needs.
func TestBlocksThatAreNotRunSayWhy(t *testing.T) {
	for page, text := range pages(t) {
		for _, b := range blocks(text) {
			if b.notRun != "" && len(strings.Fields(b.notRun)) < 3 {
				t.Errorf("%s:%d: not run: %q is no reason", page, b.line, b.notRun)
			}
		}
	}
}

func TestBlocks(t *testing.T) {
	got := blocks("a\n```sh\nx\ny\n```\n<!-- not run: needs a cluster -->\n\n```sh\nz\n```\nb\n```yaml\n# c.yml\n```\n")
	want := []block{{"sh", 2, "x\ny\n", ""}, {"sh", 8, "z\n", "needs a cluster"}, {"yaml", 12, "# c.yml\n", ""}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}

// matches reports whether output is what a console block shows. A line of … stands
// for any lines.
func matches(shown, printed []string) bool {
	if len(shown) == 0 {
		return len(printed) == 0
	}
	if strings.TrimSpace(shown[0]) == "…" {
		for skip := 0; skip <= len(printed); skip++ {
			if matches(shown[1:], printed[skip:]) {
				return true
			}
		}
		return false
	}
	return len(printed) > 0 && strings.TrimRight(shown[0], " ") == strings.TrimRight(printed[0], " ") && matches(shown[1:], printed[1:])
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		shown, printed string
		want           bool
	}{
		{"a", "a", true}, {"a", "b", false}, {"a", "a b", false}, {"a", "", false}, {"…", "a b", true},
		{"a … d", "a b c d", true}, {"a … d", "a b c", false}, {"… b", "a b c", false}, {"… b …", "a b c", true},
	} {
		if got := matches(strings.Fields(c.shown), strings.Fields(c.printed)); got != c.want {
			t.Errorf("%q against %q: %v", c.shown, c.printed, got)
		}
	}
}

// fileOf is the file that a YAML block is, if its first line names one.
func fileOf(b block) string {
	if m := regexp.MustCompile(`^# ([\w-]+\.ya?ml)\b`).FindStringSubmatch(b.text); m != nil {
		return m[1]
	}
	return ""
}

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "curl" {
		os.Exit(curl(os.Args[1:]))
	}
	os.Exit(m.Run())
}
