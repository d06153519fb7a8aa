package restapi

import (
	"net/url"
	"slices"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// Names of TaskManager metrics: nanoseconds of CPU time, and milliseconds per
// second in garbage collection, which Flink has from 1.17 on.
const (
	cpuTimeMetric = "Status.JVM.CPU.Time"
	gcTimeMetric  = "Status.JVM.GarbageCollector.All.TimeMsPerSecond"
)

// maxTaskManagerRequests is for a first one and one for each of the two names.
const maxTaskManagerRequests = 3

// tmRead is a TaskManager being read; its fields are one worker's at a time.
type tmRead struct {
	tm   *analysis.TaskManager
	err  error
	cold bool
}

// chooseTaskManagers drops duplicates and decides whose metrics are read.
func (p *poll) chooseTaskManagers() {
	seen := make(map[string]bool, len(p.snap.TaskManagers))
	p.snap.TaskManagers = slices.DeleteFunc(p.snap.TaskManagers, func(t analysis.TaskManager) bool {
		again := seen[t.ID]
		seen[t.ID] = true
		return again
	})
	limit := p.c.opts.MaxTaskManagers
	if limit < 0 {
		return
	}
	if len(p.snap.TaskManagers) > limit {
		p.snap.Gaps = append(p.snap.Gaps, analysis.Gap{What: whatTMMetrics, Reason: analysis.GapLimit})
		return
	}
	for i := range p.snap.TaskManagers {
		// An id of dots alone would climb out of the path.
		if t := &p.snap.TaskManagers[i]; strings.Trim(t.ID, ".") != "" {
			p.tms = append(p.tms, &tmRead{tm: t})
		}
	}
}

// readTaskManager reads a TaskManager's CPU time and garbage collection.
func (p *poll) readTaskManager(t *tmRead) {
	to := call{epTaskManagerMetrics, "/taskmanagers/" + url.PathEscape(t.tm.ID) + "/metrics"}
	values, err := p.metricValues(to, []string{cpuTimeMetric, gcTimeMetric}, maxTaskManagerRequests)
	t.err, t.cold = err, false
	if err != nil {
		return
	}
	cpu, ok := values[cpuTimeMetric].Get()
	if !ok || cpu <= 0 {
		t.cold = true
		return
	}
	t.tm.CPUSeconds = analysis.Of(cpu / 1e9)
	t.tm.GCRatio = values[gcTimeMetric].Map(func(ms float64) float64 { return min(max(ms/1000, 0), 1) })
	t.tm.CPUAt = p.c.opts.Now()
}

// finishTaskManagers adds the hosts that the subtasks told, and one gap for
// each kind of trouble rather than one for each TaskManager.
func (p *poll) finishTaskManagers() {
	told := map[analysis.Gap]bool{}
	for _, t := range p.tms {
		g := analysis.Gap{What: whatTMMetrics, Reason: analysis.GapCold}
		if t.err != nil {
			g = gap("", "", whatTMMetrics, t.err)
		}
		if (t.err != nil || t.cold) && !told[g] {
			told[g] = true
			p.snap.Gaps = append(p.snap.Gaps, g)
		}
	}
	if p.snap.TaskManagers == nil {
		// Without Flink's list the subtasks still tell which there are.
		for id := range p.hosts {
			p.snap.TaskManagers = append(p.snap.TaskManagers, analysis.TaskManager{ID: id})
		}
		slices.SortFunc(p.snap.TaskManagers, func(a, b analysis.TaskManager) int { return strings.Compare(a.ID, b.ID) })
	}
	for i := range p.snap.TaskManagers {
		if t := &p.snap.TaskManagers[i]; p.hosts[t.ID] != "" {
			t.Host = p.hosts[t.ID]
		}
	}
}
