package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// metadataName is what Flink calls the file in a savepoint's or checkpoint's folder.
const metadataName = "_metadata"

// standardInputName is the argument that means standard input.
const standardInputName = "-"

// metadataSource is an open metadata file.
type metadataSource struct {
	io.ReadCloser
	// name is how messages call it.
	name string
}

// Seek is that of the source, if it has one: the parser skips state inside the
// file with it.
func (s metadataSource) Seek(offset int64, whence int) (int64, error) {
	if k, ok := s.ReadCloser.(io.Seeker); ok {
		return k.Seek(offset, whence)
	}
	return 0, errors.ErrUnsupported
}

// openMetadata opens what an argument names: - for standard input, a file, a
// folder with a _metadata in it, or either as a file:// URL. Object stores would
// be opened here, by the scheme.
func openMetadata(from string) (metadataSource, error) {
	if from == standardInputName {
		if isTerminal(os.Stdin) {
			return metadataSource{}, usagef("standard input is a terminal; pipe a %s file into it", metadataName)
		}
		// It is not ours to close.
		return metadataSource{standardInput{os.Stdin}, "standard input"}, nil
	}
	if scheme, _, ok := strings.Cut(from, "://"); ok && !strings.ContainsAny(scheme, `/\.`) {
		u, err := url.Parse(from)
		if err != nil || !strings.EqualFold(scheme, "file") || u.Host != "" && u.Host != "localhost" {
			return metadataSource{}, usagef("%s:// cannot be read; a file, a folder, file:// and - for standard input can%s", strings.ToLower(scheme), pipeHint(scheme))
		}
		from = u.Path
	}
	return openLocal(from)
}

// pipeHint says how to get at an object without this program's help.
func pipeHint(scheme string) string {
	cat := map[string]string{
		"s3": "aws s3 cp URL/_metadata -", "s3a": "aws s3 cp URL/_metadata -", "s3p": "aws s3 cp URL/_metadata -",
		"gs": "gcloud storage cat URL/_metadata", "hdfs": "hdfs dfs -cat URL/_metadata",
		"azblob": "az storage blob download --blob-url URL/_metadata --file /dev/stdout",
	}[strings.ToLower(scheme)]
	if cat == "" {
		return ""
	}
	return fmt.Sprintf("; pipe it: %s | %s savepoint -", cat, appName)
}

func openLocal(path string) (metadataSource, error) {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		folder := path
		path = filepath.Join(folder, metadataName)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return metadataSource{}, noMetadata(folder)
		}
	}
	file, err := os.Open(path)
	if err != nil {
		return metadataSource{}, fmt.Errorf("%s cannot be opened: %w", path, cause(err))
	}
	return metadataSource{file, path}, nil
}

// noMetadata says what to name instead of a folder without metadata.
func noMetadata(folder string) error {
	near, _ := filepath.Glob(filepath.Join(escapeGlob(folder), "*", metadataName))
	if len(near) == 0 {
		return fmt.Errorf("%s holds no %s; name the folder of a completed savepoint or checkpoint", folder, metadataName)
	}
	newest := slices.MaxFunc(near, func(a, b string) int { return modified(a).Compare(modified(b)) })
	return fmt.Errorf("%s holds no %s itself; name one of the %d folders in it that do, such as the newest, %s", folder, metadataName, len(near), filepath.Dir(newest))
}

// escapeGlob takes the meaning off the characters that patterns have.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// modified returns when a file changed, the zero time if that cannot be told.
func modified(path string) time.Time {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// standardInput is not closed after reading.
type standardInput struct{ *os.File }

func (standardInput) Close() error { return nil }
