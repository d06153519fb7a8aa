package flink

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// DefaultVersion is what runs when nothing else is asked for.
const DefaultVersion = "2.3.0"

// Version returns the Flink version to test against: $FLINK_VERSION or the default.
func Version() string {
	if v := os.Getenv("FLINK_VERSION"); v != "" {
		return v
	}
	return DefaultVersion
}

// Distribution is an unpacked Flink release.
type Distribution struct {
	Version string
	// Lib is the directory that holds its jars.
	Lib string
}

// Classpath returns the class path with all of the release's jars.
func (d Distribution) Classpath() string { return filepath.Join(d.Lib, "*") }

// major returns the major version, such as "2".
func (d Distribution) major() string {
	major, _, _ := strings.Cut(d.Version, ".")
	return major
}

// CanRescale reports whether the release lets a running job be rescaled through
// the REST API (FLIP-291, 1.18).
func (d Distribution) CanRescale() bool {
	return !strings.HasPrefix(d.Version, "1.15.") && !strings.HasPrefix(d.Version, "1.16.") && !strings.HasPrefix(d.Version, "1.17.")
}

// Install returns the given release, downloading it when the cache does not
// hold it: about 300 MB, kept in $FLINK_SKEW_CACHE or else in the user's cache
// directory. Only whole releases are ever seen in the cache.
func Install(ctx context.Context, version string) (Distribution, error) {
	cache, err := CacheDir()
	if err != nil {
		return Distribution{}, err
	}
	d := Distribution{Version: version, Lib: filepath.Join(cache, "flink-"+version)}
	if _, err := os.Stat(d.Lib); err == nil {
		return d, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return Distribution{}, fmt.Errorf("making the cache: %w", err)
	}
	work, err := os.MkdirTemp(cache, "download-")
	if err != nil {
		return Distribution{}, fmt.Errorf("making room for a download: %w", err)
	}
	defer os.RemoveAll(work)
	archive, err := download(ctx, version, work)
	if err != nil {
		return Distribution{}, err
	}
	lib := filepath.Join(work, "lib")
	if err := unpackJars(archive, lib); err != nil {
		return Distribution{}, fmt.Errorf("unpacking %s: %w", archive, err)
	}
	// Another test may have been quicker: its release is as good as ours.
	if err := os.Rename(lib, d.Lib); err != nil && !errors.Is(err, os.ErrExist) {
		return Distribution{}, fmt.Errorf("putting the release into the cache: %w", err)
	}
	return d, nil
}

// CacheDir returns the directory that downloads are kept in.
func CacheDir() (string, error) {
	if dir := os.Getenv("FLINK_SKEW_CACHE"); dir != "" {
		return dir, nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no place for downloads, set FLINK_SKEW_CACHE: %w", err)
	}
	return filepath.Join(dir, "flink-skew-exporter"), nil
}

// download fetches the release's archive into dir and returns its path: a wheel
// or a source archive, whichever the version was published as.
func download(ctx context.Context, version, dir string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "python3", "-m", "pip", "download", "--quiet", "--no-deps",
		"--dest", dir, "apache-flink-libraries=="+version)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("downloading Flink %s with pip: %w: %s", version, err, out)
	}
	found, err := filepath.Glob(filepath.Join(dir, "apache*flink*libraries*"))
	if err != nil {
		return "", err
	}
	if len(found) != 1 {
		return "", fmt.Errorf("downloading Flink %s: want one archive, got %q", version, found)
	}
	return found[0], nil
}
