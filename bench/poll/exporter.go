package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"runtime/pprof"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/collector"
	"github.com/flink-skew-exporter/flink-skew-exporter/collector/scrape"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/heap"
	"github.com/flink-skew-exporter/flink-skew-exporter/restapi"
)

// warmUp is how many polls come before those measured: the first finds Flink's
// metric cache cold, the second sets baselines, the third has the first windows.
const warmUp = 3

// counts is the client's observer.
type counts struct{ requests, bytes atomic.Int64 }

func (c *counts) Response(_ string, _ int, bytes int64) {
	c.requests.Add(1)
	c.bytes.Add(bytes)
}

// measure polls, scrapes and reports. Everything the daemon does between a
// tick and a published result is in it.
func measure(ctx context.Context, url string, jobs, polls int, profile string) (m measured, err error) {
	m = measured{Subtasks: jobs * verticesPerJob * parallelism}
	defer runtime.KeepAlive(heap.New()) // As the daemon has it.
	var seen counts
	o := restapi.DefaultOptions("bench", url)
	o.Observer = &seen
	o.PollTimeout = 5 * time.Minute
	client, err := restapi.New(o)
	if err != nil {
		return m, err
	}
	defer client.Close()
	poller, err := collector.NewPoller(collector.Config{
		Source: client, Cluster: "bench", Interval: 10 * time.Minute, Timeout: 5 * time.Minute, Thresholds: analysis.Defaults(),
	})
	if err != nil {
		return m, err
	}
	c, err := collector.New(collector.Options{})
	if err != nil {
		return m, err
	}
	if err := c.SetPollers([]*collector.Poller{poller}); err != nil {
		return m, err
	}
	handler := scrape.NewHandler(scrape.Config{Collector: c})

	if profile != "" {
		f, err := os.Create(profile)
		if err != nil {
			return m, err
		}
		if err := pprof.StartCPUProfile(f); err != nil {
			return m, err
		}
		defer func() {
			pprof.StopCPUProfile()
			err = errors.Join(err, f.Close())
		}()
	}
	var cpu, wall, scrapes, scrapeCPU []float64
	for n := range polls + warmUp {
		if err := fetch(url+advancePath, new(struct{})); err != nil {
			return m, err
		}
		requests, received := seen.requests.Load(), seen.bytes.Load()
		began, used := time.Now(), cpuSeconds()
		p := poller.Once(ctx)
		if !p.Up {
			return m, fmt.Errorf("poll %d: %w", n, p.Err)
		}
		if n >= warmUp {
			cpu = append(cpu, cpuSeconds()-used)
			wall = append(wall, time.Since(began).Seconds())
		}
		if n >= warmUp {
			m.Requests += seen.requests.Load() - requests
			m.Bytes += seen.bytes.Load() - received
		}
		m.Judged = judged(p.Result)
		began, used = time.Now(), cpuSeconds()
		w := &countingWriter{header: http.Header{}}
		handler.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/metrics", nil))
		if n >= warmUp {
			scrapes = append(scrapes, time.Since(began).Seconds())
			scrapeCPU = append(scrapeCPU, cpuSeconds()-used)
		}
		m.ScrapeBytes, m.Series = w.bytes, w.lines
	}
	m.PeakRSSBytes = peakRSS() // Before the yardstick allocates on its own account.
	m.Requests, m.Bytes = m.Requests/int64(polls), m.Bytes/int64(polls)
	m.CPUSeconds, m.WallSeconds, m.ScrapeSeconds = mean(cpu), mean(wall), mean(scrapes)
	m.ScrapeCPUSeconds = mean(scrapeCPU)
	if m.Judged != jobs*verticesPerJob {
		return m, fmt.Errorf("only %d of %d vertices were judged: the poll measured is not the whole work", m.Judged, jobs*verticesPerJob)
	}
	m.JSONMicros, err = yardstick(url)
	return m, err
}

// judged counts the vertices with a verdict from data.
func judged(r *analysis.Result) int {
	n := 0
	for i := range r.Jobs {
		for j := range r.Jobs[i].Vertices {
			if r.Jobs[i].Vertices[j].Verdict.ID != analysis.NotEnoughData {
				n++
			}
		}
	}
	return n
}

