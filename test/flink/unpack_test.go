package flink

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// release is a sketch of a release's archive below root.
func release(root string) map[string]string {
	return map[string]string{
		root + "lib/flink-dist.jar":        "dist",
		root + "lib/log4j-core.jar":        "log4j",
		root + "lib/README":                "no jar",
		root + "opt/flink-python.jar":      "optional",
		root + "plugins/jmx/flink-jmx.jar": "a plugin",
	}
}

// wheel writes a zip archive.
func wheel(t *testing.T, to string, files map[string]string) {
	t.Helper()
	f, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := zip.NewWriter(f)
	for name, content := range files {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
}

// sourceArchive writes a gzipped tar archive.
func sourceArchive(t *testing.T, to string, files map[string]string) {
	t.Helper()
	f, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := gzip.NewWriter(f)
	w := tar.NewWriter(z)
	for name, content := range files {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(content))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestUnpackJars(t *testing.T) {
	dir := t.TempDir()
	archives := []string{filepath.Join(dir, "a.whl"), filepath.Join(dir, "a.tar.gz")}
	wheel(t, archives[0], release("pyflink/"))
	sourceArchive(t, archives[1], release("apache-flink-libraries-1.15.4/deps/"))
	for _, archive := range archives {
		lib := archive + ".lib"
		if err := unpackJars(archive, lib); err != nil {
			t.Fatalf("%s: %v", archive, err)
		}
		entries, err := os.ReadDir(lib)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if want := []string{"flink-dist.jar", "log4j-core.jar"}; !slices.Equal(names, want) {
			t.Errorf("%s: unpacked %q, want %q", archive, names, want)
		}
		if got, _ := os.ReadFile(filepath.Join(lib, "flink-dist.jar")); string(got) != "dist" {
			t.Errorf("%s: flink-dist.jar holds %q", archive, got)
		}
	}
}

func TestUnpackRefusesAnArchiveWithoutJars(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "a.whl")
	wheel(t, archive, map[string]string{"pyflink/lib/README": "nothing"})
	if err := unpackJars(archive, t.TempDir()); err == nil {
		t.Error("an archive without jars was taken for a release")
	}
}
