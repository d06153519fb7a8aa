package config

import (
	"bytes"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/common/model"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

const referenceHead = `# Reference of the configuration file (--config.file). Generated; do not edit.
#
# Every key is here with its default, so that this file as it is means the same
# as an empty one. Keys behind a # have no default. Unknown keys are errors.
# Relative paths of files start at the folder of this file.
# Durations need a unit: 500ms, 15s, 5m, 1h30m, 1d.
# Check yours with: flink-skew-exporter check config FILE

`

// Reference returns a configuration file that holds every key, its default and
// its meaning. Loading it gives Default.
func Reference() []byte {
	var b bytes.Buffer
	b.WriteString(referenceHead)
	writeStruct(&b, reflect.ValueOf(Default()).Elem(), layout{})
	return b.Bytes()
}

// layout is where a group of keys stands in the reference.
type layout struct {
	path   string
	indent string
	// unset marks keys without a default, which are written as comments.
	unset bool
}

func (l layout) prefix() string {
	if l.unset {
		return "# " + l.indent
	}
	return l.indent
}

func writeStruct(b *bytes.Buffer, v reflect.Value, at layout) {
	for f := range v.Type().Fields() {
		key := keyOf(f)
		if key == "" {
			continue
		}
		value, path := v.FieldByIndex(f.Index), join(at.path, key)
		switch value.Kind() {
		case reflect.Struct:
			if at.unset && value.Type() == reflect.TypeFor[analysis.Config]() {
				// All of its keys are explained where they have their defaults.
				fmt.Fprintf(b, "%s# %s\n%s%s: {}\n", at.indentComment(), Meaning(path), at.prefix(), key)
				continue
			}
			writeGroup(b, value, key, layout{path: path, indent: at.indent, unset: at.unset})
		case reflect.Slice:
			writeList(b, value, key, layout{path: path, indent: at.indent, unset: at.unset})
		default:
			fmt.Fprintf(b, "%s# %s\n%s%s: %s\n", at.indentComment(), Meaning(path), at.prefix(), key, scalar(value))
		}
	}
	if at.path == "" {
		b.Truncate(len(bytes.TrimRight(b.Bytes(), "\n")) + 1)
	}
}

// indentComment is the indentation of a comment line: inside a commented group
// the mark stands first, so that removing "# " once leaves valid YAML.
func (l layout) indentComment() string { return l.prefix() }

func writeGroup(b *bytes.Buffer, v reflect.Value, key string, at layout) {
	fmt.Fprintf(b, "%s# %s\n%s%s:\n", at.indentComment(), Meaning(at.path), at.prefix(), key)
	writeStruct(b, v, layout{path: at.path, indent: at.indent + "  ", unset: at.unset})
	if at.indent == "" {
		b.WriteByte('\n')
	}
}

// writeList writes an empty list and, as comments, one item with all its keys
// if it has any.
func writeList(b *bytes.Buffer, v reflect.Value, key string, at layout) {
	if v.Type().Elem().Kind() != reflect.Struct {
		fmt.Fprintf(b, "%s# %s\n%s%s: []\n", at.indentComment(), Meaning(at.path), at.prefix(), key)
		return
	}
	fmt.Fprintf(b, "# %s\n%s: []\n# %s:\n", Meaning(at.path), key, key)
	var item bytes.Buffer
	writeStruct(&item, reflect.Zero(v.Type().Elem()), layout{path: at.path + "[]", indent: "    ", unset: true})
	b.WriteString(strings.Replace(item.String(), "#     # ", "#   - # ", 1))
	b.WriteByte('\n')
}

// scalar writes a value as YAML would read it.
func scalar(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case time.Duration:
		return model.Duration(x).String()
	case Secret:
		return `""`
	}
	switch v.Kind() {
	case reflect.String:
		if v.String() == "" {
			return `""`
		}
		if v.String() == SubtasksOff {
			return strconv.Quote(v.String())
		}
		return v.String()
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'f', -1, 64)
	default:
		return fmt.Sprint(v.Interface())
	}
}
