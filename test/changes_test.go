package test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/flink-skew-exporter/flink-skew-exporter/test/await"
	"github.com/flink-skew-exporter/flink-skew-exporter/test/flink"
	"github.com/flink-skew-exporter/flink-skew-exporter/test/jobs"
	"github.com/flink-skew-exporter/flink-skew-exporter/test/product"
)

const (
	// The hot key is in key group 32 of 128. Subtask 1 of 4 owns 32–63, subtask 2 of
	// 10 owns 26–38: together they leave 32–38.
	before, after        = 4, 10
	firstGroup, lastWide = 32, 63
	lastNarrow           = 38
	// restarts is how many failures are watched; each attempt runs for a minute.
	restarts = 2
)

// testChanges watches jobs that change while they are watched. The adaptive
// scheduler starts everything with the slots that there are, and rescales a
// running job on request where the release can do it.
func (s suite) testChanges(t *testing.T) {
	b := s.start(t, flink.Options{TaskManagers: 2, Slots: 8, Conf: []string{"jobmanager.scheduler: adaptive"}})
	restarting := jobs.Restarting()
	all := []jobs.Scenario{restarting}
	if s.flink.CanRescale() {
		all = append(all, jobs.Rescaled(before))
	}
	ids := b.run(t, all[1:])
	// The job that fails never runs for long: nobody waits until all of it does.
	failing := b.cluster.Run(t, b.jarID, restarting.Class, restarting.Arguments())
	w := watch{bench: b, restarting: restarting, judged: new(bool)}
	if len(ids) > 0 {
		t.Run("rescale", func(t *testing.T) { w.testRescale(t, ids[0]) })
	}
	t.Run("restarts", w.testRestarts)
	b.end(t, all, append(ids, failing))
}

// watch looks at jobs that change, and at every scrape makes sure that nothing
// wrong is said, whatever else is waited for.
type watch struct {
	bench
	restarting jobs.Scenario
	// judged becomes true when the failing job has been judged between failures.
	judged *bool
}

// until waits for a condition; a wrong warning in any scrape until then ends
// the test at once.
func (w watch) until(t *testing.T, what string, condition func(product.Scrape) error) {
	t.Helper()
	w.awaitMetrics(t, what, func(m product.Scrape) error {
		if err := w.wrong(m); err != nil {
			return await.Hopeless(err)
		}
		between := product.Labels{"job_name": w.restarting.Name, "verdict": w.restarting.Expect[jobs.Enrich].Verdicts[0]}
		*w.judged = *w.judged || one(m, "flink_skew_vertex_verdict", between, jobs.Enrich) == nil
		return condition(m)
	})
}

// wrong returns the warnings of a scrape that are not right at any time: of
// the failing job only its saturated vertex deserves one, and of the other only
// the one with the hot key.
func (w watch) wrong(m product.Scrape) error {
	var wrong []error
	for _, s := range m.Samples("flink_skew_vertex_severity", nil) {
		if s.Value < severityWarning {
			continue
		}
		vertex := product.Labels{"job_id": s.Labels["job_id"], "vertex_id": s.Labels["vertex_id"]}
		verdicts := m.Samples("flink_skew_vertex_verdict", vertex)
		right := jobs.Rescaled(before)
		if s.Labels["job_name"] == w.restarting.Name {
			right = w.restarting
		}
		e, named := expectation(right, s.Labels["vertex"])
		deserved := named && (e.Warns || e.MayWarn)
		if !deserved || len(verdicts) != 1 || verdicts[0].Labels["verdict"] != e.Verdicts[0] {
			wrong = append(wrong, fmt.Errorf("severity %g of %v: %v", s.Value, s.Labels, verdicts))
		}
	}
	return errors.Join(wrong...)
}

