package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kingpin/v2"
	"go.yaml.in/yaml/v3"
)

// parses holds the arguments of an example against the command's flags.
func parses(t *testing.T, args []string) {
	t.Helper()
	app := kingpin.New(appName, "").Terminate(nil)
	r := &registry{app: app, actions: map[string]action{}}
	for _, add := range commands() {
		add(r)
	}
	if name, err := app.Parse(args); err != nil || name != "report" {
		t.Errorf("%v: command %q, %v", args, name, err)
	}
}

func example(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "deploy", "report", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// cronJob is what is looked at of the Kubernetes example.
type cronJob struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Spec       struct {
		Schedule    string
		JobTemplate struct {
			Spec struct {
				Template struct {
					Spec struct {
						Containers []struct {
							Args         []string
							VolumeMounts []struct {
								MountPath string `yaml:"mountPath"`
							} `yaml:"volumeMounts"`
						}
					}
				}
			}
		} `yaml:"jobTemplate"`
	}
}

func TestCronJobExample(t *testing.T) {
	var c cronJob
	if err := yaml.Unmarshal([]byte(example(t, "cronjob.yaml")), &c); err != nil {
		t.Fatal(err)
	}
	containers := c.Spec.JobTemplate.Spec.Template.Spec.Containers
	if c.APIVersion != "batch/v1" || c.Kind != "CronJob" || len(strings.Fields(c.Spec.Schedule)) != 5 || len(containers) != 1 {
		t.Fatalf("got %+v", c)
	}
	parses(t, containers[0].Args)
	if !strings.Contains(strings.Join(containers[0].Args, " "), "--webhook-file="+containers[0].VolumeMounts[0].MountPath+"/") {
		t.Error("the address of the webhook is not read from where the secret is mounted")
	}
}

func TestSystemdExample(t *testing.T) {
	service := example(t, "flink-skew-report.service")
	start := regexp.MustCompile(`(?m)^ExecStart=(\S+/flink-skew-exporter) (.*)$`).FindStringSubmatch(service)
	if start == nil {
		t.Fatal("the service starts nothing")
	}
	parses(t, strings.Fields(start[2]))
	timer := example(t, "flink-skew-report.timer")
	line := regexp.MustCompile(`^(\[(Unit|Service|Timer|Install)\]|#.*|[A-Z][A-Za-z]+=.*|)$`)
	for _, text := range []string{service, timer} {
		for _, l := range strings.Split(text, "\n") {
			if !line.MatchString(l) {
				t.Errorf("no line of a unit: %s", l)
			}
		}
	}
	if !strings.Contains(timer, "\nOnCalendar=Mon ") || !strings.Contains(timer, "[Install]") {
		t.Error("the timer has no time, or cannot be enabled")
	}
}
