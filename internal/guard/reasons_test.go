package guard

import (
	"go/ast"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/flink-skew-exporter/flink-skew-exporter/collector"
	"github.com/flink-skew-exporter/flink-skew-exporter/restapi"
)

// constants returns the values of string constants in a package whose type, or
// whose name's beginning where they have none, is as given.
func constants(t *testing.T, folder, typeOrPrefix string) []string {
	t.Helper()
	var values []string
	for _, s := range sources(t) {
		if !in(s.path, folder) || strings.Count(s.path, "/") != strings.Count(folder, "/")+1 {
			continue
		}
		for _, d := range s.file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST {
				continue
			}
			for _, spec := range g.Specs {
				v := spec.(*ast.ValueSpec)
				named, typed := v.Type.(*ast.Ident)
				if typed && named.Name != typeOrPrefix || !typed && !strings.HasPrefix(v.Names[0].Name, typeOrPrefix) || len(v.Values) != 1 {
					continue
				}
				if literal, ok := v.Values[0].(*ast.BasicLit); ok && literal.Kind == token.STRING {
					values = append(values, strings.Trim(literal.Value, `"`))
				}
			}
		}
	}
	return values
}

// TestTroubleshootingKnowsEveryReason: each reason that a user can meet has a
// row with its cure, under its heading, and no row is of one that does not exist.
func TestTroubleshootingKnowsEveryReason(t *testing.T) {
	page := pages(t)["docs/troubleshooting.md"]
	for heading, want := range map[string][]string{
		"A cluster is down":                        append(restapi.Reasons(), collector.ReasonPending),
		"A poll succeeds and something is missing": constants(t, "analysis", "GapReason"),
		"A vertex is not judged":                   constants(t, "analysis", "MissingReason"),
	} {
		_, section, found := strings.Cut(page, "\n## "+heading+"\n")
		if !found || len(want) == 0 {
			t.Fatalf("heading %q: found %v, %d reasons", heading, found, len(want))
		}
		section, _, _ = strings.Cut(section, "\n## ")
		rows := map[string]bool{}
		for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\| [^|]+ \\| [^|]+ \\|$").FindAllStringSubmatch(section, -1) {
			rows[m[1]] = true
		}
		slices.Sort(want)
		if got := slices.Sorted(maps.Keys(rows)); !slices.Equal(got, want) {
			t.Errorf("%s:\n has %v\nwant %v", heading, got, want)
		}
	}
	for _, reason := range constants(t, "collector", "drop") {
		if !strings.Contains(page, `flink_skew_exporter_series_dropped_total{reason="`+reason+`"}`) {
			t.Errorf("docs/troubleshooting.md does not know series dropped by %s", reason)
		}
	}
}

// TestDocsNameWhatExists: metrics of the pages are in METRICS.md, keys of the
// configuration in its reference.
func TestDocsNameWhatExists(t *testing.T) {
	all := pages(t)
	reference := readFile(t, "deploy/reference-config.yaml")
	seen := map[string]int{}
	for page, text := range all {
		if !strings.HasPrefix(page, "docs/") {
			continue
		}
		for _, m := range regexp.MustCompile(`flink_skew_[a-z_]*[a-z]`).FindAllString(text, -1) {
			seen["metric"]++
			if !strings.Contains(all["METRICS.md"], "| `"+m+"` |") && !strings.Contains(all["METRICS.md"], "| `"+strings.TrimSuffix(m, "_bucket")+"` |") {
				t.Errorf("%s names the metric %s, which METRICS.md does not know", page, m)
			}
		}
		for _, m := range regexp.MustCompile("`(poll|collector|analysis|thresholds)\\.([a-z_]+)`").FindAllStringSubmatch(text, -1) {
			seen["key"]++
			if !strings.Contains(reference, "\n  "+m[2]+":") {
				t.Errorf("%s names the key %s.%s, which the reference does not have", page, m[1], m[2])
			}
		}
	}
	if seen["metric"] < 20 || seen["key"] < 5 {
		t.Errorf("found only %v: the test looks for the wrong thing", seen)
	}
}
