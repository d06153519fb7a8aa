package restapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// both runs a decoder and its reference on one body.
func both[T any](decode, reference func([]byte) (T, error)) func([]byte) (got, want any, errGot, errWant error) {
	return func(b []byte) (any, any, error, error) {
		g, errG := decode(b)
		w, errW := reference(b)
		return g, w, errG, errW
	}
}

// TestDecodersEqualEncodingJSON holds every decoder against encoding/json on
// every recorded answer of every Flink version.
func TestDecodersEqualEncodingJSON(t *testing.T) {
	metricValues := both(decodeMetricValues, func(b []byte) (map[string]analysis.Num, error) {
		values, _, err := refMetrics(b)
		return values, err
	})
	pairs := map[string]func([]byte) (got, want any, errGot, errWant error){
		"/overview":                           both(decodeOverview, refOverview),
		"/jobs/overview":                      both(decodeJobs, refJobs),
		"/jobs/:id":                           both(decodeJob, refJob),
		"/jobs/:id/vertices/:id":              both(decodeVertex, refVertexDetail),
		"/jobs/:id/vertices/:id/backpressure": both(decodeBackpressure, refBackpressure),
		"/jobs/:id/vertices/:id/watermarks":   both(decodeWatermarks, refWatermarks),
		"/jobs/:id/vertices/:id/metrics": both(decodeMetricNames, func(b []byte) ([]string, error) {
			_, names, err := refMetrics(b)
			return names, err
		}),
		"/jobs/:id/vertices/:id/metrics?get":             metricValues,
		"/jobs/:id/metrics?get":                          metricValues,
		"/taskmanagers/:id/metrics?get":                  metricValues,
		"/jobs/:id/checkpoints":                          both(decodeCheckpoints, refCheckpoints),
		"/jobs/:id/checkpoints/details/:id/subtasks/:id": both(decodeCheckpointSubtasks, refCheckpointSubtasks),
		"/taskmanagers":                                  both(decodeTaskManagers, refTaskManagers),
	}
	seen := map[string]int{}
	eachAnswer(t, func(file string, l tapeLine) {
		where := endpoint(l.Path)
		decode, known := pairs[where]
		if !known || l.Status != 200 {
			return
		}
		version := file[strings.LastIndex(file, "-")+1:]
		seen[version]++
		seen[where]++
		got, want, err, errRef := decode(l.Body)
		if err != nil || errRef != nil {
			t.Fatalf("%s poll %d %s: error %v, of encoding/json %v", file, l.Poll, l.Path, err, errRef)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s poll %d %.120s:\n got %+v\nwant %+v", file, l.Poll, l.Path, got, want)
		}
	})
	for where := range pairs {
		if seen[where] < 4 {
			t.Errorf("%s: only %d recorded answers were compared", where, seen[where])
		}
	}
	for _, version := range []string{"1.15.4.jsonl.gz", "1.17.2.jsonl.gz", "1.20.3.jsonl.gz", "2.3.0.jsonl.gz"} {
		if seen[version] < 50 {
			t.Errorf("%s: only %d recorded answers were compared", version, seen[version])
		}
	}
}

// TestDecodeErrorsOnTapes reads the message of every recorded error.
func TestDecodeErrorsOnTapes(t *testing.T) {
	n := 0
	eachAnswer(t, func(file string, l tapeLine) {
		if l.Status < 400 {
			return
		}
		n++
		text := decodeErrors(l.Body)
		if text == "" || strings.Contains(text, "\n") || len([]rune(text)) > maxErrorRunes {
			t.Errorf("%s %s: %q", file, l.Path, text)
		}
	})
	if n < 20 {
		t.Errorf("only %d recorded errors", n)
	}
}

func TestDecodeErrors(t *testing.T) {
	for body, want := range map[string]string{
		`{"errors":["Job a not found"]}`:              "Job a not found",
		`{"errors":["","\n <Exception>: x\n\tat y"]}`: "<Exception>: x",
		`{"errors":[]}`: "",
		`<html>`:        "",
		`[]`:            "",
		`{"errors":["` + strings.Repeat("ü", 300) + `"]}`: strings.Repeat("ü", 200),
	} {
		if got := decodeErrors([]byte(body)); got != want {
			t.Errorf("%.40s: got %q, want %q", body, got, want)
		}
	}
}

// vertexWith returns an answer of parallelism 4 with the given list of subtasks.
func vertexWith(subtasks string) []byte {
	return []byte(`{"id":"v","name":"n","parallelism":4,"maxParallelism":128,"now":1000,"subtasks":[` + subtasks + `]}`)
}

