package keyhash

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
)

// vector is a key with what Flink's own classes make of it (test/vectors).
type vector struct {
	typ       string
	hash      int32
	of128     int
	of720     int
	fields    []Field
	fieldText string
}

func vectors(t testing.TB) []vector {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "vectors.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var all []vector
	for line := range strings.SplitSeq(strings.TrimSuffix(string(text), "\n"), "\n") {
		columns := strings.Split(line, "\t")
		if len(columns) != 5 {
			t.Fatalf("vector %q has %d columns", line, len(columns))
		}
		number := func(s string) int {
			n, err := strconv.Atoi(s)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		v := vector{typ: columns[0], hash: int32(number(columns[1])), of128: number(columns[2]), of720: number(columns[3]), fieldText: columns[4]}
		var fields []*string
		if err := json.Unmarshal([]byte(columns[4]), &fields); err != nil {
			t.Fatal(err)
		}
		for _, f := range fields {
			if f == nil {
				v.fields = append(v.fields, Field{Null: true})
			} else {
				v.fields = append(v.fields, Field{Text: *f})
			}
		}
		all = append(all, v)
	}
	return all
}

// TestVectors holds hashes and key groups to those of Flink's own classes.
func TestVectors(t *testing.T) {
	all := vectors(t)
	types := map[string]*Hasher{}
	wrong := map[string]int{}
	for _, v := range all {
		h := types[v.typ]
		if h == nil {
			typ, err := Parse(v.typ)
			if err != nil {
				t.Fatal(err)
			}
			h = typ.NewHasher()
			types[v.typ] = h
		}
		got, err := h.Hash(v.fields)
		if err == nil && got == v.hash && keygroup.Group(got, 128) == v.of128 && keygroup.Group(got, 720) == v.of720 {
			continue
		}
		if wrong[v.typ]++; wrong[v.typ] <= 3 {
			t.Errorf("%s %s: %d (%v), Flink has %d in groups %d and %d", v.typ, v.fieldText, got, err, v.hash, v.of128, v.of720)
		}
	}
	if len(all) < 8000 || len(types) < 40 {
		t.Errorf("only %d vectors of %d types", len(all), len(types))
	}
}
