package page

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/flink-skew-exporter/flink-skew-exporter/test/await"
	"github.com/flink-skew-exporter/flink-skew-exporter/test/product"
)

// maxBytes is what a page may have, whatever the cluster.
const maxBytes = 300_000

//go:embed rules.js
var rules string

// TestStatusPage builds the product once for all that follows.
func TestStatusPage(t *testing.T) {
	binary := product.Build(t, "../..")
	for name, test := range map[string]func(*testing.T, product.Binary){
		"from fleet to vertex": fromFleetToVertex, "every page is sound": everyPageIsSound, "without script": withoutScript,
		"refresh keeps the place": refreshKeepsThePlace, "thousand subtasks": thousandSubtasks, "unreachable": unreachable,
		"hostile names": hostileNames, "described": described,
	} {
		t.Run(name, func(t *testing.T) { test(t, binary) })
	}
}

// demo starts the demo and returns its address.
func demo(t *testing.T, binary product.Binary, name string, args ...string) (base string) {
	t.Helper()
	p := binary.Start(t, name, append([]string{"demo", "--web.listen-address=127.0.0.1:0"}, args...)...)
	await.Until(t, time.Minute, "the demo to say where it listens", func() error {
		if err := p.Ended(); err != nil {
			return await.Hopeless(err)
		}
		_, rest, _ := strings.Cut(string(p.Stdout()), "http://")
		address, _, found := strings.Cut(rest, "/")
		if !found {
			return fmt.Errorf("no address yet")
		}
		base = "http://" + address
		return nil
	})
	return base
}

// serve starts the exporter for a JobManager and returns its address.
func serve(t *testing.T, binary product.Binary, name, jobManager string, args ...string) (base string) {
	t.Helper()
	p := binary.Start(t, name, append([]string{"serve", "--flink.url=" + jobManager, "--web.listen-address=127.0.0.1:0"}, args...)...)
	await.Until(t, time.Minute, "the exporter to listen", func() error {
		if err := p.Ended(); err != nil {
			return await.Hopeless(err)
		}
		_, rest, found := strings.Cut(string(p.Stderr()), "address=127.0.0.1:")
		if !found {
			return fmt.Errorf("not yet")
		}
		base = "http://127.0.0.1:" + strings.Fields(rest)[0]
		return nil
	})
	return base
}

// get returns a page's body.
func get(t testing.TB, url string) (string, int) {
	t.Helper()
	client := http.Client{Timeout: time.Minute}
	resp, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body), resp.StatusCode
}

// finding is what the tests need of one.
type finding struct {
	Cluster  string `json:"cluster"`
	JobID    string `json:"job_id"`
	JobName  string `json:"job_name"`
	VertexID string `json:"vertex_id"`
	Vertex   string `json:"vertex"`
	ID       string `json:"id"`
	Severity string `json:"severity"`
	Summary  string `json:"summary"`
}

// judged waits until the API has a finding with this id and severity.
func judged(t *testing.T, base, id, severity string) (f finding) {
	t.Helper()
	await.Until(t, 2*time.Minute, id+" to be found", func() error {
		body, _ := get(t, base+"/api/v1/findings?severity="+severity)
		var answer struct{ Findings []finding }
		if err := json.Unmarshal([]byte(body), &answer); err != nil {
			return err
		}
		for _, f = range answer.Findings {
			if f.ID == id {
				return nil
			}
		}
		return fmt.Errorf("%d findings, none is %s", len(answer.Findings), id)
	})
	return f
}

// sound holds the page that is open against the rules, dark and light, wide
// and narrow.
func sound(t *testing.T, b *browser) {
	t.Helper()
	for _, name := range []string{"light", "dark"} {
		for _, width := range []int64{1440, 420} {
			b.look(t, name, width, 900)
			for _, broken := range eval[[]string](t, b, rules) {
				t.Errorf("%s, %d wide: %s", name, width, broken)
			}
		}
	}
	b.look(t, "light", 1440, 900)
}

// text is what a person reads of an element.
func text(t *testing.T, b *browser, css string) string {
	t.Helper()
	return eval[string](t, b, fmt.Sprintf("document.querySelector(%q)?.innerText ?? ''", css))
}