func TestDecodeVertexShapes(t *testing.T) {
	const metrics = `"metrics":{"read-records":7,"read-records-complete":true,"accumulated-busy-time":12.0}`
	for name, c := range map[string]struct {
		subtask string
		want    analysis.Subtask
		hosts   map[string]string
	}{
		"1.x": {
			`{"subtask":0,"status":"RUNNING","attempt":2,"host":"tm-1","duration":5,` + metrics + `,"taskmanager-id":"a:1-x"}`,
			analysis.Subtask{Attempt: 2, State: "RUNNING", TaskManager: "a:1-x", AgeMs: analysis.Of(5),
				Counters: analysis.Counters{RecordsIn: analysis.Of(7), BusyMs: analysis.Of(12)}},
			map[string]string{"a:1-x": "tm-1"},
		},
		"endpoint before host": {
			`{"subtask":0,"host":"old","endpoint":"tm-1:41234","taskmanager-id":"a"}`,
			analysis.Subtask{TaskManager: "a"}, map[string]string{"a": "tm-1"},
		},
		"IPv6 endpoint": {
			`{"subtask":0,"endpoint":"[fe80::7]:41234","taskmanager-id":"a"}`,
			analysis.Subtask{TaskManager: "a"}, map[string]string{"a": "fe80::7"},
		},
		"unassigned": {
			`{"subtask":0,"status":"SCHEDULED","attempt":-1,"endpoint":"(unassigned)","taskmanager-id":"(unassigned)","duration":-1,"status-duration":{"RUNNING":-1}}`,
			analysis.Subtask{State: "SCHEDULED"}, map[string]string{},
		},
		"incomplete counters": {
			`{"subtask":0,"status":"RUNNING","metrics":{"read-records":0,"read-records-complete":false,"write-records":3,"write-records-complete":true,"accumulated-idle-time":9}}`,
			analysis.Subtask{State: "RUNNING", Counters: analysis.Counters{RecordsOut: analysis.Of(3), IdleMs: analysis.Of(9)}}, map[string]string{},
		},
		"cold: accumulated zeros are no times": {
			`{"subtask":0,"status":"RUNNING","metrics":{"read-records":0,"read-records-complete":false,"write-records":0,"write-records-complete":false,"accumulated-idle-time":0,"accumulated-busy-time":0.0}}`,
			analysis.Subtask{State: "RUNNING"}, map[string]string{},
		},
		"not a number": {
			`{"subtask":0,"metrics":{"accumulated-busy-time":"NaN","accumulated-idle-time":NaN,"accumulated-backpressured-time":-Infinity,"read-records":null,"write-records":"12"},"duration":Infinity}`,
			analysis.Subtask{Counters: analysis.Counters{RecordsOut: analysis.Of(12)}}, map[string]string{},
		},
		"wrong types": {
			`{"subtask":0,"status":{"a":[1,"]"]},"attempt":"x","metrics":[1,{}],"taskmanager-id":7,"status-duration":"long","duration":[]}`,
			analysis.Subtask{}, map[string]string{},
		},
		"broken escape in what is skipped": {
			`{"subtask":0,"name":"\x"}`, analysis.Subtask{}, map[string]string{},
		},
		"escapes and members of the future": {
			`{"new":[{"a":"\"}"},[[]],null],"subtask":0,"status":"A\u0042\"","taskmanager-id":"t\\m","endpoint":"h:1"}`,
			analysis.Subtask{State: `AB"`, TaskManager: `t\m`}, map[string]string{`t\m`: "h"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := decodeVertex(vertexWith(" " + strings.ReplaceAll(c.subtask, ",", " ,\n\t") + " "))
			if err != nil {
				t.Fatal(err)
			}
			if want := []analysis.Subtask{c.want}; !reflect.DeepEqual(d.subtasks, want) {
				t.Errorf("got %+v\nwant %+v", d.subtasks, want)
			}
			if !maps.Equal(d.hosts, c.hosts) {
				t.Errorf("hosts %v, want %v", d.hosts, c.hosts)
			}
		})
	}
}

func TestDecodeVertexDropsDoubleAndStrayIndexes(t *testing.T) {
	d, err := decodeVertex(vertexWith(`{"subtask":2,"attempt":1},{"subtask":-1},{"subtask":4},{"subtask":1e99},{"subtask":0.5},{},null,7,
		{"subtask":0},{"subtask":2,"attempt":3},{"subtask":2,"attempt":2},{"subtask":99999999999999999999}`))
	if err != nil {
		t.Fatal(err)
	}
	if want := []analysis.Subtask{{Index: 0}, {Index: 2, Attempt: 3}}; !reflect.DeepEqual(d.subtasks, want) {
		t.Errorf("got %+v, want %+v", d.subtasks, want)
	}
}

