package deploy

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"testing"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	apps "k8s.io/api/apps/v1"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// object is one manifest, as its own Go type and as plain data.
type object struct {
	kind, name string
	typed      runtime.Object
	raw        map[string]any
}

// decode reads manifests as strictly as an API server with fieldValidation
// does: a field that the type does not have is an error, as is one given twice.
// Then it holds them against Kubernetes' OpenAPI, which knows what is required.
func decode(t *testing.T, where string, text []byte) []object {
	t.Helper()
	strict := serializer.NewCodecFactory(scheme(t), serializer.EnableStrict).UniversalDeserializer()
	reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	var objects []object
	for {
		doc, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return objects
		}
		if err != nil {
			t.Fatalf("%s: %v", where, err)
		}
		raw := map[string]any{}
		if err := yaml.UnmarshalStrict(doc, &raw); err != nil {
			t.Fatalf("%s: %v\n%s", where, err, doc)
		}
		if len(raw) == 0 {
			continue
		}
		typed, gvk, err := strict.Decode(doc, nil, nil)
		if err != nil {
			t.Errorf("%s: %v\n%s", where, err, doc)
			continue
		}
		meta, _ := raw["metadata"].(map[string]any)
		name, _ := meta["name"].(string)
		if gvk.Group != monitoring.SchemeGroupVersion.Group {
			validate(t, where, gvk.Kind+" "+name, gvk.Group, gvk.Version, gvk.Kind, doc)
		}
		objects = append(objects, object{kind: gvk.Kind, name: name, typed: typed, raw: raw})
	}
}

// scheme knows the types that our packages use.
func scheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		apps.AddToScheme, batch.AddToScheme, core.AddToScheme, networking.AddToScheme, policy.AddToScheme, monitoring.AddToScheme,
	} {
		if err := add(s); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// one returns the only object of a kind.
func one[T runtime.Object](t *testing.T, objects []object, kind string) T {
	t.Helper()
	var found []T
	for _, o := range objects {
		if typed, ok := o.typed.(T); ok && o.kind == kind {
			found = append(found, typed)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d objects of kind %s, want one", len(found), kind)
	}
	return found[0]
}

// kinds counts objects by kind.
func kinds(objects []object) map[string]int {
	n := map[string]int{}
	for _, o := range objects {
		n[o.kind]++
	}
	return n
}

// alertsOf returns the names of a PrometheusRule's alerts.
func alertsOf(rule *monitoring.PrometheusRule) map[string]bool {
	names := map[string]bool{}
	for _, g := range rule.Spec.Groups {
		for _, x := range g.Rules {
			if x.Alert != "" {
				names[x.Alert] = true
			}
		}
	}
	return names
}
