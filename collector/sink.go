package collector

import (
	"io"
	"math"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// sink takes the series of one family after the other. The text exposition,
// the registry and the counting of series are three sinks of one walk.
type sink interface {
	// family begins a family; the samples that follow are its.
	family(f *Family)
	// sample adds a series of the subject h with the family's own labels lv.
	sample(h *head, lv labels, v float64)
	// histogram adds a distribution of the subject h.
	histogram(h *head, b *buckets)
}

// render walks the rows over the subjects, family by family, as the text
// format wants it.
func render[S interface{ subject() *head }](to sink, rows []row[S], subjects []S) {
	for i := range rows {
		r := &rows[i]
		to.family(&r.Family)
		var h *head
		put := func(n analysis.Num, lv labels) {
			if v, ok := n.Get(); ok {
				to.sample(h, lv, v)
			}
		}
		for _, s := range subjects {
			h = s.subject()
			if r.buckets == nil {
				r.values(s, put)
			} else if b := r.buckets(s); b != nil {
				to.histogram(h, b)
			}
		}
	}
}

// renderSubtasks walks the rows of subtasks over those that the mode shows.
func renderSubtasks(to sink, rows []row[*analysis.SubtaskResult], vertices []*vertexView, mode Mode) {
	if mode == ModeOff {
		return
	}
	for i := range rows {
		r := &rows[i]
		to.family(&r.Family)
		var h *head
		var index int32
		put := func(n analysis.Num, _ labels) {
			if v, ok := n.Get(); ok {
				to.sample(h, labels{strconv.Itoa(int(index))}, v)
			}
		}
		for _, v := range vertices {
			h = v.subject()
			v.shown(mode, func(s *analysis.SubtaskResult) {
				index = s.Index
				r.values(s, put)
			})
		}
	}
}

// countSink counts series as Prometheus counts them.
type countSink int

func (c *countSink) family(*Family)                {}
func (c *countSink) sample(*head, labels, float64) { *c++ }
func (c *countSink) histogram(_ *head, b *buckets) { *c += countSink(len(b.counts) + 2) }

// textBuffer is the size in bytes at which the text sink writes on.
const textBuffer = 64 << 10

// textSink writes the Prometheus text format 0.0.4. It exists because a large
// cluster has some hundred thousand series: building a protobuf message for
// each costs seconds and gigabytes, copying its label text costs nanoseconds.
type textSink struct {
	w       io.Writer
	b       []byte
	f       *Family
	started bool
	err     error
}

func newTextSink(w io.Writer) *textSink {
	return &textSink{w: w, b: make([]byte, 0, textBuffer+textBuffer/8)}
}

func (t *textSink) family(f *Family) { t.f, t.started = f, false }

// header writes HELP and TYPE before a family's first series, so that a family
// without any leaves no trace.
func (t *textSink) header() {
	t.started = true
	t.b = append(t.b, "# HELP "...)
	t.b = append(t.b, t.f.Name...)
	t.b = append(t.b, ' ')
	t.b = appendHelp(t.b, t.f.Help)
	t.b = append(t.b, "\n# TYPE "...)
	t.b = append(t.b, t.f.Name...)
	t.b = append(t.b, ' ')
	t.b = append(t.b, t.f.Type...)
	t.b = append(t.b, '\n')
}

func (t *textSink) sample(h *head, lv labels, v float64) {
	if !t.started {
		t.header()
	}
	t.b = append(t.b, t.f.Name...)
	if len(t.f.Labels) > 0 {
		t.b = append(t.b, '{')
		t.b = append(t.b, h.text...)
		for i, name := range t.f.Labels[len(h.values):] {
			if i > 0 || len(h.values) > 0 {
				t.b = append(t.b, ',')
			}
			t.b = appendLabel(t.b, name, lv[i])
		}
		t.b = append(t.b, '}')
	}
	t.endLine(v)
}

func (t *textSink) histogram(h *head, b *buckets) {
	if !t.started {
		t.header()
	}
	cumulative, bounds := uint64(0), busyBounds()
	for i, n := range b.counts {
		cumulative += uint64(n)
		t.part(h, "_bucket")
		t.b = append(t.b, `,le="`...)
		if i < busyBoundCount {
			t.b = strconv.AppendFloat(t.b, bounds[i], 'g', -1, 64)
		} else {
			t.b = append(t.b, "+Inf"...)
		}
		t.b = append(t.b, `"}`...)
		t.endLine(float64(cumulative))
	}
	t.part(h, "_sum")
	t.b = append(t.b, '}')
	t.endLine(b.sum)
	t.part(h, "_count")
	t.b = append(t.b, '}')
	t.endLine(float64(cumulative))
}

// part begins a line of a histogram, leaving the labels open.
func (t *textSink) part(h *head, suffix string) {
	t.b = append(t.b, t.f.Name...)
	t.b = append(t.b, suffix...)
	t.b = append(t.b, '{')
	t.b = append(t.b, h.text...)
}

func (t *textSink) endLine(v float64) {
	t.b = append(t.b, ' ')
	// Whole numbers below 2^53 are most values, and quicker to print as such.
	if whole := int64(v); float64(whole) == v && math.Abs(v) < 1<<53 {
		t.b = strconv.AppendInt(t.b, whole, 10)
	} else {
		t.b = strconv.AppendFloat(t.b, v, 'g', -1, 64)
	}
	t.b = append(t.b, '\n')
	if len(t.b) >= textBuffer {
		t.flush()
	}
}

// flush writes what is buffered; after an error all output is dropped.
func (t *textSink) flush() {
	if t.err == nil && len(t.b) > 0 {
		_, t.err = t.w.Write(t.b)
	}
	t.b = t.b[:0]
}

// appendHelp escapes what the text format reserves in help texts.
func appendHelp(b []byte, help string) []byte {
	for i := range len(help) {
		switch c := help[i]; c {
		case '\\':
			b = append(b, '\\', '\\')
		case '\n':
			b = append(b, '\\', 'n')
		default:
			b = append(b, c)
		}
	}
	return b
}

// metricSink sends constant metrics, for registries.
type metricSink struct {
	ch    chan<- prometheus.Metric
	descs map[string]*prometheus.Desc
	f     *Family
	desc  *prometheus.Desc
}

func (m *metricSink) family(f *Family) { m.f, m.desc = f, m.descs[f.Name] }

func (m *metricSink) sample(h *head, lv labels, v float64) {
	kind := prometheus.GaugeValue
	if m.f.Type == Counter {
		kind = prometheus.CounterValue
	}
	own := len(m.f.Labels) - len(h.values)
	all := make([]string, 0, len(m.f.Labels))
	all = append(append(all, h.values...), lv[:own]...)
	m.send(prometheus.NewConstMetric(m.desc, kind, v, all...))
}

func (m *metricSink) histogram(h *head, b *buckets) {
	bounds := make(map[float64]uint64, busyBoundCount)
	cumulative := uint64(0)
	for i, bound := range busyBounds() {
		cumulative += uint64(b.counts[i])
		bounds[bound] = cumulative
	}
	m.send(prometheus.NewConstHistogram(m.desc, b.count(), b.sum, bounds, h.values...))
}

// send drops a metric that could not be built: one invalid series must not
// kill a scrape. Labels are clean and their number comes from the table, so
// that none is known to be dropped here.
func (m *metricSink) send(metric prometheus.Metric, err error) {
	if err == nil {
		m.ch <- metric
	}
}
