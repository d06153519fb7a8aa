package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/collector"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/config"
	"github.com/flink-skew-exporter/flink-skew-exporter/restapi"
	"github.com/flink-skew-exporter/flink-skew-exporter/restapi/flinksim"
)

// soakPolls is how many polls the soak makes, at a simulated 15 s apart: a
// day and three quarters of a cluster that has no good day.
const soakPolls = 10_000

// trouble is an http.RoundTripper to a simulation that fails in turn.
type trouble struct {
	sim http.Handler
	// kind is the trouble of the present poll.
	kind int
}

func (s *trouble) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	w := httptest.NewRecorder()
	detail := strings.Contains(r.URL.Path, "/vertices/")
	switch {
	case s.kind == 1:
		return nil, io.ErrUnexpectedEOF
	case s.kind == 2:
		w.WriteHeader(http.StatusServiceUnavailable)
	case s.kind == 3 && detail:
		w.WriteHeader(http.StatusNotFound)
	case s.kind == 4 && detail:
		_, _ = io.WriteString(w, `{"id":"`)
	case s.kind == 5:
		return nil, context.DeadlineExceeded
	default:
		s.sim.ServeHTTP(w, r)
	}
	return w.Result(), nil
}

// TestSoak polls one cluster 10,000 times through errors, timeouts, vanished
// vertices, cut answers, restarts and rescales: nothing may pile up.
func TestSoak(t *testing.T) {
	began := time.Now()
	var passed atomic.Int64
	now := func() time.Time { return began.Add(time.Duration(passed.Load())) }
	cluster := flinksim.Load(1, 2, 2)
	// One worker: a list of a hundred would be most of the work.
	cluster.TaskManagers, cluster.SlotsPerTM = 1, 8
	cluster.MetricInterval = -1
	job, way := cluster.Jobs[0].Name, new(trouble)
	o := restapi.DefaultOptions("soak", "http://flink:8081")
	o.Transport, o.Now, o.NoPrime, o.Retries = way, now, true, 0
	client, err := restapi.New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	var sim *flinksim.Sim
	poller, err := collector.NewPoller(collector.Config{
		Source: client, Cluster: "soak", Interval: 15 * time.Second, Thresholds: analysis.Defaults(),
	})
	if err != nil {
		t.Fatal(err)
	}
	poll := func(from, to int) {
		for n := from; n < to; n++ {
			passed.Add(int64(15 * time.Second))
			if way.kind = n % 8; way.kind > 5 {
				way.kind = 0
			}
			switch {
			case n%200 == 0: // The JobManager begins anew; a simulation of days is dear.
				sim, err = flinksim.New(cluster, now)
				way.sim = sim
			case n%80 == 79:
				err = sim.Do(job, flinksim.Event{Kind: flinksim.Restart})
			case n%120 == 119:
				err = sim.Do(job, flinksim.Event{
					Kind: flinksim.RescaleTo, Parallelism: map[string]int{cluster.Jobs[0].Vertices[1].Name: 2 + n/120%3},
				})
			}
			if err != nil {
				t.Fatal(err)
			}
			poller.Once(t.Context())
		}
	}
	poll(0, soakPolls/10)
	goroutines, heap := settled()
	poll(soakPolls/10, soakPolls)
	way.kind = 0
	pub := poller.Once(t.Context())
	if !pub.Up || len(pub.Result.Jobs) != 1 {
		t.Errorf("not well at the end: %+v", pub)
	}
	// Three of eight kinds fail the whole poll.
	failed := uint64(0)
	for _, n := range pub.Failures {
		failed += n
	}
	if pub.Polls != soakPolls+1 || failed < soakPolls/3 || failed > soakPolls/2 || len(pub.Gaps) == 0 {
		t.Errorf("%d polls, %v failed, gaps %v: the soak did not do what it is for", pub.Polls, pub.Failures, pub.Gaps)
	}
	later, laterHeap := settled()
	if later > goroutines+3 || laterHeap > heap+4<<20 {
		t.Errorf("%d goroutines and %d bytes of heap, after a tenth %d and %d", later, laterHeap, goroutines, heap)
	}
}

// TestReloadsLeaveNothingBehind changes a running fleet 300 times, over real
// connections: goroutines and file descriptors are back at their level.
func TestReloadsLeaveNothingBehind(t *testing.T) {
	_, server := simulated(t)
	shown, err := collector.New(collector.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := newFleet(shown, nil, slog.New(slog.DiscardHandler))
	f.begin()
	defer f.end()
	a, b := config.Cluster{Name: "a", URL: server.URL}, config.Cluster{Name: "b", URL: server.URL}
	change := func(times int) {
		for n := range times {
			c := a
			c.ExcludeJobs = strings.Repeat("x", n%3) // Another one each time, of the same name.
			if err := f.change(configured(t, [][]config.Cluster{{c}, {c, b}, {b}}[n%3]...), nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.change(config.Default(), nil); err != nil {
			t.Fatal(err)
		}
	}
	change(30)
	server.CloseClientConnections()
	goroutines, _ := settled()
	files := descriptors()
	change(300)
	server.CloseClientConnections()
	later, _ := settled()
	if now := descriptors(); later > goroutines+5 || now > files+5 {
		t.Errorf("%d goroutines and %d files, before %d and %d", later, now, goroutines, files)
	}
}

// settled waits until no goroutine ends any more, and returns their number and
// the heap in use.
func settled() (goroutines int, heap uint64) {
	for last, same := 0, 0; same < 30; {
		runtime.Gosched()
		time.Sleep(time.Millisecond)
		if goroutines = runtime.NumGoroutine(); goroutines == last {
			same++
		} else {
			last, same = goroutines, 0
		}
	}
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return goroutines, m.HeapAlloc
}

// descriptors is how many files are open; 0 where there is no /proc.
func descriptors() int {
	all, err := os.ReadDir("/proc/self/fd")
	if errors.Is(err, os.ErrNotExist) {
		return 0
	}
	return len(all)
}
