package analysis

import "math"

const (
	// heldUp is the mean back-pressured share from which a source is held up, if
	// it hardly idles: what it would bring is then not known from what it brings.
	heldUp = 0.1
	// heldIdle is the mean idle share below which a reader always has something to read.
	heldIdle = 0.05
	// growthFloor is the share of the rate above which a backlog's growth counts;
	// below it is the wobble of two readings.
	growthFloor = 0.02
)

// demand is what a vertex gets and what it ought to get, in records a second.
type demand struct {
	// rate is what arrives now, wanted what would if nothing held up the sources,
	// and catchUp what clears the backlogs in Config.CatchUp beside it.
	rate, wanted, catchUp Num
	// atLeast says that wanted is a lower bound: a source is held up, and how much
	// it holds back is not known.
	atLeast bool
}

// factor is how many times the present rate is wanted, at least 1; a backlog
// that is being worked off makes no demand smaller.
func (d demand) factor() float64 { return max(1, ratio(d.wanted, d.rate).Or(1)) }

// demands propagates the sources' demand along the graph, as the autoscaler of
// Flink's Kubernetes operator does (ScalingMetricEvaluator.computeTargetDataRate):
// a source wants its rate and what its backlog grows by; any other vertex wants
// what its inputs want times the ratio of records on the edge to records into
// the input. Without an input's numbers a vertex wants what it gets.
func (g *graph) demands(vs []Vertex, es []*evidence, states map[string]*vertexState, c Config) []demand {
	ds := make([]demand, len(vs))
	out := make([]Num, len(vs))
	for i := range vs {
		ds[i].rate = sumOf(es[i].load)
		out[i] = sumOf(es[i].out)
		if vs[i].Source() {
			ds[i].source(&vs[i], es[i], states[vs[i].ID].backlog, c)
			continue
		}
		var edges, wanted, catchUp float64
		for _, u := range g.inputs[i] {
			edge := g.edgeRate(u, i, ds, out)
			from := ds[u].rate.Or(0)
			ds[i].atLeast = ds[i].atLeast || ds[u].atLeast
			if edge <= 0 || from <= 0 {
				continue
			}
			edges += edge
			wanted += edge * ds[u].wanted.Or(from) / from
			catchUp += edge * ds[u].catchUp.Or(0) / from
		}
		ds[i].wanted = ds[i].rate
		if edges > 0 {
			// What the edges add up to may differ from what was counted at their end.
			ds[i].wanted = ds[i].rate.Map(func(r float64) float64 { return r * wanted / edges })
			ds[i].catchUp = ds[i].rate.Map(func(r float64) float64 { return r * catchUp / edges })
		}
	}
	return ds
}

// source fills the demand of a source.
func (d *demand) source(v *Vertex, e *evidence, b backlogTrack, c Config) {
	d.catchUp = v.Backlog.Map(func(b float64) float64 { return b / c.CatchUp.Seconds() })
	d.wanted = d.rate
	rate, ok := d.rate.Get()
	if !ok {
		return
	}
	growth, known := b.growth().Get()
	if known && math.Abs(growth) > growthFloor*rate {
		d.wanted = Of(max(0, rate+growth))
	}
	_, idle, _ := extremes(e.idle)
	d.atLeast = !known && e.meanBackPressd >= heldUp && idle < heldIdle
}

// edgeRate is how many records a second go from u to v. Flink counts no edges:
// it is all that arrives where u is the only input; what arrives less what the
// other inputs write where these write to nobody else; or else what u writes.
func (g *graph) edgeRate(u, v int, ds []demand, out []Num) float64 {
	if len(g.inputs[v]) == 1 {
		return ds[v].rate.Or(0)
	}
	rest, ok := ds[v].rate.Get()
	for _, w := range g.inputs[v] {
		if w == u {
			continue
		}
		written, known := out[w].Get()
		if ok = ok && known && len(g.outputs[w]) == 1; !ok {
			return out[u].Or(0)
		}
		rest -= written
	}
	return max(0, rest)
}
