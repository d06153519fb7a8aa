package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// release is the part of .goreleaser.yaml that has to agree with what is here.
// That the file as a whole is valid, goreleaser check says; its library would
// bring half of the world into this module.
type release struct {
	Builds []struct {
		Main, Binary               string
		Goos, Goarch, Env, Ldflags []string
	}
	Archives []struct {
		Files []any
	}
	Nfpms []struct {
		Contents []struct{ Src, Dst, Type string }
	}
	Checksum struct{ Algorithm string }
	Sboms    []struct{ Artifacts string }
}

func releaseConfig(t *testing.T) release {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, ".goreleaser.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var r release
	if err := yaml.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestGoreleaser(t *testing.T) {
	r := releaseConfig(t)
	b := r.Builds[0]
	if !slices.Equal(b.Goos, []string{"linux", "darwin", "windows"}) || !slices.Equal(b.Goarch, []string{"amd64", "arm64"}) || !slices.Contains(b.Env, "CGO_ENABLED=0") {
		t.Errorf("targets: %v %v %v", b.Goos, b.Goarch, b.Env)
	}
	if r.Checksum.Algorithm != "sha256" || len(r.Sboms) != 1 || r.Sboms[0].Artifacts != "binary" {
		t.Errorf("checksums and bills of materials: %+v %+v", r.Checksum, r.Sboms)
	}
	var patterns []string
	for _, f := range r.Archives[0].Files {
		switch f := f.(type) {
		case string:
			patterns = append(patterns, f)
		case map[string]any:
			patterns = append(patterns, f["src"].(string))
		}
	}
	installed := map[string]bool{}
	for _, c := range r.Nfpms[0].Contents {
		patterns = append(patterns, c.Src)
		installed[c.Dst] = true
	}
	for _, p := range append(patterns, b.Main) {
		if found, err := filepath.Glob(filepath.Join(root, p)); err != nil || len(found) == 0 {
			t.Errorf("nothing matches %s", p)
		}
	}
	// nfpm puts the program into /usr/bin; the unit names the rest.
	for _, word := range strings.FieldsFunc(service(t)["ExecStart"], func(r rune) bool { return r == ' ' || r == '=' }) {
		if strings.HasPrefix(word, "/etc/") && !installed[word] {
			t.Errorf("the unit reads %s, which no package installs", word)
		}
	}
}

// TestReleaseSetsTheVersion: the linker drops -X of a variable that is not there
// without a word.
func TestReleaseSetsTheVersion(t *testing.T) {
	flags := strings.Join(releaseConfig(t).Builds[0].Ldflags, " ")
	flags = regexp.MustCompile(`\{\{ \.(\w+) \}\}`).ReplaceAllString(flags, "the-$1")
	program := filepath.Join(t.TempDir(), "flink-skew-exporter")
	cmd := exec.Command("go", "build", "-ldflags", flags, "-o", program, releaseConfig(t).Builds[0].Main)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := exec.Command(program, "--version").CombinedOutput()
	for _, want := range []string{"version the-Version", "the-FullCommit", "the-Branch"} {
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%v: %s", err, out)
		}
	}
}
