package config

import (
	"bytes"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestReferenceIsCommitted(t *testing.T) {
	committed, err := os.ReadFile("../../deploy/reference-config.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(committed, Reference()) {
		t.Error("deploy/reference-config.yaml is not what Reference gives; run make generate")
	}
}

func TestReferenceMeansDefault(t *testing.T) {
	c, err := Parse("reference", Reference())
	if err != nil {
		t.Fatal(err)
	}
	c.file, c.lines = "", nil
	if !reflect.DeepEqual(c, Default()) {
		t.Errorf("got %+v, want the defaults", c)
	}
}

// TestReferenceExampleParses takes the marks off the commented cluster, as a
// reader would, and expects the parser to know every key in it.
func TestReferenceExampleParses(t *testing.T) {
	_, rest, _ := strings.Cut(string(Reference()), "\nclusters: []\n")
	block, _, _ := strings.Cut(rest, "\n\n")
	example := regexp.MustCompile(`(?m)^# `).ReplaceAllString(block, "")
	c, err := Parse("example", []byte(example))
	if err != nil {
		t.Fatalf("%v in\n%s", err, example)
	}
	if len(c.Clusters) != 1 || !reflect.DeepEqual(c.Clusters[0], Cluster{}) {
		t.Errorf("got %+v, want one cluster without values", c.Clusters)
	}
}

func TestEveryKeyHasItsMeaning(t *testing.T) {
	var have []string
	var walk func(t reflect.Type, path string)
	walk = func(typ reflect.Type, path string) {
		for f := range typ.Fields() {
			tag := f.Tag.Get("yaml")
			if tag == "" || tag == "-" {
				continue
			}
			at := join(path, tag)
			have = append(have, at)
			switch f.Type.Kind() {
			case reflect.Struct:
				walk(f.Type, at)
			case reflect.Slice:
				if f.Type.Elem().Kind() == reflect.Struct {
					walk(f.Type.Elem(), at+"[]")
				}
			}
		}
	}
	walk(reflect.TypeFor[Config](), "")
	for _, key := range have {
		if Meaning(key) == "" {
			t.Errorf("%s has no meaning", key)
		}
	}
	for key := range meanings() {
		if !slices.Contains(have, key) {
			t.Errorf("%s is explained but no key", key)
		}
	}
}
