package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// maxFileBytes bounds the configuration file; a larger one is the wrong file.
const maxFileBytes = 4 << 20

// notInFile stands for the line of a value that Set gave: no message about it
// may point into the file.
const notInFile = -1

// Load reads the file and validates it. The error is an *Error, or several of
// them joined, in one line each: all that is wrong with the text, or if nothing
// is, with the values.
func Load(file string) (*Config, error) {
	c, err := Read(file)
	if err != nil {
		return nil, err
	}
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return c, nil
}

// Read is Load without Validate, for callers that set more keys first. Paths
// of files in it are taken relative to its folder.
func Read(file string) (*Config, error) {
	text, err := read(file)
	if err != nil {
		return nil, &Error{File: file, Problem: err.Error()}
	}
	c, err := Parse(file, text)
	if err != nil {
		return nil, err
	}
	c.resolvePaths(filepath.Dir(file))
	return c, nil
}

func read(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", withoutPath(err))
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", withoutPath(err))
	}
	if len(text) > maxFileBytes {
		return nil, fmt.Errorf("is larger than %d MiB; is it the configuration file?", maxFileBytes>>20)
	}
	return text, nil
}

// withoutPath strips the path from an error of package os, as ours names it already.
func withoutPath(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// Parse reads the text of a configuration file over the defaults, without
// validating values. The name stands in messages only.
func Parse(name string, text []byte) (*Config, error) {
	c := Default()
	c.file, c.lines = name, map[string]int{}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, syntaxError(name, text, err)
	}
	if len(doc.Content) == 0 {
		return c, nil
	}
	d := &decoder{file: name, lines: c.lines}
	if err := d.decode(doc.Content[0], reflect.ValueOf(c).Elem(), ""); err != nil {
		return nil, err
	}
	c.fillThresholds()
	return c, nil
}

// maxSearched bounds the lines of a file in which a syntax error is searched.
const maxSearched = 5000

