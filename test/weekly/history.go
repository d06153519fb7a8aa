package weekly

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"time"
)

const (
	// historyDays is the length of the history.
	historyDays = 28
	// step is the distance of two samples: that of the points which the report's
	// shares are counted over.
	step = 5 * time.Minute
)

// end is the end of the history: a Monday morning.
func end() time.Time { return time.Date(2025, 11, 24, 6, 0, 0, 0, time.UTC) }

// vertex is one vertex's past. Days are counted from the history's beginning.
type vertex struct {
	cluster, job, name string
	maxParallelism     float64
	// partitions bind where they are set.
	partitions float64
	// parallelism, required (on an average hour of that day) and id are by day.
	parallelism func(day float64) float64
	required    func(day float64) float64
	id          func(day float64) string
	// here is when the job ran.
	here func(day float64) bool
	// verdict is by day; balanced without one.
	verdict func(day float64) string
	// busy is the busiest subtask's share.
	busy func(day float64) float64
	// wasted subtasks and state.
	wasted, state float64
}

func always(float64) bool { return true }

func constant(v float64) func(float64) float64 { return func(float64) float64 { return v } }

// between is true from one day to another.
func between(from, to float64) func(float64) bool {
	return func(day float64) bool { return day >= from && day < to }
}

// ceiling is the effective one and what binds.
func (v *vertex) ceiling() (float64, string) {
	if v.partitions > 0 && v.partitions < v.maxParallelism {
		return v.partitions, "source_partitions"
	}
	return v.maxParallelism, "max_parallelism"
}

// wave is the daily cycle, at most 1: the peak is at noon.
func wave(day float64) float64 {
	hour := math.Mod(day*24+float64(end().Hour()), 24)
	return 0.75 + 0.25*math.Cos(2*math.Pi*(hour-12)/24)
}

// sample is one series at one time.
type sample struct {
	labels string
	value  float64
}

// family is one metric of all vertices. It is written from day on, as far back
// as the report looks at it.
type family struct {
	name string
	from float64
	of   func(v *vertex, day float64) sample
}

func families() []family {
	plain := func(value func(v *vertex, day float64) float64) func(*vertex, float64) sample {
		return func(v *vertex, day float64) sample { return sample{value: value(v, day)} }
	}
	return []family{
		{"flink_skew_vertex_parallelism", 0, plain(func(v *vertex, day float64) float64 { return v.parallelism(day) })},
		{"flink_skew_vertex_max_parallelism", 0, plain(func(v *vertex, _ float64) float64 { return v.maxParallelism })},
		{"flink_skew_vertex_ceiling", 0, func(v *vertex, _ float64) sample {
			value, binding := v.ceiling()
			return sample{`,binding="` + binding + `"`, value}
		}},
		{"flink_skew_vertex_required_parallelism", 0, plain(func(v *vertex, day float64) float64 { return math.Ceil(v.required(day) * wave(day)) })},
		{"flink_skew_vertex_verdict", 13, func(v *vertex, day float64) sample {
			verdict := "balanced"
			if v.verdict != nil {
				verdict = v.verdict(day)
			}
			return sample{`,verdict="` + verdict + `"`, 1}
		}},
		{"flink_skew_vertex_busy_ratio", 20, func(v *vertex, day float64) sample {
			busy := 0.5
			if v.busy != nil {
				busy = v.busy(day)
			}
			return sample{`,stat="max"`, busy}
		}},
		{"flink_skew_vertex_wasted_subtasks", 27, plain(func(v *vertex, _ float64) float64 { return v.wasted })},
		{"flink_skew_vertex_state_bytes", 26, func(v *vertex, _ float64) sample { return sample{`,stat="sum"`, v.state} }},
		{"flink_skew_vertex_key_groups_per_subtask", 27, func(v *vertex, day float64) sample {
			return sample{`,stat="max"`, math.Ceil(v.maxParallelism / v.parallelism(day))}
		}},
	}
}

// outage is when a cluster's data is missing: all of it, or with the exporter
// saying that the cluster does not answer.
type outage struct {
	cluster  string
	during   func(day float64) bool
	exporter bool
}

// write writes the history as OpenMetrics, each family once.
func write(w io.Writer, vertices []vertex, outages []outage) error {
	b := bufio.NewWriter(w)
	begin := end().Add(-historyDays * 24 * time.Hour)
	each := func(from float64, f func(day float64, unix int64)) {
		for at := begin.Add(time.Duration(from * 24 * float64(time.Hour))); !at.After(end()); at = at.Add(step) {
			f(at.Sub(begin).Hours()/24, at.Unix())
		}
	}
	missing := func(cluster string, day float64, onlyWithoutExporter bool) bool {
		return slices.ContainsFunc(outages, func(o outage) bool {
			return o.cluster == cluster && o.during(day) && (!onlyWithoutExporter || !o.exporter)
		})
	}
	fmt.Fprintln(b, "# TYPE flink_skew_up gauge")
	for _, c := range clusters(vertices) {
		each(0, func(day float64, unix int64) {
			if missing(c, day, true) {
				return
			}
			up := 1
			if missing(c, day, false) {
				up = 0
			}
			fmt.Fprintf(b, "flink_skew_up{cluster=%q,instance=\"x\"} %d %d\n", c, up, unix)
		})
	}
	for _, f := range families() {
		fmt.Fprintf(b, "# TYPE %s gauge\n", f.name)
		for i := range vertices {
			v := &vertices[i]
			each(f.from, func(day float64, unix int64) {
				if !v.here(day) || missing(v.cluster, day, false) {
					return
				}
				s := f.of(v, day)
				fmt.Fprintf(b, "%s{cluster=%q,job_id=%q,job_name=%q,vertex_id=\"v\",vertex=%q,instance=\"x\"%s} %g %d\n",
					f.name, v.cluster, v.id(day), v.job, v.name, s.labels, s.value, unix)
			})
		}
	}
	fmt.Fprintln(b, "# TYPE flink_skew_job_running_timestamp_seconds gauge")
	for i := range vertices {
		v := &vertices[i]
		each(20, func(day float64, unix int64) {
			if v.here(day) && !missing(v.cluster, day, false) {
				fmt.Fprintf(b, "flink_skew_job_running_timestamp_seconds{cluster=%q,job_id=%q,job_name=%q,instance=\"x\"} %d %d\n",
					v.cluster, v.id(day), v.job, v.started(day, begin), unix)
			}
		})
	}
	fmt.Fprintln(b, "# EOF")
	return b.Flush()
}

// started is when the job entered RUNNING: a new id or another parallelism begins anew.
func (v *vertex) started(day float64, begin time.Time) int64 {
	hour := int(day * 24)
	then := func(hour int) float64 { return float64(hour) / 24 }
	for hour > 0 && v.id(then(hour-1)) == v.id(day) && v.parallelism(then(hour-1)) == v.parallelism(day) {
		hour--
	}
	return begin.Add(time.Duration(hour) * time.Hour).Unix()
}

func clusters(vertices []vertex) []string {
	var names []string
	for i := range vertices {
		names = append(names, vertices[i].cluster)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
