package deploy

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"sigs.k8s.io/yaml"
)

const composeFile = "compose/docker-compose.yml"

// project loads the compose file as docker compose does: held against the
// schema, interpolated, its services' dependencies checked.
func project(t *testing.T) *types.Project {
	t.Helper()
	dir, err := filepath.Abs(filepath.Dir(composeFile))
	if err != nil {
		t.Fatal(err)
	}
	p, err := loader.LoadWithContext(t.Context(), types.ConfigDetails{
		WorkingDir:  dir,
		ConfigFiles: []types.ConfigFile{{Filename: composeFile}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestComposeServices(t *testing.T) {
	p := project(t)
	want := []string{"alertmanager", "flink-skew-exporter", "grafana", "job", "jobmanager", "prometheus", "taskmanager"}
	if got := slices.Sorted(maps.Keys(p.Services)); !slices.Equal(got, want) {
		t.Fatalf("services: %v", got)
	}
	for name, s := range p.Services {
		if s.Build == nil && !pinned(s.Image, nil) {
			t.Errorf("%s: the image %s has no version", name, s.Image)
		}
		if s.Build != nil {
			if _, err := os.Stat(filepath.Join(s.Build.Context, s.Build.Dockerfile)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, v := range s.Volumes {
			if _, err := os.Stat(v.Source); err != nil || !v.ReadOnly {
				t.Errorf("%s mounts %s, read-only %v: %v", name, v.Source, v.ReadOnly, err)
			}
		}
		for _, port := range s.Ports {
			if port.HostIP != "127.0.0.1" {
				t.Errorf("%s: port %s is open to the network", name, port.Published)
			}
		}
	}
}

func TestComposeExporter(t *testing.T) {
	s := project(t).Services["flink-skew-exporter"]
	acceptsArguments(t, "compose", s.Command)
	acceptsArguments(t, "the health check", s.HealthCheck.Test[2:])
	if !slices.Contains(s.Command, "--flink.url=http://jobmanager:8081") {
		t.Errorf("it does not poll the service jobmanager: %v", s.Command)
	}
}

// TestComposeNamesAgree: the examples for Prometheus and Grafana name hosts
// and files that exist here.
func TestComposeNamesAgree(t *testing.T) {
	p := project(t)
	text, err := os.ReadFile("prometheus/prometheus.yml")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`targets: \[([\w-]+):(\d+)\]`).FindAllStringSubmatch(string(text), -1) {
		s, ok := p.Services[m[1]]
		if !ok || !slices.ContainsFunc(s.Ports, func(c types.ServicePortConfig) bool { return c.Published == m[2] }) {
			t.Errorf("prometheus.yml: no service %s has port %s", m[1], m[2])
		}
	}
	mounts := map[string]string{}
	for _, v := range p.Services["grafana"].Volumes {
		mounts[v.Target] = v.Source
	}
	var provider struct {
		Providers []struct {
			Options struct {
				Path string `json:"path"`
			} `json:"options"`
		} `json:"providers"`
	}
	readYAML(t, mounts["/etc/grafana/provisioning/dashboards/flink-skew.yml"], &provider)
	folder := mounts[provider.Providers[0].Options.Path]
	if found, _ := filepath.Glob(filepath.Join(folder, "*.json")); len(found) != len(dashboards(t)) {
		t.Errorf("Grafana finds %d dashboards in %s", len(found), folder)
	}
	home := *p.Services["grafana"].Environment["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]
	if _, err := os.Stat(filepath.Join(folder, filepath.Base(home))); err != nil {
		t.Error(err)
	}
	var sources struct {
		Datasources []struct {
			URL string `json:"url"`
		} `json:"datasources"`
	}
	readYAML(t, mounts["/etc/grafana/provisioning/datasources/prometheus.yml"], &sources)
	if sources.Datasources[0].URL != "http://prometheus:9090" {
		t.Errorf("Grafana asks %s", sources.Datasources[0].URL)
	}
}

func readYAML(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// TestComposeJob: the job's class and arguments are ones that its sources have.
func TestComposeJob(t *testing.T) {
	all := stages(t, "deploy/compose/flink.Dockerfile")
	for _, s := range all {
		if !pinned(s.BaseName, all) {
			t.Errorf("the image %s has no version", s.BaseName)
		}
	}
	seen := context(t, "deploy/compose/flink.Dockerfile.dockerignore")
	for _, c := range commands[*instructions.CopyCommand](all[1]) {
		if c.From != "" {
			continue
		}
		for _, pattern := range c.SourcePaths {
			if !slices.ContainsFunc(seen, func(f string) bool { ok, _ := filepath.Match(pattern, f); return ok }) {
				t.Errorf("the build copies %s, which its context does not have: %v", pattern, seen)
			}
		}
	}
	var java strings.Builder
	for _, text := range readAll(t, "test/jobs/java/*.java") {
		java.WriteString(text)
	}
	command := project(t).Services["job"].Command
	jar := slices.IndexFunc(command, func(a string) bool { return strings.HasSuffix(a, ".jar") })
	if !strings.Contains(java.String(), "class "+command[jar-1]+" {") {
		t.Errorf("no class %s", command[jar-1])
	}
	for i := jar + 1; i < len(command); i += 2 {
		if name := strings.TrimPrefix(command[i], "--"); !strings.Contains(java.String(), `("`+name+`", `) {
			t.Errorf("the job has no argument %s", command[i])
		}
	}
}
