package jobs

import (
	"archive/zip"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Class is the job's entry class.
const Class = "SkewJob"

//go:embed SkewJob.java
var source []byte

// Build compiles the job against a release's class path and returns the path
// of the jar, which it writes into dir.
func Build(classpath, dir string) (string, error) {
	java, classes := filepath.Join(dir, Class+".java"), filepath.Join(dir, "classes")
	if err := os.WriteFile(java, source, 0o644); err != nil {
		return "", err
	}
	// Flink 1.15 to 2.3 run on Java 11 and later.
	cmd := exec.Command("javac", "--release", "11", "-cp", classpath, "-d", classes, java)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("compiling %s: %w: %s", java, err, out)
	}
	jar := filepath.Join(dir, "skew-job.jar")
	if err := pack(classes, jar); err != nil {
		return "", fmt.Errorf("packing %s: %w", jar, err)
	}
	return jar, nil
}

// pack writes a directory into a new jar, which is a zip archive; Flink is told
// the entry class and needs no manifest.
func pack(dir, jar string) error {
	f, err := os.Create(jar)
	if err != nil {
		return err
	}
	z := zip.NewWriter(f)
	err = z.AddFS(os.DirFS(dir))
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
