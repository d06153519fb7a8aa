package deploy

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"github.com/moby/patternmatcher"
	"github.com/moby/patternmatcher/ignorefile"
)

// stages reads a Dockerfile with the parser that builds it. What BuildKit's
// linter has to say is an error.
func stages(t *testing.T, file string) []instructions.Stage {
	t.Helper()
	f, err := os.Open(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ast, err := parser.Parse(f)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	for _, w := range ast.Warnings {
		t.Errorf("%s: %s", file, w.Short)
	}
	lint := linter.New(&linter.Config{Warn: func(rule, _, _, text string, at []parser.Range) {
		t.Errorf("%s:%d: %s: %s", file, at[0].Start.Line, rule, text)
	}})
	all, _, err := instructions.Parse(ast.AST, lint)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return all
}

// commands returns the instructions of one kind.
func commands[T instructions.Command](s instructions.Stage) []T {
	var found []T
	for _, c := range s.Commands {
		if typed, ok := c.(T); ok {
			found = append(found, typed)
		}
	}
	return found
}

// context lists the files that a build gets to see: all but the ignored ones.
func context(t *testing.T, ignore string) []string {
	t.Helper()
	f, err := os.Open(filepath.Join(root, ignore))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	patterns, err := ignorefile.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	matcher, err := patternmatcher.New(patterns)
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		ignored, err := matcher.MatchesOrParentMatches(rel)
		if err == nil && !ignored {
			files = append(files, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// pinned is an image with a version, not latest; a stage's name is none.
func pinned(image string, stages []instructions.Stage) bool {
	for _, s := range stages {
		if s.Name == image {
			return true
		}
	}
	return regexp.MustCompile(`:(v?\d+\.\d+[\w.-]*|\d+-jdk-\w+|nonroot)$|@sha256:[0-9a-f]{64}$`).MatchString(image)
}

func TestDockerfile(t *testing.T) {
	all := stages(t, "Dockerfile")
	for _, s := range all {
		if !pinned(s.BaseName, all) {
			t.Errorf("the image %s has no version", s.BaseName)
		}
	}
	final := all[len(all)-1]
	if users := commands[*instructions.UserCommand](final); len(users) != 1 || !regexp.MustCompile(`^[1-9]\d*:[1-9]\d*$`).MatchString(users[0].User) {
		t.Errorf("the user must be a number, which runAsNonRoot can check, and not 0: %v", users)
	}
	health := commands[*instructions.HealthCheckCommand](final)
	if len(health) != 1 || health[0].Health.Test[0] != "CMD" || health[0].Health.Test[1] != "flink-skew-exporter" {
		t.Fatalf("health check: %v", health)
	}
	acceptsArguments(t, "HEALTHCHECK", health[0].Health.Test[2:])
	copied := false
	for _, c := range commands[*instructions.CopyCommand](final) {
		copied = copied || c.From == all[0].Name && c.DestPath == "/usr/bin/flink-skew-exporter"
	}
	entry := commands[*instructions.EntrypointCommand](final)
	if len(entry) != 1 || entry[0].PrependShell || !copied {
		t.Errorf("entrypoint: %v", entry)
	}
	if labels := commands[*instructions.LabelCommand](final); len(labels) != 1 || len(labels[0].Labels) < 6 {
		t.Errorf("labels: %v", labels)
	}
}

// TestDockerfileBuilds runs the build stage without Docker: its RUN lines in a
// folder that has what the context has, and the program that comes of it.
func TestDockerfileBuilds(t *testing.T) {
	files := context(t, ".dockerignore")
	if slices.Contains(files, "README.md") || len(files) < 100 {
		t.Errorf(".dockerignore lets %d files through", len(files))
	}
	dir := t.TempDir()
	for _, f := range files {
		if strings.HasPrefix(f, ".git/") || strings.HasPrefix(f, "docs/") || strings.HasSuffix(f, "_test.go") {
			t.Errorf(".dockerignore lets %s through", f)
		}
		data, err := os.ReadFile(filepath.Join(root, f))
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, f)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out := t.TempDir()
	env := append(os.Environ(), "VERSION=1.2.3", "REVISION=abc", "TARGETOS=", "TARGETARCH=")
	for _, run := range commands[*instructions.RunCommand](stages(t, "Dockerfile")[0]) {
		line := strings.ReplaceAll(strings.Join(run.CmdLine, " "), "/out/", out+"/")
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir, cmd.Env = dir, env
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, text)
		}
	}
	text, err := exec.Command(filepath.Join(out, "flink-skew-exporter"), "--version").CombinedOutput()
	if err != nil || !strings.Contains(string(text), "version 1.2.3") || !strings.Contains(string(text), "revision abc") {
		t.Errorf("the program that was built: %v: %s", err, text)
	}
}
