package weekly

import (
	"slices"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
)

// halfHour is the share of an hour that must have been seen for it not to be a gap.
const halfHour = 0.5

// cluster counts what was seen of a cluster; here are its lines.
func (in Input) cluster(c *ClusterInput, here []Vertex) Cluster {
	out := Cluster{
		Cluster: report.Clean(c.Name, nameColumns), Failed: c.Failed, FlinkVersion: report.Clean(c.FlinkVersion, nameColumns),
		Slots: c.Slots, SlotsFree: c.SlotsFree, Vertices: len(here), Gaps: []Gap{}, HourlySeen: Series{},
	}
	jobs := map[string]bool{}
	for i := range here {
		jobs[here[i].Job] = true
	}
	out.Jobs = len(jobs)
	if !in.history() || c.Failed != "" {
		return out
	}
	out.HourlySeen = make(Series, in.Hours)
	for i := range out.HourlySeen {
		// Nothing at all is 0 here: that Prometheus has nothing is known.
		out.HourlySeen[i] = analysis.Of(min(1, at(c.Up, i)))
	}
	out.SeenHours = out.HourlySeen.sum()
	out.Gaps = in.gaps(c)
	return out
}

// at is the value of step i, 0 where there is none.
func at(s Series, i int) float64 {
	if i >= len(s) {
		return 0
	}
	return s[i].Or(0)
}

// gaps are the runs of hours that were not seen, by why.
func (in Input) gaps(c *ClusterInput) []Gap {
	out := []Gap{}
	open := false
	for i := range in.Hours {
		if at(c.Up, i) >= halfHour {
			open = false
			continue
		}
		kind := GapNoData
		if at(c.Scraped, i) >= halfHour {
			kind = GapUnreachable
		}
		end := in.hour(i + 1)
		if open && out[len(out)-1].Kind == kind {
			out[len(out)-1].To = end
			continue
		}
		out, open = append(out, Gap{Kind: kind, From: in.hour(i), To: end}), true
	}
	return slices.Clip(out)
}
