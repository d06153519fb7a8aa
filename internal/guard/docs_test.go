package guard

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// pages returns the text of every Markdown file, by its path from the root.
func pages(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); path != root && (strings.HasPrefix(name, ".") || name == "testdata") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".md") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		all[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if all["README.md"] == "" || all["METRICS.md"] == "" {
		t.Fatal("README.md or METRICS.md is missing: the guard looks at the wrong place")
	}
	return all
}

// TestLinksLeadSomewhere: every relative link of a page is a file or a folder.
func TestLinksLeadSomewhere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#\s]+)(#[^)]*)?\)`)
	for page, text := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(root, filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s links to %s, which is not there", page, m[1])
			}
		}
	}
}

// alertRules returns the text of all rules of the project.
func alertRules(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "alerts", "*.rules.yml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no rules found: %v", err)
	}
	var all strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

// TestReadmeNamesWhatExists: metrics are in the table of families, alerts in
// the rules, targets in the Makefile.
func TestReadmeNamesWhatExists(t *testing.T) {
	all := pages(t)
	rules := alertRules(t)
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	known := func(name string) bool { return strings.Contains(all["METRICS.md"], "| `flink_skew_"+name+"` |") }
	checked := map[string]int{}
	for _, m := range regexp.MustCompile("`([^`\n]+)`").FindAllStringSubmatch(all["README.md"], -1) {
		code := m[1]
		name, _, _ := strings.Cut(strings.TrimPrefix(code, "flink_skew_"), "{")
		target, isMake := strings.CutPrefix(code, "make ")
		switch {
		case regexp.MustCompile(`^(vertex|exporter|subtask|job|cluster)_|^(up|down_info|finding)$`).MatchString(name):
			checked["metric"]++
			if !known(name) {
				t.Errorf("README.md names the metric %s, which METRICS.md does not know", code)
			}
		case regexp.MustCompile(`^Flink[A-Z][A-Za-z]+$`).MatchString(code):
			checked["alert"]++
			if !strings.Contains(rules, "alert: "+code+"\n") {
				t.Errorf("README.md names the alert %s, which no rule has", code)
			}
		case isMake:
			checked["target"]++
			if !strings.Contains(string(makefile), "\n"+target+":") {
				t.Errorf("README.md names the target %s, which the Makefile does not have", target)
			}
		}
	}
	for _, kind := range []string{"metric", "alert", "target"} {
		if checked[kind] == 0 {
			t.Errorf("no %s was found in README.md: the test looks for the wrong thing", kind)
		}
	}
}

// TestEveryAlertIsInTheReadme: the table of questions leads to each of them.
func TestEveryAlertIsInTheReadme(t *testing.T) {
	readme := pages(t)["README.md"]
	for _, m := range regexp.MustCompile(`alert: (\w+)`).FindAllStringSubmatch(alertRules(t), -1) {
		if !strings.Contains(readme, "`"+m[1]+"`") {
			t.Errorf("README.md does not say which question the alert %s answers", m[1])
		}
	}
}
