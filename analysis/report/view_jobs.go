package report

import (
	"fmt"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

const (
	// idColumns is how much of an id stands for a name that is not there.
	idColumns = 8
	// noteColumns bounds a caller's note.
	noteColumns = 200
	// freshStart is up to how long after its start the vertices of a job lack
	// numbers because of it; the longest warm-up that makes sense is shorter.
	freshStart = 5 * time.Minute
	// running is Flink's state of a job that runs.
	running = "RUNNING"
	// maxRestarting is how many jobs that restart get a line each.
	maxRestarting = 10
)

// jobName is a job's name for a heading or a sentence; one without a name is
// known by its id.
func jobName(j *analysis.JobResult) string { return named(j.Name, "job", j.ID) }

// vertexName is a vertex's whole name for a heading.
func vertexName(v *analysis.VertexResult) string {
	if s := clean(v.Name); s != "" {
		return s
	}
	return named("", "vertex", v.ID)
}

// vertexInText is a vertex's name, cut for a sentence.
func vertexInText(v *analysis.VertexResult) string { return named(v.Name, "vertex", v.ID) }

func named(s, kind, id string) string {
	if clean(s) != "" {
		return name(s)
	}
	if id = clean(id); id != "" {
		return "unnamed " + kind + " " + cut(id, idColumns+1)
	}
	return "unnamed " + kind
}

// unsettled says in one line of a job that restarts, or does not run, that no
// vertex could be judged for it; empty of any other job.
func unsettled(j *analysis.JobResult, now time.Time) string {
	vs, fresh := Filter{}.vertices(j), false
	for _, v := range vs {
		if !beforeJudging(v) {
			return ""
		}
		fresh = fresh || v.Finding(analysis.JobChanged) != nil || v.Verdict.Advice.Missing == analysis.MissingWarmingUp
	}
	age := now.Sub(j.RunningSince)
	since := !j.RunningSince.IsZero() && !now.IsZero() && age >= 0
	fresh = fresh || since && age <= freshStart
	restarts := j.Restarts.Or(0)
	const short = "; no vertex ran long enough to be judged"
	switch {
	case j.State == "" && len(vs) > 0:
		return ""
	case j.State != running && restarts >= 1:
		return fmt.Sprintf("%s is %s, restarted %s", jobName(j), state(j), often(restarts)) + short
	case len(vs) == 0 || j.State != running:
		return fmt.Sprintf("%s is %s: there is nothing to judge", jobName(j), state(j))
	case restarts < 1 || !fresh:
		return "" // If it ever restarted, that is long past; only the first polls of it are lacking.
	case since:
		return fmt.Sprintf("%s: restarted %s, last %s ago", jobName(j), often(restarts), span(age)) + short
	}
	return fmt.Sprintf("%s: restarted %s", jobName(j), often(restarts)) + short
}

// state is a job's state in a sentence.
func state(j *analysis.JobResult) string {
	if clean(j.State) == "" {
		return "in no known state"
	}
	return name(j.State)
}

// beforeJudging reports whether all that a vertex lacks is time to run.
func beforeJudging(v *analysis.VertexResult) bool {
	if v.Verdict.ID != analysis.NotEnoughData || v.Severity() >= analysis.SeverityWarning {
		return false
	}
	switch v.Verdict.Advice.Missing {
	case analysis.MissingFirstWindow, analysis.MissingWarmingUp, analysis.MissingNotRunning, analysis.MissingDetails:
		return true
	case analysis.MissingCoverage:
		return v.Windows == 0
	}
	return false
}

// often writes how many times something happened.
func often(n float64) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return thousands(n) + " times"
}

// nothing says why there is no vertex to show: the filter left none, the
// configuration did, or nothing runs.
func nothing(r *analysis.Result, f Filter) string {
	alive, ended := 0, map[string]int{}
	for s, n := range r.JobStates {
		switch {
		case over(s) && n > 0:
			ended[s] = n
		case !over(s):
			alive += n
		}
	}
	switch n := len(r.Jobs); {
	case n > 0 && len(f.jobs(r)) == 0:
		return fmt.Sprintf("%s %s, but none matches the filter", count(n, "job"), verb(n > 1, "runs", "run"))
	case n > 0 && f.Vertex != "":
		return "no vertex matches the filter"
	case n == 0 && alive > 0:
		return fmt.Sprintf("%s %s, but include_jobs and exclude_jobs leave none", count(alive, "job"), verb(alive > 1, "runs", "run"))
	case len(ended) > 0:
		return "no job runs (" + counts(ended) + ")"
	}
	return "no job runs"
}

// over reports a state that a job does not leave.
func over(state string) bool {
	return state == "FINISHED" || state == "CANCELED" || state == "FAILED"
}

// bounded cuts a list of lines and says how many more there are.
func bounded(lines []string, most int) []string {
	if len(lines) <= most {
		return lines
	}
	more := len(lines) - most
	return append(lines[:most:most], fmt.Sprintf("and %s more %s likewise", thousands(float64(more)), verb(more > 1, "job", "jobs")))
}
