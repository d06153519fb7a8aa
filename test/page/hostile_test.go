package page

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/test/await"
	"github.com/flink-skew-exporter/flink-skew-exporter/test/product"
)

// hostileName is what nobody should call a job, and what a page must show as
// text: it tries to run, to close what it stands in, to turn the line around,
// and to fill the screen.
var hostileName = `"><script>window.owned=1</script><img src=x onerror="window.owned=1">` + "'`{{.}}\u202edlrow\u2066\x1b[31m\x00" + strings.Repeat("very long ", 500)

// jobManager answers as a recorded one did last, with hostile names.
func jobManager(t *testing.T, tape string) *httptest.Server {
	t.Helper()
	file, err := os.Open(tape)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]any{}
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var line struct {
			Path string
			Body any
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(line.Path, "/jobs") && !strings.Contains(line.Path, "/metrics") {
			line.Body = renamed(line.Body)
		}
		answers[line.Path] = line.Body
	}
	if lines.Err() != nil || len(answers) < 10 {
		t.Fatalf("%s: %d answers, %v", tape, len(answers), lines.Err())
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := answers[r.URL.RequestURI()]
		if !ok {
			body, ok = answers[r.URL.Path]
		}
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(body)
	}))
	t.Cleanup(s.Close)
	return s
}

// renamed gives everything with a name the hostile one.
func renamed(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			if _, ok := v[k].(string); ok && (k == "name" || k == "description") {
				v[k] = hostileName
			} else {
				v[k] = renamed(v[k])
			}
		}
	case []any:
		for i := range v {
			v[i] = renamed(v[i])
		}
	}
	return v
}

// hostileNames are text, on every page.
func hostileNames(t *testing.T, binary product.Binary) {
	jm := jobManager(t, "../../testdata/tapes/hot-key-2.3.0.jsonl.gz")
	base := serve(t, binary, "hostile", jm.URL, "--poll.interval=2s")
	b := open(t, base)
	await.Until(t, time.Minute, "the job to be seen", func() error {
		b.goes(t, "/")
		if eval[int](t, b, `document.querySelectorAll(".jobs th a").length`) != 1 {
			return fmt.Errorf("no job yet")
		}
		return nil
	})
	check := func(where string) {
		t.Helper()
		if eval[bool](t, b, `"owned" in window`) {
			t.Errorf("%s: a name has run", where)
		}
		if n := eval[int](t, b, `document.querySelectorAll("main script, main img").length`); n != 0 {
			t.Errorf("%s: a name has made %d elements", where, n)
		}
		if got := text(t, b, "main"); !strings.Contains(got, `"><script>`) || strings.ContainsAny(got, "\u202e\u2066\x1b\x00") {
			t.Errorf("%s: the name is not shown as it is, or turns the line: %.300q", where, got)
		}
		sound(t, b)
	}
	check("fleet")
	b.click(t, ".jobs th a", ".graph")
	check("job")
	b.shoot(t, "status-hostile", 1440, 1200)
	b.click(t, ".card h3", ".sentence")
	check("vertex")
	b.silent(t)
}
