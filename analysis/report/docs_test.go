package report

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// docsDir is the documentation, from this package's folder.
const docsDir = "../../docs"

// headings that every page has, in this order.
func pageHeadings() []string {
	return []string{
		"## What it means", "## What it looks like", "## Evidence and thresholds", "## What to do, safest first", "## What not to do",
		"## How to tell it from its neighbours", "## When it is wrong, and what to send us", "## How to silence it",
	}
}

// configKeys are the yaml tags of the thresholds.
func configKeys() []string {
	var keys []string
	for f := range reflect.TypeFor[analysis.Config]().Fields() {
		key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		keys = append(keys, key)
	}
	return keys
}

// emitted is the source of the analysis without tests, to find measure names in.
func emitted(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob("../*.go")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
	}
	return all.String()
}

func TestVerdictPages(t *testing.T) {
	fixtures := verdictFixtures()
	var ids []string
	for _, id := range analysis.Verdicts() {
		ids = append(ids, string(id)+".md")
		all := calm(id)
		picture := string(text(t, input(fixtures[id]), Filter{}, TextOptions{Unicode: true, Width: 96, All: all}))
		checkPage(t, filepath.Join(docsDir, "verdicts", string(id)+".md"), "# `"+string(id)+"`: ", picture)
	}
	checkFolder(t, filepath.Join(docsDir, "verdicts"), ids)
}

func TestFindingPages(t *testing.T) {
	fixtures := findingFixtures()
	var ids []string
	for _, id := range analysis.FindingIDs() {
		ids = append(ids, string(id)+".md")
		c, ok := fixtures[id]
		if !ok {
			t.Errorf("no fixture shows %s", id)
			continue
		}
		job := &c.Result.Jobs[0]
		v := &job.Vertices[len(job.Vertices)-1]
		if v.Finding(id) == nil {
			t.Fatalf("the fixture of %s lacks the finding", id)
		}
		w := ExplainFinding(job, v, v.Finding(id))
		picture := string(id) + "\n  " + strings.Join(wrap(strings.Join(w.Summary, " "), 90), "\n  ") + "\n"
		checkPage(t, filepath.Join(docsDir, "findings", string(id)+".md"), "# `"+string(id)+"`: ", picture)
	}
	checkFolder(t, filepath.Join(docsDir, "findings"), ids)
}

// checkFolder holds that a folder has these pages and no others.
func checkFolder(t *testing.T, dir string, want []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != "README.md" && !slices.Contains(want, e.Name()) {
			t.Errorf("%s/%s is a page of no known id", dir, e.Name())
		}
	}
}

// checkPage holds a page's headings, links, keys and picture against the code.
func checkPage(t *testing.T, path, title, picture string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
		return
	}
	page := string(b)
	if !strings.HasPrefix(page, title) {
		t.Errorf("%s does not start with %q", path, title)
	}
	at := 0
	for _, h := range pageHeadings() {
		i := strings.Index(page[at:], "\n"+h+"\n")
		if i < 0 {
			t.Errorf("%s has no %q, or not in order", path, h)
			continue
		}
		at += i
	}
	checkThresholds(t, path, page)
	for _, m := range regexp.MustCompile(`\]\(([^)]+\.md)\)`).FindAllStringSubmatch(page, -1) {
		if _, err := os.Stat(filepath.Join(filepath.Dir(path), m[1])); err != nil {
			t.Errorf("%s links to %s, which is not there", path, m[1])
		}
	}
	checkPicture(t, path, page, picture)
}

// checkThresholds holds that what the table of evidence names exists: the first
// column in what the analysis emits, the last in the configuration.
func checkThresholds(t *testing.T, path, page string) {
	t.Helper()
	source, keys := emitted(t), configKeys()
	rows := regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|.*\\| *(`[^`]*`|fixed)? *\\|$").FindAllStringSubmatch(page, -1)
	if len(rows) == 0 {
		t.Errorf("%s lists no evidence", path)
	}
	for _, r := range rows {
		if !strings.Contains(source, `"`+r[1]+`"`) {
			t.Errorf("%s: the analysis emits no %s", path, r[1])
		}
		if key := strings.Trim(r[2], "`"); key != "" && key != "fixed" && !slices.Contains(keys, key) {
			t.Errorf("%s: %s is no threshold of the configuration", path, key)
		}
	}
	// In the text, whatever is spelled like a threshold must be one, too.
	for _, m := range regexp.MustCompile("`((?:warm|windows|activity|saturated|target)_[a-z_]+|[a-z_]+_(?:enter|leave))`").FindAllStringSubmatch(page, -1) {
		if !slices.Contains(keys, m[1]) {
			t.Errorf("%s: %s is no threshold of the configuration", path, m[1])
		}
	}
}

// checkPicture holds that the picture is what the code prints, or renews it.
func checkPicture(t *testing.T, path, page, picture string) {
	t.Helper()
	const open, end = "<!-- picture -->\n", "<!-- /picture -->"
	before, rest, ok := strings.Cut(page, open)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Errorf("%s has no place for its picture", path)
		return
	}
	want := before + open + "```text\n" + picture + "```\n" + end + after
	if want == page {
		return
	}
	if !*update {
		t.Errorf("%s: the picture is not what the code prints (go test -update renews it)", path)
		return
	}
	if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}
