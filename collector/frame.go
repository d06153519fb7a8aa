package collector

import (
	"encoding/binary"
	"io"
)

// Frame is what one scrape shows: every cluster at one moment. Making one
// reads atomics only and takes microseconds; it holds on to the Results it
// shows, so it is to be dropped after use.
type Frame struct {
	table    *table
	mode     Mode
	key      string
	pollers  []*pollerView
	clusters []*clusterView
	jobs     []*jobView
	vertices []*vertexView
	exporter *exporterView
	build    *buildView
}

// Frame returns the present frame.
func (c *Collector) Frame() *Frame {
	entries := *c.entries.Load()
	f := &Frame{table: c.table, build: c.build}
	limits := *c.limits.Load()
	var key []byte
	views := make([]*view, len(entries))
	for i, e := range entries {
		pub, fresh := e.poller.Current()
		f.pollers = append(f.pollers, &pollerView{
			head: newHead(clusterLabels(), []string{e.poller.label}), pub: pub, observer: e.poller.cfg.Observer,
		})
		if !fresh {
			continue
		}
		views[i] = pub.view
		key = binary.AppendUvarint(key, e.id)
		key = binary.AppendUvarint(key, pub.good)
	}
	f.mode = c.affordable(limits, views)
	f.exporter = &exporterView{mode: f.mode, reload: c.reload.Load()}
	if d := c.discovery.Load(); d != nil {
		f.exporter.discovery = *d
	}
	f.key = string(f.mode) + string(key)
	for i, e := range entries {
		f.add(e, f.pollers[i], views[i], limits.subtasks)
	}
	return f
}

// add shows a cluster's view, nil when it has none, and accounts for it.
func (f *Frame) add(e *entry, p *pollerView, v *view, wanted Mode) {
	if v != nil {
		p.series = v.base + v.shown[f.mode]
		f.clusters = append(f.clusters, &v.cluster)
		f.jobs = append(f.jobs, v.jobs...)
		f.vertices = append(f.vertices, v.vertices...)
		e.count(p.pub.good, v.shown[wanted]-v.shown[f.mode])
	}
	p.dropped = map[string]uint64{dropBudget: e.budget.Load(), dropDuplicate: p.pub.Duplicates + e.twins.Load()}
}

// count adds the drops of a good poll once, however often it is scraped.
func (e *entry) count(good uint64, dropped int) {
	for {
		seen := e.counted.Load()
		if good <= seen {
			return
		}
		if e.counted.CompareAndSwap(seen, good) {
			e.budget.Add(uint64(max(0, dropped)))
			return
		}
	}
}

// affordable holds the budget over all clusters and logs a change of mode.
func (c *Collector) affordable(l limits, views []*view) Mode {
	series := func(m Mode) int {
		n := 0
		for _, v := range views {
			if v != nil {
				n += v.shown[m]
			}
		}
		return n
	}
	mode := afford(l.subtasks, l.budget, series)
	if was := c.mode.Swap(&mode); *was != mode {
		c.log.Warn("series budget changes what is shown of subtasks", "wanted", l.subtasks, "shown", mode,
			"wanted_series", series(l.subtasks), "shown_series", series(mode), "budget", l.budget)
	}
	return mode
}

// DataKey is equal for frames that show the same data, so that what WriteData
// wrote may be kept for the next scrape. It is opaque and of one Collector.
func (f *Frame) DataKey() string { return f.key }

// WriteData writes the clusters' data in the Prometheus text format 0.0.4.
func (f *Frame) WriteData(w io.Writer) error {
	t := newTextSink(w)
	f.renderData(t)
	t.flush()
	return t.err
}

// WriteSelf writes what the exporter says of itself, which follows the data
// and changes from scrape to scrape.
func (f *Frame) WriteSelf(w io.Writer) error {
	t := newTextSink(w)
	f.renderSelf(t)
	t.flush()
	return t.err
}

func (f *Frame) render(to sink) {
	f.renderData(to)
	f.renderSelf(to)
}

func (f *Frame) renderData(to sink) {
	render(to, f.table.clusters, f.clusters)
	render(to, f.table.jobs, f.jobs)
	render(to, f.table.vertices, f.vertices)
	renderSubtasks(to, f.table.subtasks, f.vertices, f.mode)
}

func (f *Frame) renderSelf(to sink) {
	render(to, f.table.pollers, f.pollers)
	render(to, f.table.exporter, []*exporterView{f.exporter})
	render(to, f.table.build, []*buildView{f.build})
}
