package collector

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
)

// promised is the contract with users' dashboards and alerts: names, and the
// labels beyond the subject's.
func promised() map[string][]string {
	p := map[string][]string{
		"up": nil, "poll_failures_total": {"reason"}, "cluster_info": {"flink_version"}, "cluster_task_slots": nil,
		"cluster_task_slots_free": nil, "cluster_taskmanagers": nil, "cluster_jobs": {"state"},
		"job_info": {"state", "scheduler"}, "job_restarts_total": nil, "job_running_timestamp_seconds": nil,
		"vertex_key_groups_per_subtask": {"stat"}, "vertex_ceiling": {"binding"},
		"vertex_skew_ratio": {"signal"}, "vertex_excess_skew_ratio": {"signal"}, "vertex_webui_skew_ratio": {"signal"},
		"vertex_verdict": {"verdict"}, "finding": {"finding", "severity"},
		"exporter_poll_duration_seconds": nil, "exporter_requests_total": {"endpoint", "code"},
		"exporter_response_bytes_total": nil, "exporter_snapshot_timestamp_seconds": nil, "exporter_series": nil,
		"exporter_series_dropped_total": {"reason"}, "exporter_build_info": buildLabels(),
		"exporter_config_last_reload_successful": nil, "exporter_config_last_reload_success_timestamp_seconds": nil,
	}
	for _, name := range []string{
		"parallelism", "max_parallelism", "source_partitions", "ceiling_headroom_ratio", "required_parallelism",
		"required_headroom_ratio", "wasted_subtasks", "next_useful_parallelism", "layout_skew_ratio", "records_in_per_second",
		"records_out_per_second", "subtask_coverage_ratio", "severity", "bottleneck", "hot_subtask", "hot_key_group_first",
		"hot_key_group_last", "subtasks_busy_ratio",
	} {
		p["vertex_"+name] = nil
	}
	for _, name := range []string{
		"busy_ratio", "backpressured_ratio", "idle_ratio", "state_bytes", "checkpoint_duration_seconds", "watermark_lag_seconds",
	} {
		p["vertex_"+name] = []string{"stat"}
	}
	for _, name := range []string{
		"busy_ratio", "backpressured_ratio", "idle_ratio", "records_in_per_second", "state_bytes", "key_groups",
	} {
		p["subtask_"+name] = []string{"subtask"}
	}
	return p
}

func TestPromisedFamiliesAreTheStableOnes(t *testing.T) {
	missing := promised()
	for _, f := range Families() {
		name := strings.TrimPrefix(f.Name, Prefix)
		own, ok := missing[name]
		if ok != (f.Stability == Stable) {
			t.Errorf("%s is %s, promised: %v", f.Name, f.Stability, ok)
		}
		if ok && !slices.Equal(own, f.Labels[len(f.Labels)-len(own):]) {
			t.Errorf("%s has labels %v, promised are %v at the end", f.Name, f.Labels, own)
		}
		delete(missing, name)
	}
	for name := range missing {
		t.Errorf("%s%s is promised and not there", Prefix, name)
	}
}

func TestFamiliesKeepTheRules(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range Families() {
		if seen[f.Name] || !strings.HasPrefix(f.Name, Prefix) {
			t.Errorf("%s is there twice or without prefix", f.Name)
		}
		seen[f.Name] = true
		if f.Help == "" || f.Cardinality == "" || strings.Contains(f.Help, "\n") {
			t.Errorf("%s lacks a help or a cardinality of one line", f.Name)
		}
		if strings.HasSuffix(f.Name, "_total") != (f.Type == Counter) {
			t.Errorf("%s is a %s", f.Name, f.Type)
		}
		for i, l := range f.Labels {
			// Prometheus owns job and instance; attempts and workers change
			// while the subject stays the same.
			if slices.Contains([]string{"job", "instance", "le", "quantile", "attempt", "taskmanager", "host"}, l) || slices.Index(f.Labels, l) != i {
				t.Errorf("%s has the label %q", f.Name, l)
			}
		}
	}
}

func TestMetricsDocIsUpToDate(t *testing.T) {
	var b bytes.Buffer
	if err := WriteMetricsDoc(&b); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile("../METRICS.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(file, b.Bytes()) {
		t.Error("METRICS.md is not what the table says: run go generate ./collector")
	}
	for _, f := range Families() {
		if !bytes.Contains(file, []byte("| `"+f.Name+"` | "+string(f.Type)+" |")) {
			t.Errorf("METRICS.md does not document %s", f.Name)
		}
	}
}

// broken fails every write.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriteErrorsAreReturned(t *testing.T) {
	c := full(t)
	for name, err := range map[string]error{
		"doc": WriteMetricsDoc(broken{}), "data": c.Frame().WriteData(broken{}), "self": c.Frame().WriteSelf(broken{}),
	} {
		if err == nil || !strings.Contains(err.Error(), "disk full") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
