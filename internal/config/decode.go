package config

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"go.yaml.in/yaml/v3"
)

// Error is one thing wrong with the configuration: where, which key, what.
type Error struct {
	// File and Line are empty when the value came from no file.
	File string
	Line int
	// Key is the path of the key, empty when the file as a whole is wrong.
	Key string
	// Problem says what is wrong and what would be right. It never holds a secret.
	Problem string
}

// Error returns the message in one line: file:line: key: problem.
func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File)
		if e.Line > 0 {
			b.WriteString(":" + strconv.Itoa(e.Line))
		}
		b.WriteString(": ")
	}
	if e.Key != "" {
		b.WriteString(e.Key + ": ")
	}
	return b.String() + e.Problem
}

// decoder fills a value from a YAML tree. The YAML library could do most of
// it, but its messages name Go types where a reader needs the key's path.
type decoder struct {
	file  string
	lines map[string]int
}

func (d *decoder) errorf(n *yaml.Node, path, format string, args ...any) error {
	return &Error{File: d.file, Line: n.Line, Key: path, Problem: fmt.Sprintf(format, args...)}
}

// decode sets v, whose path is path, from n. A null leaves the default, and so
// does what is wrong, of which the error tells, joined.
func (d *decoder) decode(n *yaml.Node, v reflect.Value, path string) error {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	d.lines[path] = n.Line
	switch {
	case n.Kind == yaml.ScalarNode && n.Tag == "!!null":
		return nil
	case v.Kind() == reflect.Struct:
		return d.mapping(n, v, path)
	case v.Kind() == reflect.Slice:
		return d.sequence(n, v, path)
	case n.Kind != yaml.ScalarNode:
		return d.errorf(n, path, "must be a single value, not a %s", kindName(n))
	}
	if err := setScalar(v, n.Value); err != nil {
		return d.errorf(n, path, "%v", err)
	}
	return nil
}

func (d *decoder) mapping(n *yaml.Node, v reflect.Value, path string) error {
	if n.Kind != yaml.MappingNode {
		return d.errorf(n, path, "must hold keys (%s), not a %s", strings.Join(keys(v.Type()), ", "), kindName(n))
	}
	seen := map[string]int{}
	var errs []error
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		at := join(path, key.Value)
		field, ok := fieldOf(v, key.Value)
		if !ok {
			errs = append(errs, d.errorf(key, at, "unknown key; known here: %s", strings.Join(keys(v.Type()), ", ")))
			continue
		}
		if first, dup := seen[key.Value]; dup {
			errs = append(errs, d.errorf(key, at, "given twice, first in line %d; remove one", first))
			continue
		}
		seen[key.Value] = key.Line
		errs = append(errs, d.decode(value, field, at))
	}
	return errors.Join(errs...)
}

func (d *decoder) sequence(n *yaml.Node, v reflect.Value, path string) error {
	if n.Kind != yaml.SequenceNode {
		return d.errorf(n, path, "must be a list (lines that begin with -), not a %s", kindName(n))
	}
	if len(n.Content) == 0 {
		v.SetZero()
		return nil
	}
	v.Set(reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content)))
	errs := make([]error, len(n.Content))
	for i, item := range n.Content {
		errs[i] = d.decode(item, v.Index(i), fmt.Sprintf("%s[%d]", path, i))
	}
	return errors.Join(errs...)
}

// setScalar parses text by v's type. Its errors say what was expected, and
// quote the text unless it is a secret.
func setScalar(v reflect.Value, text string) error {
	switch v.Interface().(type) {
	case Secret:
		v.SetString(text)
		return nil
	case time.Duration:
		return setDuration(v, text)
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("must be true or false, not %q", text)
		}
		v.SetBool(b)
	case reflect.Int:
		i, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("must be a whole number, not %q", text)
		}
		v.SetInt(int64(i))
	case reflect.Float64:
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || f != f || f > 1e300 || f < -1e300 {
			return fmt.Errorf("must be a number, not %q", text)
		}
		v.SetFloat(f)
	default:
		return fmt.Errorf("cannot be set from text (%s)", v.Kind())
	}
	return nil
}

func setDuration(v reflect.Value, text string) error {
	d, err := ParseDuration(text)
	if err != nil {
		return err
	}
	v.SetInt(int64(d))
	return nil
}

// ParseDuration reads Prometheus' form first (1d, 1h30m), then Go's (1.5s). A
// bare number has no unit and is refused rather than taken for nanoseconds.
// The error says what must be.
func ParseDuration(text string) (time.Duration, error) {
	if d, err := model.ParseDuration(text); err == nil {
		return time.Duration(d), nil
	}
	d, err := time.ParseDuration(text)
	switch {
	case err == nil:
		return d, nil
	case regexp.MustCompile(`^[-+]?(\d+(\.\d*)?(ns|us|µs|ms|s|m|h|d|w|y))+$`).MatchString(text):
		return 0, fmt.Errorf("must be a duration of at most 292y, with units from large to small, not %q", text)
	}
	return 0, fmt.Errorf("must be a duration with a unit, such as 500ms, 15s or 5m, not %q", text)
}

// keyOf returns the field's key in the file, "" for one that is not there.
func keyOf(f reflect.StructField) string {
	if tag := f.Tag.Get("yaml"); tag != "-" {
		return tag
	}
	return ""
}

// fieldOf returns the field of struct v whose yaml tag is key.
func fieldOf(v reflect.Value, key string) (reflect.Value, bool) {
	for f := range v.Type().Fields() {
		if tag := keyOf(f); tag != "" && tag == key {
			return v.FieldByIndex(f.Index), true
		}
	}
	return reflect.Value{}, false
}

// keys lists the yaml tags of struct type t in order of declaration.
func keys(t reflect.Type) []string {
	var out []string
	for f := range t.Fields() {
		if tag := keyOf(f); tag != "" {
			out = append(out, tag)
		}
	}
	return slices.Clip(out)
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func kindName(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "group of keys"
	case yaml.SequenceNode:
		return "list"
	default:
		return "single value"
	}
}