// testRescale rescales the job with the hot key while it is watched.
func (w watch) testRescale(t *testing.T, jobID string) {
	w.until(t, "the hot key", w.lasting(3, w.hotKey(before, 1, lastWide)))
	forecast := w.forecast(t, before, after)
	w.cluster.Rescale(t, jobID, jobs.Enrich, after)
	w.cluster.AwaitParallelism(t, jobID, jobs.Enrich, after)
	keyed := product.Labels{"job_id": jobID, "verdict": "not_enough_data"}
	w.until(t, "the verdict to be cleared", func(m product.Scrape) error {
		return errors.Join(w.parallelism(m, after), one(m, "flink_skew_vertex_verdict", keyed, jobs.Enrich))
	})
	w.until(t, "job_changed", func(m product.Scrape) error {
		return one(m, "flink_skew_finding", product.Labels{"job_id": jobID, "finding": "job_changed"}, jobs.Enrich)
	})
	w.until(t, "the hot key after the rescale", w.hotKey(after, 2, lastNarrow))
	w.until(t, "the load that the what-if curve forecast", w.lasting(2, w.heldBy(forecast, after)))
}

// lasting is the condition that another one holds in n polls in a row. The
// product remembers a hot key's range only once windows have agreed about it.
func (w watch) lasting(n int, condition func(product.Scrape) error) func(product.Scrape) error {
	held, last := 0, 0.0
	return func(m product.Scrape) error {
		at, err := m.Value("flink_skew_exporter_snapshot_timestamp_seconds", nil)
		if err = errors.Join(err, condition(m)); err != nil {
			held = 0
			return err
		}
		if held == 0 || at > last {
			held, last = held+1, at
		}
		if held < n {
			return fmt.Errorf("it has held in %d of %d polls", held, n)
		}
		return nil
	}
}

// hotKey is the condition that the hot key is found on a subtask, at a
// parallelism, between the first and a last key group.
func (w watch) hotKey(p, subtask, last int) func(product.Scrape) error {
	return func(m product.Scrape) error {
		job := product.Labels{"job_name": jobs.Rescaled(p).Name}
		return errors.Join(
			w.parallelism(m, p),
			one(m, "flink_skew_vertex_verdict", with(job, "verdict", "hot_key"), jobs.Enrich),
			wantValue(m, "flink_skew_vertex_hot_subtask", job, float64(subtask)),
			wantValue(m, "flink_skew_vertex_hot_key_group_first", job, firstGroup),
			wantValue(m, "flink_skew_vertex_hot_key_group_last", job, float64(last)),
		)
	}
}

// parallelism returns an error unless the keyed vertex of the rescaled job is
// seen at p.
func (w watch) parallelism(m product.Scrape, p int) error {
	keyed := m.Samples("flink_skew_vertex_key_groups_per_subtask", product.Labels{"job_name": jobs.Rescaled(p).Name, "stat": "max"})
	if len(keyed) != 1 {
		return fmt.Errorf("%d keyed vertices, want 1", len(keyed))
	}
	return wantValue(m, "flink_skew_vertex_parallelism", product.Labels{"vertex_id": keyed[0].Labels["vertex_id"], "job_id": keyed[0].Labels["job_id"]}, float64(p))
}

// one returns an error unless exactly one series has the labels and is of the
// vertex whose name contains part.
func one(m product.Scrape, family string, labels product.Labels, part string) error {
	n := 0
	for _, s := range m.Samples(family, labels) {
		if strings.Contains(s.Labels["vertex"], part) {
			n++
		}
	}
	if n != 1 {
		return fmt.Errorf("%s%v of %q has %d series, want 1", family, labels, part, n)
	}
	return nil
}

// testRestarts watches the failing job until it has been judged and has failed
// often enough. Its failures are counted by Flink.
func (w watch) testRestarts(t *testing.T) {
	job := product.Labels{"job_name": w.restarting.Name}
	w.until(t, fmt.Sprintf("%d restarts and a verdict between them", restarts), func(m product.Scrape) error {
		n, err := m.Value("flink_skew_job_restarts_total", job)
		if err == nil && (n < restarts || !*w.judged) {
			err = fmt.Errorf("%g restarts, judged: %t", n, *w.judged)
		}
		return err
	})
}
