package scrape

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/collector"
)

// jobs is a Source whose every answer has one more job state than the last.
type jobs struct{ polls int }

func (j *jobs) Snapshot(context.Context) (analysis.Snapshot, error) {
	j.polls++
	states := map[string]int{}
	for i := range j.polls * 1000 {
		states[fmt.Sprintf("STATE %d of a \"hostile\"\ncluster", i)] = i
	}
	return analysis.Snapshot{At: time.Unix(int64(j.polls), 0), JobStates: states}, nil
}

// served returns a handler over one poller that has polled once.
func served(t testing.TB, others prometheus.Gatherer, log io.Writer) (*Handler, *collector.Poller) {
	t.Helper()
	p, err := collector.NewPoller(collector.Config{
		Source: new(jobs), Cluster: "prod", Interval: time.Hour, Thresholds: analysis.Defaults(),
	})
	if err != nil {
		t.Fatal(err)
	}
	c, err := collector.New(collector.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.SetPollers([]*collector.Poller{p}); err != nil {
		t.Fatal(err)
	}
	p.Once(t.Context())
	return NewHandler(Config{Collector: c, Others: others, Logger: slog.New(slog.NewTextHandler(log, nil))}), p
}

// get asks the handler with the headers given as pairs.
func get(t testing.TB, h http.Handler, headers ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	res := w.Result()
	if res.StatusCode != http.StatusOK {
		t.Fatalf("status %d", res.StatusCode)
	}
	return res
}

// body reads a body, unpacking one gzip member only, as some clients do.
func body(t testing.TB, res *http.Response) string {
	t.Helper()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if res.Header.Get("Content-Encoding") != "gzip" {
		return string(raw)
	}
	packed := bytes.NewReader(raw)
	unpack, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	unpack.Multistream(false)
	text, err := io.ReadAll(unpack)
	if err != nil {
		t.Fatal(err)
	}
	if packed.Len() != 0 {
		t.Errorf("%d bytes after the first gzip member", packed.Len())
	}
	return string(text)
}

func TestGzipIsTheSameTextAndFollowsTheData(t *testing.T) {
	h, p := served(t, nil, io.Discard)
	for poll := range 3 {
		plain := body(t, get(t, h))
		for range 2 {
			if packed := body(t, get(t, h, "Accept-Encoding", "deflate, gzip")); packed != plain {
				t.Fatalf("after poll %d gzip has %d bytes, plain %d", poll+1, len(packed), len(plain))
			}
		}
		if n := strings.Count(plain, "flink_skew_cluster_jobs{"); n != 1000*(poll+1) {
			t.Errorf("%d states after poll %d", n, poll+1)
		}
		p.Once(t.Context())
	}
}

func TestSelfMetricsAreNotKept(t *testing.T) {
	h, _ := served(t, nil, io.Discard)
	first := body(t, get(t, h, "Accept-Encoding", "gzip"))
	if err := h.cfg.Collector.SetPollers(nil); err != nil {
		t.Fatal(err)
	}
	second := body(t, get(t, h, "Accept-Encoding", "gzip"))
	if !strings.Contains(first, `flink_skew_up{cluster="prod"} 1`) || strings.Contains(second, "prod") {
		t.Error("what has been compressed outlives its cluster")
	}
	if !strings.Contains(second, "flink_skew_exporter_build_info{") {
		t.Error("no build_info without clusters")
	}
}

func TestEveryFormatParses(t *testing.T) {
	for _, accept := range []string{
		"", "*/*", "text/plain;version=0.0.4", "text/html",
		"application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,*/*;q=0.1",
		"application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited",
		"application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.6,text/plain;version=0.0.4;q=0.2,*/*;q=0.1",
	} {
		others := prometheus.NewRegistry()
		others.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "other", Help: "Another."}, func() float64 { return 7 }))
		h, _ := served(t, others, io.Discard)
		res := get(t, h, "Accept", accept)
		decoder := expfmt.NewDecoder(res.Body, expfmt.ResponseFormat(res.Header))
		extractor := expfmt.SampleDecoder{Dec: decoder, Opts: &expfmt.DecodeOptions{}}
		if text := res.Header.Get("Content-Type"); strings.HasPrefix(text, "text/plain") == strings.HasSuffix(accept, "encoding=delimited") {
			t.Errorf("Accept %q gives %s", accept, text)
		}
		values := map[model.LabelValue]int{}
		for {
			var samples model.Vector
			err := extractor.Decode(&samples)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("Accept %q: %v", accept, err)
			}
			for _, s := range samples {
				values[s.Metric[model.MetricNameLabel]]++
			}
		}
		if values["flink_skew_cluster_jobs"] != 1000 || values["flink_skew_up"] != 1 || values["other"] != 1 {
			t.Errorf("Accept %q gives %v", accept, values)
		}
	}
}

// halfBroken gathers one family and an error.
func halfBroken() prometheus.Gatherer {
	return prometheus.GathererFunc(func() ([]*dto.MetricFamily, error) {
		registry := prometheus.NewRegistry()
		registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "other", Help: "Another."}, func() float64 { return 7 }))
		families, err := registry.Gather()
		return families, errors.Join(err, errors.New("half of it"))
	})
}

func TestFailureOfOthersIsLoggedAndTheRestShown(t *testing.T) {
	var log bytes.Buffer
	h, _ := served(t, halfBroken(), &log)
	if text := body(t, get(t, h)); !strings.Contains(text, "other 7") || !strings.Contains(text, "flink_skew_up{") {
		t.Error("a failure of others hides what there is")
	}
	if !strings.Contains(log.String(), "half of it") {
		t.Errorf("not logged: %s", &log)
	}
}

func TestAcceptsGzip(t *testing.T) {
	for header, want := range map[string]bool{
		"": false, "gzip": true, "deflate, GZIP;q=0.5": true, "gzip;q=0": false, "gzip; q=0.0": false, "br": false,
		"gzipped": false, "gzip;q=x": false, "*": false, "identity,gzip;q=1.0": true,
	} {
		if got := acceptsGzip(http.Header{"Accept-Encoding": {header}}); got != want {
			t.Errorf("%q: %v", header, got)
		}
	}
}

// gone is a client that has left.
type gone struct{ http.ResponseWriter }

func (gone) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestClientThatLeavesHarmsNobody(t *testing.T) {
	h, _ := served(t, nil, io.Discard)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
			if i%2 == 0 {
				r.Header.Set("Accept-Encoding", "gzip")
			}
			h.ServeHTTP(gone{httptest.NewRecorder()}, r)
		})
	}
	wg.Wait()
	if body(t, get(t, h, "Accept-Encoding", "gzip")) != body(t, get(t, h)) {
		t.Error("what was compressed for a client that left is broken")
	}
}
