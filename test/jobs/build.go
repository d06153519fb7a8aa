package jobs

import (
	"archive/zip"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Entry classes of the jobs.
const (
	Skew      = "SkewJob"
	SQL       = "SqlJob"
	EventTime = "EventTimeJob"
	Kafka     = "KafkaJob"
)

//go:embed java
var sources embed.FS

// Build compiles the jobs against a release's class path and returns the path
// of the jar, which it writes into dir.
func Build(classpath, dir string) (string, error) {
	return build(classpath, dir, "java/*.java")
}

// BuildKafka compiles the jobs, and those that speak to Kafka, against a class
// path that also holds Flink's connector.
func BuildKafka(classpath, dir string) (string, error) {
	return build(classpath, dir, "java/*.java", "java/kafka/*.java")
}

// build compiles the sources that the patterns match into one jar.
func build(classpath, dir string, patterns ...string) (string, error) {
	if err := os.CopyFS(filepath.Join(dir, "src"), sources); err != nil {
		return "", fmt.Errorf("writing the jobs' sources: %w", err)
	}
	classes := filepath.Join(dir, "classes")
	// Flink 1.15 to 2.3 run on Java 11 and later.
	args := []string{"--release", "11", "-cp", classpath, "-d", classes}
	for _, pattern := range patterns {
		files, err := filepath.Glob(filepath.Join(dir, "src", filepath.FromSlash(pattern)))
		if err != nil {
			return "", err
		}
		args = append(args, files...)
	}
	if out, err := exec.Command("javac", args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("compiling the jobs in %s: %w: %s", dir, err, out)
	}
	jar := filepath.Join(dir, "jobs.jar")
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
