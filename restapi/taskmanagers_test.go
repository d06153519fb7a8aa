package restapi

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

func TestTaskManagerLimits(t *testing.T) {
	f := newFake()
	f.tms = 5
	limit := analysis.Gap{What: whatTMMetrics, Reason: analysis.GapLimit}
	s := mustPoll(t, fakeClient(t, f, func(o *Options) { o.MaxTaskManagers = 4 }))
	wantGaps(t, s, limit)
	if len(s.TaskManagers) != 5 || s.TaskManagers[0].CPUSeconds.Known() {
		t.Errorf("TaskManagers %+v", s.TaskManagers)
	}
	wantGaps(t, mustPoll(t, fakeClient(t, f, func(o *Options) { o.MaxTaskManagers = 5 })))
	f.reset()
	wantGaps(t, mustPoll(t, fakeClient(t, f, func(o *Options) { o.MaxTaskManagers = -1 })))
	if n := f.count("/taskmanagers/10.0.0.0:42-abc/metrics"); n != 0 {
		t.Error("metrics read though they are off")
	}
}

func TestColdTaskManagersArePrimedInTheFirstPoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		path := "/taskmanagers/10.0.0.1:42-abc/metrics"
		f.override[path] = respond(200, "[]")
		c := fakeClient(t, f, nil)
		cold := analysis.Gap{What: whatTMMetrics, Reason: analysis.GapCold}
		wantGaps(t, mustPoll(t, c), cold)
		wantGaps(t, mustPoll(t, c), cold)
		if n := f.count(path); n != 3 {
			t.Errorf("%d requests, want two in the first poll and one in the next", n)
		}
	})
}

func TestManyMetricNamesAreCutByLength(t *testing.T) {
	names := make([]string, 500)
	for i := range names {
		names[i] = fmt.Sprintf("%d.Source__pulsar(url__pulsar+ssl_//h_6651)[1] 50%%.numRecordsOut", i)
	}
	for _, limit := range []int{4096, 1500} {
		asked := 0
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked++
			if len("GET "+r.URL.RequestURI()+" HTTP/1.1\r\n") > limit {
				respond(404, `{"errors":["Unable to load requested file /bad-request."]}`)(w, r)
				return
			}
			var b strings.Builder
			for i, name := range strings.Split(r.URL.Query().Get("get"), ",") {
				fmt.Fprintf(&b, `%c{"id":%q,"value":"1"}`, "[,"[min(i, 1)], name)
			}
			io.WriteString(w, b.String()+"]")
		})
		p := &poll{c: fakeClient(t, h, nil), ctx: t.Context()}
		values, err := p.metricValues(vertexCall(epVertexMetrics, jobA, source, "/metrics"), names, 200)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if values[name].Or(0) != 1 {
				t.Fatalf("limit %d: %s is missing after %d requests", limit, name, asked)
			}
		}
	}
}

func TestMetricsOfSomethingGoneAreNotCutUp(t *testing.T) {
	n := 0
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { n++; respond(404, "")(w, r) })
	p := &poll{c: fakeClient(t, h, nil), ctx: t.Context()}
	if _, err := p.metricValues(call{epVertexMetrics, "/x"}, []string{"a", "b", "c"}, 8); Reason(err) != ReasonNotFound || n != 1 {
		t.Errorf("error %v after %d requests", err, n)
	}
	long := []string{strings.Repeat("x", 5000), "a"}
	p = &poll{c: fakeClient(t, respondNames{}, nil), ctx: t.Context()}
	values, err := p.metricValues(call{epVertexMetrics, "/x"}, long, 8)
	if err != nil || values["a"].Or(0) != 1 || len(values) != 1 {
		t.Errorf("a name that is too long by itself: %v %v", values, err)
	}
}

// respondNames rejects long request lines, and knows the metric a.
type respondNames struct{}

func (respondNames) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if len(r.URL.RequestURI()) > 4000 {
		w.WriteHeader(http.StatusRequestURITooLong)
		return
	}
	io.WriteString(w, `[{"id":"a","value":"1"}]`)
}
