package deploy

import (
	"maps"
	"strings"
	"testing"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// build does what kubectl kustomize does, with its default restrictions.
func build(t *testing.T, folder string) []object {
	t.Helper()
	result, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		t.Fatal(err)
	}
	text, err := result.AsYaml()
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, folder, text)
}

func TestKustomizeBase(t *testing.T) {
	objects := build(t, "kubernetes/base")
	if want := map[string]int{"ConfigMap": 1, "Deployment": 1, "NetworkPolicy": 1, "Service": 1}; !maps.Equal(kinds(objects), want) {
		t.Errorf("kinds: %v", kinds(objects))
	}
	d := one[*apps.Deployment](t, objects, "Deployment")
	for kind, selector := range map[string]map[string]string{
		"Deployment":    d.Spec.Selector.MatchLabels,
		"Service":       one[*core.Service](t, objects, "Service").Spec.Selector,
		"NetworkPolicy": one[*networking.NetworkPolicy](t, objects, "NetworkPolicy").Spec.PodSelector.MatchLabels,
	} {
		if !selects(selector, d.Spec.Template.Labels) {
			t.Errorf("the %s selects %v, the pods are %v", kind, selector, d.Spec.Template.Labels)
		}
	}
	pod := d.Spec.Template.Spec
	confined(t, "base", pod, true)
	config := one[*core.ConfigMap](t, objects, "ConfigMap")
	if pod.Volumes[0].ConfigMap.Name != config.Name || !strings.HasPrefix(config.Name, "flink-skew-exporter-") {
		t.Errorf("the pod mounts %s, the ConfigMap is %s", pod.Volumes[0].ConfigMap.Name, config.Name)
	}
	acceptsConfig(t, "base", config.Data["config.yml"])
	c := pod.Containers[0]
	acceptsArguments(t, "base", c.Args)
	for _, p := range []*core.Probe{c.StartupProbe, c.LivenessProbe, c.ReadinessProbe} {
		acceptsArguments(t, "base", p.Exec.Command[1:])
	}
	if want := "ghcr.io/flink-skew-exporter/flink-skew-exporter:" + loadChart(t).AppVersion(); c.Image != want {
		t.Errorf("image %s, the chart has %s", c.Image, want)
	}
}

func TestKustomizePrometheusOperator(t *testing.T) {
	objects := build(t, "kubernetes/prometheus-operator")
	service := one[*core.Service](t, objects, "Service")
	monitor := one[*monitoring.ServiceMonitor](t, objects, "ServiceMonitor")
	if !selects(monitor.Spec.Selector.MatchLabels, service.Labels) || monitor.Spec.Endpoints[0].Port != service.Spec.Ports[0].Name {
		t.Errorf("the ServiceMonitor selects %v %s, the Service is %v %s", monitor.Spec.Selector.MatchLabels, monitor.Spec.Endpoints[0].Port, service.Labels, service.Spec.Ports[0].Name)
	}
	rule := one[*monitoring.PrometheusRule](t, objects, "PrometheusRule")
	if got := alertsOf(rule); !maps.Equal(got, alerts(t)) {
		t.Errorf("alerts: %v", got)
	}
	checkAlerts(t, "PrometheusRule", rule)
}
