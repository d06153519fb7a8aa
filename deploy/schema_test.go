package deploy

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"sigs.k8s.io/kustomize/kyaml/openapi"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/yaml"
)

const schemaURL = "kubernetes.json"

// kubernetes holds Kubernetes' own OpenAPI document, which kustomize carries
// (version 1.21), as a JSON schema. It is an older one than the Go types are:
// it says what is required and of which type, the types say what exists.
var kubernetes = sync.OnceValues(func() (*jsonschema.Compiler, error) {
	openapi.SchemaForResourceType(kyaml.TypeMeta{APIVersion: "v1", Kind: "Pod"}) // Reads the document.
	text, err := json.Marshal(map[string]any{"definitions": openapi.Schema().Definitions})
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	relax(doc)
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft4)
	return c, c.AddResource(schemaURL, doc)
})

// relax states what OpenAPI says by formats: numbers are numbers or strings
// where Kubernetes takes both, such as ports and quantities.
func relax(node any) {
	switch n := node.(type) {
	case map[string]any:
		if n["format"] == "int-or-string" {
			n["type"] = []any{"string", "integer"}
		}
		delete(n, "format")
		for key, child := range n {
			if key == "io.k8s.apimachinery.pkg.api.resource.Quantity" {
				child.(map[string]any)["type"] = []any{"string", "number"}
			}
			relax(child)
		}
	case []any:
		for _, child := range n {
			relax(child)
		}
	}
}

// validate holds one manifest against Kubernetes' document.
func validate(t *testing.T, where, what, group, version, kind string, doc []byte) {
	t.Helper()
	c, err := kubernetes()
	if err != nil {
		t.Fatal(err)
	}
	if group == "" {
		group = "core"
	}
	group, _, _ = strings.Cut(group, ".")
	schema, err := c.Compile(schemaURL + "#/definitions/io.k8s.api." + group + "." + version + "." + kind)
	if err != nil {
		t.Fatalf("%s: %s: %v", where, what, err)
	}
	text, err := yaml.YAMLToJSON(doc)
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("%s: %s: %v", where, what, err)
	}
}

// TestValidateFindsMistakes: a check that accepts everything would prove nothing.
func TestValidateFindsMistakes(t *testing.T) {
	c, err := kubernetes()
	if err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile(schemaURL + "#/definitions/io.k8s.api.networking.v1.NetworkPolicy")
	if err != nil {
		t.Fatal(err)
	}
	for text, right := range map[string]bool{
		`{"spec": {"podSelector": {}, "ingress": [{"ports": [{"port": "http"}, {"port": 53}]}]}}`: true,
		`{"spec": {"ingress": []}}`:                                             false,
		`{"spec": {"podSelector": {}, "ingress": {}}}`:                          false,
		`{"spec": {"podSelector": {}, "ingress": [{"ports": [{"port": []}]}]}}`: false,
	} {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); (err == nil) != right {
			t.Errorf("%s: %v", text, err)
		}
	}
}
