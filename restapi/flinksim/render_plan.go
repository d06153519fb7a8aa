package flinksim

import (
	"html"
	"slices"
	"strings"
)

func (q *request) jobPlan() []byte {
	var e enc
	e.obj()
	q.plan(&e, q.planNodes(q.view()))
	e.end()
	return e.b
}

func (q *request) plan(e *enc, nodes []byte) {
	e.keyObj("plan")
	e.kStr("jid", q.entry.id)
	e.kStr("name", q.entry.name)
	e.kStr("type", "STREAMING")
	e.key("nodes")
	e.b = append(e.b, nodes...)
	e.end()
}

func (q *request) planNodes(w view) []byte {
	return q.state.tails.nodes.get(bodyKey{run: w.run}, w.planNodes)
}

// planNodes lists the vertices, last first, as the JSON plan generator does.
func (w view) planNodes() []byte {
	var e enc
	e.arr()
	for v := len(w.run.par) - 1; v >= 0; v-- {
		spec := &w.spec.Vertices[v]
		e.obj()
		e.kStr("id", w.spec.vertexID(v))
		e.kInt("parallelism", int64(w.run.par[v]))
		e.kStr("operator", "")
		e.kStr("operator_strategy", "")
		e.kStr("description", spec.description())
		if !spec.source() {
			e.keyArr("inputs")
			for n, in := range spec.Inputs {
				from := slices.IndexFunc(w.spec.Vertices, func(u Vertex) bool { return u.Name == in.From })
				e.obj()
				e.kInt("num", int64(n))
				e.kStr("id", w.spec.vertexID(from))
				e.kStr("ship_strategy", in.Ship)
				e.kStr("exchange", "pipelined_bounded")
				e.end()
			}
			e.endArr()
		}
		e.keyObj("optimizer_properties")
		e.end()
		e.end()
	}
	e.endArr()
	return e.b
}

// description is the chain's tree in HTML.
func (v *Vertex) description() string {
	if v.Description != "" {
		return v.Description
	}
	var b strings.Builder
	for n, op := range v.operators() {
		if n > 0 {
			b.WriteString(strings.Repeat(":  ", n-1) + "+- ")
		}
		b.WriteString(html.EscapeString(op) + "<br/>")
	}
	return b.String()
}

func (v *Vertex) operators() []string { return strings.Split(v.Name, " -> ") }
