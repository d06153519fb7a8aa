package report

import (
	"fmt"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// amount writes a load of the curve in its unit.
func amount(u analysis.CurveUnit, v float64) string {
	switch u {
	case analysis.CurveBusy:
		return percent(v)
	case analysis.CurveBytes:
		return bytesize(v)
	}
	return significant(v)
}

// amounts writes a range of loads; the unit of percents stands once.
func amounts(u analysis.CurveUnit, low, high float64) string {
	from, to := amount(u, low), amount(u, high)
	switch {
	case from == to:
		return from
	case u == analysis.CurveBusy:
		return strings.TrimSuffix(from, " %") + "–" + to
	}
	return from + "–" + to
}

// bindingWords names what limits a parallelism.
func bindingWords(b analysis.Binding) string {
	switch b {
	case analysis.BindMaxParallelism:
		return "max parallelism"
	case analysis.BindSourcePartitions:
		return "source partitions"
	case analysis.BindTaskSlots:
		return "task slots"
	}
	return "no known limit"
}

// missingCurve says why there is no curve.
func missingCurve(m analysis.CurveMissing) string {
	switch m {
	case analysis.NoCurveBusy:
		return "Flink does not measure the busy time of this vertex, so that nothing can be predicted from it."
	case analysis.NoCurveLoad:
		return "It does nothing now: no parallelism would change that, and what load would make is not known."
	case analysis.NoCurveStalled:
		return "A subtask is stuck; its load says nothing about other parallelisms. See diagnose."
	case analysis.NoCurveKeyGroups:
		return "An input is partitioned by key, and max parallelism is not known, so that key groups cannot be placed."
	}
	return "There are too few fresh values of its subtasks to predict from; take more polls, or wait until it has run for a minute."
}

// liveWords are the sentences about a live vertex.
func (wi *WhatIf) liveWords(v *analysis.VertexResult) []string {
	if wi.Curve == nil {
		return []string{missingCurve(wi.Missing)}
	}
	words := wi.curveWords()
	s := &v.Sizing
	if l := wi.Curve.Load; l > 1.005 || l < 0.995 {
		words = append(words, fmt.Sprintf("Drawn for %s the load that it has now%s.", times(l), demandWhy(s)))
	}
	if s.DemandAtLeast {
		words = append(words, "A source is held up and tells no backlog: more may come than is drawn, so take the parallelisms for the least that is needed.")
	}
	if len(v.Inputs) == 0 && wi.Curve.Now.Or(0) >= 0.9 && v.Signals.BackPressured.Max.Or(0) < 0.1 {
		words = append(words, "A source may be busy by waiting to pace itself, which counts as busy: see that it does not keep up before you add readers.")
	}
	if p, ok := s.RequiredCatchUp.Get(); ok {
		words = append(words, fmt.Sprintf("Clearing the backlog beside the live load takes %s records/s more here, which is parallelism %s if the load becomes even%s.",
			show(s.CatchUpRate, rate), thousands(p), wi.above(p)))
	}
	if p, ok := s.Autoscaler.Get(); ok {
		line := fmt.Sprintf("The autoscaler of Flink's Kubernetes operator would set %s with its defaults", thousands(p))
		if wi.AutoscalerWhy != "" {
			line += ": " + wi.AutoscalerWhy
		}
		words = append(words, line+".")
	}
	return words
}

// demandWhy says what makes the demand more than what arrives.
func demandWhy(s *analysis.Sizing) string {
	if s.DemandRatio.Or(1) > 1.005 {
		return clause(s.Demand, ", since the sources' backlog grows: %s records/s are wanted", rate)
	}
	return ""
}

// above says that a parallelism cannot be had, and what binds.
func (wi *WhatIf) above(p float64) string {
	if c, ok := wi.Curve.Ceiling.Get(); ok && p > c {
		return fmt.Sprintf(", above the ceiling of %s (%s)", thousands(c), bindingWords(wi.Curve.Binding))
	}
	return ""
}

// curveWords are the sentences that any curve has.
func (wi *WhatIf) curveWords() []string {
	c := wi.Curve
	var words []string
	if c.Target.Known() {
		words = append(words, wi.target())
	} else {
		words = append(words, wi.evenness())
	}
	words = append(words, wi.now()...)
	if gap := idleGap(c); gap != "" {
		words = append(words, gap)
	}
	if n, ok := c.Limits.TaskSlots.Get(); ok && !c.Limits.SlotsBind && n < c.Ceiling.Or(n) {
		words = append(words, fmt.Sprintf("The slots that are free now allow %s; beyond that add TaskManagers.", thousands(n)))
	}
	return words
}

// target says where the target is met.
func (wi *WhatIf) target() string {
	c := wi.Curve
	target := percent(c.Target.Or(0))
	up := ""
	if n, ok := c.Ceiling.Get(); ok {
		up = fmt.Sprintf(" up to the ceiling of %s (%s)", thousands(n), bindingWords(c.Binding))
	}
	m := c.Met
	switch {
	case m.Surely.Known():
		line := fmt.Sprintf("The busiest subtask is at or below the target of %s from parallelism %s on", target, show(m.Surely, thousands))
		if m.AtBest != m.Surely {
			line += clause(m.Likely, ", likely from %s", thousands) + clause(m.AtBest, ", at best from %s", thousands)
		}
		return line + "."
	case m.Likely.Known():
		return fmt.Sprintf("The busiest subtask is likely at or below the target of %s from parallelism %s on; it is certain at none%s.", target, show(m.Likely, thousands), up)
	case m.AtBest.Known():
		return fmt.Sprintf("The target of %s is not likely met at any parallelism%s; only if load lies well is it from %s on.", target, up, show(m.AtBest, thousands))
	}
	return fmt.Sprintf("No parallelism%s brings the busiest subtask to the target of %s.", up, target)
}

// now says what is measured and what cannot be gone below.
func (wi *WhatIf) now() []string {
	c := wi.Curve
	var words []string
	if n, ok := c.Now.Get(); ok && c.Parallelism > 0 && c.Unit == analysis.CurveBusy {
		words = append(words, fmt.Sprintf("Now, at parallelism %s, its busiest subtask is %s busy.", thousands(float64(c.Parallelism)), percent(n)))
	}
	f, ok := c.Floor.Get()
	switch {
	case !ok || f <= 0:
	case c.Unit == analysis.CurveBusy:
		words = append(words, fmt.Sprintf("The hot key alone makes %s: no parallelism goes below, since one key is on one subtask.", percent(f)))
	default:
		words = append(words, fmt.Sprintf("The heaviest key group alone has %s: no parallelism goes below, since a key group is never split.", amount(c.Unit, f)))
	}
	return words
}

// evenness says what the curve of bytes or counts comes to.
func (wi *WhatIf) evenness() string {
	c := wi.Curve
	how := "exact, since every key group is known"
	if c.Basis != analysis.BasisKeyGroups {
		how = "as bounds, since the key groups are not recorded one by one"
	}
	best := c.Points[len(c.Points)-1]
	for _, p := range c.Points {
		if p.Useful && !p.Beyond && p.High <= best.High*1.05 {
			best = p
			break
		}
	}
	return fmt.Sprintf("The busiest subtask has the least, within 5 %%, from parallelism %s on: %s, %s the mean (%s).",
		thousands(float64(best.Parallelism)), amounts(c.Unit, best.Low, best.High), times(best.Likely/best.Mean), how)
}

// idleGap names the parallelisms above the present one that gain nothing.
func idleGap(c *analysis.Curve) string {
	if c.Parallelism == 0 || c.Basis == analysis.BasisDealt {
		return ""
	}
	needed, next := 0, 0
	for _, p := range c.Points {
		switch {
		case !p.Useful:
		case p.Parallelism <= c.Parallelism:
			needed = p.Parallelism
		case next == 0:
			next = p.Parallelism
		}
	}
	unit := "key groups"
	if c.Basis == analysis.BasisPartitions {
		unit = "partitions"
	}
	switch {
	case next == 0 && needed < c.Parallelism:
		return fmt.Sprintf("From %d on the busiest owns one of the %s, and nothing more is gained.", needed, unit)
	case next-needed > 1 && needed > 0:
		return fmt.Sprintf("From %d to %d the busiest owns as many %s: the next parallelism that unloads it is %d.", needed, next-1, unit, next)
	}
	return ""
}

// autoscalerWhy explains why the operator's autoscaler asks for something else
// than the curve: it looks at the busiest subtask and takes it for typical.
func autoscalerWhy(v *analysis.VertexResult, c *analysis.Curve) string {
	auto, ok := v.Sizing.Autoscaler.Get()
	required, known := v.Sizing.Required.Get()
	if !ok || !known || c == nil || auto == required {
		return ""
	}
	skew := v.Signals.Busy.Skew.Or(1)
	switch {
	case skew >= 1.2 && v.Verdict.ID == analysis.HotKey:
		return "it sizes by the busiest subtask and takes more of them to help, which one key does not allow"
	case skew >= 1.2:
		return "it sizes by the busiest subtask as if all were alike"
	case auto > required:
		return "it aims at 70 %, adds what a restart of 5 minutes and the backlog leave to catch up, and rounds up to a divisor"
	}
	return "it shrinks by at most 60 % at a time, aims at 70 %, and rounds to a divisor"
}
