package config

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDocumentedConfigurationsAreValid reads every piece of our own
// configuration in the documents as the program would.
func TestDocumentedConfigurationsAreValid(t *testing.T) {
	pages := map[string]int{"probe.md": 1, "discovery.md": 2}
	for page, want := range pages {
		text, err := os.ReadFile(filepath.Join("..", "..", "docs", page))
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, block := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
			if strings.HasPrefix(block[1], "scrape_configs:") {
				continue // Prometheus', which module test gives to promtool.
			}
			yaml := block[1]
			if strings.Contains(yaml, "module: yarn") {
				yaml += "modules: [{name: yarn}]\n"
			}
			if _, err := Load(write(t, yaml)); err != nil {
				t.Errorf("%s: %v in\n%s", page, err, yaml)
			}
			n++
		}
		if n != want {
			t.Errorf("%s: %d configurations found, want %d", page, n, want)
		}
	}
}
