package collector

import (
	"math"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// view is a Result made ready to be rendered: label text, the hottest
// subtasks, the histogram and the numbers of series. It is built once a poll
// and never changed. It points into the Result and copies nothing of it but
// names; its own size is below 1 KiB a vertex at any parallelism.
type view struct {
	cluster  clusterView
	jobs     []*jobView
	vertices []*vertexView
	// base counts the series without those of subtasks, shown those of
	// subtasks by mode.
	base  int
	shown map[Mode]int
	// duplicates counts jobs, vertices and subtasks that were listed again
	// under an id already taken. The first of them is kept.
	duplicates int
}

type clusterView struct {
	head
	r    *analysis.Result
	gaps map[string]int
}

type jobView struct {
	head
	r *analysis.JobResult
}

type vertexView struct {
	head
	r *analysis.VertexResult
	// subtasks are r.Subtasks without duplicates.
	subtasks []analysis.SubtaskResult
	// top are positions in subtasks, hottest first.
	top     []int32
	notable bool
	busy    buckets
}

// busyBoundCount is the number of finite buckets.
const busyBoundCount = 7

// busyBounds are the upper bounds of the histogram of busy ratios. They are
// closer where the thresholds of verdicts are: near saturation.
func busyBounds() [busyBoundCount]float64 {
	return [...]float64{0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1}
}

// buckets is a histogram over busyBounds; the last bucket is +Inf. Counts are
// not cumulative.
type buckets struct {
	counts [busyBoundCount + 1]uint32
	sum    float64
}

func (b *buckets) observe(v float64) {
	bounds, i := busyBounds(), 0
	for i < busyBoundCount && v > bounds[i] {
		i++
	}
	b.counts[i]++
	b.sum += v
}

func (b *buckets) count() uint64 {
	n := uint64(0)
	for _, c := range b.counts {
		n += uint64(c)
	}
	return n
}

// newView prepares a Result under the clean cluster name. top is how many of
// the hottest subtasks of a vertex are kept ready.
func newView(t *table, r *analysis.Result, cluster string, top int) *view {
	v := &view{shown: make(map[Mode]int, 3)}
	v.cluster = clusterView{head: newHead(clusterLabels(), []string{cluster}), r: r, gaps: map[string]int{}}
	for i := range r.Gaps {
		v.cluster.gaps[CleanLabel(string(r.Gaps[i].Reason))]++
	}
	jobs := make(map[string]bool, len(r.Jobs))
	for i := range r.Jobs {
		j := &r.Jobs[i]
		id := CleanLabel(j.ID)
		if jobs[id] {
			v.duplicates++
			continue
		}
		jobs[id] = true
		v.addJob(j, []string{cluster, id, CleanLabel(j.Name)}, top)
	}
	v.count(t)
	return v
}

func (v *view) addJob(j *analysis.JobResult, values []string, top int) {
	v.jobs = append(v.jobs, &jobView{head: newHead(jobLabels(), values), r: j})
	seen := make(map[string]bool, len(j.Vertices))
	for i := range j.Vertices {
		r := &j.Vertices[i]
		id := CleanLabel(r.ID)
		if seen[id] {
			v.duplicates++
			continue
		}
		seen[id] = true
		vertex := &vertexView{
			head:    newHead(vertexLabels(), []string{values[0], values[1], values[2], id, CleanLabel(r.Name)}),
			r:       r,
			notable: r.Severity() > analysis.SeverityNone,
		}
		vertex.subtasks = distinct(r.Subtasks)
		v.duplicates += len(r.Subtasks) - len(vertex.subtasks)
		vertex.summarise(top)
		v.vertices = append(v.vertices, vertex)
	}
}

// distinct returns the subtasks without repeated indexes. They are sorted by
// index unless something is wrong, so that the usual case copies nothing.
func distinct(all []analysis.SubtaskResult) []analysis.SubtaskResult {
	ascending := true
	for i := 1; i < len(all) && ascending; i++ {
		ascending = all[i-1].Index < all[i].Index
	}
	if ascending {
		return all
	}
	seen := make(map[int32]bool, len(all))
	var kept []analysis.SubtaskResult
	for i := range all {
		if !seen[all[i].Index] {
			seen[all[i].Index] = true
			kept = append(kept, all[i])
		}
	}
	return kept
}

// summarise fills the histogram and picks the hottest subtasks.
func (v *vertexView) summarise(top int) {
	for i := range v.subtasks {
		if busy, ok := v.subtasks[i].Busy.Get(); ok {
			v.busy.observe(busy)
		}
	}
	top = min(top, len(v.subtasks))
	v.top = make([]int32, 0, top)
	for i := range v.subtasks {
		v.insert(int32(i), top)
	}
	if v.r.Hot != nil {
		v.keepHot(int32(v.r.Hot.Subtask))
	}
}

// insert keeps the list of at most limit positions sorted, hottest first.
func (v *vertexView) insert(i int32, limit int) {
	if len(v.top) == limit {
		if limit == 0 || !v.hotter(i, v.top[limit-1]) {
			return
		}
		v.top = v.top[:limit-1]
	}
	v.top = append(v.top, i)
	for k := len(v.top) - 1; k > 0 && v.hotter(v.top[k], v.top[k-1]); k-- {
		v.top[k], v.top[k-1] = v.top[k-1], v.top[k]
	}
}

// hotter orders by busy, then by records in, then by position; a subtask
// without a number comes after all that have one.
func (v *vertexView) hotter(a, b int32) bool {
	x, y := &v.subtasks[a], &v.subtasks[b]
	if p, q := x.Busy.Or(math.Inf(-1)), y.Busy.Or(math.Inf(-1)); p != q {
		return p > q
	}
	if p, q := x.RecordsIn.Or(math.Inf(-1)), y.RecordsIn.Or(math.Inf(-1)); p != q {
		return p > q
	}
	return a < b
}

// keepHot sees to it that the subtask which the verdict is about is among the
// shown ones, even when others are as busy.
func (v *vertexView) keepHot(index int32) {
	for _, i := range v.top {
		if v.subtasks[i].Index == index {
			return
		}
	}
	for i := range v.subtasks {
		if v.subtasks[i].Index == index && len(v.top) > 0 {
			v.top[len(v.top)-1] = int32(i)
			return
		}
	}
}

// shown calls f for the subtasks that the mode shows of this vertex.
func (v *vertexView) shown(mode Mode, f func(*analysis.SubtaskResult)) {
	switch mode {
	case ModeAll:
		for i := range v.subtasks {
			f(&v.subtasks[i])
		}
	case ModeTop, ModeNotable:
		if mode == ModeNotable && !v.notable {
			return
		}
		for _, i := range v.top {
			f(&v.subtasks[i])
		}
	}
}

// count counts the series without writing any, so that the budget can be held
// before the first is written. It evaluates every row once within the poll,
// whose recover then catches what would otherwise panic in each scrape.
func (v *view) count(t *table) {
	var base countSink
	v.render(&base, t)
	v.base = int(base)
	n := 0
	put := func(value analysis.Num, _ labels) {
		if value.Known() {
			n++
		}
	}
	for _, vertex := range v.vertices {
		for _, mode := range []Mode{ModeAll, ModeTop} {
			n = 0
			vertex.shown(mode, func(s *analysis.SubtaskResult) {
				for i := range t.subtasks {
					t.subtasks[i].values(s, put)
				}
			})
			v.shown[mode] += n
		}
		if vertex.notable {
			// n is still that of top, which notable is a part of.
			v.shown[ModeNotable] += n
		}
	}
}

// render walks all families of this view but those of subtasks.
func (v *view) render(to sink, t *table) {
	render(to, t.clusters, []*clusterView{&v.cluster})
	render(to, t.jobs, v.jobs)
	render(to, t.vertices, v.vertices)
}
