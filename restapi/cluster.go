package restapi

import (
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// readCluster asks what does not depend on any job. It fails only when the
// list of jobs cannot be had.
func (p *poll) readCluster() (entries []jobEntry, err error) {
	var view overview
	var viewErr, tmErr error
	p.c.each(3, func(i int) {
		switch i {
		case 0:
			entries, err = fetch(p.ctx, p.c, call{epJobs, epJobs}, decodeJobs)
		case 1:
			view, viewErr = fetch(p.ctx, p.c, call{epOverview, epOverview}, decodeOverview)
		case 2:
			p.snap.TaskManagers, tmErr = fetch(p.ctx, p.c, call{epTaskManagers, epTaskManagers}, decodeTaskManagers)
		}
	})
	if err != nil {
		return nil, err
	}
	if viewErr != nil {
		p.snap.Gaps = append(p.snap.Gaps, gap("", "", whatOverview, viewErr))
	} else {
		p.snap.FlinkVersion = view.flinkVersion
		p.snap.Slots = analysis.Slots{Total: view.slotsTotal, Free: view.slotsFree}
	}
	if tmErr != nil {
		p.snap.TaskManagers = nil
		p.snap.Gaps = append(p.snap.Gaps, gap("", "", whatTaskManagers, tmErr))
	}
	p.chooseTaskManagers()
	return entries, nil
}

// chooseJobs counts the states and sorts out which jobs to read: those that
// have not ended and whose names are wanted, each id once.
func (p *poll) chooseJobs(entries []jobEntry) {
	seen := make(map[string]bool, len(entries))
	for _, e := range entries {
		if seen[e.id] {
			continue
		}
		seen[e.id] = true
		p.snap.JobStates[e.state]++
		if ended(e.state) || !p.c.wanted(e.name) {
			continue
		}
		p.c.keep(e.id)
		j := &jobRead{job: analysis.Job{ID: e.id, Name: e.name, State: e.state, Scheduler: e.scheduler, StartedAt: millis(e.startMs)}}
		if !goodID(e.id) {
			j.gone = true
			j.gaps = append(j.gaps, analysis.Gap{What: whatJob, Reason: analysis.GapFailed, Detail: ReasonBadRequest})
		}
		p.jobs = append(p.jobs, j)
	}
}

// ended reports a JobStatus that Flink calls globally terminal.
func ended(state string) bool {
	return state == "FINISHED" || state == "CANCELED" || state == "FAILED"
}

func (c *Client) wanted(name string) bool {
	if c.opts.Include != nil && !c.opts.Include.MatchString(name) {
		return false
	}
	return c.opts.Exclude == nil || !c.opts.Exclude.MatchString(name)
}

// lastMilli bounds points in time: from the year 10000 on they have no form in JSON.
const lastMilli = 253402300800000

// millis converts epoch milliseconds; absent, zero and negative (Flink's "not
// yet") and what lies beyond lastMilli give the zero time.
func millis(n analysis.Num) time.Time {
	ms, ok := n.Get()
	if !ok || ms <= 0 || ms >= lastMilli {
		return time.Time{}
	}
	return time.UnixMilli(int64(ms)).UTC()
}
