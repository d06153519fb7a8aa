package flink

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// unpackJars writes the jars of an archive's lib directory into dir, flat. A
// wheel holds them in pyflink/lib, a source archive in NAME/deps/lib; optional
// parts and plugins, which lie elsewhere, are left out.
func unpackJars(archive, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	walk := walkTar
	if strings.HasSuffix(archive, ".whl") {
		walk = walkZip
	}
	jars := 0
	err := walk(archive, func(name string, r io.Reader) error {
		if path.Base(path.Dir(name)) != "lib" || path.Ext(name) != ".jar" {
			return nil
		}
		jars++
		return write(filepath.Join(dir, path.Base(name)), r)
	})
	if err == nil && jars == 0 {
		err = errors.New("it holds no jars under lib")
	}
	return err
}

// walkZip calls visit for every file of a zip archive.
func walkZip(archive string, visit func(name string, r io.Reader) error) error {
	z, err := zip.OpenReader(archive)
	if err != nil {
		return err
	}
	defer z.Close()
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		err = visit(f.Name, r)
		r.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return nil
}

// walkTar calls visit for every file of a gzipped tar archive.
func walkTar(archive string, visit func(name string, r io.Reader) error) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := visit(h.Name, t); err != nil {
			return fmt.Errorf("%s: %w", h.Name, err)
		}
	}
}

// write copies r into a new file.
func write(to string, r io.Reader) error {
	f, err := os.Create(to)
	if err != nil {
		return err
	}
	if _, err := io.Copy(f, r); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
