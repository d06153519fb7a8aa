package analysis

import "math"

// inputPressure is how back-pressured the vertices are that feed a vertex.
type inputPressure struct {
	// mean is the largest mean back-pressured share among them, NaN when unknown.
	mean float64
	// pressed says that one of them waits for output most of its time.
	pressed bool
}

// load is what the graph walk needs to know of a vertex.
type vertexLoad struct {
	known bool
	// maxBusy is NaN when not measurable.
	maxBusy                             float64
	meanBackPressured, maxBackPressured float64
	// held says that some subtask never idles though none is saturated: what it
	// is not busy for it waits for its output.
	held bool
	// silent vertices (skipped, quiet, without data) are walked through.
	silent bool
}

// graph is a job's vertices with their load and edges, by position.
type graph struct {
	loads   []vertexLoad
	inputs  [][]int
	outputs [][]int
}

func newGraph(vs []Vertex) graph {
	g := graph{loads: make([]vertexLoad, len(vs)), inputs: make([][]int, len(vs)), outputs: make([][]int, len(vs))}
	at := make(map[string]int, len(vs))
	for i := range vs {
		at[vs[i].ID] = i
	}
	for i := range vs {
		for _, in := range vs[i].Inputs {
			if from, ok := at[in.From]; ok {
				g.inputs[i] = append(g.inputs[i], from)
				g.outputs[from] = append(g.outputs[from], i)
			}
		}
	}
	return g
}

// pressed reports whether a vertex spends most of its time waiting for output.
func (l vertexLoad) pressed(c Config) bool {
	return l.known && (l.held || l.meanBackPressured >= c.BackpressuredEnter ||
		l.maxBackPressured >= c.BackpressuredEnter && !(l.maxBusy >= c.BackpressuredEnter))
}

// inputsOf returns the pressure on the vertices that feed v. A silent vertex
// in between is walked through: it may be too cheap to show in numbers.
func (g *graph) inputsOf(v int, c Config) inputPressure {
	p := inputPressure{mean: math.NaN()}
	seen := make(map[int]bool, len(g.loads))
	var walk func(int)
	walk = func(v int) {
		for _, in := range g.inputs[v] {
			if seen[in] {
				continue
			}
			seen[in] = true
			l := g.loads[in]
			if l.known && !(p.mean >= l.meanBackPressured) {
				p.mean = l.meanBackPressured
			}
			p.pressed = p.pressed || l.pressed(c)
			if l.silent {
				walk(in)
			}
		}
	}
	walk(v)
	return p
}

// root reports whether the slow path starts at v: it is busy, does not wait
// for output itself, and what feeds it does.
func (g *graph) root(v int, c Config) bool {
	l := g.loads[v]
	return l.known && l.maxBusy >= c.SaturatedLeave && !l.pressed(c) && g.inputsOf(v, c).pressed
}

// cause returns the position of the vertex that a back-pressured vertex waits
// for: the busiest root downstream of it, -1 when there is none.
func (g *graph) cause(v int, c Config) int {
	best := -1
	seen := make(map[int]bool, len(g.loads))
	var walk func(int)
	walk = func(v int) {
		for _, out := range g.outputs[v] {
			if seen[out] {
				continue
			}
			seen[out] = true
			l := g.loads[out]
			switch {
			case g.root(out, c):
				if best < 0 || l.maxBusy > g.loads[best].maxBusy {
					best = out
				}
			case l.silent || l.pressed(c):
				walk(out)
			}
		}
	}
	walk(v)
	return best
}