func mean(values []float64) float64 {
	var sum float64
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// countingWriter is a scraper that reads as fast as it can.
type countingWriter struct {
	header       http.Header
	bytes, lines int64
}

func (w *countingWriter) Header() http.Header { return w.header }
func (w *countingWriter) WriteHeader(int)     {}
func (w *countingWriter) Write(b []byte) (int, error) {
	w.bytes += int64(len(b))
	w.lines += int64(bytes.Count(b, []byte{'\n'}) - bytes.Count(b, []byte("\n#")))
	return len(b), nil
}

// cpuSeconds is the CPU time of this process so far, user and system.
func cpuSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// peakRSS is the largest resident set of this process so far, in bytes.
func peakRSS() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return int64(u.Maxrss) << 10 //nolint:unconvert // 32-bit systems have an int32 here.
}

// yardstick decodes the vertex bodies of some jobs by encoding/json and
// returns its CPU microseconds a subtask.
func yardstick(url string) (float64, error) {
	bodies, err := vertexBodies(url, 3)
	if err != nil {
		return 0, err
	}
	runtime.GC()
	subtasks := 0
	used := cpuSeconds()
	for subtasks < 200_000 {
		for _, b := range bodies {
			var v jsonVertex
			if err := json.Unmarshal(b, &v); err != nil {
				return 0, err
			}
			subtasks += len(v.Subtasks)
		}
	}
	return (cpuSeconds() - used) / float64(subtasks) * 1e6, nil
}

// jsonVertex has the fields that the exporter reads of a vertex, and no more.
type jsonVertex struct {
	ID             string `json:"id"`
	Parallelism    int    `json:"parallelism"`
	MaxParallelism int    `json:"maxParallelism"`
	Now            int64  `json:"now"`
	Subtasks       []struct {
		Subtask       int    `json:"subtask"`
		Status        string `json:"status"`
		Attempt       int    `json:"attempt"`
		Endpoint      string `json:"endpoint"`
		TaskManagerID string `json:"taskmanager-id"`
		Duration      int64  `json:"duration"`
		Metrics       struct {
			ReadBytes            int64   `json:"read-bytes"`
			ReadBytesComplete    bool    `json:"read-bytes-complete"`
			WriteBytes           int64   `json:"write-bytes"`
			WriteBytesComplete   bool    `json:"write-bytes-complete"`
			ReadRecords          int64   `json:"read-records"`
			ReadRecordsComplete  bool    `json:"read-records-complete"`
			WriteRecords         int64   `json:"write-records"`
			WriteRecordsComplete bool    `json:"write-records-complete"`
			BackPressured        int64   `json:"accumulated-backpressured-time"`
			Idle                 int64   `json:"accumulated-idle-time"`
			Busy                 float64 `json:"accumulated-busy-time"`
		} `json:"metrics"`
		StatusDuration struct {
			Running int64 `json:"RUNNING"`
		} `json:"status-duration"`
	} `json:"subtasks"`
}

// vertexBodies fetches the vertex answers of the first jobs, as they are.
func vertexBodies(url string, jobs int) ([][]byte, error) {
	var overview struct {
		Jobs []struct {
			ID string `json:"jid"`
		} `json:"jobs"`
	}
	if err := fetch(url+"/jobs/overview", &overview); err != nil {
		return nil, err
	}
	var bodies [][]byte
	for _, j := range overview.Jobs[:min(jobs, len(overview.Jobs))] {
		var job struct {
			Vertices []struct {
				ID string `json:"id"`
			} `json:"vertices"`
		}
		if err := fetch(url+"/jobs/"+j.ID, &job); err != nil {
			return nil, err
		}
		for _, v := range job.Vertices {
			var raw json.RawMessage
			if err := fetch(url+"/jobs/"+j.ID+"/vertices/"+v.ID, &raw); err != nil {
				return nil, err
			}
			bodies = append(bodies, raw)
		}
	}
	return bodies, nil
}

func fetch(url string, into any) error {
	res, err := http.Get(url) //nolint:noctx // A benchmark ends with its process.
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, into)
}
