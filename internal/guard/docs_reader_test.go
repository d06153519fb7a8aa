package guard

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/restapi/flinksim"
)

// reader types what a page says into a shell, in a folder that has the
// repository's files and may be written to.
type reader struct {
	t    *testing.T
	dir  string
	env  []string
	edit *strings.Replacer
	// address is where the last server that the page started listens.
	address string
	// abridged console blocks leave lines out without saying so.
	abridged bool
}

// buildProgram returns a folder with the program, and with a curl of ours, so
// that no other is needed.
func buildProgram(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(bin, "flink-skew-exporter"), "./cmd/flink-skew-exporter")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the program: %v\n%s", err, out)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(bin, "curl")); err != nil {
		t.Fatal(err)
	}
	return bin
}

func newReader(t *testing.T, bin string) *reader {
	t.Helper()
	r := &reader{t: t, dir: t.TempDir()}
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"testdata", "alerts", "dashboards", "deploy", "docs"} {
		if err := os.Symlink(filepath.Join(top, name), filepath.Join(r.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(bin, "flink-skew-exporter"), filepath.Join(r.dir, "flink-skew-exporter")); err != nil {
		t.Fatal(err)
	}
	r.write("run/secrets/flink-token", "token")
	r.env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "NO_COLOR=1", "FLINK_SKEW_INTERVAL=50ms")
	r.edit = strings.NewReplacer(
		"go run ./cmd/flink-skew-exporter", "flink-skew-exporter",
		"go build -o flink-skew-exporter", "go build -C "+top+" -o "+filepath.Join(r.dir, "built"),
		"http://jobmanager:8081", simulatedJobManager(t),
		"--interval=10s", "--interval=50ms",
		"/run/secrets/", filepath.Join(r.dir, "run/secrets")+"/",
	)
	return r
}

// simulatedJobManager serves the demo's first cluster, always up to date.
func simulatedJobManager(t *testing.T) string {
	t.Helper()
	cluster := flinksim.Demo(8)[0]
	cluster.MetricInterval = -1
	sim, err := flinksim.New(cluster, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(sim)
	t.Cleanup(s.Close)
	return s.URL
}

func (r *reader) write(name, text string) {
	r.t.Helper()
	file := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// follow does what the blocks say, in their order.
func (r *reader) follow(all []block) {
	for _, b := range all {
		switch b.lang {
		case "yaml":
			if name := fileOf(b); name != "" {
				r.write(name, r.edit.Replace(b.text))
			}
		case "sh":
			for _, line := range strings.Split(strings.TrimSpace(b.text), "\n") {
				r.do(b, line)
			}
		case "console":
			r.console(b)
		}
	}
}

// console runs the lines after $ and compares what follows each.
func (r *reader) console(b block) {
	for _, part := range strings.Split("\n"+strings.TrimRight(b.text, "\n"), "\n$ ")[1:] {
		lines := strings.Split(part, "\n")
		printed := strings.Split(strings.TrimRight(r.do(b, lines[0]), "\n"), "\n")
		shown := lines[1:]
		if r.abridged {
			shown = strings.Split("…\n"+strings.Join(shown, "\n…\n")+"\n…", "\n")
		}
		if len(lines) > 1 && !matches(shown, printed) {
			r.t.Errorf("line %d: %s\nis shown to print\n%s\nand prints\n%s", b.line, lines[0], strings.Join(shown, "\n"), strings.Join(printed, "\n"))
		}
	}
}

// do runs one line of a page and returns what it prints. A server goes on
// until the test ends.
func (r *reader) do(b block, line string) string {
	if strings.Contains(line, "localhost:9923") {
		if r.address == "" { // The page takes for granted that the exporter runs.
			r.serve(b, r.edit.Replace("flink-skew-exporter --flink.url=http://jobmanager:8081"))
		}
		line = strings.ReplaceAll(line, "localhost:9923", r.address)
	}
	line = r.edit.Replace(line)
	for begin := range notHere() {
		if strings.HasPrefix(line, begin) {
			return ""
		}
	}
	if regexp.MustCompile(`^(\./)?flink-skew-exporter (demo|serve|--(flink|config)\.)`).MatchString(line) {
		r.serve(b, line)
		return ""
	}
	cmd := exec.CommandContext(r.t.Context(), "sh", "-euc", line)
	cmd.Dir, cmd.Env = r.dir, r.env
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		r.t.Errorf("line %d: %s: %v\n%s%s", b.line, line, err, out, stderr.String())
	}
	return string(out)
}

// serve starts a server on a free port and waits until it says where.
func (r *reader) serve(b block, line string) {
	line, _, _ = strings.Cut(line, " #")
	cmd := exec.CommandContext(r.t.Context(), "sh", "-euc", "exec "+strings.TrimSpace(line)+" --web.listen-address=127.0.0.1:0")
	cmd.Dir, cmd.Env = r.dir, r.env
	logs, err := cmd.StderrPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	listening := make(chan string, 1)
	go func() {
		defer close(listening)
		for s := bufio.NewScanner(logs); s.Scan(); {
			if m := regexp.MustCompile(`Listening on.*address=(\S+)`).FindStringSubmatch(s.Text()); m != nil {
				listening <- m[1]
			}
		}
		_ = cmd.Wait()
	}()
	address, ok := <-listening
	if !ok {
		r.t.Fatalf("line %d: %s ended without listening", b.line, line)
	}
	r.address = address
}

// curl prints the answer to a GET request. It fails for an answer that is no
// success, which the real one would print: a page must not show that.
func curl(args []string) int {
	resp, err := http.Get(args[len(args)-1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "curl:", err)
		return 1
	}
	defer func() { _ = resp.Body.Close() }()
	if _, err := io.Copy(os.Stdout, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		fmt.Fprintln(os.Stderr, "curl:", resp.Status, err)
		return 1
	}
	return 0
}
