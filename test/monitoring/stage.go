package monitoring

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/test/await"
	"github.com/flink-skew-exporter/flink-skew-exporter/test/proc"
)

// startDeadline is how long a server may take until it answers.
const startDeadline = time.Minute

// Receivers of the example for Alertmanager.
const (
	Pager   = "flink-pager"
	Tickets = "flink-tickets"
)

// Options says what to watch, and how fast.
type Options struct {
	// Root is the repository.
	Root string
	// Targets are the exporters' addresses, host:port.
	Targets []string
	// Factor is what all durations are divided by.
	Factor int
	// Ports are two free ports: Prometheus', Alertmanager's.
	Ports []int
}

// Stage is the servers that run.
type Stage struct {
	*Inbox
	options                  Options
	folder                   string
	prometheus, alertmanager *proc.Process
	prometheusURL, alertsURL string
}

// Start starts the servers, which live as long as the test, and waits until
// every target has been scraped.
func Start(t testing.TB, o Options) *Stage {
	t.Helper()
	prometheusAddress, alertsAddress := fmt.Sprintf("127.0.0.1:%d", o.Ports[0]), fmt.Sprintf("127.0.0.1:%d", o.Ports[1])
	s := &Stage{
		Inbox: openInbox(t), options: o, folder: t.TempDir(),
		prometheusURL: "http://" + prometheusAddress, alertsURL: "http://" + alertsAddress,
	}
	if err := s.configure(alertsAddress); err != nil {
		t.Fatalf("configuring Prometheus and Alertmanager: %v", err)
	}
	s.alertmanager = s.start(t, []string{"prometheus-alertmanager", "alertmanager"},
		"--config.file="+s.path("alertmanager.yml"), "--storage.path="+s.path("alertmanager"),
		"--web.listen-address="+alertsAddress, "--cluster.listen-address=")
	s.answers(t, s.alertmanager, s.alertsURL)
	s.prometheus = s.start(t, []string{"prometheus"},
		"--config.file="+s.path("prometheus.yml"), "--storage.tsdb.path="+s.path("prometheus"), "--web.listen-address="+prometheusAddress)
	s.answers(t, s.prometheus, s.prometheusURL)
	await.Until(t, startDeadline, "Prometheus to scrape", s.scrapes)
	return s
}

func (s *Stage) path(name string) string { return filepath.Join(s.folder, name) }

// configure writes the examples and the rules, with addresses and durations of the test.
func (s *Stage) configure(alertsAddress string) error {
	rules, err := filepath.Glob(filepath.Join(s.options.Root, "alerts", "*.rules.yml"))
	if err != nil || len(rules) == 0 {
		return errors.Join(err, fmt.Errorf("%d files of rules in %s", len(rules), s.options.Root))
	}
	if err := os.Mkdir(s.path("rules"), 0o755); err != nil {
		return err
	}
	for _, path := range rules {
		if err := s.adapt(path, filepath.Join("rules", filepath.Base(path)), nil); err != nil {
			return err
		}
	}
	deploy := filepath.Join(s.options.Root, "deploy")
	return errors.Join(
		s.adapt(filepath.Join(deploy, "prometheus", "prometheus.yml"), "prometheus.yml", map[string]string{
			"[flink-skew-exporter:9923]": "[" + strings.Join(s.options.Targets, ", ") + "]",
			"[alertmanager:9093]":        "[" + alertsAddress + "]",
		}),
		s.adapt(filepath.Join(deploy, "alertmanager", "alertmanager.yml"), "alertmanager.yml", map[string]string{
			"http://pager.example.com/flink":   s.url,
			"http://tickets.example.com/flink": s.url,
		}),
		os.CopyFS(s.path("templates"), os.DirFS(filepath.Join(deploy, "alertmanager", "templates"))),
	)
}

// adapt copies a YAML file of the repository, shortened, with addresses
// replaced, each of which must be there exactly once.
func (s *Stage) adapt(from, to string, addresses map[string]string) error {
	raw, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	text := string(raw)
	for address, ours := range addresses {
		if n := strings.Count(text, address); n != 1 {
			return fmt.Errorf("%s names %s %d times, want once", from, address, n)
		}
		text = strings.Replace(text, address, ours, 1)
	}
	short, err := Shorten([]byte(text), s.options.Factor)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	return os.WriteFile(s.path(to), short, 0o644)
}

// start starts the first of the programs that is there; they are one program
// under the names that distributions give it.
func (s *Stage) start(t testing.TB, programs []string, args ...string) *proc.Process {
	t.Helper()
	for _, program := range programs {
		if path, err := exec.LookPath(program); err == nil {
			return proc.Start(t, proc.Spec{Name: program, Path: path, Args: args, Logs: s.folder})
		}
	}
	t.Fatalf("%s is not on the PATH; test/install-tools.sh installs it", strings.Join(programs, " or "))
	return nil
}

// answers waits until a server is ready.
func (s *Stage) answers(t testing.TB, p *proc.Process, url string) {
	t.Helper()
	await.Until(t, startDeadline, url+" to be ready", func() error {
		if err := p.Ended(); err != nil {
			return await.Hopeless(err)
		}
		return get(url+"/-/ready", nil)
	})
}

// get reads a JSON answer into out unless that is nil.
func get(url string, out any) error {
	client := http.Client{Timeout: 10 * time.Second}
	resp, err := client.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered %s", url, resp.Status)
	}
	if out == nil {
		return nil
	}
	return json.NewDecoder(resp.Body).Decode(out)
}

// Render returns what a template of the example makes of a notification, by
// Alertmanager's own tool.
func (s *Stage) Render(t testing.TB, template string, n Notification) string {
	t.Helper()
	data := filepath.Join(t.TempDir(), "notification.json")
	if err := os.WriteFile(data, n.Raw, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("amtool", "template", "render", "--template.glob="+s.path("templates/*.tmpl"),
		"--template.text={{ template \""+template+"\" . }}", "--template.data="+data).CombinedOutput()
	if err != nil {
		t.Fatalf("amtool: %v: %s", err, out)
	}
	return string(out)
}
