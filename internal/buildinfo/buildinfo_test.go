package buildinfo

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestMerge(t *testing.T) {
	settings := func(pairs ...string) (out []debug.BuildSetting) {
		for i := 0; i < len(pairs); i += 2 {
			out = append(out, debug.BuildSetting{Key: pairs[i], Value: pairs[i+1]})
		}
		return out
	}
	for name, c := range map[string]struct {
		told  Info
		built debug.BuildInfo
		want  string
	}{
		"linker": {
			Info{Version: "v1.2.3", Revision: "abc", Branch: "main"},
			debug.BuildInfo{Main: debug.Module{Version: "(devel)"}, Settings: settings("vcs.revision", "def")},
			"version v1.2.3 (branch main, revision abc)",
		},
		"go build": {
			Info{Revision: "unknown"},
			debug.BuildInfo{Main: debug.Module{Version: "v0.0.0-20260101000000-abc"}, Settings: settings("vcs", "git", "vcs.revision", "abc", "vcs.modified", "true")},
			"version v0.0.0-20260101000000-abc (revision abc-modified)",
		},
		"clean": {
			Info{}, debug.BuildInfo{Main: debug.Module{Version: "(devel)"}, Settings: settings("vcs.modified", "false", "vcs.revision", "abc")},
			"version (devel) (revision abc)",
		},
		"go install":  {Info{}, debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}}, "version v1.2.3 (revision unknown)"},
		"nothing":     {Info{}, debug.BuildInfo{}, "version unknown (revision unknown)"},
		"no revision": {Info{}, debug.BuildInfo{Settings: settings("vcs.modified", "true")}, "version unknown (revision unknown)"},
	} {
		if got := merge(c.told, &c.built); got.String() != c.want || got.Go != runtime.Version() || got.OS != runtime.GOOS || got.Arch != runtime.GOARCH {
			t.Errorf("%s: got %+v, want %s", name, got, c.want)
		}
	}
}

func TestLines(t *testing.T) {
	i := Info{Version: "v1", Revision: "abc", Go: "go1.26", OS: "linux", Arch: "arm64"}
	want := "fse, version v1 (revision abc)\n  go version:  go1.26\n  platform:    linux/arm64\n  build tags:  none"
	if got := i.Lines("fse"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestRead: a test binary has no version, yet something is always said.
func TestRead(t *testing.T) {
	if got := Read(); got.Version == "" || got.Revision == "" || got.Go != runtime.Version() {
		t.Errorf("got %+v", got)
	}
}
