package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/web"
)

// maxNamed is how many jobs a message names.
const maxNamed = 5

// allFailed returns an error when no cluster gave anything to report.
func allFailed(all []*readings) error {
	for _, r := range all {
		if r.good > 0 {
			return nil
		}
	}
	if err := silent(all); err != nil {
		return err
	}
	return errors.New("the tape holds no poll; record it again")
}

// silent returns the errors of the clusters of which no poll succeeded.
func silent(all []*readings) error {
	var errs []error
	for _, r := range all {
		if r.good == 0 && r.err != nil {
			errs = append(errs, fmt.Errorf("cluster %s: %w", r.name, r.err))
		}
	}
	return errors.Join(errs...)
}

// unjudged returns an error for each cluster of which one poll alone
// succeeded: the report then says what runs there, and judges nothing of it.
func unjudged(all []*readings) error {
	var errs []error
	for _, r := range all {
		switch {
		case r.good != 1 || len(r.result.Jobs) == 0:
		case r.damage != nil:
			errs = append(errs, fmt.Errorf("tape %s: %w; one poll before it is whole, which is not enough for a verdict: a window lies between two polls, so record it again", r.name, r.damage))
		default:
			errs = append(errs, fmt.Errorf("cluster %s: one poll is not enough for a verdict: a window lies between two polls", r.name))
		}
	}
	return errors.Join(errs...)
}

// outcome is an error when something stands that --fail-on asks about, or else
// when a cluster is missing from the report or could not be judged.
func (d *diagnose) outcome(p process, all []*readings, in report.Input) error {
	missing := errors.Join(silent(all), unjudged(all))
	least, _ := web.ParseSeverity(*d.failOn)
	if worst := report.Worst(in, d.filter()); least > analysis.SeverityNone && worst >= least {
		if missing != nil {
			warn(p.stderr, missing)
		}
		return findingsError{worst}
	}
	return missing
}

// unmatched is an error when the filters leave nothing of what the clusters
// have: a report of nothing would read as if all were well.
func (d *diagnose) unmatched(all []*readings, in report.Input) error {
	var names []string
	var left []error
	for i, r := range all {
		if c := in.Clusters[i]; c.Result != nil {
			for j := range c.Result.Jobs {
				names = append(names, c.Result.Jobs[j].Name)
			}
			if err := r.leftOut(c.Result); err != nil {
				left = append(left, err)
			}
		}
	}
	if len(names) == 0 && len(left) > 0 {
		return errors.Join(left...)
	}
	if *d.job == "" && *d.vertex == "" {
		return nil
	}
	byJob, byBoth := chosen(in, report.Filter{Job: *d.job}), chosen(in, d.filter())
	switch {
	case byJob == 0 && len(names) == 0:
		return fmt.Errorf("no job runs, so none matches --job=%q", *d.job)
	case byJob == 0:
		return fmt.Errorf("no job matches --job=%q; there are %s", *d.job, enumerate(names))
	case byBoth == 0:
		return fmt.Errorf("no vertex matches --vertex=%q in the %d jobs looked at; --all lists the vertices", *d.vertex, byJob)
	}
	return nil
}

// chosen counts the jobs that a filter leaves.
func chosen(in report.Input, f report.Filter) (jobs int) {
	f.Brief = true
	for _, c := range report.NewDocument(in, f).Clusters {
		jobs += len(c.Jobs)
	}
	return jobs
}

// enumerate names the first of all jobs.
func enumerate(names []string) string {
	quoted := make([]string, 0, maxNamed)
	for _, n := range names[:min(len(names), maxNamed)] {
		quoted = append(quoted, fmt.Sprintf("%.100q", n))
	}
	text := strings.Join(quoted, ", ")
	if more := len(names) - maxNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// filters names the settings by which the names of jobs are chosen.
func filters(include, exclude string) string {
	switch {
	case include != "" && exclude != "":
		return fmt.Sprintf("none of them passes include_jobs %q and exclude_jobs %q", include, exclude)
	case include != "":
		return fmt.Sprintf("none of them matches include_jobs %q", include)
	case exclude != "":
		return fmt.Sprintf("all of them match exclude_jobs %q", exclude)
	}
	return ""
}

// leftOut is an error when the cluster runs jobs and the configuration leaves
// all of them out.
func (r *readings) leftOut(result *analysis.Result) error {
	alive := 0
	for state, n := range result.JobStates {
		if state != "FINISHED" && state != "CANCELED" && state != "FAILED" {
			alive += n
		}
	}
	if r.filters == "" || alive == 0 || len(result.Jobs) > 0 {
		return nil
	}
	return fmt.Errorf("cluster %s: jobs run (%d), but %s", r.name, alive, r.filters)
}

// caveats warns of what keeps the report on a cluster from being whole and new.
func (d *diagnose) caveats(p process, r *readings, c report.ClusterInput) {
	if r.good == 0 {
		return
	}
	if r.failed > 0 {
		warn(p.stderr, r.notice())
	}
	if err := r.leftOut(c.Result); err != nil {
		warn(p.stderr, err)
	}
	shown := map[string]bool{}
	filter := d.filter()
	filter.Brief = true
	for _, j := range report.NewCluster(c, filter).Jobs {
		shown[j.ID] = true
	}
	for _, e := range r.ended {
		if shown[e.job.ID] {
			warn(p.stderr, fmt.Errorf("cluster %s: job %q has ended since; what the report says of it is of poll %d of %d",
				r.name, e.job.Name, e.poll, r.good+r.failed))
		}
	}
}

// notice says which polls are missing from the report.
func (r *readings) notice() error {
	of := r.good + r.failed
	if r.err == nil {
		return fmt.Errorf("cluster %s: %d of %d polls failed; the report rests on the others", r.name, r.failed, of)
	}
	return fmt.Errorf("cluster %s: %d of %d polls failed, the last with: %w", r.name, r.failed, of, r.err)
}
