package collector

import (
	"maps"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// Observer counts what a cluster's client asks the JobManager. Its zero value
// is ready; one belongs to one cluster and outlives single polls. All methods
// may be called at once and on a nil Observer.
type Observer struct {
	requests sync.Map // request → *atomic.Uint64
	kinds    atomic.Int32
	bytes    atomic.Uint64
}

// request is what requests are kept apart by.
type request struct{ endpoint, code string }

// maxRequestKinds bounds the series of requests_total should an id slip into
// an endpoint's name: Flink has about a dozen endpoints that we ask.
const maxRequestKinds = 256

// Response counts an answer. endpoint is from the client's closed set and has
// no ids in it; code is the HTTP status, 0 when there was no answer; bytes are
// those of the body as read from the wire, negative counts as none.
func (o *Observer) Response(endpoint string, code int, bytes int64) {
	if o == nil {
		return
	}
	key := request{CleanLabel(endpoint), "none"}
	if code != 0 {
		key.code = strconv.Itoa(code)
	}
	o.counter(key).Add(1)
	if bytes > 0 {
		o.bytes.Add(uint64(bytes))
	}
}

func (o *Observer) counter(key request) *atomic.Uint64 {
	if n, ok := o.requests.Load(key); ok {
		return n.(*atomic.Uint64)
	}
	if o.kinds.Load() >= maxRequestKinds {
		key = request{"other", "other"}
	}
	n, loaded := o.requests.LoadOrStore(key, new(atomic.Uint64))
	if !loaded {
		o.kinds.Add(1)
	}
	return n.(*atomic.Uint64)
}

// counts returns the requests so far; nil without an Observer.
func (o *Observer) counts() map[request]uint64 {
	if o == nil {
		return nil
	}
	m := map[request]uint64{}
	o.requests.Range(func(k, n any) bool {
		m[k.(request)] = n.(*atomic.Uint64).Load()
		return true
	})
	return m
}

// Requests is how often an endpoint was answered with a code.
type Requests struct {
	Endpoint, Code string
	Count          uint64
}

// Requests returns the counts so far in a fixed order; nil without an Observer.
func (o *Observer) Requests() []Requests {
	counts := o.counts()
	all := make([]Requests, 0, len(counts))
	for key, n := range counts {
		all = append(all, Requests{key.endpoint, key.code, n})
	}
	slices.SortFunc(all, func(a, b Requests) int {
		return slices.Compare([]string{a.Endpoint, a.Code}, []string{b.Endpoint, b.Code})
	})
	return all
}

// Reasons of series_dropped_total.
const (
	dropBudget    = "budget"
	dropDuplicate = "duplicate"
)

// pollerView is what a poller says of itself in one scrape.
type pollerView struct {
	head
	pub      *Published
	observer *Observer
	// series is how many data series are shown; dropped counts by reason.
	series  int
	dropped map[string]uint64
}

// exporterView is what concerns all clusters.
type exporterView struct {
	head
	mode Mode
	// reload is nil where no configuration is read.
	reload    *Reload
	discovery []Discovery
}

type buildView struct{ head }

// buildLabels are those of the usual build_info of Prometheus' own programs.
func buildLabels() []string {
	return []string{"branch", "goarch", "goos", "goversion", "revision", "tags", "version"}
}

// Build is what the exporter was built from, for its build_info; what is not
// known is empty.
type Build struct{ Version, Revision, Branch, Tags string }

func newBuildView(b Build) *buildView {
	return &buildView{newHead(buildLabels(), []string{
		CleanLabel(b.Branch), runtime.GOARCH, runtime.GOOS, runtime.Version(),
		CleanLabel(b.Revision), CleanLabel(b.Tags), CleanLabel(b.Version),
	})}
}

func buildRows() []row[*buildView] {
	return []row[*buildView]{{
		Family: Family{
			Name: "exporter_build_info", Type: Gauge, Stability: Stable, Cardinality: "1",
			Help: "Always 1; the labels say what this exporter was built from.",
		},
		values: one(func(*buildView) analysis.Num { return analysis.Of(1) }),
	}}
}

func exporterRows() []row[*exporterView] {
	return []row[*exporterView]{{
		Family: Family{
			Name: "exporter_subtask_mode", Type: Gauge, Stability: Experimental, Labels: []string{"mode"}, Cardinality: "1",
			Help: "Always 1; mode is how much of single subtasks is shown after the series budget: all, top, notable (the hottest of vertices with a severity) or off.",
		},
		values: func(e *exporterView, put emit) { put(analysis.Of(1), labels{string(e.mode)}) },
	}}
}

// putCounts emits counters by their one label in a fixed order.
func putCounts(counts map[string]uint64, put emit) {
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		put(analysis.Of(float64(counts[key])), labels{key})
	}
}

// putRequests emits the requests in a fixed order.
func putRequests(p *pollerView, put emit) {
	for _, r := range p.observer.Requests() {
		put(analysis.Of(float64(r.Count)), labels{r.Endpoint, r.Code})
	}
}
