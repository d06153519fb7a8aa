package page

import (
	"cmp"
	"math"
	"slices"
)

// edge leads from one node to another, by position.
type edge struct{ from, to int }

// node is a vertex's place, or one of the bends of an edge that passes a layer.
type node struct {
	// layer counts columns from the left, y half rows from the top.
	layer, y int
	// size is the height in half rows: a card has two, a bend one.
	size int
	ins  []int
	outs []int
}

// graph is a job drawn in layers, left to right.
type graph struct {
	// nodes are the vertices, then the bends.
	nodes  []node
	layers [][]int
	// routes are the nodes that each edge passes, its ends included. An edge
	// against the order, which Flink's plans do not have, has no route.
	routes [][]int
	halves int // height in half rows
}

// sweeps is how often the order and the heights are improved, forth and back.
const sweeps = 6

// layOut places n vertices: each right of all that feed it and, where it is fed
// by none, just left of the first that it feeds, so that a join's late source
// stands beside the join. Orders within a layer follow the neighbours' mean, as
// Sugiyama's method has it.
func layOut(n int, edges []edge) graph {
	g := graph{nodes: make([]node, n)}
	for i := range g.nodes {
		g.nodes[i].size = 2
	}
	g.rank(edges)
	g.route(edges)
	for s := range sweeps {
		g.order(s%2 == 0)
	}
	g.settle()
	return g
}

// rank sets the layers by the longest way from a source.
func (g *graph) rank(edges []edge) {
	waiting := make([]int, len(g.nodes))
	outs := make([][]int, len(g.nodes))
	for _, e := range edges {
		waiting[e.to]++
		outs[e.from] = append(outs[e.from], e.to)
	}
	var ready []int
	for i, w := range waiting {
		if w == 0 {
			ready = append(ready, i)
		}
	}
	sources := len(ready)
	for k := 0; k < len(ready); k++ {
		for _, to := range outs[ready[k]] {
			g.nodes[to].layer = max(g.nodes[to].layer, g.nodes[ready[k]].layer+1)
			if waiting[to]--; waiting[to] == 0 {
				ready = append(ready, to)
			}
		}
	}
	for _, i := range ready[:sources] {
		first := math.MaxInt
		for _, to := range outs[i] {
			first = min(first, g.nodes[to].layer-1)
		}
		if len(outs[i]) > 0 {
			g.nodes[i].layer = max(0, first)
		}
	}
}

// route bends the edges that pass a layer, and fills the layers.
func (g *graph) route(edges []edge) {
	link := func(a, b int) {
		g.nodes[a].outs = append(g.nodes[a].outs, b)
		g.nodes[b].ins = append(g.nodes[b].ins, a)
	}
	for _, e := range edges {
		from, to := g.nodes[e.from].layer, g.nodes[e.to].layer
		if to <= from {
			g.routes = append(g.routes, nil)
			continue
		}
		way := []int{e.from}
		for l := from + 1; l < to; l++ {
			g.nodes = append(g.nodes, node{layer: l, size: 1})
			way = append(way, len(g.nodes)-1)
		}
		way = append(way, e.to)
		for i := 1; i < len(way); i++ {
			link(way[i-1], way[i])
		}
		g.routes = append(g.routes, way)
	}
	for i := range g.nodes {
		for len(g.layers) <= g.nodes[i].layer {
			g.layers = append(g.layers, nil)
		}
		g.layers[g.nodes[i].layer] = append(g.layers[g.nodes[i].layer], i)
	}
	for _, l := range g.layers {
		g.stack(l)
	}
}

// stack puts a layer's nodes below each other in their order.
func (g *graph) stack(layer []int) {
	y := 0
	for _, i := range layer {
		g.nodes[i].y = y
		y += g.nodes[i].size
	}
}

// middle is a node's centre in half rows.
func (g *graph) middle(i int) float64 { return float64(g.nodes[i].y) + float64(g.nodes[i].size)/2 }

// pull is the mean of the neighbours' centres on one side, else the node's own.
func (g *graph) pull(i int, forth bool) float64 {
	side := g.nodes[i].outs
	if forth {
		side = g.nodes[i].ins
	}
	if len(side) == 0 {
		return g.middle(i)
	}
	sum := 0.0
	for _, k := range side {
		sum += g.middle(k)
	}
	return sum / float64(len(side))
}

// each calls f for the layers from the left, or from the right.
func (g *graph) each(forth bool, f func([]int)) {
	for k := range g.layers {
		if !forth {
			k = len(g.layers) - 1 - k
		}
		f(g.layers[k])
	}
}

// order sorts every layer by its neighbours on one side.
func (g *graph) order(forth bool) {
	g.each(forth, func(layer []int) {
		pulls := make(map[int]float64, len(layer))
		for _, i := range layer {
			pulls[i] = g.pull(i, forth)
		}
		slices.SortStableFunc(layer, func(a, b int) int { return cmp.Compare(pulls[a], pulls[b]) })
		g.stack(layer)
	})
}

// settle moves nodes towards their neighbours without changing the order, so
// that chains are straight, and begins at the top.
func (g *graph) settle() {
	for s := range 2 * sweeps {
		forth := s%2 == 0
		g.each(forth, func(layer []int) { g.place(layer, forth) })
	}
	top := math.MaxInt
	for i := range g.nodes {
		top = min(top, g.nodes[i].y)
	}
	for i := range g.nodes {
		g.nodes[i].y -= top
		g.halves = max(g.halves, g.nodes[i].y+g.nodes[i].size)
	}
}

// place puts each node of a layer where its neighbours pull it, pushed down by
// the one above, and then shifts all of them by the mean of the pushes.
func (g *graph) place(layer []int, forth bool) {
	next, pushed := math.Inf(-1), 0.0
	at := make([]float64, len(layer))
	for k, i := range layer {
		size := float64(g.nodes[i].size)
		wish := g.pull(i, forth) - size/2
		at[k] = max(wish, next)
		pushed += at[k] - wish
		next = at[k] + size
	}
	last := math.MinInt
	for k, i := range layer {
		y := int(math.Round(at[k] - pushed/float64(len(layer))))
		if last != math.MinInt {
			y = max(y, last)
		}
		g.nodes[i].y = y
		last = y + g.nodes[i].size
	}
}
