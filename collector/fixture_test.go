package collector

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// never is a Source for pollers that are fed by hand.
type never struct{}

func (never) Snapshot(ctx context.Context) (analysis.Snapshot, error) {
	<-ctx.Done()
	return analysis.Snapshot{}, ctx.Err()
}

// newFed returns a poller that nobody runs.
func newFed(t testing.TB, cluster string) *Poller {
	t.Helper()
	p, err := NewPoller(Config{
		Source: never{}, Cluster: cluster, Interval: time.Minute, Thresholds: analysis.Defaults(), Top: 2, Observer: new(Observer),
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// feed publishes a Result as a good poll of one second would.
func feed(p *Poller, r analysis.Result) {
	v := newView(p.table, &r, p.label, p.cfg.Top)
	p.now.Store(p.up(p.now.Load(), outcome{result: &r, view: v}, time.Second))
}

// fail publishes a failed poll of two seconds.
func fail(p *Poller, err error) {
	p.now.Store(p.down(p.now.Load(), outcome{err: err}, 2*time.Second))
}

// newShown returns a collector that shows the pollers.
func newShown(t testing.TB, o Options, pollers ...*Poller) *Collector {
	t.Helper()
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.SetPollers(pollers); err != nil {
		t.Fatal(err)
	}
	return c
}

// at is the time of hand-made Results.
func at() time.Time { return time.Date(2025, 11, 3, 12, 0, 0, 500e6, time.UTC) }

// dist makes a distribution with a skew that is easy to recognise.
func dist(top, mean, median, low float64, count int) analysis.Distribution {
	return analysis.Distribution{
		Count: count, Max: analysis.Of(top), Mean: analysis.Of(mean), Median: analysis.Of(median), Min: analysis.Of(low),
		Sum: analysis.Of(mean * float64(count)), Skew: analysis.Of(top / mean), Excess: analysis.Of(top / mean / 1.25),
		WebUISkew: analysis.Of(0.5),
	}
}

// hotVertex has every feature that a vertex can have.
func hotVertex() analysis.VertexResult {
	v := analysis.VertexResult{
		ID: "20ba6b65f97481d5570070de90e4e791", Name: "enrich & count", Parallelism: 4, MaxParallelism: analysis.Of(10),
		Keyed: true, Coverage: analysis.Of(1), WindowSeconds: analysis.Of(10), Windows: 3,
		RecordsInPerSecond: analysis.Of(1250.5), RecordsOutPerSecond: analysis.Of(1250),
		Layout:  &analysis.Layout{Max: 3, Min: 2, Median: 2.5, Mean: 2.5, Ratio: 1.2},
		Ceiling: analysis.Ceiling{Effective: analysis.Of(10), Binding: analysis.BindMaxParallelism, Headroom: analysis.Of(2.5), Wasted: analysis.Of(0), NextUseful: analysis.Of(5)},
		Sizing:  analysis.Sizing{TrueRate: analysis.Of(2000), Required: analysis.Of(3), RequiredHeadroom: analysis.Of(3.3333333333333335)},
		Verdict: analysis.Verdict{ID: analysis.HotKey, Judgement: analysis.Judgement{
			Severity: analysis.SeverityWarning, Confidence: analysis.ConfidenceHigh, ScalingHelps: analysis.ScalingNo, Subtasks: []int{1},
		}},
		Findings: []analysis.Finding{
			{ID: analysis.Bottleneck, Judgement: analysis.Judgement{Severity: analysis.SeverityCritical}},
			{ID: analysis.Waiting, Judgement: analysis.Judgement{Severity: analysis.SeverityInfo}},
		},
		Hot: &analysis.Hot{Subtask: 1, KeyGroups: &analysis.KeyGroupRange{First: 3, Last: 4}},
	}
	v.Signals = analysis.Signals{
		Busy: dist(1, 0.4, 0.2, 0.1, 4), BackPressured: dist(0.1, 0.05, 0.05, 0.01, 4), Idle: dist(0.9, 0.5, 0.6, 0, 4),
		RecordsIn: dist(1000, 312.5, 100, 50, 4), State: dist(4096, 2048, 2048, 1024, 4),
		CheckpointDuration: dist(1.5, 1, 1, 0.5, 4), WatermarkLag: dist(3, 2, 2, 1, 4),
	}
	for i, busy := range []float64{0.1, 1, 0.3, 0.2} {
		v.Subtasks = append(v.Subtasks, analysis.SubtaskResult{
			Index: int32(i), KeyGroups: 2, Busy: analysis.Of(busy), BackPressured: analysis.Of(0.01), Idle: analysis.Of(1 - busy),
			RecordsIn: analysis.Of(1000 * busy), StateBytes: analysis.Of(1024),
		})
	}
	return v
}

// sourceVertex knows little, as a legacy source does.
func sourceVertex() analysis.VertexResult {
	v := analysis.VertexResult{
		ID: "bc764cd8ddf7a0cff126f51c16239658", Name: "Source: orders", Parallelism: 2, Partitions: analysis.Of(3), Backlog: analysis.Of(12500), Coverage: analysis.Of(0.5),
		Verdict: analysis.Verdict{ID: analysis.NotEnoughData, Judgement: analysis.Judgement{
			ScalingHelps: analysis.ScalingNA, Advice: analysis.Advice{Missing: analysis.MissingBusy},
		}},
		Subtasks: []analysis.SubtaskResult{{Index: 1, Idle: analysis.Of(0.25), RecordsOut: analysis.Of(5)}},
	}
	v.Signals.Idle = analysis.Distribution{Count: 1, Max: analysis.Of(0.25), Mean: analysis.Of(0.25), Median: analysis.Of(0.25), Min: analysis.Of(0.25)}
	return v
}

// fullResult uses every feature of a Result.
func fullResult() analysis.Result {
	return analysis.Result{
		At: at(), Cluster: "prod", FlinkVersion: "2.3.0", TaskManagers: analysis.Of(2),
		Slots:     analysis.Slots{Total: analysis.Of(8), Free: analysis.Of(2)},
		JobStates: map[string]int{"RUNNING": 1, "CANCELED": 3},
		Gaps: []analysis.Gap{
			{JobID: "b", What: "job", Reason: analysis.GapVanished}, {JobID: "c", What: "subtasks", Reason: analysis.GapTorn},
			{JobID: "d", What: "subtasks", Reason: analysis.GapTorn},
		},
		Jobs: []analysis.JobResult{{
			ID: "fd72014d4c864993a2e5a9287b4a9c5d", Name: "orders-enrichment", State: "RUNNING", Scheduler: "Adaptive",
			RunningSince: at().Add(-time.Hour), Restarts: analysis.Of(2),
			Vertices: []analysis.VertexResult{sourceVertex(), hotVertex()},
		}},
	}
}

// bigResult has jobs of ten vertices with so many subtasks each; one vertex in
// twenty is notable, as after a bad night.
func bigResult(vertices, parallelism int) analysis.Result {
	r := analysis.Result{At: at(), FlinkVersion: "2.3.0", JobStates: map[string]int{"RUNNING": vertices / 10}}
	for j := range vertices / 10 {
		job := analysis.JobResult{ID: fmt.Sprintf("%032x", j), Name: fmt.Sprintf("job-%d", j), State: "RUNNING", Scheduler: "Default"}
		for i := range 10 {
			v := hotVertex()
			v.ID, v.Name, v.Parallelism = fmt.Sprintf("%032x", i), fmt.Sprintf("operator %d -> map -> filter", i), parallelism
			v.Subtasks = make([]analysis.SubtaskResult, parallelism)
			if i%2 != 0 || j%10 != 0 {
				v.Verdict = analysis.Verdict{ID: analysis.Balanced}
				v.Findings, v.Hot = nil, nil
			}
			for k := range v.Subtasks {
				// A multiplicative step spreads values without a random source.
				x := float64((k*7919+i*104729+j*1299709)%100003) / 100003
				v.Subtasks[k] = analysis.SubtaskResult{
					Index: int32(k), KeyGroups: 1, Busy: analysis.Of(x), BackPressured: analysis.Of(x / 10), Idle: analysis.Of(1 - x),
					RecordsIn: analysis.Of(1000 * x), StateBytes: analysis.Of(float64(int(1e6 * x))),
				}
			}
			for _, d := range []*analysis.Distribution{&v.Signals.Busy, &v.Signals.Idle, &v.Signals.RecordsIn, &v.Signals.State} {
				x := 1 + float64((i*104729+j*1299709)%100003)/100003
				*d = dist(d.Max.Or(1)*x, d.Mean.Or(1)*x/1.7, d.Median.Or(1)*x/3, d.Min.Or(1)*x/9, parallelism)
			}
			job.Vertices = append(job.Vertices, v)
		}
		r.Jobs = append(r.Jobs, job)
	}
	return r
}
