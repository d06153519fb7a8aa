package flinksim

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// shape is the set of "path type" of the answers of one endpoint.
type shape map[string]bool

// contract holds the shapes of one version: by endpoint and status.
type contract map[string]shape

var (
	idPattern         = regexp.MustCompile(`[0-9a-f]{32}`)
	checkpointPattern = regexp.MustCompile(`details/\d+`)
	workerPattern     = regexp.MustCompile(`^/taskmanagers/[^/?]+`)
)

// endpoint reduces a path to the page that it asks for.
func endpoint(path string, status int) string {
	path = workerPattern.ReplaceAllString(path, "/taskmanagers/ID")
	path = checkpointPattern.ReplaceAllString(idPattern.ReplaceAllString(path, "ID"), "details/N")
	page, query, asks := strings.Cut(path, "?")
	if asks {
		page += "?"
	}
	if strings.Contains(query, "agg=") {
		page += "agg"
	}
	return fmt.Sprintf("%s %d", page, status)
}

// add walks a body. Ids as keys become *, Java's NaN strings a type of their own.
func (s shape) add(path string, v any) {
	switch v := v.(type) {
	case map[string]any:
		s[path+" object"] = true
		for k, x := range v {
			s.add(path+"."+idPattern.ReplaceAllString(k, "*"), x)
		}
	case []any:
		s[path+" array"] = true
		for _, x := range v {
			s.add(path+"[]", x)
		}
	case json.Number:
		kind := " int"
		if strings.ContainsAny(v.String(), ".E") {
			kind = " float"
		}
		s[path+kind] = true
	case string:
		kind := " string"
		if v == "NaN" && !strings.HasSuffix(path, ".value") {
			kind = " NaN"
		}
		s[path+kind] = true
	case bool:
		s[path+" bool"] = true
	case nil:
		s[path+" null"] = true
	}
}

func (c contract) add(path string, status int, body []byte) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	key := endpoint(path, status)
	if c[key] == nil {
		c[key] = shape{}
	}
	c[key].add("", v)
	return nil
}

// notSimulated are pages on the tapes that nothing in the product reads.
func notSimulated(key string) bool {
	return strings.Contains(key, "flamegraph") || strings.Contains(key, "rescales/overview") ||
		strings.Contains(key, "/vertices/ID/taskmanagers") || strings.HasSuffix(key, " 0")
}

// recorded reads the contract of every version off the tapes.
func recorded(t *testing.T) map[string]contract {
	t.Helper()
	files, err := filepath.Glob("../../testdata/tapes/*.jsonl.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no tapes: %v", err)
	}
	all := map[string]contract{}
	for _, name := range files {
		base := strings.TrimSuffix(filepath.Base(name), ".jsonl.gz")
		version := base[strings.LastIndexByte(base, '-')+1:]
		if all[version] == nil {
			all[version] = contract{}
		}
		readTape(t, name, all[version])
	}
	return all
}

func readTape(t *testing.T, name string, c contract) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var l struct {
			Path   string
			Status int
			Body   json.RawMessage
		}
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := c.add(l.Path, l.Status, l.Body); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// contractCluster has all that the tapes of its version have: a restart, and
// where they do, an adaptive job, a Kafka source and a source without busy time.
func contractCluster(version string) Cluster {
	p := pipeline("plain", 4)
	again := pipeline("again", 4)
	again.RestartEvery = 45 * time.Second
	c := Cluster{Version: version, Seed: 1, Age: 90 * time.Second, Jobs: []Job{p}}
	switch version {
	case "2.3.0":
		sql := pipeline("sql", 3)
		sql.Vertices[0].NoBusyTime = true
		adaptive := pipeline("adaptive", 4)
		adaptive.Scheduler = "Adaptive"
		c.Jobs = append(c.Jobs, sql, adaptive, idleReaders())
		c.Jobs[2].Events = []Event{{After: 40 * time.Second, Kind: RescaleTo, Parallelism: map[string]int{enrichName: 7, sinkName: 7}}}
	case "1.20.3":
		c.Jobs = append(c.Jobs, again)
	}
	return c
}

