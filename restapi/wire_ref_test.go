package restapi

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"html"
	"math"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// The reference decoders read the same answers through encoding/json into
// trees, without anything of the code under test.

type tree = map[string]any

// tapeFiles returns the recorded tapes.
func tapeFiles(tb testing.TB) []string {
	tb.Helper()
	files, err := filepath.Glob("../testdata/tapes/*.jsonl.gz")
	if err != nil || len(files) < 20 {
		tb.Fatalf("%d tapes found (error %v), want at least 20", len(files), err)
	}
	return files
}

// eachAnswer calls f with every line of every tape, read without ReadTape.
func eachAnswer(tb testing.TB, f func(file string, l tapeLine)) {
	tb.Helper()
	for _, file := range tapeFiles(tb) {
		in, err := os.Open(file)
		if err != nil {
			tb.Fatal(err)
		}
		z, err := gzip.NewReader(in)
		if err != nil {
			tb.Fatal(err)
		}
		for d := json.NewDecoder(z); d.More(); {
			var l tapeLine
			if err := d.Decode(&l); err != nil {
				tb.Fatalf("%s: %v", file, err)
			}
			f(filepath.Base(file), l)
		}
		if err := in.Close(); err != nil {
			tb.Fatal(err)
		}
	}
}

// endpoint reduces a path to a pattern: ids become :id, names of a query go.
func endpoint(path string) string {
	path, query, _ := strings.Cut(path, "?")
	parts := strings.Split(path, "/")
	for i, p := range parts {
		if _, err := strconv.Atoi(p); len(p) == 32 || err == nil || i == 2 && parts[1] == "taskmanagers" {
			parts[i] = ":id"
		}
	}
	path = strings.Join(parts, "/")
	if query != "" {
		name, _, _ := strings.Cut(query, "=")
		path += "?" + name
	}
	return path
}

func refRoot(b []byte) (tree, error) {
	var v tree
	if err := json.Unmarshal(b, &v); err != nil {
		return nil, err
	}
	if v == nil {
		return nil, errors.New("null")
	}
	return v, nil
}

func refList(v any) []tree {
	list, _ := v.([]any)
	out := make([]tree, 0, len(list))
	for _, e := range list {
		m, _ := e.(tree)
		out = append(out, m)
	}
	return out
}

func refNumber(v any) analysis.Num {
	f, ok := v.(float64)
	if s, isText := v.(string); isText {
		parsed, err := strconv.ParseFloat(s, 64)
		f, ok = parsed, err == nil
	}
	if !ok || math.IsNaN(f) || math.Abs(f) >= math.MaxInt64 {
		return analysis.Num{}
	}
	return analysis.Of(f)
}

// refCount is a count of slots or processes, refGroups one of key groups.
func refCount(v any) analysis.Num {
	n := refAtLeast(0, v)
	if f, ok := n.Get(); ok && (f > math.MaxInt32 || f != math.Trunc(f)) {
		return analysis.Num{}
	}
	return n
}

func refGroups(v any) analysis.Num {
	n := refTime(v)
	if f, ok := n.Get(); ok && f > 32768 {
		return analysis.Num{}
	}
	return n
}

func refAtLeast(least float64, v any) analysis.Num {
	n := refNumber(v)
	if f, ok := n.Get(); !ok || f < least {
		return analysis.Num{}
	}
	return n
}

func refSize(v any) analysis.Num { return refAtLeast(0, v) }
func refTime(v any) analysis.Num { return refAtLeast(math.SmallestNonzeroFloat64, v) }
func refText(v any) string       { s, _ := v.(string); return s }
func refTree(v any) tree         { m, _ := v.(tree); return m }

func refIndex(v any, otherwise int32) int32 {
	f, ok := refNumber(v).Get()
	if !ok || f < 0 || f > math.MaxInt32 || f != math.Trunc(f) {
		return otherwise
	}
	return int32(f)
}

func refParallelism(v any) int {
	p := refIndex(v, 0)
	if p > 32768 {
		return 0
	}
	return int(p)
}

func refHost(s string) string {
	if s == "(unassigned)" {
		return ""
	}
	if strings.HasPrefix(s, "[") {
		return strings.Split(s[1:], "]")[0]
	}
	if parts := strings.Split(s, ":"); len(parts) == 2 {
		return parts[0]
	}
	return s
}

