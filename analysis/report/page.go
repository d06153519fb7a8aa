package report

import (
	"strings"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// Page is what a page shows of one vertex: the words of the terminal, in parts.
// All text is cleaned of what acts instead of being seen; names are whole.
type Page struct {
	Job, Vertex string
	// Label is the severity as the terminal has it: CRITICAL, WARNING, INFO,
	// UNKNOWN where something could not be judged, or OK.
	Label string
	// Words are the verdict's, with what to do about findings that are grave.
	Words Words
	// Beside are the findings that stand beside the verdict, those of severity
	// none left out.
	Beside []Beside
	// Skew is the line under the table of the load, Caption what that table
	// shows; both may be empty.
	Skew, Caption string
	// Docs are the pages to read on.
	Docs []string
	// Evidence is the proof of the verdict and then of the findings.
	Evidence []EvidenceRow
	// Noun is what a subtask is called: reader or subtask.
	Noun string
	// Rows are the subtasks with values, by index.
	Rows []Row
}

// Beside is one finding with its sentences.
type Beside struct {
	Finding *analysis.Finding
	Label   string
	Words   Words
	Docs    string
}

// EvidenceRow is one measure in words.
type EvidenceRow struct {
	// Of is the finding it belongs to, empty for the verdict.
	Of string
	// Name is the measure's own, What the same in words.
	Name, What string
	// Value and Threshold are with their unit, a dash when absent.
	Value, Threshold string
}

// Row is one subtask's values.
type Row struct {
	*analysis.SubtaskResult
	// Records are those that load it, a second: out of a source, else in.
	Records analysis.Num
	// Named is whether the verdict is about it.
	Named bool
	// Mark says what is special about it, beginning with an arrow; may be empty.
	Mark string
}

// NewPage returns what a page shows of a vertex. The job is where its
// neighbours' names are found.
func NewPage(j *analysis.JobResult, v *analysis.VertexResult) Page {
	b := newBlock(j, v)
	p := Page{
		Job: b.job, Vertex: b.vertex, Label: pageLabel(b), Words: b.words, Skew: b.skew, Caption: b.facts.caption(),
		Docs: b.docs, Noun: b.facts.noun(),
	}
	p.addEvidence("", v.Verdict.Evidence)
	for i := range v.Findings {
		f := &v.Findings[i]
		p.addEvidence(string(f.ID), f.Evidence)
		if f.Severity > analysis.SeverityNone {
			p.Beside = append(p.Beside, Beside{f, strings.ToUpper(f.Severity.String()), ExplainFinding(j, v, f), FindingDocs(f.ID)})
		}
	}
	about, _ := b.facts.split()
	named := make(map[int32]bool, len(about))
	for _, s := range about {
		named[s.Index] = true
	}
	for i := range v.Subtasks {
		s := &v.Subtasks[i]
		row := Row{SubtaskResult: s, Records: b.facts.records(s), Named: named[s.Index]}
		if row.Named || v.Hot != nil && v.Hot.Subtask == int(s.Index) {
			row.Mark = b.facts.mark(s)
		}
		p.Rows = append(p.Rows, row)
	}
	return p
}

// pageLabel names the severity, and what is fine as well, which the terminal
// only counts.
func pageLabel(b block) string {
	if b.severity == analysis.SeverityNone && b.v.Verdict.ID != analysis.NotEnoughData && !b.open() {
		return "OK"
	}
	return b.label()
}

func (p *Page) addEvidence(of string, ms []analysis.Measure) {
	for _, m := range ms {
		w, ok := measureWords()[m.Name]
		if !ok {
			w = measureWord{what: strings.ReplaceAll(clean(m.Name), "_", " ")}
		}
		p.Evidence = append(p.Evidence, EvidenceRow{
			Of: of, Name: clean(m.Name), What: w.what, Value: w.write(m.Value, m.Unit), Threshold: w.write(m.Threshold, m.Unit),
		})
	}
}

// Unsettled says in one line of a job that restarts, or does not run, that no
// vertex could be judged for it; empty of any other job.
func Unsettled(j *analysis.JobResult, now time.Time) string { return unsettled(j, now) }

// JobName is a job's cleaned whole name, or its id for one without.
func JobName(j *analysis.JobResult) string {
	if s := clean(j.Name); s != "" {
		return s
	}
	return jobName(j)
}

// VertexName is a vertex's cleaned whole name, or its id for one without.
func VertexName(v *analysis.VertexResult) string { return vertexName(v) }

// ClusterNotes are what is to be said of a cluster beside its jobs: answers
// that were missing, the caller's note, or why there is no job.
func ClusterNotes(c ClusterInput) []string {
	var notes []string
	if note := cut(clean(c.Note), noteColumns); note != "" {
		notes = append(notes, sentence(note))
	}
	r := c.Result
	switch {
	case r == nil:
	case len(r.Jobs) == 0 && len(notes) == 0:
		notes = append(notes, sentence(nothing(r, Filter{})))
	case len(r.Gaps) > 0:
		notes = append(notes, gapNote(r.Gaps))
	}
	return notes
}

// Amount writes a number in its unit, an absent one as a dash.
func Amount(n analysis.Num, u analysis.Unit) string { return inUnit(n, u) }

// Percent writes a share of 0–1, an absent one as a dash.
func Percent(n analysis.Num) string { return show(n, percent) }

// Times writes a ratio such as 3.4 ×, an absent one as a dash.
func Times(n analysis.Num) string { return show(n, times) }

// Whole writes a whole number with commas, an absent one as a dash.
func Whole(n analysis.Num) string { return show(n, thousands) }

// Duration writes seconds in whole ones below two minutes, then minutes or hours.
func Duration(d time.Duration) string { return span(d) }