// simulated polls the version's cluster as the tapes were made, for 100 s.
func simulated(t *testing.T, version string) contract {
	t.Helper()
	now := time.Unix(1_795_955_113, 512e6)
	sim, err := New(contractCluster(version), func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	c := contract{}
	get := func(path string) []byte {
		r := httptest.NewRecorder()
		sim.ServeHTTP(r, httptest.NewRequest(http.MethodGet, path, nil))
		if err := c.add(path, r.Code, r.Body.Bytes()); err != nil {
			t.Fatal(err)
		}
		return r.Body.Bytes()
	}
	for range 20 {
		pollAll(sim, get)
		now = now.Add(5 * time.Second)
	}
	return c
}

// pollAll asks for every page that the tapes have.
func pollAll(sim *Sim, get func(string) []byte) {
	for _, page := range []string{"/overview", "/config", "/jobs", "/jobs/overview", "/jobmanager/config", "/jobmanager/metrics", "/taskmanagers"} {
		get(page)
	}
	for _, tm := range sim.env.tms {
		get("/taskmanagers/" + tm.id)
		get("/taskmanagers/" + tm.id + "/metrics?get=Status.JVM.CPU.Time,Status.JVM.CPU.Load")
		get("/taskmanagers/" + tm.id + "/metrics")
	}
	for _, en := range sim.order {
		job := "/jobs/" + en.id
		for _, page := range []string{"", "/plan", "/config", "/exceptions", "/checkpoints", "/checkpoints/config", "/jobmanager/config", "/resource-requirements", "/metrics?get=uptime,numRestarts"} {
			get(job + page)
		}
		_, l := en.at(sim.now())
		done := l.completed(sim.now(), 1)
		details := ""
		if len(done) > 0 {
			details = fmt.Sprintf("%s/checkpoints/details/%d", job, done[0].id)
			get(details)
		}
		for v := range l.run.par {
			vid := en.state.ids[v]
			for _, page := range []string{"", "/backpressure", "/watermarks", "/subtasktimes", "/metrics", "/metrics?get=0.busyTimeMsPerSecond,0.numRecordsIn",
				"/subtasks/metrics?get=busyTimeMsPerSecond,numRecordsInPerSecond&agg=min,max,avg,sum,skew"} {
				get(job + "/vertices/" + vid + page)
			}
			if details != "" {
				get(details + "/subtasks/" + vid)
			}
		}
	}
}

// optional are the parts that depend on chance or on the moment, so that one
// side may have them without the other. The reason stands beside each.
func optional(key, part string) bool {
	for _, o := range []struct{ key, part, why string }{
		{"/exceptions", ".entries[]", "the tapes asked once, and of one job that had failed by then"},
		{"/exceptions", ".all-exceptions[]", "as above"},
		{"/exceptions", ".root-exception", "as above: null or a text"},
		{"/exceptions", ".timestamp", "as above: null or a number"},
		{"/checkpoints 200", ".latest.restored", "only after a restart or rescale; null before"},
		{"/vertices/ID 200", ".subtasks[].metrics.accumulated-busy-time NaN", "only for sources that cannot measure"},
		{"/taskmanagers/ID/metrics 200", "[]", "the tapes asked a cold store"},
		{"/taskmanagers/ID 200", ".allocatedSlots[]", "empty where no slot is taken"},
		{"/jobs/ID/checkpoints 200", "NaN", "quantiles before the first checkpoint; no tape is that early"},
		{"/jobs/ID/checkpoints 200", ".latest.completed null", "before the first checkpoint"},
		{"/backpressure 500", "", "only in the moment of a restart"},
	} {
		if strings.Contains(key, o.key) && strings.Contains(part, o.part) {
			return true
		}
	}
	return false
}

// TestContract holds every page's fields and types against the tapes.
func TestContract(t *testing.T) {
	tapes := recorded(t)
	t.Run("1.18.1", func(t *testing.T) { checkUnrecorded(t, tapes) })
	for version, want := range tapes {
		t.Run(version, func(t *testing.T) {
			got := simulated(t, version)
			for _, key := range slices.Sorted(maps.Keys(want)) {
				if notSimulated(key) {
					continue
				}
				if got[key] == nil && !optional(key, "") {
					t.Errorf("%s: the simulator never answers so", key)
					continue
				}
				for part := range want[key] {
					if !got[key][part] && !optional(key, part) {
						t.Errorf("%s: lacks %q", key, part)
					}
				}
				for part := range got[key] {
					if !want[key][part] && !optional(key, part) {
						t.Errorf("%s: has %q, which Flink has not", key, part)
					}
				}
			}
		})
	}
}

// checkUnrecorded: 1.18.1, of which there is no tape, has what both its
// neighbours have and nothing that neither has.
func checkUnrecorded(t *testing.T, tapes map[string]contract) {
	got := simulated(t, "1.18.1")
	for key, parts := range got {
		before, after := tapes["1.17.2"][key], tapes["1.20.3"][key]
		if before == nil && after == nil {
			continue // statuses of optional pages
		}
		for part := range parts {
			if !before[part] && !after[part] && !optional(key, part) {
				t.Errorf("%s: has %q, which neither neighbour has", key, part)
			}
		}
		for part := range before {
			if after[part] && !parts[part] && !optional(key, part) {
				t.Errorf("%s: lacks %q, which both neighbours have", key, part)
			}
		}
	}
}