func refCounters(m tree) analysis.Counters {
	any1, flags := false, 0
	get := func(name string) analysis.Num {
		complete, there := m[name+"-complete"]
		if there {
			flags++
		}
		any1 = any1 || complete == true
		if there && complete != true {
			return analysis.Num{}
		}
		return refSize(m[name])
	}
	c := analysis.Counters{
		RecordsIn: get("read-records"), RecordsOut: get("write-records"),
		BytesIn: get("read-bytes"),
	}
	get("write-bytes")
	if flags > 0 && !any1 {
		return analysis.Counters{}
	}
	c.BusyMs = refSize(m["accumulated-busy-time"])
	c.BackPressuredMs = refSize(m["accumulated-backpressured-time"])
	c.IdleMs = refSize(m["accumulated-idle-time"])
	return c
}

func refVertexDetail(b []byte) (vertexDetail, error) {
	v, err := refRoot(b)
	if err != nil {
		return vertexDetail{}, err
	}
	d := vertexDetail{
		id: refText(v["id"]), parallelism: refParallelism(v["parallelism"]),
		maxParallelism: refGroups(v["maxParallelism"]), nowMs: refTime(v["now"]), hosts: map[string]string{},
	}
	if _, isList := v["subtasks"].([]any); !isList || d.id == "" || d.parallelism < 1 {
		return vertexDetail{}, errors.New("no vertex")
	}
	best := map[int32]analysis.Subtask{}
	for _, e := range refList(v["subtasks"]) {
		st := analysis.Subtask{
			Index: refIndex(e["subtask"], -1), Attempt: refIndex(e["attempt"], 0), State: refText(e["status"]),
			TaskManager: refText(e["taskmanager-id"]), AgeMs: refSize(e["duration"]),
			RunningMs: refSize(refTree(e["status-duration"])["RUNNING"]), Counters: refCounters(refTree(e["metrics"])),
		}
		if st.TaskManager == "(unassigned)" {
			st.TaskManager = ""
		}
		host := refHost(refText(e["endpoint"]))
		if host == "" {
			host = refHost(refText(e["host"]))
		}
		if _, known := d.hosts[st.TaskManager]; !known && host != "" && st.TaskManager != "" {
			d.hosts[st.TaskManager] = host
		}
		if old, seen := best[st.Index]; st.Index >= 0 && int(st.Index) < d.parallelism && (!seen || st.Attempt > old.Attempt) {
			best[st.Index] = st
		}
	}
	running, warm := false, false
	d.subtasks = []analysis.Subtask{}
	for _, st := range best {
		d.subtasks = append(d.subtasks, st)
		if st.State == "RUNNING" {
			running = true
			warm = warm || st.RecordsIn.Known() || st.RecordsOut.Known() || st.BytesIn.Known()
		}
	}
	d.cold = running && !warm
	if len(d.hosts) == 0 {
		d.hosts = nil // as decodeVertex has it when nothing names a host
	}
	sort.Slice(d.subtasks, func(i, j int) bool { return d.subtasks[i].Index < d.subtasks[j].Index })
	return d, nil
}

func refJob(b []byte) (jobDetail, error) {
	v, err := refRoot(b)
	if err != nil {
		return jobDetail{}, err
	}
	j := jobDetail{
		id: refText(v["jid"]), name: refText(v["name"]), state: refText(v["state"]), scheduler: refText(v["schedulerType"]),
		startMs: refTime(v["start-time"]), nowMs: refTime(v["now"]), runningMs: refTime(refTree(v["timestamps"])["RUNNING"]),
	}
	nodes := map[string]tree{}
	for _, n := range refList(refTree(v["plan"])["nodes"]) {
		nodes[refText(n["id"])] = n
	}
	for _, e := range refList(v["vertices"]) {
		vertex := analysis.Vertex{
			ID: refText(e["id"]), Name: refText(e["name"]), Parallelism: refParallelism(e["parallelism"]),
			MaxParallelism: refGroups(e["maxParallelism"]), Status: refText(e["status"]),
			SlotSharingGroup: refText(e["slotSharingGroupId"]), Totals: refCounters(refTree(e["metrics"])),
		}
		node := nodes[vertex.ID]
		lines := strings.Split(html.UnescapeString(strings.ReplaceAll(refText(node["description"]), "<br/>", "\x00")), "\x00")
		vertex.Description = strings.TrimSpace(strings.Join(lines, "\n"))
		for _, in := range refList(node["inputs"]) {
			vertex.Inputs = append(vertex.Inputs, analysis.Input{From: refText(in["id"]), Ship: analysis.ShipStrategy(refText(in["ship_strategy"]))})
		}
		j.vertices = append(j.vertices, vertex)
	}
	return j, nil
}

func refBackpressure(b []byte) (backpressure, error) {
	v, err := refRoot(b)
	if err != nil {
		return backpressure{}, err
	}
	out := backpressure{ok: v["status"] == "ok", ratios: map[int32]analysis.Ratios{}}
	for _, e := range refList(v["subtasks"]) {
		if e["ratio"] == 0.0 && e["idleRatio"] == 0.0 && e["busyRatio"] == 0.0 {
			continue
		}
		out.ratios[refIndex(e["subtask"], -1)] = analysis.Ratios{
			Busy: refSize(e["busyRatio"]), BackPressured: refSize(e["ratio"]), Idle: refSize(e["idleRatio"]),
		}
	}
	return out, nil
}

