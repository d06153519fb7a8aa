package promhistory

import (
	"cmp"
	"maps"
	"slices"

	"github.com/prometheus/common/model"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report/weekly"
)

// book collects the answers about one cluster.
type book struct {
	cluster          weekly.ClusterInput
	slots, slotsFree weekly.Series
	runs             map[runKey]*weekly.Run
	vertices         map[vertexKey]*vertexBook
}

type runKey struct{ job, id string }

type vertexKey struct{ job, vertex string }

// vertexBook is a vertex whose present is still in series of one value.
type vertexBook struct {
	weekly.VertexInput
	wasted, state, busyPeak, alike, keyed weekly.Series
	ceilings                              map[analysis.Binding]*weekly.Series
	hourVerdicts, dayVerdicts             map[analysis.VerdictID]*weekly.Series
}

func newBook(cluster string) *book {
	return &book{cluster: weekly.ClusterInput{Name: cluster}, runs: map[runKey]*weekly.Run{}, vertices: map[vertexKey]*vertexBook{}}
}

func (b *book) vertex(labels model.Metric) *vertexBook {
	key := vertexKey{string(labels["job_name"]), string(labels["vertex"])}
	v := b.vertices[key]
	if v == nil {
		v = &vertexBook{
			ceilings:     map[analysis.Binding]*weekly.Series{},
			hourVerdicts: map[analysis.VerdictID]*weekly.Series{},
			dayVerdicts:  map[analysis.VerdictID]*weekly.Series{},
		}
		v.Job, v.Vertex = key.job, key.vertex
		b.vertices[key] = v
	}
	return v
}

func (b *book) run(labels model.Metric) *weekly.Series {
	key := runKey{string(labels["job_name"]), string(labels["job_id"])}
	if b.runs[key] == nil {
		b.runs[key] = &weekly.Run{Job: key.job, ID: key.id}
	}
	return &b.runs[key].Since
}

func (b *book) version(labels model.Metric) *weekly.Series {
	b.cluster.FlinkVersion = max(b.cluster.FlinkVersion, string(labels["flink_version"]))
	return new(weekly.Series)
}

func (b *book) ceiling(labels model.Metric) *weekly.Series {
	return entry(b.vertex(labels).ceilings, analysis.Binding(labels["binding"]))
}

// verdicts makes the place of a count of verdicts. Words that this version does
// not know are counted as well: they are a part of the whole.
func verdicts(in func(*vertexBook) map[analysis.VerdictID]*weekly.Series) func(*book, model.Metric) *weekly.Series {
	return func(b *book, labels model.Metric) *weekly.Series {
		return entry(in(b.vertex(labels)), analysis.VerdictID(labels["verdict"]))
	}
}

// entry is the series of a key, made when it is not there.
func entry[K comparable](in map[K]*weekly.Series, key K) *weekly.Series {
	if in[key] == nil {
		in[key] = new(weekly.Series)
	}
	return in[key]
}

// values are the series of a map by value.
func values[K comparable](in map[K]*weekly.Series) map[K]weekly.Series {
	out := make(map[K]weekly.Series, len(in))
	for k, s := range in {
		out[k] = *s
	}
	return out
}

// finish returns what was collected, in an order that does not vary.
func (b *book) finish() weekly.ClusterInput {
	one := func(s weekly.Series) analysis.Num {
		if len(s) == 0 {
			return analysis.Num{}
		}
		return s[len(s)-1]
	}
	c := b.cluster
	c.Slots, c.SlotsFree = one(b.slots), one(b.slotsFree)
	for _, r := range b.runs {
		c.Runs = append(c.Runs, *r)
	}
	slices.SortFunc(c.Runs, func(x, y weekly.Run) int { return cmp.Or(cmp.Compare(x.Job, y.Job), cmp.Compare(x.ID, y.ID)) })
	keys := slices.SortedFunc(maps.Keys(b.vertices), func(x, y vertexKey) int {
		return cmp.Or(cmp.Compare(x.job, y.job), cmp.Compare(x.vertex, y.vertex))
	})
	for _, k := range keys {
		v := b.vertices[k]
		v.Wasted, v.StateBytes, v.BusyPeak, v.Alike = one(v.wasted), one(v.state), one(v.busyPeak), one(v.alike)
		v.Keyed = one(v.keyed).Known()
		v.Hourly.Ceilings, v.Hourly.Verdicts, v.Daily.Verdicts = values(v.ceilings), values(v.hourVerdicts), values(v.dayVerdicts)
		c.Vertices = append(c.Vertices, v.VertexInput)
	}
	return c
}
