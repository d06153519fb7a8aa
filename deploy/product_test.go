package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// root is the repository.
const root = ".."

// binary is the program that the packages run, built once.
var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "flink-skew-deploy")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "flink-skew-exporter")
	build := exec.Command("go", "build", "-o", binary, "./cmd/flink-skew-exporter")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		panic("building the exporter: " + err.Error() + "\n" + string(out))
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// planned names what packages use already and the program does not have yet, as
// "command" or "command --flag". An entry that exists is an error: delete it.
func planned() []string { return nil }

// plannedKeys are those at the top of the configuration that packages use
// already and the program does not know yet. One that it knows is an error.
func plannedKeys() []string { return nil }

// help is what the program says of a command; it fails for one it does not know.
func help(command ...string) (string, error) {
	out, err := exec.Command(binary, append(command, "--help")...).CombinedOutput()
	return string(out), err
}

// has reports whether the program has a command, or a flag of it.
func has(command, flag string) bool {
	text, err := help(strings.Fields(command)...)
	if err != nil {
		return false
	}
	if flag == "" {
		return strings.Contains(text, "usage: flink-skew-exporter "+command+" ")
	}
	name := regexp.QuoteMeta(strings.TrimPrefix(flag, "--"))
	return regexp.MustCompile(`(?m)^ +--(\[no-\])?` + name + `(=| |$)`).MatchString(text)
}

func TestPlannedIsNotThereYet(t *testing.T) {
	for _, p := range planned() {
		command, flag, _ := strings.Cut(p, " --")
		if flag != "" {
			flag = "--" + flag
		}
		if has(command, flag) {
			t.Errorf("%q is there now: delete it from planned()", p)
		}
	}
	reference := readAll(t, "deploy/reference-config.yaml")["reference-config.yaml"]
	for _, key := range plannedKeys() {
		if strings.Contains(reference, "\n"+key+":") {
			t.Errorf("%q is there now: delete it from plannedKeys()", key)
		}
	}
}

// acceptsArguments fails when a command line names a command or a flag that
// the program does not have.
func acceptsArguments(t *testing.T, where string, args []string) {
	t.Helper()
	var words, flags []string
	for _, a := range args {
		if strings.HasPrefix(a, "--") {
			name, _, _ := strings.Cut(a, "=")
			flags = append(flags, name)
		} else if len(flags) == 0 {
			words = append(words, a)
		}
	}
	command := strings.Join(words, " ")
	if command == "" {
		command = "serve"
	}
	known := func(what string, there bool) {
		if !there && !slices.Contains(planned(), what) {
			t.Errorf("%s: the program has no %q (%v)", where, what, args)
		}
	}
	known(command, has(command, ""))
	for _, f := range flags {
		known(command+" "+f, has(command, f))
	}
	if len(words) == 0 && len(flags) == 0 {
		t.Errorf("%s: nothing to check", where)
	}
}

// acceptsVariable fails when no flag of the command comes from a variable.
func acceptsVariable(t *testing.T, where, command, variable string) {
	t.Helper()
	text, err := help(strings.Fields(command)...)
	if err == nil && strings.Contains(text, "$"+variable+")") {
		return
	}
	for _, p := range planned() {
		name := "FLINK_SKEW_" + strings.ToUpper(strings.NewReplacer(".", "_", "-", "_").Replace(strings.TrimPrefix(p, command+" --")))
		if name == variable {
			return
		}
	}
	t.Errorf("%s: no flag of %q comes from %s", where, command, variable)
}

// acceptsConfig has the program check a configuration file, whose secrets are
// made where it looks for them.
func acceptsConfig(t *testing.T, where, text string) {
	t.Helper()
	dir := t.TempDir()
	text = withoutPlanned(t, text)
	for _, path := range regexp.MustCompile(`/etc/flink-skew-exporter/\S+`).FindAllString(text, -1) {
		file := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(testCertificate), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "config.yml")
	text = strings.ReplaceAll(text, "/etc/flink-skew-exporter", filepath.Join(dir, "etc/flink-skew-exporter"))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(binary, "check", "config", file).CombinedOutput(); err != nil {
		t.Errorf("%s: %v: %s\n%s", where, err, out, text)
	}
}

// withoutPlanned takes plannedKeys out of a configuration.
func withoutPlanned(t *testing.T, text string) string {
	t.Helper()
	if len(plannedKeys()) == 0 {
		return text
	}
	var config map[string]any
	if err := yaml.Unmarshal([]byte(text), &config); err != nil {
		t.Fatal(err)
	}
	for _, key := range plannedKeys() {
		delete(config, key)
	}
	left, err := yaml.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	return string(left)
}

// checkAlerts has the program check a PrometheusRule.
func checkAlerts(t *testing.T, where string, object any) {
	t.Helper()
	text, err := yaml.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "rule.yml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(binary, "check", "alerts", file).CombinedOutput()
	if err != nil || !regexp.MustCompile(`valid: [1-9]\d* alerts, [1-9]\d* recording rules`).Match(out) {
		t.Errorf("%s: %v: %s", where, err, out)
	}
}

// alerts returns the names of all alerts of the repository.
func alerts(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, text := range readAll(t, "alerts/*.rules.yml") {
		for _, m := range regexp.MustCompile(`alert: (\w+)`).FindAllStringSubmatch(text, -1) {
			names[m[1]] = true
		}
	}
	return names
}

// dashboards returns the dashboards of the repository by file name.
func dashboards(t *testing.T) map[string]string {
	t.Helper()
	return readAll(t, "dashboards/*.json")
}

func readAll(t *testing.T, pattern string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("nothing matches %s: %v", pattern, err)
	}
	all := map[string]string{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(f)] = string(text)
	}
	return all
}
