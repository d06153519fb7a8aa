package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// clusterView is one cluster as the terminal and Markdown show it.
type clusterView struct {
	head string
	down bool
	// blocks are the vertices worth a look, worst first; minor are those at info.
	blocks, minor []block
	// fine counts quiet vertices by verdict, unjudged by what is missing; their
	// blocks are listed on request.
	fine, unjudged, minorBy  map[string]int
	fineBlocks, unjudgedList []block
	// open are vertices that something is the matter with, for no known cause.
	open []block
	// restarts are jobs of which no vertex runs for long enough to be judged.
	restarts   []string
	restarting []block
	// notes are jobs that do not run and answers that were missing.
	notes []string
	gaps  []analysis.Gap
	// none says that the filter chose nothing, or that there is nothing.
	none string
}

// block is one vertex.
type block struct {
	severity analysis.Severity
	job      string
	vertex   string
	// verdict is the id with the confidence, such as "hot_key (high confidence)".
	verdict string
	words   Words
	// beside are the sentences of findings, with their ids; faint are those of
	// severity none, which only verbose output shows.
	beside, faint []besideLine
	skew          string
	docs          []string
	v             *analysis.VertexResult
	facts         facts
}

type besideLine struct {
	// label is the finding's id, with its confidence unless that is high.
	label string
	words Words
}

// notes are the findings to show beside the verdict.
func (b block) notes(verbose bool) []besideLine {
	if verbose {
		return slices.Concat(b.beside, b.faint)
	}
	return b.beside
}

// newClusterView sorts the vertices of a cluster into what is worth a look,
// what is fine and what could not be judged.
func newClusterView(c ClusterInput, f Filter) clusterView {
	out := clusterView{head: heading(c), down: !c.Up, fine: map[string]int{}, unjudged: map[string]int{}}
	note := cut(clean(c.Note), noteColumns)
	if c.Result == nil {
		out.none = note
		return out
	}
	vertices := 0
	for _, j := range f.jobs(c.Result) {
		vs := f.vertices(j)
		vertices += len(vs)
		if len(vs) == 0 && f.Vertex != "" {
			continue
		}
		if line := unsettled(j, c.Result.At); line != "" {
			out.restarts = append(out.restarts, line)
			for _, v := range vs {
				out.restarting = append(out.restarting, newBlock(j, v))
			}
			continue
		}
		for _, v := range vs {
			out.add(newBlock(j, v))
		}
	}
	out.fold()
	slices.SortStableFunc(out.blocks, func(a, b block) int {
		return cmp.Or(cmp.Compare(b.severity, a.severity), cmp.Compare(b.v.Verdict.Severity, a.v.Verdict.Severity))
	})
	out.minorBy = map[string]int{}
	for _, b := range out.minor {
		out.minorBy[string(b.v.Verdict.ID)]++
	}
	out.gaps = c.Result.Gaps
	if n := len(out.gaps); n > 0 {
		out.notes = append(out.notes, gapNote(out.gaps))
	}
	switch {
	case vertices == 0 && len(out.restarts) == 0:
		out.none = cmp.Or(note, nothing(c.Result, f))
	case note != "":
		out.notes = append(out.notes, note)
	}
	return out
}

func (c *clusterView) add(b block) {
	switch id := b.v.Verdict.ID; {
	case b.severity >= analysis.SeverityWarning:
		c.blocks = append(c.blocks, b)
	case b.open():
		c.open = append(c.open, b)
	case b.v.Verdict.Severity >= analysis.SeverityInfo && !calm(id):
		c.minor = append(c.minor, b)
	case id == analysis.NotEnoughData:
		c.unknown(b)
	default:
		c.fine[string(id)]++
		c.fineBlocks = append(c.fineBlocks, b)
	}
}

// unknown counts a vertex by what it lacks.
func (c *clusterView) unknown(b block) {
	c.unjudged[b.lack()]++
	c.unjudgedList = append(c.unjudgedList, b)
}

// fold counts the open vertices when they are too many for a block each.
func (c *clusterView) fold() {
	if len(c.open) <= maxMinor {
		return
	}
	for _, b := range c.open {
		c.unknown(b)
	}
	c.open = nil
}

// open reports whether something is the matter with the vertex for no known
// cause, which is worth a look whatever its severity.
func (b block) open() bool {
	switch b.v.Verdict.ID {
	case analysis.Backpressured:
		return b.facts.cause() == nil
	case analysis.NotEnoughData:
		switch b.v.Verdict.Advice.Missing {
		case analysis.MissingAgreement, analysis.MissingSubtasks, analysis.MissingMaxParallelism:
			return true
		}
	}
	return false
}

// lack says in a few words why there is no verdict, or no cause.
func (b block) lack() string {
	if b.v.Verdict.ID == analysis.Backpressured {
		return "waits for something not known"
	}
	return missingLabel(b.v.Verdict.Advice.Missing)
}