func TestDecodeVertexCold(t *testing.T) {
	const cold = `{"subtask":0,"status":"RUNNING","metrics":{"read-records":0,"read-records-complete":false}}`
	const warm = `{"subtask":1,"status":"RUNNING","metrics":{"read-records":0,"read-records-complete":true}}`
	const ended = `{"subtask":2,"status":"FINISHED","metrics":{"read-records":4,"read-records-complete":true}}`
	for list, want := range map[string]bool{cold: true, warm: false, cold + "," + warm: false, cold + "," + ended: true, ended: false, "": false} {
		d, err := decodeVertex(vertexWith(list))
		if err != nil || d.cold != want {
			t.Errorf("%s: cold %v (error %v), want %v", list, d.cold, err, want)
		}
	}
}

// garbage is what may come instead of an answer.
func garbage() []string {
	return []string{
		"", " ", "null", "true", "1", `"x"`, "[]", "{}", "<html><body>login</body></html>", "{", "[", `{"`, `{"a`, `{"a"`, `{"a":`, `{"a":}`,
		`{"a":1`, `{"a":1,`, `{"a":1,}`, `{"a" 1}`, `{a:1}`, `{"a":1]`, `[1,]`, `[1 2]`, `{"a":"\`, `{"a":"\"`, `{"a":x}`, `{} {}`, `[] x`,
		`{"id":"v","subtasks":{},"parallelism":1}`, `{"id":"v","subtasks":[],"parallelism":-1}`, `{"id":7,"subtasks":[],"parallelism":2}`,
		`{"id":"v","subtasks":[],"parallelism":99999999}`, `{"errors":["Job not found"]}`, "\xff\xfe", `{"id":"\ud800"`, `{"id":"\x`,
		strings.Repeat("[", 1<<20), strings.Repeat(`{"a":`, 1<<18), `{"subtasks":` + strings.Repeat("[{\"metrics\":", 1<<16),
	}
}

// TestGarbageIsAnError proves that no decoder takes garbage for an answer that
// says "nothing there".
func TestGarbageIsAnError(t *testing.T) {
	objects := map[string]func([]byte) error{
		"overview":    func(b []byte) error { _, err := decodeOverview(b); return err },
		"jobs":        func(b []byte) error { _, err := decodeJobs(b); return err },
		"job":         func(b []byte) error { _, err := decodeJob(b); return err },
		"vertex":      func(b []byte) error { _, err := decodeVertex(b); return err },
		"checkpoint":  func(b []byte) error { _, err := decodeCheckpointSubtasks(b); return err },
		"TMs":         func(b []byte) error { _, err := decodeTaskManagers(b); return err },
		"bp":          func(b []byte) error { _, err := decodeBackpressure(b); return err },
		"checkpoints": func(b []byte) error { _, err := decodeCheckpoints(b); return err },
	}
	lists := map[string]func([]byte) error{
		"watermarks": func(b []byte) error { _, err := decodeWatermarks(b); return err },
		"names":      func(b []byte) error { _, err := decodeMetricNames(b); return err },
		"values":     func(b []byte) error { _, err := decodeMetricValues(b); return err },
	}
	for _, text := range garbage() {
		for name, decode := range objects {
			if decode([]byte(text)) == nil {
				t.Errorf("%s took %.60q", name, text)
			}
		}
		for name, decode := range lists {
			if text != "[]" && decode([]byte(text)) == nil {
				t.Errorf("%s took %.60q", name, text)
			}
		}
	}
}

func TestBrokenEscapeIsAnError(t *testing.T) {
	if _, err := decodeVertex([]byte(`{"id":"\x","parallelism":1,"subtasks":[]}`)); err == nil {
		t.Error("an id with an escape that does not exist was taken")
	}
}

// TestCutAnswers cuts a recorded answer at every byte: each piece is an error.
func TestCutAnswers(t *testing.T) {
	body := vertexBody(t, 3)
	for n := range body {
		if d, err := decodeVertex(body[:n]); err == nil {
			t.Fatalf("%d of %d bytes are taken for an answer: %+v", n, len(body), d)
		}
	}
	if _, err := decodeVertex(body); err != nil {
		t.Fatal(err)
	}
}

func TestDecodeCheckpointSubtasks(t *testing.T) {
	const part = `{"id":5,"status":"%s","subtasks":[{"index":1,"status":"completed","state_size":-1,"checkpointed_size":3,"checkpoint":{"sync":1,"async":"NaN"}},
		{"index":0,"status":"pending_or_failed"},{"index":1,"status":"completed"},{"index":-2,"status":"completed"}]}`
	got, err := decodeCheckpointSubtasks(fmt.Appendf(nil, part, "COMPLETED"))
	want := &analysis.VertexCheckpoint{ID: 5, Subtasks: []analysis.SubtaskCheckpoint{{Index: 1, DeltaBytes: analysis.Of(3), SyncMs: analysis.Of(1)}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, error %v, want %+v", got, err, want)
	}
	if _, err := decodeCheckpointSubtasks(fmt.Appendf(nil, part, "IN_PROGRESS")); err == nil || !strings.Contains(err.Error(), "IN_PROGRESS") {
		t.Errorf("a checkpoint in progress: error %v", err)
	}
}

func TestDecodeBackpressure(t *testing.T) {
	got, err := decodeBackpressure([]byte(`{"status":"ok","subtasks":[
		{"subtask":3,"attempt-number":2,"ratio":0.25,"idleRatio":0.25,"busyRatio":0.5,"other-concurrent-attempts":[{"subtask":3,"ratio":1}]},
		{"subtask":3,"attempt-number":1,"ratio":1,"idleRatio":0,"busyRatio":0},
		{"subtask":0,"ratio":0.0,"idleRatio":0.0,"busyRatio":0.0},{"subtask":1,"ratio":0,"idleRatio":0,"busyRatio":"NaN"}]}`))
	want := backpressure{ok: true, ratios: map[int32]analysis.Ratios{
		3: {Busy: analysis.Of(0.5), BackPressured: analysis.Of(0.25), Idle: analysis.Of(0.25)},
		1: {BackPressured: analysis.Of(0), Idle: analysis.Of(0)},
	}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, error %v, want %+v", got, err, want)
	}
	if got, err := decodeBackpressure([]byte(`{"status":"deprecated"}`)); err != nil || got.ok {
		t.Errorf("deprecated: ok %v, error %v", got.ok, err)
	}
}

func TestDecodeWatermarksSentinels(t *testing.T) {
	got, err := decodeWatermarks([]byte(`[{"id":"0.currentInputWatermark","value":"-9223372036854775808"},
		{"id":"12.currentInputWatermark","value":"9223372036854775807"},{"id":"2.currentInputWatermark","value":"1700000000000"},{"id":"x.y","value":"1"}]`))
	want := []analysis.SubtaskWatermark{
		{Index: 0, State: analysis.WatermarkNone},
		{Index: 2, State: analysis.WatermarkSet, Ms: analysis.Of(1700000000000)},
		{Index: 12, State: analysis.WatermarkEnded},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, error %v, want %v", got, err, want)
	}
	for body, want := range map[string][]analysis.SubtaskWatermark{
		`[]`: nil,
		// What is no watermark is neither "none yet" nor 0.
		`[{"id":"0.currentInputWatermark","value":"NaN"},{"id":"1.currentInputWatermark"},{"id":"2.currentInputWatermark","value":null}]`: nil,
		`[{"id":"-1.currentInputWatermark","value":"1"},{"value":"1"}]`:                                                                   nil,
		`[{"value": -9223372036854775808 ,"id":"3.currentInputWatermark"},{"value":-5,"id":"1.currentInputWatermark"}]`: {
			{Index: 1, State: analysis.WatermarkSet, Ms: analysis.Of(-5)}, {Index: 3, State: analysis.WatermarkNone},
		},
	} {
		if got, err := decodeWatermarks([]byte(body)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, error %v, want %v", body, got, err, want)
		}
	}
}

// FuzzDecodeVertex looks for a panic, for subtasks out of order or range, and
// for any JSON that is read otherwise than by encoding/json.
func FuzzDecodeVertex(f *testing.F) {
	seeds := map[string]bool{}
	eachAnswer(f, func(file string, l tapeLine) {
		version := file[strings.LastIndex(file, "-"):]
		if endpoint(l.Path) == "/jobs/:id/vertices/:id" && len(l.Body) < 5000 && !seeds[version] {
			seeds[version] = true
			f.Add([]byte(l.Body))
		}
	})
	for _, text := range garbage() {
		if len(text) < 1000 {
			f.Add([]byte(text))
		}
	}
	f.Add(vertexWith(`{"subtask":1,"metrics":{"accumulated-busy-time":NaN}},{"subtask":1,"attempt":2},{"subtask":-3}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := decodeVertex(b)
		if err == nil {
			for i, st := range d.subtasks {
				if int(st.Index) >= d.parallelism || st.Index < 0 || i > 0 && st.Index <= d.subtasks[i-1].Index {
					t.Fatalf("index %d at %d of parallelism %d", st.Index, i, d.parallelism)
				}
			}
		}
		// Names with escapes are not recognised, as Flink writes none.
		if bytes.IndexByte(b, '\\') >= 0 {
			return
		}
		want, errRef := refVertexDetail(b)
		if json.Valid(b) && (err == nil) != (errRef == nil) {
			t.Fatalf("error %v, by encoding/json %v", err, errRef)
		}
		if errRef == nil && !reflect.DeepEqual(d, want) {
			t.Fatalf("got %+v\nwant %+v", d, want)
		}
	})
}