// fromFleetToVertex clicks its way from the fleet to the vertex that holds
// a job back, as somebody who was called at night does.
func fromFleetToVertex(t *testing.T, binary product.Binary) {
	base := demo(t, binary, "fleet", "--poll.interval=2s")
	hot := judged(t, base, "hot_key", "critical")
	await.Until(t, 2*time.Minute, "the verdict to be sure", func() error {
		body, _ := get(t, base+"/jobs/"+hot.Cluster+"/"+hot.JobID+"/"+hot.VertexID)
		if !strings.Contains(body, "high confidence") {
			return fmt.Errorf("not yet")
		}
		return nil
	})
	b := open(t, base)
	b.goes(t, "/")
	if h := text(t, b, "h1"); !strings.Contains(h, "critical") || !strings.Contains(h, "15 jobs on 2 clusters") {
		t.Errorf("the fleet's heading is %q", h)
	}
	if first := text(t, b, ".jobs tbody tr:first-child td"); !strings.Contains(first, "critical") {
		t.Errorf("the first job is %q, not the worst", first)
	}
	sound(t, b)
	pictures(t, b, "status-fleet", 1500)

	b.click(t, fmt.Sprintf(`.jobs a[href$=%q]`, hot.JobID), ".graph")
	if got := eval[int](t, b, `document.querySelectorAll(".graph .card").length`); got != 3 {
		t.Errorf("the graph has %d cards, want 3", got)
	}
	if got := text(t, b, ".card.root"); !strings.Contains(got, "hot key") || !strings.Contains(got, "bottleneck") {
		t.Errorf("the outlined card says %q", got)
	}
	if got := text(t, b, ".card.victim"); !strings.Contains(got, "waits for enrich") {
		t.Errorf("the victim says %q", got)
	}
	if got := eval[int](t, b, `document.querySelectorAll(".edges .edge.cause").length`); got != 1 {
		t.Errorf("%d arrows of cause, want 1", got)
	}
	if !eval[bool](t, b, `(() => { const x = (c) => document.querySelector(c).getBoundingClientRect(); return x(".victim").right < x(".root").left && x(".root").right < x(".card:last-child").left })()`) {
		t.Error("the cards do not stand from left to right")
	}
	sound(t, b)
	pictures(t, b, "status-job", 900)

	b.click(t, ".card.root a", ".sentence")
	if got := text(t, b, ".lead"); got == "" || !strings.HasPrefix(hot.Summary, strings.TrimSpace(got)[:12]) {
		t.Errorf("the vertex opens with %q, the API says %q", got, hot.Summary)
	}
	for css, what := range map[string]string{
		".heat .cells path": "heatmap", ".owners path": "key groups", ".bracket .hot": "bracket of the hot range",
		".dot.named": "scatter", ".curve": "curve", ".do li": "advice", ".dont li": "caution", "#evidence tbody tr": "evidence", "#subtasks tr.named": "hot subtask's row",
	} {
		if eval[int](t, b, fmt.Sprintf("document.querySelectorAll(%q).length", css)) == 0 {
			t.Errorf("the vertex has no %s", what)
		}
	}
	sound(t, b)
	pictures(t, b, "status-vertex", 2600)
	b.silent(t)
}

// pictures shoots the page light and dark.
func pictures(t *testing.T, b *browser, name string, most int64) {
	t.Helper()
	for _, s := range []string{"light", "dark"} {
		b.look(t, s, 1440, 900)
		b.shoot(t, name+"-"+s, 1440, most)
	}
	b.look(t, "light", 1440, 900)
}

// everyPageIsSound visits every job and vertex of the demo.
func everyPageIsSound(t *testing.T, binary product.Binary) {
	base := demo(t, binary, "sound", "--poll.interval=2s")
	judged(t, base, "hot_key", "critical")
	judged(t, base, "idle_readers", "warning")
	b := open(t, base)
	b.goes(t, "/")
	jobs := eval[[]string](t, b, `[...document.querySelectorAll(".jobs th a")].map((a) => a.pathname)`)
	if len(jobs) != 15 {
		t.Fatalf("%d jobs, want 15", len(jobs))
	}
	for _, job := range jobs {
		b.goes(t, job)
		name := text(t, b, "h1")
		report := func(where string) {
			for _, broken := range eval[[]string](t, b, rules) {
				t.Errorf("%s, %s: %s", name, where, broken)
			}
		}
		report("job")
		for _, vertex := range eval[[]string](t, b, `[...document.querySelectorAll(".card a")].map((a) => a.pathname)`) {
			b.goes(t, vertex)
			report(vertex)
		}
	}
	b.silent(t)
}

