package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
	"github.com/flink-skew-exporter/flink-skew-exporter/restapi/flinksim"
)

// settleIntervals is for how many polls the guide waits for the verdicts to be
// as expected before it prints what there is.
const settleIntervals = 12

// expectation is what the simulation is made to show on one vertex.
type expectation struct {
	cluster, job, jobID string
	// part is a part of the vertex's name.
	part    string
	verdict analysis.VerdictID
}

// metricFor is the metric that shows a verdict best, without its prefix.
func metricFor(v analysis.VerdictID) string {
	switch v {
	case analysis.HotKey, analysis.FewKeys:
		return `vertex_excess_skew_ratio{signal="records_in"}`
	case analysis.KeyGroupLayout:
		return "vertex_layout_skew_ratio"
	case analysis.PartitionLayout, analysis.IdleReaders:
		return "vertex_source_partitions"
	case analysis.HotPartition:
		return `vertex_skew_ratio{signal="records_out"}`
	case analysis.SlowTaskManager, analysis.CostlyRecords:
		return `vertex_skew_ratio{signal="cost_per_record"}`
	case analysis.UnevenInput:
		return `vertex_skew_ratio{signal="records_in"}`
	case analysis.UniformSaturation:
		return "vertex_required_parallelism"
	case analysis.Stalled:
		return "subtask_busy_ratio"
	case analysis.Backpressured:
		return "vertex_backpressured_ratio"
	case analysis.NotEnoughData:
		return "vertex_subtask_coverage_ratio"
	default:
		return "vertex_busy_ratio"
	}
}

// expectations lists what to find, in the order of clusters, jobs and vertices.
func (s *demoStage) expectations() []expectation {
	var out []expectation
	for i, c := range s.clusters {
		for _, j := range c.Jobs {
			parts := slices.Collect(maps.Keys(j.Expect))
			position := func(part string) int {
				return slices.IndexFunc(j.Vertices, func(v flinksim.Vertex) bool { return strings.Contains(v.Name, part) })
			}
			slices.SortFunc(parts, func(a, b string) int { return cmp.Compare(position(a), position(b)) })
			for _, part := range parts {
				out = append(out, expectation{c.Name, j.Name, s.sims[i].JobID(j.Name), part, analysis.VerdictID(j.Expect[part])})
			}
		}
	}
	return out
}

// guide prints where to look once the daemon listens, and later what it found.
// It ends with ctx.
func (s *demoStage) guide(ctx context.Context, w io.Writer, d *daemon, interval time.Duration) {
	addr := d.Addr(ctx)
	if addr == nil {
		return
	}
	base := "http://" + reachable(addr)
	s.printWhere(w, base)
	if s.load {
		return
	}
	expected := s.expectations()
	printExpected(w, base, expected)
	fmt.Fprintf(w, "\nThe first verdicts take about %v. Ctrl-C ends the demo.\n", 4*interval)
	for range settleIntervals {
		if !pause(ctx, interval) {
			return
		}
		if allFound(d.view(), expected) {
			break
		}
	}
	printFound(w, d.view(), expected)
}

func (s *demoStage) printWhere(w io.Writer, base string) {
	for _, c := range s.clusters {
		fmt.Fprintf(w, "simulated cluster %s, Flink %s, %d jobs\n", c.Name, c.Version, jobsOf(c))
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fmt.Fprintf(t, "  %s/\tstart here\n", base)
	fmt.Fprintf(t, "  %s/metrics\twhat Prometheus scrapes\n", base)
	fmt.Fprintf(t, "  %s/api/v1/findings\twhat is wrong, worst first\n", base)
	_ = t.Flush()
	fmt.Fprintln(w)
}

func jobsOf(c flinksim.Cluster) int {
	n := 0
	for _, j := range c.Jobs {
		n += max(1, j.Copies)
	}
	return n
}

// reachable is an address for people: a wildcard becomes localhost.
func reachable(addr net.Addr) string {
	host, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return addr.String()
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return net.JoinHostPort(host, port)
}

func printExpected(w io.Writer, base string, expected []expectation) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "  JOB\tVERTEX\tVERDICT TO EXPECT\tLOOK AT flink_skew_…")
	last := ""
	for _, e := range expected {
		fmt.Fprintf(t, "  %s\t%s\t%s\t%s\n", unless(e.job == last, e.job), e.part, e.verdict, metricFor(e.verdict))
		last = e.job
	}
	_ = t.Flush()
	e := expected[0]
	fmt.Fprintf(w, "\nEverything of one job: %s/api/v1/jobs/%s/%s (%s)\n", base, e.cluster, e.jobID, e.job)
}

func unless(hide bool, text string) string {
	if hide {
		return ""
	}
	return text
}

// found is the vertex that an expectation is about, nil before it was seen.
func (e expectation) found(in report.Input) *analysis.VertexResult {
	for _, c := range in.Clusters {
		if c.Name != e.cluster || c.Result == nil {
			continue
		}
		for i := range c.Result.Jobs {
			j := &c.Result.Jobs[i]
			for k := range j.Vertices {
				if v := &j.Vertices[k]; j.ID == e.jobID && strings.Contains(v.Name, e.part) {
					return v
				}
			}
		}
	}
	return nil
}

func allFound(in report.Input, expected []expectation) bool {
	for _, e := range expected {
		if v := e.found(in); v == nil || v.Verdict.ID != e.verdict {
			return false
		}
	}
	return true
}

func printFound(w io.Writer, in report.Input, expected []expectation) {
	fmt.Fprintln(w, "\nWhat was found:")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "  JOB\tVERTEX\tVERDICT\tSEVERITY\tCONFIDENCE\t")
	last := ""
	for _, e := range expected {
		job := unless(e.job == last, e.job)
		last = e.job
		v := e.found(in)
		if v == nil {
			fmt.Fprintf(t, "  %s\t%s\tnot seen yet\t\t\t\n", job, e.part)
			continue
		}
		note := ""
		if v.Verdict.ID != e.verdict {
			note = fmt.Sprintf("not yet %s", e.verdict)
		}
		fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%s\t%s\n", job, e.part, v.Verdict.ID, v.Verdict.Severity, v.Verdict.Confidence, note)
	}
	_ = t.Flush()
}
