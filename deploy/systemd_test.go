package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/coreos/go-systemd/v22/unit"
)

const unitFile = "systemd/flink-skew-exporter.service"

// service reads the unit with systemd's own Go library; values by option.
func service(t *testing.T) map[string]string {
	t.Helper()
	f, err := os.Open(unitFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	options, err := unit.DeserializeOptions(f)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{}
	for _, o := range options {
		values[o.Name] = strings.TrimSpace(values[o.Name] + " " + o.Value)
	}
	return values
}

func TestSystemdUnit(t *testing.T) {
	s := service(t)
	program, args, _ := strings.Cut(s["ExecStart"], " ")
	if program != "/usr/bin/flink-skew-exporter" {
		t.Errorf("ExecStart: %s", s["ExecStart"])
	}
	acceptsArguments(t, "ExecStart", strings.Fields(args))
	for option, want := range map[string]string{
		"DynamicUser": "yes", "ProtectSystem": "strict", "NoNewPrivileges": "yes", "CapabilityBoundingSet": "",
		"ExecReload": "/bin/kill -HUP $MAINPID", "Restart": "on-failure", "WantedBy": "multi-user.target",
	} {
		if got, ok := s[option]; !ok || got != want {
			t.Errorf("%s is %q, want %q", option, got, want)
		}
	}
	text, err := os.ReadFile(unitFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`FLINK_SKEW_\w+`).FindAllString(string(text), -1) {
		acceptsVariable(t, unitFile, "serve", m)
	}
	config, err := os.ReadFile("systemd/config.yml")
	if err != nil {
		t.Fatal(err)
	}
	acceptsConfig(t, "systemd/config.yml", string(config))
	if analyze, err := exec.LookPath("systemd-analyze"); err == nil {
		accepted(t, analyze)
	}
}

// accepted asks systemd itself: the unit has no mistake and exposes little
// (0 is best, 10 worst).
func accepted(t *testing.T, analyze string) {
	t.Helper()
	text, err := os.ReadFile(unitFile)
	if err != nil {
		t.Fatal(err)
	}
	// The program has to exist for verify.
	there := strings.ReplaceAll(string(text), "/usr/bin/flink-skew-exporter", binary)
	file := filepath.Join(t.TempDir(), "flink-skew-exporter.service")
	if err := os.WriteFile(file, []byte(there), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(analyze, "verify", file).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("systemd-analyze verify: %v: %s", err, out)
	}
	out, err := exec.Command(analyze, "security", "--offline=true", "--no-pager", file).CombinedOutput()
	if err != nil {
		t.Fatalf("systemd-analyze security: %v: %s", err, out)
	}
	m := regexp.MustCompile(`Overall exposure level for \S+: ([\d.]+)`).FindSubmatch(out)
	if m == nil {
		t.Fatalf("no exposure level: %s", out)
	}
	if level, err := strconv.ParseFloat(string(m[1]), 64); err != nil || level > 2 {
		t.Errorf("exposure level %s", m[1])
	}
}
