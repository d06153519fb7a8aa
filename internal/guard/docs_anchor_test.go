package guard

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// anchor is the fragment that a heading gets on GitHub.
func anchor(heading string) string {
	kept := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(heading), "")
	return strings.ReplaceAll(kept, " ", "-")
}

// TestFragmentsLeadSomewhere: a link with a fragment leads to a heading.
func TestFragmentsLeadSomewhere(t *testing.T) {
	all := pages(t)
	link := regexp.MustCompile(`\]\(([^)#\s:]*\.md)?#([^)\s]+)\)`)
	seen := 0
	for page, text := range all {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			target := page
			if m[1] != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(page), m[1]))
			}
			seen++
			found := false
			for _, h := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(all[target], -1) {
				found = found || anchor(h[1]) == m[2]
			}
			if !found {
				t.Errorf("%s links to %s#%s, which is no heading", page, target, m[2])
			}
		}
	}
	if seen == 0 {
		t.Error("no link with a fragment was found: the test looks for the wrong thing")
	}
}

// TestEveryPageIsInTheIndex: docs/README.md leads to each page of docs.
func TestEveryPageIsInTheIndex(t *testing.T) {
	all := pages(t)
	index := all["docs/README.md"]
	for page := range all {
		dir, name := filepath.Split(page)
		if dir == "docs/" && name != "README.md" && !strings.Contains(index, "]("+name+")") {
			t.Errorf("docs/README.md does not lead to %s", page)
		}
	}
}
