package main

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// tapeFile is a tape being written, under another name until it is complete.
// What was written since the last commit can be dropped, so that a recording
// that is interrupted holds whole polls only. For that, each commit ends a
// gzip member; a file of several members is one gzip file to every reader.
type tapeFile struct {
	path string
	f    *os.File
	// stdout takes the tape instead of path, nil otherwise.
	stdout io.Writer
	// zip is nil for a plain file and between members.
	zip        *gzip.Writer
	compressed bool
	// whole is the size at the last commit.
	whole int64
}

// toStdout is the path that stands for the standard output.
const toStdout = "-"

// mayWrite returns an error when something is at path that must stay.
func mayWrite(path string, force bool) error {
	if path == toStdout {
		return nil
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("--out %s: %w", path, cause(err))
	case !info.Mode().IsRegular():
		return usagef("--out %s is no plain file; give the name of one, or - for the standard output", path)
	case !force:
		return usagef("--out %s exists already; give another name, or --force to overwrite it", path)
	}
	return nil
}

// createTape begins a tape that will be at path, in the same folder so that
// it can be renamed, or will be written to stdout.
func createTape(path string, stdout io.Writer) (*tapeFile, error) {
	if path == toStdout {
		f, err := os.CreateTemp("", appName+".partial-*")
		if err != nil {
			return nil, fmt.Errorf("cannot write to the folder for temporary files: %w", err)
		}
		return &tapeFile{path: path, f: f, stdout: stdout}, nil
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".partial-*")
	if err != nil {
		return nil, fmt.Errorf("cannot write to the folder of --out %s: %w", path, cause(err))
	}
	return &tapeFile{path: path, f: f, compressed: strings.HasSuffix(path, ".gz")}, nil
}

// Write implements io.Writer.
func (t *tapeFile) Write(b []byte) (int, error) {
	if !t.compressed {
		return t.f.Write(b)
	}
	if t.zip == nil {
		t.zip = gzip.NewWriter(t.f)
	}
	return t.zip.Write(b)
}

// commit makes what was written so far part of the tape.
func (t *tapeFile) commit() error {
	if t.zip != nil {
		err := t.zip.Close()
		t.zip = nil
		if err != nil {
			return t.failed(err)
		}
	}
	size, err := t.f.Seek(0, io.SeekCurrent)
	if err != nil {
		return t.failed(err)
	}
	t.whole = size
	return nil
}

// keep drops what was not committed and gives the file its name, or copies it.
func (t *tapeFile) keep() error {
	if t.stdout != nil {
		return t.copy()
	}
	err := errors.Join(t.f.Truncate(t.whole), t.f.Chmod(0o644), t.f.Sync(), t.f.Close())
	if err != nil {
		return t.failed(err)
	}
	if err := os.Rename(t.f.Name(), t.path); err != nil {
		return t.failed(err)
	}
	return nil
}

// copy writes what was committed to stdout.
func (t *tapeFile) copy() error {
	if _, err := io.Copy(t.stdout, io.NewSectionReader(t.f, 0, t.whole)); err != nil {
		return fmt.Errorf("cannot write the tape to standard output: %w", cause(err))
	}
	return nil
}

// discard removes the file unless it was kept.
func (t *tapeFile) discard() {
	_ = t.f.Close()
	_ = os.Remove(t.f.Name())
}

func (t *tapeFile) failed(err error) error {
	return fmt.Errorf("cannot write the tape %s, check the space and rights there: %w", t.path, cause(err))
}

// cause strips the temporary name from an error of package os.
func cause(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
