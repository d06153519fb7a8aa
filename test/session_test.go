package test

import (
	"errors"
	"fmt"
	"net/http"
	"syscall"
	"testing"

	"github.com/flink-skew-exporter/flink-skew-exporter/test/flink"
	"github.com/flink-skew-exporter/flink-skew-exporter/test/jobs"
	"github.com/flink-skew-exporter/flink-skew-exporter/test/product"
)

// testSession runs everything that a session cluster as it comes is enough for.
// The scenarios that wait run together; the one that computes runs alone,
// because on two cores it would starve the others, and starved subtasks are
// rightly judged otherwise.
func (s suite) testSession(t *testing.T) {
	b := s.start(t, flink.Options{TaskManagers: 3, Slots: 12})
	t.Run("cluster", b.testCluster)
	t.Run("waiting", func(t *testing.T) { b.testScenarios(t, jobs.Waiting()) })
	t.Run("advising", func(t *testing.T) { b.testScenarios(t, jobs.Advising()) })
	t.Run("computing", b.testPaging)
	t.Run("frozen JobManager", b.testFrozen)
	t.Run("dead JobManager", b.testDead)
	t.Run("end", func(t *testing.T) { testEnd(t, b.server) })
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
