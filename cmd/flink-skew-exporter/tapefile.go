package main

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
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
	// zip is nil for a plain file and between members.
	zip        *gzip.Writer
	compressed bool
	// whole is the size at the last commit.
	whole int64
}

// createTape begins a tape that will be at path, in the same folder so that
// it can be renamed.
func createTape(path string) (*tapeFile, error) {
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

// keep drops what was not committed and gives the file its name.
func (t *tapeFile) keep() error {
	err := errors.Join(t.f.Truncate(t.whole), t.f.Chmod(0o644), t.f.Sync(), t.f.Close())
	if err != nil {
		return t.failed(err)
	}
	if err := os.Rename(t.f.Name(), t.path); err != nil {
		return t.failed(err)
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
