package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
)

// Bounds of a graph that is drawn; a larger one is a list.
const (
	maxCards    = 120
	maxLayers   = 60
	maxHalfRows = 160
	// roomyCards is up to how many cards show everything.
	roomyCards = 18
)

// geometry is the size of cards and gaps in pixels.
type geometry struct {
	Class     string
	CardWidth int
	GapX      int
	// HalfRow is half of a card's height with its gap below.
	HalfRow int
	gapY    int
}

func roomy() geometry {
	return geometry{Class: "roomy", CardWidth: 272, GapX: 68, HalfRow: 96, gapY: 24}
}
func compact() geometry {
	return geometry{Class: "compact", CardWidth: 190, GapX: 48, HalfRow: 50, gapY: 14}
}

// CardHeight is that of a card without the gap below.
func (g geometry) CardHeight() int { return 2*g.HalfRow - g.gapY }

// drawing is a job's graph with its edges as SVG.
type drawing struct {
	geometry
	Width, Height int
	Edges         []line
	Cards         []card
	// Causes is whether an edge is part of a cause's arrow.
	Causes bool
}

// line is one edge.
type line struct {
	D string
	// Cause is whether the records of this edge wait for the bottleneck.
	Cause bool
	// Ship is the ship strategy, drawn at X and Y near the end; empty in a crowd.
	Ship string
	X, Y int
}

// edgesOf returns the edges of a job by position, and those positions.
func edgesOf(j *analysis.JobResult) ([]edge, []analysis.ShipStrategy) {
	at := make(map[string]int, len(j.Vertices))
	for i := range j.Vertices {
		at[j.Vertices[i].ID] = i
	}
	var edges []edge
	var ships []analysis.ShipStrategy
	for i := range j.Vertices {
		for _, in := range j.Vertices[i].Inputs {
			if from, ok := at[in.From]; ok && from != i {
				edges = append(edges, edge{from, i})
				ships = append(ships, in.Ship)
			}
		}
	}
	return edges, ships
}

// draw lays the job out, or returns nil when it is too large to be seen.
func draw(j *analysis.JobResult, cards []card) *drawing {
	edges, ships := edgesOf(j)
	if len(cards) == 0 || len(cards) > maxCards {
		return nil
	}
	g := layOut(len(cards), edges)
	if len(g.layers) > maxLayers || g.halves > maxHalfRows {
		return nil
	}
	d := &drawing{geometry: roomy(), Cards: cards}
	if len(cards) > roomyCards {
		d.geometry = compact()
	}
	for i := range cards {
		cards[i].Place = fmt.Sprintf("x%d y%d", g.nodes[i].layer, g.nodes[i].y)
	}
	d.Width = len(g.layers)*(d.CardWidth+d.GapX) - d.GapX
	d.Height = g.halves*d.HalfRow - d.gapY + 4
	caused := causes(j, edges)
	ends := d.ends(&g)
	for i, route := range g.routes {
		if route == nil {
			continue
		}
		l := line{D: d.path(&g, route, ends[i]), Cause: caused[i]}
		d.Causes = d.Causes || l.Cause
		if last := g.nodes[route[len(route)-1]]; len(last.ins) <= 3 && ships[i] != "" {
			l.Ship = strings.ToLower(report.Clean(string(ships[i]), 12))
			l.X, l.Y = d.left(last.layer)-9, ends[i]-5
		}
		d.Edges = append(d.Edges, l)
	}
	return d
}

func (d *drawing) left(layer int) int { return layer * (d.CardWidth + d.GapX) }

// center is the height of a node's middle in pixels.
func (d *drawing) center(g *graph, i int) int {
	if g.nodes[i].size == 1 {
		return g.nodes[i].y*d.HalfRow + (d.HalfRow-d.gapY)/2
	}
	return (g.nodes[i].y+1)*d.HalfRow - d.gapY/2
}

// ends spreads the edges that come into a card over its left side, in the
// order of where they come from.
func (d *drawing) ends(g *graph) []int {
	ends := make([]int, len(g.routes))
	into := map[int][]int{}
	for i, route := range g.routes {
		if route != nil {
			to := route[len(route)-1]
			into[to] = append(into[to], i)
		}
	}
	for to, list := range into {
		before := func(i int) int { return d.center(g, g.routes[i][len(g.routes[i])-2]) }
		slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(before(a), before(b)) })
		step := min(20, (d.CardHeight()-20)/len(list))
		for k, i := range list {
			ends[i] = d.center(g, to) + (2*k-len(list)+1)*step/2
		}
	}
	return ends
}

// path is the curve of a route from the right side of its first card to the
// left side of its last, straight through the layers it passes.
func (d *drawing) path(g *graph, route []int, end int) string {
	x, y := d.left(g.nodes[route[0]].layer)+d.CardWidth, d.center(g, route[0])
	var b strings.Builder
	fmt.Fprintf(&b, "M%d %d", x, y)
	for k, i := range route[1:] {
		to, height := d.left(g.nodes[i].layer), d.center(g, i)
		if k == len(route)-2 {
			to, height = to-3, end
		}
		fmt.Fprintf(&b, "C%d %d %d %d %d %d", x+d.GapX/2, y, to-d.GapX/2, height, to, height)
		x, y = to, height
		if k < len(route)-2 {
			x += d.CardWidth
			fmt.Fprintf(&b, "H%d", x)
		}
	}
	return b.String()
}

// causes marks the edges between a vertex that waits and what it waits for:
// the shortest way downstream from each victim to its cause.
func causes(j *analysis.JobResult, edges []edge) []bool {
	marked := make([]bool, len(edges))
	outs := make([][]int, len(j.Vertices))
	for i, e := range edges {
		outs[e.from] = append(outs[e.from], i)
	}
	for v := range j.Vertices {
		cause := j.Vertices[v].Verdict.Advice.Cause
		if cause == "" {
			continue
		}
		came := map[int]int{v: -1} // the edge by which each vertex was reached
		queue := []int{v}
		for k := 0; k < len(queue); k++ {
			at := queue[k]
			if j.Vertices[at].ID == cause {
				for e := came[at]; e >= 0; e = came[edges[e].from] {
					marked[e] = true
				}
				break
			}
			for _, e := range outs[at] {
				if _, seen := came[edges[e].to]; !seen {
					came[edges[e].to] = e
					queue = append(queue, edges[e].to)
				}
			}
		}
	}
	return marked
}