// label is the severity as a heading has it: what was not judged has none.
func (b block) label() string {
	if b.severity == analysis.SeverityNone || b.severity < analysis.SeverityWarning && b.open() {
		return "UNKNOWN"
	}
	return strings.ToUpper(b.severity.String())
}

// calm verdicts are not worth a block of their own at info.
func calm(id analysis.VerdictID) bool {
	switch id {
	case analysis.NotEnoughData, analysis.Quiet, analysis.Balanced, analysis.Backpressured:
		return true
	}
	return false
}

func newBlock(j *analysis.JobResult, v *analysis.VertexResult) block {
	b := block{
		severity: v.Severity(), job: jobName(j), vertex: vertexName(v), verdict: string(v.Verdict.ID),
		words: Explain(j, v), docs: []string{VerdictDocs(v.Verdict.ID)}, v: v, facts: facts{j, v, &v.Verdict.Judgement},
	}
	if v.Verdict.ID == analysis.NotEnoughData && (b.severity >= analysis.SeverityWarning || b.open()) {
		b.verdict = "cause unknown (" + b.verdict + ")"
	}
	if c := v.Verdict.Confidence; c != "" && v.Verdict.Severity > analysis.SeverityNone {
		b.verdict += " (" + string(c) + " confidence)"
	}
	for i := range v.Findings {
		fd := &v.Findings[i]
		line := besideLine{string(fd.ID), ExplainFinding(j, v, fd)}
		if c := fd.Confidence; c != "" && c != analysis.ConfidenceHigh {
			line.label += " (" + string(c) + " confidence)"
		}
		if fd.Severity > analysis.SeverityNone {
			b.beside = append(b.beside, line)
		} else {
			b.faint = append(b.faint, line)
		}
		if fd.Severity >= analysis.SeverityWarning && fd.ID != analysis.Bottleneck {
			b.words.Do = appendNew(b.words.Do, line.words.Do)
			b.words.Dont = appendNew(b.words.Dont, line.words.Dont)
			b.docs = append(b.docs, FindingDocs(fd.ID))
		}
	}
	b.skew = b.facts.skewLine()
	return b
}

func appendNew(to, more []string) []string {
	for _, m := range more {
		if !slices.Contains(to, m) {
			to = append(to, m)
		}
	}
	return to
}

// heading is the line about the whole cluster.
func heading(c ClusterInput) string {
	parts := []string{"cluster " + name(c.Name)}
	if !c.Up {
		parts = append(parts, "DOWN: "+cmp.Or(cut(clean(c.Reason), nameColumns), "no reason known"))
		if c.Result != nil && !c.Result.At.IsZero() {
			parts = append(parts, "what follows is of "+c.Result.At.UTC().Format("2006-01-02 15:04:05 UTC"))
		}
	}
	if r := c.Result; r != nil {
		if v := clean(r.FlinkVersion); v != "" {
			parts = append(parts, "Flink "+cut(v, 20))
		}
		parts = append(parts, count(len(r.Jobs), "job"))
		total, okT := r.Slots.Total.Get()
		free, okF := r.Slots.Free.Get()
		if okT && okF {
			parts = append(parts, fmt.Sprintf("%s of %s slots used", thousands(total-free), thousands(total)))
		}
	}
	if c.Polls > 0 {
		polls := count(c.Polls, "poll")
		if c.Polls > 1 && c.Span > 0 {
			polls += " over " + span(c.Span)
		}
		parts = append(parts, polls)
	}
	return strings.Join(parts, "   ")
}

// gapNote counts what the poll lacks by reason, in a fixed order.
func gapNote(gaps []analysis.Gap) string {
	by := map[string]int{}
	for _, g := range gaps {
		by[gapLabel(g.Reason)]++
	}
	verbWord := verb(len(gaps) > 1, "was", "were")
	return fmt.Sprintf("%s %s not had in the newest poll (%s)", count(len(gaps), "answer"), verbWord, counts(by))
}

// gapLabel is why an answer is missing, in plain words.
func gapLabel(r analysis.GapReason) string {
	labels := map[analysis.GapReason]string{
		analysis.GapTorn:       "the job changed during the poll",
		analysis.GapVanished:   "the job ended",
		analysis.GapFailed:     "the call failed",
		analysis.GapCold:       "Flink had no metrics yet",
		analysis.GapNotRunning: "the job is not running",
		analysis.GapLimit:      "left out by a configured limit",
	}
	if l, ok := labels[r]; ok {
		return l
	}
	return name(string(r))
}

// counts writes a map of counts as "a: 1, b: 2", by name.
func counts(by map[string]int) string {
	var words []string
	for k := range by {
		words = append(words, k)
	}
	slices.Sort(words)
	for i, k := range words {
		words[i] = fmt.Sprintf("%s: %d", name(k), by[k])
	}
	return strings.Join(words, ", ")
}
