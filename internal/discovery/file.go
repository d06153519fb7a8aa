package discovery

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxListBytes bounds one list; a larger one is the wrong file or answer.
const maxListBytes = 16 << 20

// Files reads lists from files that match patterns.
type Files struct{ Patterns []string }

// Name returns the patterns as they were given.
func (f Files) Name() string { return strings.Join(f.Patterns, ", ") }

// Read returns the clusters of all files together. One file that is missing or
// broken spoils the whole: half a list would stop the polls of the other half.
func (f Files) Read(context.Context) ([]Cluster, error) {
	var groups []group
	paths, err := f.paths()
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		of, err := readFile(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		groups = append(groups, of...)
	}
	all, err := clusters(groups)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	return all, nil
}

// paths returns the files that are there, each once and in a fixed order. A
// pattern without wildcards names a file that must be there.
func (f Files) paths() ([]string, error) {
	var all []string
	for _, pattern := range f.Patterns {
		found, err := filepath.Glob(pattern)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", pattern, err)
		}
		if len(found) == 0 && !strings.ContainsAny(filepath.Base(pattern), "*?[") {
			found = []string{pattern}
		}
		all = append(all, found...)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

func readFile(path string) ([]group, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", withoutPath(err))
	}
	defer func() { _ = file.Close() }()
	text, err := readAll(file)
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", withoutPath(err))
	}
	if filepath.Ext(path) == ".json" {
		return parseJSON(text)
	}
	return parseYAML(text)
}

func readAll(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxListBytes+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxListBytes {
		return nil, fmt.Errorf("is larger than %d MiB; is it a list of targets?", maxListBytes>>20)
	}
	return text, nil
}
