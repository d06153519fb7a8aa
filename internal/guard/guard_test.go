package guard

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const (
	root   = "../.."
	module = "github.com/flink-skew-exporter/flink-skew-exporter"
)

// source is one Go file of the product's module, tests left out.
type source struct {
	path string // relative to the root, with slashes
	fset *token.FileSet
	file *ast.File
	text []byte
}

// sources parses every Go file of the product's module that is not a test.
func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil && path != root {
				return fs.SkipDir // Another module.
			}
			if name := d.Name(); path != root && (strings.HasPrefix(name, ".") || name == "testdata") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, text, parser.ParseComments)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		all = append(all, source{path: filepath.ToSlash(rel), fset: fset, file: file, text: text})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 50 {
		t.Fatalf("only %d files found: the guard looks at the wrong place", len(all))
	}
	return all
}

func in(path string, folders ...string) bool {
	for _, f := range folders {
		if path == f || strings.HasPrefix(path, f+"/") {
			return true
		}
	}
	return false
}

// TestImports holds the arrows: facts flow from restapi to the pure middle and
// out through the collector; nobody imports cmd.
func TestImports(t *testing.T) {
	forbidden := []struct {
		folder  string
		except  []string
		imports []string
		why     string
	}{
		{"analysis/keygroup", nil, []string{module, "net", "os", "log"}, "keygroup is arithmetic over the standard library"},
		{"analysis/keyhash", nil, []string{module + "/analysis/report", module + "/analysis/savepoint", module + "/restapi", "os", "net", "log"}, "hashing keys is arithmetic over keygroup"},
		{"analysis", nil, []string{"net", "os", "log", "github.com/prometheus", "github.com/go-resty", module + "/restapi", module + "/collector", module + "/internal"}, "analysis is pure"},
		{"restapi", []string{"restapi/flinksim"}, []string{module + "/collector", module + "/internal", module + "/restapi/flinksim", "github.com/prometheus"}, "restapi speaks Snapshot and knows no consumer"},
		{"restapi/flinksim", nil, []string{module + "/restapi", module + "/collector", module + "/internal", "github.com"}, "the simulator must not share code with what it tests"},
		{"collector", nil, []string{module + "/restapi", module + "/internal", "github.com/go-resty"}, "the collector never sees HTTP clients or Flink's JSON"},
		{"internal/promhistory", nil, []string{module + "/restapi", module + "/collector", module + "/internal/web", "net/http", "os"}, "history is queries alone; the caller brings the client"},
		{"internal/config", nil, []string{module + "/restapi", module + "/collector", module + "/internal/web"}, "configuration is data"},
		{"internal/discovery", nil, []string{module}, "lists of targets are read without knowing what for"},
		{"internal/probe", nil, []string{module + "/restapi", module + "/internal/web", "github.com/go-resty"}, "who polls comes in as a function"},
		{"internal/web", nil, []string{module + "/restapi", "github.com/go-resty"}, "the web pages read results, not Flink"},
	}
	for _, s := range sources(t) {
		for _, imp := range s.file.Imports {
			path := strings.Trim(imp.Path.Value, `"`)
			if strings.HasPrefix(path, module+"/cmd") {
				t.Errorf("%s imports %s: nobody imports cmd", s.path, path)
			}
			for _, rule := range forbidden {
				if !in(s.path, rule.folder) || in(s.path, rule.except...) {
					continue
				}
				for _, f := range rule.imports {
					own := module + "/analysis/keygroup"
					within := f == module && in(path, module+"/"+rule.folder)
					if in(path, f) && path != own && !within {
						t.Errorf("%s imports %s: %s", s.path, path, rule.why)
					}
				}
			}
		}
	}
}

// TestClock: only restapi, the poller and cmd read the wall clock; everywhere
// else time is data.
func TestClock(t *testing.T) {
	for _, s := range sources(t) {
		if in(s.path, "restapi", "cmd", "bench", "collector/poller.go") && !in(s.path, "restapi/flinksim") {
			continue
		}
		if s.path == "restapi/flinksim/fault.go" {
			continue // A slow answer takes real time.
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			pkg, ok := sel.X.(*ast.Ident)
			if ok && pkg.Name == "time" && pkg.Obj == nil {
				switch sel.Sel.Name {
				case "Now", "Since", "Until", "Tick", "NewTicker", "NewTimer", "After", "AfterFunc", "Sleep":
					t.Errorf("%s: time.%s; time comes in as data here", s.fset.Position(n.Pos()), sel.Sel.Name)
				}
			}
			return true
		})
	}
}

// TestShape: no init functions, no package variables that can change, files of
// at most 500 lines, functions of at most 80 unless a comment says why.
func TestShape(t *testing.T) {
	immutable := regexp.MustCompile(`^(err[A-Z]|Err[A-Z]|_$)`)
	for _, s := range sources(t) {
		if lines := bytes.Count(s.text, []byte("\n")); lines > 500 {
			t.Errorf("%s has %d lines", s.path, lines)
		}
		for _, d := range s.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.Name == "init" && d.Recv == nil {
					t.Errorf("%s has an init function", s.path)
				}
				lines := s.fset.Position(d.End()).Line - s.fset.Position(d.Pos()).Line
				if lines > 80 && !strings.Contains(d.Doc.Text(), "long because") {
					t.Errorf("%s: %s has %d lines and its comment does not say why it is long because of something", s.fset.Position(d.Pos()), d.Name.Name, lines)
				}
			case *ast.GenDecl:
				if d.Tok != token.VAR {
					continue
				}
				embed := strings.Contains(docText(s, d), "go:embed")
				for _, spec := range d.Specs {
					for _, name := range spec.(*ast.ValueSpec).Names {
						if !embed && !immutable.MatchString(name.Name) {
							t.Errorf("%s: package variable %s", s.fset.Position(name.Pos()), name.Name)
						}
					}
				}
			}
		}
	}
}

// docText is the raw comment above a declaration, directives included.
func docText(s source, d *ast.GenDecl) string {
	if d.Doc == nil {
		return ""
	}
	return string(s.text[s.fset.Position(d.Doc.Pos()).Offset:s.fset.Position(d.Doc.End()).Offset])
}

// TestEveryPackageHasADoc: doc.go says what a package owns and must not import.
func TestEveryPackageHasADoc(t *testing.T) {
	docs, packages := map[string]bool{}, map[string]bool{}
	for _, s := range sources(t) {
		dir := filepath.ToSlash(filepath.Dir(s.path))
		packages[dir] = true
		if filepath.Base(s.path) == "doc.go" || s.file.Name.Name == "main" && s.file.Doc != nil {
			docs[dir] = true
		}
	}
	for p := range packages {
		if !docs[p] {
			t.Errorf("%s has no doc.go", p)
		}
	}
}