// withoutScript: everything is there, and every link leads on, when the
// browser runs no JavaScript.
func withoutScript(t *testing.T, binary product.Binary) {
	base := demo(t, binary, "noscript", "--poll.interval=2s")
	hot := judged(t, base, "hot_key", "critical")
	b := open(t, base)
	command(t, b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	path := "/jobs/" + hot.Cluster + "/" + hot.JobID + "/" + hot.VertexID
	b.do(t, chromedp.Navigate(base+path))
	lead, err := chromedp.Run(b.ctx, chromedp.TextContent(chromedp.CSS(".lead")))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(lead, "busy") {
		t.Errorf("without scripts the vertex opens with %q", lead)
	}
	b.silent(t)
}

// refreshKeepsThePlace: a refresh takes neither focus nor scroll position,
// and can be paused.
func refreshKeepsThePlace(t *testing.T, binary product.Binary) {
	base := demo(t, binary, "refresh", "--poll.interval=2s")
	hot := judged(t, base, "hot_key", "critical")
	b := open(t, base)
	b.goes(t, "/jobs/"+hot.Cluster+"/"+hot.JobID)
	b.do(t, chromedp.EmulateViewport(520, 500))
	before := eval[string](t, b, `(() => {
		document.getElementById("graph").scrollLeft = 150; scrollTo(0, 200);
		document.querySelector(".card.root a").focus({ preventScroll: true });
		window.old = document.querySelector(".card");
		return document.querySelector(".sub").textContent })()`)
	await.Until(t, time.Minute, "the page to be refreshed", func() error {
		if now := eval[string](t, b, `document.querySelector(".sub").textContent`); now == before {
			return fmt.Errorf("still %s", now)
		}
		return nil
	})
	got := eval[map[string]any](t, b, `({ fresh: !window.old.isConnected, left: document.getElementById("graph").scrollLeft, top: scrollY,
		focus: document.activeElement.closest(".card.root") !== null })`)
	if got["fresh"] != true || got["left"] != 150.0 || got["top"] != 200.0 || got["focus"] != true {
		t.Errorf("after a refresh: %v", got)
	}
	b.click(t, "#refresh button", "#refresh")
	if got := text(t, b, "#refresh"); !strings.Contains(got, "paused") {
		t.Errorf("once paused the page says %q", got)
	}
	b.silent(t)
}

// thousandSubtasks stay readable and small.
func thousandSubtasks(t *testing.T, binary product.Binary) {
	base := demo(t, binary, "thousand", "--parallelism=1000", "--poll.interval=5s")
	hot := judged(t, base, "hot_key", "critical")
	b := open(t, base)
	for _, path := range []string{"/", "/jobs/" + hot.Cluster + "/" + hot.JobID, "/jobs/" + hot.Cluster + "/" + hot.JobID + "/" + hot.VertexID} {
		body, status := get(t, base+path)
		t.Logf("%s: %d bytes", path, len(body))
		if status != http.StatusOK || len(body) > maxBytes {
			t.Errorf("%s: status %d, %d bytes, want at most %d", path, status, len(body), maxBytes)
		}
		b.goes(t, path)
		sound(t, b)
	}
	b.shoot(t, "status-thousand", 1440, 2200)
	b.silent(t)
}

// unreachable: an exporter whose cluster refuses says so, and shows no zero
// where nothing is known.
func unreachable(t *testing.T, binary product.Binary) {
	base := serve(t, binary, "unreachable", "http://127.0.0.1:1")
	b := open(t, base)
	await.Until(t, time.Minute, "the first poll to fail", func() error {
		b.goes(t, "/")
		if got := text(t, b, "#clusters tbody"); !strings.Contains(got, "down: refused") {
			return fmt.Errorf("the cluster is %q", got)
		}
		return nil
	})
	if got := text(t, b, "h1"); !strings.Contains(got, "1 cluster not reached") {
		t.Errorf("the heading is %q", got)
	}
	if got := eval[[]string](t, b, `[...document.querySelectorAll("#clusters td.num")].map((c) => c.innerText)`); strings.Join(got, " ") != "– – –" {
		t.Errorf("the numbers of a cluster that was never reached are %q", got)
	}
	sound(t, b)
	b.shoot(t, "status-unreachable", 1440, 800)
	b.silent(t)
}