func refCheckpoints(b []byte) (checkpointList, error) {
	v, err := refRoot(b)
	if err != nil {
		return checkpointList{}, err
	}
	counts := refTree(v["counts"])
	out := checkpointList{completed: refSize(counts["completed"]), failed: refSize(counts["failed"])}
	if latest := refTree(refTree(v["latest"])["completed"]); latest != nil {
		out.latest = &analysis.Checkpoint{
			ID: int64(refSize(latest["id"]).Or(-1)), TriggeredAt: time.UnixMilli(int64(refTime(latest["trigger_timestamp"]).Or(0))).UTC(),
			ExternalPath: refText(latest["external_path"]), Completed: out.completed, Failed: out.failed,
		}
	}
	return out, nil
}

func refCheckpointSubtasks(b []byte) (*analysis.VertexCheckpoint, error) {
	v, err := refRoot(b)
	if err != nil {
		return nil, err
	}
	out := &analysis.VertexCheckpoint{ID: int64(refSize(v["id"]).Or(-1))}
	for _, e := range refList(v["subtasks"]) {
		if e["status"] != "completed" {
			continue
		}
		out.Subtasks = append(out.Subtasks, analysis.SubtaskCheckpoint{
			Index: refIndex(e["index"], -1), StateBytes: refSize(e["state_size"]), DeltaBytes: refSize(e["checkpointed_size"]),
			EndToEndMs: refSize(e["end_to_end_duration"]), SyncMs: refSize(refTree(e["checkpoint"])["sync"]),
			AsyncMs: refSize(refTree(e["checkpoint"])["async"]), AlignmentMs: refSize(refTree(e["alignment"])["duration"]),
			StartDelayMs: refSize(e["start_delay"]),
		})
	}
	return out, nil
}

func refMetrics(b []byte) (map[string]analysis.Num, []string, error) {
	var list []any
	if err := json.Unmarshal(b, &list); err != nil {
		return nil, nil, err
	}
	values, names := map[string]analysis.Num{}, []string{}
	for _, e := range refList(list) {
		values[refText(e["id"])] = refNumber(e["value"])
		names = append(names, refText(e["id"]))
	}
	return values, names, nil
}

func refWatermarks(b []byte) ([]analysis.SubtaskWatermark, error) {
	var list []struct{ ID, Value string }
	err := json.Unmarshal(b, &list)
	var out []analysis.SubtaskWatermark
	for _, e := range list {
		i, _ := strconv.Atoi(strings.TrimSuffix(e.ID, ".currentInputWatermark"))
		ms, _ := strconv.ParseInt(e.Value, 10, 64)
		w := analysis.SubtaskWatermark{Index: int32(i), State: analysis.WatermarkSet}
		switch ms {
		case math.MinInt64:
			w.State = analysis.WatermarkNone
		case math.MaxInt64:
			w.State = analysis.WatermarkEnded
		default:
			w.Ms = analysis.OfInt(ms)
		}
		out = append(out, w)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Index < out[j].Index })
	return out, err
}

func refTaskManagers(b []byte) ([]analysis.TaskManager, error) {
	v, err := refRoot(b)
	out := []analysis.TaskManager{}
	for _, e := range refList(v["taskmanagers"]) {
		path := refText(e["path"])
		out = append(out, analysis.TaskManager{
			ID: refText(e["id"]), Host: refHost(strings.Split(path[strings.Index(path, "@")+1:], "/")[0]),
			Slots: refCount(e["slotsNumber"]), FreeSlots: refCount(e["freeSlots"]), CPUCores: refSize(refTree(e["hardware"])["cpuCores"]),
		})
	}
	return out, err
}

func refOverview(b []byte) (overview, error) {
	v, err := refRoot(b)
	return overview{
		flinkVersion: refText(v["flink-version"]), slotsTotal: refCount(v["slots-total"]),
		slotsFree: refCount(v["slots-available"]), taskManagers: refCount(v["taskmanagers"]),
	}, err
}

func refJobs(b []byte) ([]jobEntry, error) {
	v, err := refRoot(b)
	out := []jobEntry{}
	for _, e := range refList(v["jobs"]) {
		out = append(out, jobEntry{
			id: refText(e["jid"]), name: refText(e["name"]), state: refText(e["state"]),
			scheduler: refText(e["schedulerType"]), startMs: refTime(e["start-time"]),
		})
	}
	return out, err
}
