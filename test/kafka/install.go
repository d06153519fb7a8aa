package kafka

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

//go:embed broker.xml
var brokerPOM []byte

//go:embed connector.xml
var connectorPOM []byte

// Connector returns the version of Flink's connector that goes with a release
// of Flink; empty when these tests know none.
func Connector(flinkVersion string) string {
	switch {
	case strings.HasPrefix(flinkVersion, "2."):
		return "5.0.0-2.2"
	case strings.HasPrefix(flinkVersion, "1.20."):
		return "3.4.0-1.20"
	}
	return ""
}

// InstallBroker returns the class path of the broker, downloading its jars,
// about 100 MB, when the cache directory does not hold them.
func InstallBroker(ctx context.Context, cache string) (classpath string, err error) {
	return install(ctx, filepath.Join(cache, "kafka-broker-3.9.1"), brokerPOM)
}

// InstallConnector returns the class path of a version of Flink's connector.
func InstallConnector(ctx context.Context, cache, version string) (classpath string, err error) {
	return install(ctx, filepath.Join(cache, "kafka-connector-"+version), connectorPOM, "-Dconnector="+version)
}

// install has Maven copy what a project depends on into dir, unless it is there
// already. Only whole sets of jars are ever seen in the cache.
func install(ctx context.Context, dir string, pom []byte, properties ...string) (string, error) {
	classpath := filepath.Join(dir, "*")
	if _, err := os.Stat(dir); err == nil {
		return classpath, nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", fmt.Errorf("making the cache: %w", err)
	}
	work, err := os.MkdirTemp(filepath.Dir(dir), "download-")
	if err != nil {
		return "", fmt.Errorf("making room for a download: %w", err)
	}
	defer os.RemoveAll(work)
	project := filepath.Join(work, "pom.xml")
	if err := os.WriteFile(project, pom, 0o644); err != nil {
		return "", fmt.Errorf("writing Maven's project: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	args := append([]string{"--batch-mode", "--quiet", "--file", project, "dependency:copy-dependencies", "-DoutputDirectory=lib"}, properties...)
	if out, err := exec.CommandContext(ctx, "mvn", args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("downloading %s with Maven: %w: %s", filepath.Base(dir), err, out)
	}
	// Another test may have been quicker: its jars are as good as ours.
	if err := os.Rename(filepath.Join(work, "lib"), dir); err != nil && !errors.Is(err, os.ErrExist) {
		return "", fmt.Errorf("putting %s into the cache: %w", filepath.Base(dir), err)
	}
	return classpath, nil
}
