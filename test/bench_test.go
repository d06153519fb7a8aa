package test

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/flink-skew-exporter/flink-skew-exporter/test/await"
	"github.com/flink-skew-exporter/flink-skew-exporter/test/flink"
	"github.com/flink-skew-exporter/flink-skew-exporter/test/jobs"
	"github.com/flink-skew-exporter/flink-skew-exporter/test/product"
)

// bench is a cluster with its jobs' jar, and one daemon that watches it from
// beginning to end.
type bench struct {
	cluster *flink.Cluster
	jarID   string
	binary  product.Binary
	server  *product.Server
}

// start starts a cluster with the suite's release and a daemon beside it.
func (s suite) start(t *testing.T, o flink.Options) bench {
	t.Helper()
	o.Distribution = s.flink
	b := bench{binary: s.binary, cluster: flink.Start(t, o)}
	b.jarID = b.cluster.Upload(t, s.jar)
	b.server = b.serve(t, "serve-"+filepath.Base(t.Name()))
	return b
}

// serve starts a daemon that watches the cluster.
func (b bench) serve(t *testing.T, name string) *product.Server {
	t.Helper()
	port, err := flink.FreePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	return b.binary.Serve(t, name, port[0],
		"--flink.url="+b.cluster.URL(), "--poll.interval="+pollInterval.String())
}

// awaitMetrics waits until a scrape passes the check.
func (b bench) awaitMetrics(t *testing.T, what string, check func(product.Scrape) error) {
	t.Helper()
	await.Until(t, deadline, what+" on /metrics", func() error {
		if err := b.server.Ended(); err != nil {
			return await.Hopeless(err)
		}
		m, err := b.server.Scrape()
		if err != nil {
			return err
		}
		return check(m)
	})
}

// run starts the scenarios' jobs side by side, waits until all run, and returns
// their ids.
func (b bench) run(t *testing.T, scenarios []jobs.Scenario) []string {
	t.Helper()
	var ids []string
	for _, s := range scenarios {
		ids = append(ids, b.cluster.Run(t, b.jarID, s.Class, s.Arguments()))
	}
	for _, id := range ids {
		b.cluster.AwaitRunning(t, id)
	}
	return ids
}

// testScenarios runs jobs side by side and has them judged.
func (b bench) testScenarios(t *testing.T, scenarios []jobs.Scenario) {
	ids := b.run(t, scenarios)
	for i, s := range scenarios {
		if s.Late == "" {
			continue
		}
		e := s.Expect[s.Late]
		e.FindingSubtasks = map[string][]int{"watermark_held": {b.cluster.AwaitLate(t, ids[i], s.Late)}}
		s.Expect[s.Late] = e
	}
	b.judge(t, scenarios)
	b.end(t, scenarios, ids)
}

// judge has running jobs judged in every way there is: live, recorded and
// replayed, and by the daemon.
func (b bench) judge(t *testing.T, scenarios []jobs.Scenario) {
	t.Helper()
	o := b.diagnose(t, scenarios[0].Name)
	for look := 1; look < looks && !o.meet(scenarios); look++ {
		t.Logf("look %d does not show what the jobs were built for; looking again", look)
		o = b.diagnose(t, scenarios[0].Name)
	}
	b.check(t, scenarios, o)
}

// looks is how often running jobs are looked at before what is said of them
// counts: while the host is short of CPU for a minute a source may be starved
// itself, so that truly nothing waits for its output.
const looks = 3

// meet reports whether everything said is what the scenarios expect.
func (o opinions) meet(scenarios []jobs.Scenario) bool {
	for _, s := range scenarios {
		if checkDiagnosis(o.live, s) != nil || checkDiagnosis(o.replayed, s) != nil {
			return false
		}
	}
	return true
}

// opinions are what was said of the running jobs.
type opinions struct{ live, replayed product.Diagnosis }

// diagnose has whatever runs judged live, and once more from a recording of the
// same time; name is for messages and files. $FLINK_SKEW_TAPES keeps the recording.
func (b bench) diagnose(t *testing.T, name string) opinions {
	t.Helper()
	tape := filepath.Join(cmp.Or(os.Getenv("FLINK_SKEW_TAPES"), t.TempDir()), name+"-"+b.cluster.Version()+".jsonl.gz")
	source := []string{"--flink.url=" + b.cluster.URL(), fmt.Sprintf("--polls=%d", polls), "--interval=" + pollInterval.String()}
	record := b.binary.Start(t, name+"-record", append([]string{"record", "--force", "--out=" + tape}, source...)...)
	live := b.binary.Start(t, name+"-diagnose", append([]string{"diagnose", "--format=json"}, source...)...)
	var o opinions
	o.live = product.Diagnosed(t, live, deadline)
	if code := record.Wait(t, deadline); code != 0 {
		t.Fatalf("%v", record.Ended())
	}
	replay := b.binary.Start(t, name+"-replay", "diagnose", "--format=json", "--tape="+tape)
	o.replayed = product.Diagnosed(t, replay, deadline)
	return o
}

// check holds what was said of the scenarios, and what the daemon says, against
// what they expect.
func (b bench) check(t *testing.T, scenarios []jobs.Scenario, o opinions) {
	t.Helper()
	for _, s := range scenarios {
		t.Run(s.Name+" live", func(t *testing.T) { report(t, checkDiagnosis(o.live, s)) })
		t.Run(s.Name+" replayed", func(t *testing.T) { report(t, checkDiagnosis(o.replayed, s)) })
		t.Run(s.Name+" metrics", func(t *testing.T) {
			b.awaitMetrics(t, s.Name, func(m product.Scrape) error { return checkMetrics(m, s) })
		})
	}
}

// end cancels the scenarios' jobs and waits until they have left no trace.
func (b bench) end(t *testing.T, scenarios []jobs.Scenario, ids []string) {
	t.Helper()
	for _, id := range ids {
		b.cluster.Cancel(t, id)
	}
	b.cluster.AwaitSlots(t)
	b.awaitMetrics(t, "the end of the jobs", func(m product.Scrape) error {
		for _, s := range scenarios {
			if left := m.Samples("flink_skew_vertex_verdict", product.Labels{"job_name": s.Name}); len(left) > 0 {
				return fmt.Errorf("series outlive the job: %v", left)
			}
		}
		return wantValue(m, "flink_skew_up", nil, 1)
	})
}

// up returns an error unless the cluster is seen whole.
func (b bench) up(m product.Scrape) error {
	return errors.Join(
		wantValue(m, "flink_skew_up", nil, 1),
		wantValue(m, "flink_skew_cluster_taskmanagers", nil, float64(b.cluster.TaskManagers())),
	)
}

// report fails the test when there is an error.
func report(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}