// syntaxError moves the line out of the YAML library's message to the place
// where ours have it. The library names the line where it gave up or, of what
// has lines of its own, the one before its first; where it can be told, ours
// is the first line that cannot follow those before it.
func syntaxError(name string, text []byte, err error) error {
	problem := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 0
	if m := regexp.MustCompile(`^line (\d+): `).FindStringSubmatch(problem); m != nil {
		line, _ = strconv.Atoi(m[1])
		problem = problem[len(m[0]):]
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	if len(lines) <= maxSearched {
		line = firstWrong(lines)
	}
	problem = strings.ReplaceAll(problem, "\n", " ")
	return &Error{File: name, Line: line, Problem: "not valid YAML: " + problem}
}

// firstWrong returns the number of the line after the longest beginning of the
// text that is valid. An error near the end is found at once, and one near the
// beginning ends each attempt early.
func firstWrong(lines [][]byte) int {
	for n := len(lines) - 1; n > 0; n-- {
		var doc yaml.Node
		if yaml.Unmarshal(bytes.Join(lines[:n], nil), &doc) == nil {
			return n + 1
		}
	}
	return 1
}

// Set gives the key at path (without list indexes, such as poll.interval) the
// value that text stands for, as a line in the file would.
func (c *Config) Set(path, text string) error {
	v, ok := c.at(path)
	if !ok {
		return &Error{Key: path, Problem: "no such key"}
	}
	if c.lines != nil {
		c.lines[path] = notInFile
	}
	return setScalar(v, text)
}

// SetList is Set for a key that holds a list of single values. It replaces the
// whole list.
func (c *Config) SetList(path string, texts []string) error {
	v, ok := c.at(path)
	if !ok || v.Kind() != reflect.Slice {
		return &Error{Key: path, Problem: "no such list"}
	}
	list := reflect.MakeSlice(v.Type(), len(texts), len(texts))
	for i, text := range texts {
		if err := setScalar(list.Index(i), text); err != nil {
			return err
		}
		if c.lines != nil {
			c.lines[fmt.Sprintf("%s[%d]", path, i)] = notInFile
		}
	}
	if c.lines != nil {
		c.lines[path] = notInFile
	}
	v.Set(list)
	return nil
}

// IsList reports whether the key at path holds a list.
func (c *Config) IsList(path string) bool {
	v, ok := c.at(path)
	return ok && v.Kind() == reflect.Slice
}

// Text returns the value of the key at path as the file would have it, or ""
// for an unknown key.
func (c *Config) Text(path string) string {
	v, ok := c.at(path)
	if !ok {
		return ""
	}
	return scalar(v)
}

func (c *Config) at(path string) (reflect.Value, bool) {
	v := reflect.ValueOf(c).Elem()
	for key := range strings.SplitSeq(path, ".") {
		var ok bool
		if v.Kind() != reflect.Struct {
			return v, false
		}
		if v, ok = fieldOf(v, key); !ok {
			return v, false
		}
	}
	return v, true
}

// SetClusters replaces the clusters by ones that are in no file.
func (c *Config) SetClusters(clusters []Cluster) {
	c.Clusters = clusters
	for path := range c.lines {
		if path == "clusters" || strings.HasPrefix(path, "clusters[") {
			c.lines[path] = notInFile
		}
	}
	if c.lines != nil {
		for i := range clusters {
			c.lines[fmt.Sprintf("clusters[%d]", i)] = notInFile
		}
	}
}

// resolvePaths makes relative paths relative to the configuration file's folder.
func (c *Config) resolvePaths(dir string) {
	for _, p := range c.paths() {
		if *p.path != "" && !filepath.IsAbs(*p.path) {
			*p.path = filepath.Join(dir, *p.path)
		}
	}
	for i := range c.FileSD {
		for n, path := range c.FileSD[i].Files {
			if !filepath.IsAbs(path) {
				c.FileSD[i].Files[n] = filepath.Join(dir, path)
			}
		}
	}
}

type namedPath struct {
	key  string
	path *string
}

// paths lists the keys that name files with secrets or certificates.
func (c *Config) paths() []namedPath {
	var all []namedPath
	add := func(at string, b *BasicAuth, token *string, t *TLS) {
		all = append(all,
			namedPath{at + ".basic_auth.password_file", &b.PasswordFile},
			namedPath{at + ".bearer_token_file", token},
			namedPath{at + ".tls_config.ca_file", &t.CAFile},
			namedPath{at + ".tls_config.cert_file", &t.CertFile},
			namedPath{at + ".tls_config.key_file", &t.KeyFile})
	}
	for i := range c.Clusters {
		k := &c.Clusters[i]
		add(fmt.Sprintf("clusters[%d]", i), &k.BasicAuth, &k.BearerTokenFile, &k.TLS)
	}
	for i := range c.HTTPSD {
		h := &c.HTTPSD[i]
		add(fmt.Sprintf("http_sd_configs[%d]", i), &h.BasicAuth, &h.BearerTokenFile, &h.TLS)
	}
	for i := range c.Modules {
		m := &c.Modules[i]
		add(fmt.Sprintf("modules[%d]", i), &m.BasicAuth, &m.BearerTokenFile, &m.TLS)
	}
	return all
}

// CheckFiles returns an error for each file that the configuration names and
// that cannot be opened.
func (c *Config) CheckFiles() error {
	var errs []error
	for _, p := range c.paths() {
		if *p.path == "" {
			continue
		}
		f, err := os.Open(*p.path)
		if err != nil {
			errs = append(errs, c.errorf(p.key, "%s cannot be read: %v", *p.path, withoutPath(err)))
			continue
		}
		_ = f.Close()
	}
	return errors.Join(errs...)
}

// ChangedThresholds counts the thresholds that are not at their defaults.
func (c *Config) ChangedThresholds() int {
	have, want, n := reflect.ValueOf(c.Thresholds), reflect.ValueOf(analysis.Defaults()), 0
	for f := range have.Type().Fields() {
		if keyOf(f) != "" && !have.FieldByIndex(f.Index).Equal(want.FieldByIndex(f.Index)) {
			n++
		}
	}
	return n
}
