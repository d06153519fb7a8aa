package test

import (
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/test/await"
	"github.com/flink-skew-exporter/flink-skew-exporter/test/flink"
	"github.com/flink-skew-exporter/flink-skew-exporter/test/jobs"
	"github.com/flink-skew-exporter/flink-skew-exporter/test/product"
)

const (
	// Eight polls, 10 s apart, see a new job through its warm-up and give several windows.
	polls        = 8
	pollInterval = 10 * time.Second
	// deadline bounds every wait; the longest, for 8 polls, takes 75 s where nothing is slow.
	deadline = 4 * time.Minute
	// endDeadline is the promise to whoever stops the daemon.
	endDeadline = 5 * time.Second
)

// bench is what the tests share: one cluster, one job jar, one binary, one
// daemon that watches the cluster from beginning to end.
type bench struct {
	cluster *flink.Cluster
	jarID   string
	binary  product.Binary
	server  *product.Server
}

// TestRealFlink runs everything against one cluster in turn. The scenarios that
// wait run together; the one that computes runs alone, because on two cores it
// would starve the others, and starved subtasks are rightly judged otherwise.
func TestRealFlink(t *testing.T) {
	d, err := flink.Install(t.Context(), flink.Version())
	if err != nil {
		t.Fatal(err)
	}
	jar, err := jobs.Build(d.Classpath(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := bench{binary: product.Build(t, "..")}
	b.cluster = flink.Start(t, flink.Options{Distribution: d, TaskManagers: 3, Slots: 12})
	b.jarID = b.cluster.Upload(t, jar)
	b.server = b.serve(t, "serve")

	t.Run("cluster", b.testCluster)
	t.Run("waiting", func(t *testing.T) { b.testScenarios(t, jobs.Waiting()) })
	t.Run("computing", func(t *testing.T) { b.testScenarios(t, []jobs.Scenario{jobs.HotKey()}) })
	t.Run("frozen JobManager", b.testFrozen)
	t.Run("dead JobManager", b.testDead)
	t.Run("end", func(t *testing.T) { testEnd(t, b.server) })
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

// testCluster holds the cluster's own series against what was started.
func (b bench) testCluster(t *testing.T) {
	b.awaitMetrics(t, "the idle cluster", func(m product.Scrape) error {
		workers := float64(b.cluster.TaskManagers())
		_, version := m.Value("flink_skew_cluster_info", product.Labels{"flink_version": b.cluster.Version()})
		return errors.Join(
			version,
			wantValue(m, "flink_skew_up", nil, 1),
			wantValue(m, "flink_skew_cluster_taskmanagers", nil, workers),
			wantValue(m, "flink_skew_cluster_task_slots", nil, float64(b.cluster.Slots())),
		)
	})
}

// testScenarios runs jobs side by side and has them judged in every way there
// is: live, recorded and replayed, and by the daemon.
func (b bench) testScenarios(t *testing.T, scenarios []jobs.Scenario) {
	var ids []string
	for _, s := range scenarios {
		ids = append(ids, b.cluster.Run(t, b.jarID, jobs.Class, s.Arguments()))
	}
	for _, id := range ids {
		b.cluster.AwaitRunning(t, id)
	}
	tape := filepath.Join(t.TempDir(), "tape.jsonl.gz")
	source := []string{"--flink.url=" + b.cluster.URL(), fmt.Sprintf("--polls=%d", polls), "--interval=" + pollInterval.String()}
	prefix := scenarios[0].Name
	record := b.binary.Start(t, prefix+"-record", append([]string{"record", "--out=" + tape}, source...)...)
	live := b.binary.Start(t, prefix+"-diagnose", append([]string{"diagnose", "--format=json"}, source...)...)
	diagnosis := product.Diagnosed(t, live, deadline)
	for _, s := range scenarios {
		t.Run(s.Name+" live", func(t *testing.T) { report(t, checkDiagnosis(diagnosis, s)) })
	}

	if code := record.Wait(t, deadline); code != 0 {
		t.Fatalf("%v", record.Ended())
	}
	replay := b.binary.Start(t, prefix+"-replay", "diagnose", "--format=json", "--tape="+tape)
	replayed := product.Diagnosed(t, replay, deadline)
	for _, s := range scenarios {
		t.Run(s.Name+" replayed", func(t *testing.T) { report(t, checkDiagnosis(replayed, s)) })
		t.Run(s.Name+" metrics", func(t *testing.T) {
			b.awaitMetrics(t, s.Name, func(m product.Scrape) error { return checkMetrics(m, s) })
		})
	}

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

// testFrozen freezes the JobManager: the daemon says timeout, a daemon that is
// stopped in the middle of its first poll ends at once, and all heals.
func (b bench) testFrozen(t *testing.T) {
	b.cluster.FreezeJobManager(t)
	t.Run("SIGTERM mid-poll", func(t *testing.T) {
		stuck := b.serve(t, "serve-stuck")
		status, err := stuck.Status("/-/ready")
		if err != nil || status == http.StatusOK {
			t.Fatalf("/-/ready answers %d, %v before the first poll is over", status, err)
		}
		testEnd(t, stuck)
	})
	b.awaitMetrics(t, "the frozen JobManager", down("timeout"))
	b.cluster.ThawJobManager(t)
	b.awaitMetrics(t, "the thawed JobManager", b.up)
}

// testDead kills the JobManager and starts another in its place.
func (b bench) testDead(t *testing.T) {
	b.cluster.KillJobManager()
	b.awaitMetrics(t, "the dead JobManager", down("refused"))
	b.cluster.StartJobManager()
	b.cluster.AwaitSlots(t)
	b.awaitMetrics(t, "the new JobManager", b.up)
}

// up returns an error unless the cluster is seen whole.
func (b bench) up(m product.Scrape) error {
	return errors.Join(
		wantValue(m, "flink_skew_up", nil, 1),
		wantValue(m, "flink_skew_cluster_taskmanagers", nil, float64(b.cluster.TaskManagers())),
	)
}

// down returns a check that the cluster is seen as down, and that polls failed for the reason.
func down(reason string) func(product.Scrape) error {
	return func(m product.Scrape) error {
		failures, err := m.Value("flink_skew_poll_failures_total", product.Labels{"reason": reason})
		if err == nil && failures < 1 {
			err = fmt.Errorf("no poll has failed for reason %q", reason)
		}
		return errors.Join(err, wantValue(m, "flink_skew_up", nil, 0))
	}
}

// testEnd asks a daemon to stop and holds it to its promise.
func testEnd(t *testing.T, s *product.Server) {
	s.Signal(t, syscall.SIGTERM)
	if code := s.Wait(t, endDeadline); code != 0 {
		t.Fatalf("serve ended with code %d after SIGTERM: %v", code, s.Ended())
	}
}

// report fails the test when there is an error.
func report(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}
