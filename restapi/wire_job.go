package restapi

import (
	"errors"
	"html"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// planNode is what the plan adds to a vertex.
type planNode struct {
	id, description string
	inputs          []analysis.Input
}

// decodeJob reads /jobs/:id with the plan in it. Vertices without an id, and
// repetitions of one, are dropped.
func decodeJob(b []byte) (jobDetail, error) {
	s := scanner{buf: b}
	var j jobDetail
	var plan []planNode
	for ok := s.top('{'); ok; ok = s.more('}') {
		switch string(s.name()) {
		case "jid":
			j.id = s.text()
		case "name":
			j.name = s.text()
		case "state":
			j.state = s.text()
		case "schedulerType":
			j.scheduler = s.text()
		case "start-time":
			j.startMs = aboveZero(s.num())
		case "now":
			j.nowMs = aboveZero(s.num())
		case "timestamps":
			j.runningMs = s.runningTimestamp()
		case "vertices":
			j.vertices = s.vertices()
		case "plan":
			plan = s.plan()
		default:
			s.skip()
		}
	}
	if err := s.done("job details"); err != nil {
		return jobDetail{}, err
	}
	if j.id == "" || j.state == "" {
		return jobDetail{}, errors.New("job details: no job id or state in the answer")
	}
	joinPlan(j.vertices, plan)
	return j, nil
}

// runningTimestamp returns when the job last became RUNNING; Flink writes 0 for never.
func (s *scanner) runningTimestamp() (ms analysis.Num) {
	for ok := s.object(); ok; ok = s.more('}') {
		if string(s.name()) == analysis.Running {
			ms = aboveZero(s.num())
		} else {
			s.skip()
		}
	}
	return ms
}

func (s *scanner) vertices() (list []analysis.Vertex) {
	seen := map[string]bool{}
	for ok := s.array(); ok; ok = s.more(']') {
		if v := s.vertexSummary(); v.ID != "" && !seen[v.ID] {
			seen[v.ID] = true
			list = append(list, v)
		}
	}
	return list
}

// vertexSummary reads one vertex of a job, with the totals over its subtasks.
func (s *scanner) vertexSummary() (v analysis.Vertex) {
	for ok := s.object(); ok; ok = s.more('}') {
		switch string(s.name()) {
		case "id":
			v.ID = s.text()
		case "name":
			v.Name = s.text()
		case "parallelism":
			v.Parallelism = parallelismOf(s.num())
		case "maxParallelism":
			v.MaxParallelism = keyGroups(s.num())
		case "status":
			v.Status = s.text()
		case "slotSharingGroupId":
			v.SlotSharingGroup = s.text()
		case "metrics":
			v.Totals = s.counters()
		default:
			s.skip()
		}
	}
	return v
}

func (s *scanner) plan() (nodes []planNode) {
	for ok := s.object(); ok; ok = s.more('}') {
		if string(s.name()) != "nodes" {
			s.skip()
			continue
		}
		for ok := s.array(); ok; ok = s.more(']') {
			nodes = append(nodes, s.planNode())
		}
	}
	return nodes
}

func (s *scanner) planNode() (n planNode) {
	for ok := s.object(); ok; ok = s.more('}') {
		switch string(s.name()) {
		case "id":
			n.id = s.text()
		case "description":
			n.description = plainText(s.text())
		case "inputs":
			for ok := s.array(); ok; ok = s.more(']') {
				if in := s.planInput(); in.From != "" {
					n.inputs = append(n.inputs, in)
				}
			}
		default:
			s.skip()
		}
	}
	return n
}

func (s *scanner) planInput() (in analysis.Input) {
	for ok := s.object(); ok; ok = s.more('}') {
		switch string(s.name()) {
		case "id":
			in.From = s.text()
		case "ship_strategy":
			in.Ship = analysis.ShipStrategy(s.text())
		default:
			s.skip()
		}
	}
	return in
}

// plainText turns a plan node's description from HTML into lines of text.
func plainText(description string) string {
	return strings.TrimSpace(html.UnescapeString(strings.ReplaceAll(description, "<br/>", "\n")))
}

// joinPlan gives each vertex the description and inputs of its plan node.
func joinPlan(vertices []analysis.Vertex, plan []planNode) {
	byID := make(map[string]planNode, len(plan))
	for _, n := range plan {
		byID[n.id] = n
	}
	for i := range vertices {
		n := byID[vertices[i].ID]
		vertices[i].Description, vertices[i].Inputs = n.description, n.inputs
	}
}
