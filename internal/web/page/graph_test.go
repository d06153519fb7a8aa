package page

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// overlaps reports nodes of a layer that share a half row.
func overlaps(g *graph) string {
	for i, layer := range g.layers {
		taken := map[int]int{}
		for _, n := range layer {
			for y := g.nodes[n].y; y < g.nodes[n].y+g.nodes[n].size; y++ {
				if other, ok := taken[y]; ok {
					return fmt.Sprintf("layer %d: nodes %d and %d share half row %d", i, other, n, y)
				}
				taken[y] = n
			}
		}
	}
	return ""
}

func TestChainIsStraight(t *testing.T) {
	g := layOut(4, []edge{{0, 1}, {1, 2}, {2, 3}})
	for i := range 4 {
		if g.nodes[i].layer != i || g.nodes[i].y != 0 {
			t.Errorf("node %d is in layer %d at %d", i, g.nodes[i].layer, g.nodes[i].y)
		}
	}
	if g.halves != 2 {
		t.Errorf("the chain is %d half rows high", g.halves)
	}
}

// TestJoinStandsBetweenItsInputs, and a source that comes late stands beside
// what it feeds rather than at the far left.
func TestJoinStandsBetweenItsInputs(t *testing.T) {
	// 0 → 1 → 2 (join) ← 3
	g := layOut(4, []edge{{0, 1}, {1, 2}, {3, 2}})
	if g.nodes[3].layer != 1 || g.nodes[2].layer != 2 {
		t.Errorf("the late source is in layer %d, the join in %d", g.nodes[3].layer, g.nodes[2].layer)
	}
	a, b, join := g.middle(1), g.middle(3), g.middle(2)
	if join < min(a, b) || join > max(a, b) {
		t.Errorf("the join is at %v, its inputs at %v and %v", join, a, b)
	}
}

func TestLongEdgesPassBetweenCards(t *testing.T) {
	// A diamond with a way past it: 0 → 1 → 2 → 3 and 0 → 3.
	g := layOut(4, []edge{{0, 1}, {1, 2}, {2, 3}, {0, 3}})
	if got := g.routes[3]; len(got) != 4 {
		t.Fatalf("the long edge passes %v", got)
	}
	if why := overlaps(&g); why != "" {
		t.Error(why)
	}
}

// TestAnyGraph: whatever the edges, cycles included, every node has a place of
// its own and no edge goes back.
func TestAnyGraph(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		n := 1 + r.IntN(50)
		var edges []edge
		for range r.IntN(2 * n) {
			edges = append(edges, edge{r.IntN(n), r.IntN(n)})
		}
		g := layOut(n, edges)
		if why := overlaps(&g); why != "" {
			t.Fatalf("%d nodes, %v: %s", n, edges, why)
		}
		for i, route := range g.routes {
			if len(route) > 0 && (route[0] != edges[i].from || route[len(route)-1] != edges[i].to) {
				t.Fatalf("edge %v takes %v", edges[i], route)
			}
			for k := 1; k < len(route); k++ {
				if g.nodes[route[k]].layer != g.nodes[route[k-1]].layer+1 {
					t.Fatalf("edge %v leaps a layer", edges[i])
				}
			}
		}
		for i := range g.nodes {
			if g.nodes[i].y < 0 || g.nodes[i].y+g.nodes[i].size > g.halves {
				t.Fatalf("node %d is out of the picture", i)
			}
		}
	}
}

// TestCausesFollowTheRecords: the arrow runs along the edges between a victim
// and its cause, through what lies between them, and nowhere else.
func TestCausesFollowTheRecords(t *testing.T) {
	waits := func(cause string) analysis.Verdict {
		v := analysis.Verdict{ID: analysis.Backpressured}
		v.Advice.Cause = cause
		return v
	}
	j := &analysis.JobResult{Vertices: []analysis.VertexResult{
		{ID: "source", Verdict: waits("sink")},
		{ID: "side", Inputs: []analysis.Input{{From: "source"}}},
		{ID: "map", Inputs: []analysis.Input{{From: "source"}}},
		{ID: "sink", Inputs: []analysis.Input{{From: "map"}, {From: "gone"}}},
	}}
	edges, _ := edgesOf(j)
	for i, marked := range causes(j, edges) {
		if want := edges[i].to >= 2; marked != want {
			t.Errorf("edge %v: marked %v", edges[i], marked)
		}
	}
	j.Vertices[0].Verdict = waits("unknown")
	for i, marked := range causes(j, edges) {
		if marked {
			t.Errorf("edge %v leads to no cause", edges[i])
		}
	}
}
