package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// writeOut writes to stdout, or to a file that appears only when it is whole:
// a reader of last week's report never sees half of this week's.
func writeOut(stdout io.Writer, path string, write func(io.Writer) error) error {
	if path == "" || path == toStdout {
		return write(stdout)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".partial-*")
	if err != nil {
		return fmt.Errorf("cannot write to the folder of --out %s: %w", path, cause(err))
	}
	defer func() { _ = os.Remove(f.Name()) }() // Nothing is left of it once it was renamed.
	err = write(f)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("cannot write --out %s, check the space and rights there: %w", path, cause(err))
	}
	return nil
}
