package deploy

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	apps "k8s.io/api/apps/v1"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
)

const chartDir = "helm/flink-skew-exporter"

func loadChart(t *testing.T) *chart.Chart {
	t.Helper()
	c, err := loader.LoadDir(chartDir)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// values reads a values file of testdata/values.
func values(t *testing.T, name string) chartutil.Values {
	t.Helper()
	v, err := chartutil.ReadValuesFile(filepath.Join("testdata", "values", name))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// rendered is what a release would consist of.
type rendered struct {
	objects []object
	notes   string
}

// render does what helm install does before it speaks to a cluster: the values
// are held against the schema and the templates are filled.
func render(t *testing.T, v chartutil.Values) (rendered, error) {
	t.Helper()
	c := loadChart(t)
	caps := chartutil.DefaultCapabilities.Copy()
	release := chartutil.ReleaseOptions{Name: "skew", Namespace: "flink", Revision: 1, IsInstall: true}
	all, err := chartutil.ToRenderValues(c, v, release, caps)
	if err != nil {
		return rendered{}, err
	}
	files, err := engine.Render(c, all)
	if err != nil {
		return rendered{}, err
	}
	var r rendered
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.HasSuffix(name, "NOTES.txt") {
			r.notes = files[name]
			continue
		}
		r.objects = append(r.objects, decode(t, name, []byte(files[name]))...)
	}
	return r, nil
}

func mustRender(t *testing.T, name string) rendered {
	t.Helper()
	r, err := render(t, values(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestHelmLint(t *testing.T) {
	for _, name := range []string{"minimal.yaml", "everything.yaml", "probe.yaml"} {
		linted := lint.AllWithKubeVersion(chartDir, values(t, name), "flink", nil)
		for _, m := range linted.Messages {
			if m.Severity > support.InfoSev {
				t.Errorf("%s: %v", name, m)
			}
		}
	}
}

// TestHelmKinds: what a set of values installs, and nothing else.
func TestHelmKinds(t *testing.T) {
	for name, want := range map[string]map[string]int{
		"minimal.yaml": {"Deployment": 1, "Service": 1, "ServiceAccount": 1, "Pod": 1},
		"probe.yaml":   {"Deployment": 1, "Service": 1, "Pod": 1, "ConfigMap": 1, "Probe": 1},
		"everything.yaml": {
			"Deployment": 1, "Service": 1, "ServiceAccount": 1, "Pod": 1, "ConfigMap": 1 + len(dashboards(t)), "ServiceMonitor": 1, "Probe": 1,
			"PrometheusRule": 1, "NetworkPolicy": 1, "PodDisruptionBudget": 1, "CronJob": 1,
		},
	} {
		if got := kinds(mustRender(t, name).objects); !maps.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func TestHelmSelectorsAgree(t *testing.T) {
	r := mustRender(t, "everything.yaml")
	pod := one[*apps.Deployment](t, r.objects, "Deployment").Spec.Template.Labels
	service := one[*core.Service](t, r.objects, "Service")
	report := one[*batch.CronJob](t, r.objects, "CronJob").Spec.JobTemplate.Spec.Template.Labels
	for kind, selector := range map[string]map[string]string{
		"Deployment":          one[*apps.Deployment](t, r.objects, "Deployment").Spec.Selector.MatchLabels,
		"Service":             service.Spec.Selector,
		"NetworkPolicy":       one[*networking.NetworkPolicy](t, r.objects, "NetworkPolicy").Spec.PodSelector.MatchLabels,
		"PodDisruptionBudget": one[*policy.PodDisruptionBudget](t, r.objects, "PodDisruptionBudget").Spec.Selector.MatchLabels,
	} {
		if !selects(selector, pod) {
			t.Errorf("the %s's selector %v does not select the exporter's pods %v", kind, selector, pod)
		}
		if selects(selector, report) {
			t.Errorf("the %s's selector %v selects the report's pods too", kind, selector)
		}
	}
	monitor := one[*monitoring.ServiceMonitor](t, r.objects, "ServiceMonitor")
	if !selects(monitor.Spec.Selector.MatchLabels, service.Labels) {
		t.Errorf("the ServiceMonitor selects %v, the Service has %v", monitor.Spec.Selector.MatchLabels, service.Labels)
	}
	if monitor.Spec.Endpoints[0].Port != service.Spec.Ports[0].Name || !monitor.Spec.Endpoints[0].HonorLabels {
		t.Errorf("the ServiceMonitor's endpoint: %+v", monitor.Spec.Endpoints[0])
	}
}

func selects(selector, labels map[string]string) bool {
	for k, v := range selector {
		if labels[k] != v {
			return false
		}
	}
	return len(selector) > 0
}

// TestHelmPodsAreConfined: no root, no privileges, nothing to write to, no
// token of Kubernetes, bounded memory; every volume is mounted and the reverse.
func TestHelmPodsAreConfined(t *testing.T) {
	for _, name := range []string{"minimal.yaml", "everything.yaml", "probe.yaml"} {
		r := mustRender(t, name)
		confined(t, name, one[*apps.Deployment](t, r.objects, "Deployment").Spec.Template.Spec, true)
		confined(t, name, one[*core.Pod](t, r.objects, "Pod").Spec, false)
	}
	job := one[*batch.CronJob](t, mustRender(t, "everything.yaml").objects, "CronJob")
	confined(t, "the report", job.Spec.JobTemplate.Spec.Template.Spec, true)
}

func TestHelmRulesAndDashboards(t *testing.T) {
	r := mustRender(t, "everything.yaml")
	rule := one[*monitoring.PrometheusRule](t, r.objects, "PrometheusRule")
	want := alerts(t)
	delete(want, "FlinkStateSkew") // prometheusRule.disabledAlerts of everything.yaml.
	if got := alertsOf(rule); !maps.Equal(got, want) {
		t.Errorf("alerts of the PrometheusRule: %v, want %v", got, want)
	}
	checkAlerts(t, "PrometheusRule", rule)
	for name, text := range dashboards(t) {
		found := false
		for _, o := range r.objects {
			if m, ok := o.typed.(*core.ConfigMap); ok && m.Data[name] != "" {
				found = m.Data[name] == strings.TrimSpace(text) && m.Namespace == "grafana" && m.Labels["grafana_dashboard"] == "1"
			}
		}
		if !found {
			t.Errorf("no ConfigMap holds %s as it is", name)
		}
	}
}

// TestHelmConfiguration: the program itself accepts what the chart gives it.
func TestHelmConfiguration(t *testing.T) {
	for _, name := range []string{"everything.yaml", "probe.yaml"} {
		r := mustRender(t, name)
		for _, o := range r.objects {
			if m, ok := o.typed.(*core.ConfigMap); ok && m.Data["config.yml"] != "" {
				acceptsConfig(t, name, m.Data["config.yml"])
			}
		}
	}
}

func TestHelmArguments(t *testing.T) {
	for _, name := range []string{"minimal.yaml", "everything.yaml", "probe.yaml"} {
		r := mustRender(t, name)
		pod := one[*apps.Deployment](t, r.objects, "Deployment").Spec.Template.Spec.Containers[0]
		acceptsArguments(t, name, pod.Args)
		for _, p := range []*core.Probe{pod.StartupProbe, pod.LivenessProbe, pod.ReadinessProbe} {
			acceptsArguments(t, name, p.Exec.Command[1:])
		}
		acceptsArguments(t, name, one[*core.Pod](t, r.objects, "Pod").Spec.Containers[0].Args)
	}
	report := one[*batch.CronJob](t, mustRender(t, "everything.yaml").objects, "CronJob").Spec.JobTemplate.Spec.Template.Spec.Containers[0]
	acceptsArguments(t, "the report", report.Args)
	for _, e := range report.Env {
		acceptsVariable(t, "the report", "report", e.Name)
	}
}

func TestHelmProbe(t *testing.T) {
	r := mustRender(t, "probe.yaml")
	p := one[*monitoring.Probe](t, r.objects, "Probe")
	service := one[*core.Service](t, r.objects, "Service")
	if p.Spec.ProberSpec.URL != service.Name+".flink.svc:9923" || p.Spec.ProberSpec.Path != "/probe" || len(p.Spec.Targets.StaticConfig.Targets) != 2 {
		t.Errorf("the Probe: %+v", p.Spec)
	}
	if args := one[*apps.Deployment](t, r.objects, "Deployment").Spec.Template.Spec.Containers[0].Args; slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "--flink.url") }) {
		t.Errorf("probes need no cluster of their own: %v", args)
	}
}

// TestHelmScheme: whoever asks the port does so as the port speaks.
func TestHelmScheme(t *testing.T) {
	for web, scheme := range map[string]string{"{}": "http", "{configSecret: s}": "https", "{configSecret: s, tls: false}": "http", "{tls: true}": "http"} {
		v, err := chartutil.ReadValues([]byte("flinkUrls: [http://x]\nserviceMonitor: {enabled: true}\nweb: " + web))
		if err != nil {
			t.Fatal(err)
		}
		r, err := render(t, v)
		if err != nil {
			t.Fatal(err)
		}
		probe := one[*apps.Deployment](t, r.objects, "Deployment").Spec.Template.Spec.Containers[0].LivenessProbe.Exec.Command
		if want := "--url=" + scheme + "://localhost:9923"; !slices.Contains(probe, want) {
			t.Errorf("web: %s: probe %v, want %s", web, probe, want)
		}
		if got := one[*monitoring.ServiceMonitor](t, r.objects, "ServiceMonitor").Spec.Endpoints[0].Scheme; got == nil || got.String() != scheme {
			t.Errorf("web: %s: the ServiceMonitor's scheme is %v, want %s", web, got, scheme)
		}
	}
}

// TestHelmMistakes: what cannot work is refused, in words.
func TestHelmMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"{}":                                 "no cluster to poll: set flinkUrls",
		"flinkUrls: [ftp://x]":               "flinkUrls",
		"flinkUrls: [http://x]\nreplicas: 2": "replicas",
		"flinkUrls: [http://x]\nconfig: {clusters: [{}]}":  "use one of them",
		"probe: {enabled: true}":                           "probe.targets",
		"probe: {enabled: true, targets: [http://x]}":      "config.probe.allow_targets",
		"flinkUrls: [http://x]\nreport: {enabled: true}":   "report.prometheusUrl",
		"flinkUrls: [http://x]\nsecrets: [a, a]":           "secrets",
		"flinkUrls: [http://x]\nimage: {digest: 'sha256'}": "digest",
	} {
		v, err := chartutil.ReadValues([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := render(t, v); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one about %q", text, err, want)
		}
	}
}

func TestHelmNotes(t *testing.T) {
	if notes := mustRender(t, "minimal.yaml").notes; !strings.Contains(notes, "service/skew-flink-skew-exporter 9923:9923") || !strings.Contains(notes, "Nothing scrapes it yet") || !strings.Contains(notes, "No alerts are installed") {
		t.Errorf("notes of minimal.yaml:\n%s", notes)
	}
	if notes := mustRender(t, "everything.yaml").notes; strings.Contains(notes, "yet") || strings.Contains(notes, "No alerts") || !strings.Contains(notes, "https://localhost:9923/") {
		t.Errorf("notes of everything.yaml:\n%s", notes)
	}
}

// TestHelmReadmeListsEveryValue: the table of the chart's README has a row for
// each value of values.yaml, and each of those is in the schema.
func TestHelmReadmeListsEveryValue(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(chartDir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for key := range loadChart(t).Values {
		if !regexp.MustCompile("(?m)^\\| (`[^|]*, )?`" + key + "(`|\\.)").Match(text) {
			t.Errorf("the chart's README has no row for %s", key)
		}
		v := chartutil.Values{"flinkUrls": []any{"http://x"}, key: func() {}}
		if _, err := render(t, v); err == nil {
			t.Errorf("values.schema.json accepts anything for %s", key)
		}
	}
}
