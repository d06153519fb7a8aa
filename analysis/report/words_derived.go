package report

import "fmt"

// derivedCeiling: max parallelism looks derived at a first start, not chosen.
// Nothing that Flink answers tells for certain, so the words never say more
// than that it looks so; nor is crossing a step of the default a danger: with
// nothing set, the value in the savepoint stays.
func derivedCeiling(f facts) Words {
	m, known := first(f.measure("max_parallelism"), f.v.MaxParallelism).Get()
	if !known {
		return Words{
			Summary: []string{"Max parallelism looks derived by Flink at a first start rather than chosen by somebody; that cannot be known for certain."},
			Do:      []string{"Look whether pipeline.max-parallelism or setMaxParallelism is set for the job."},
		}
	}
	head := fmt.Sprintf("Max parallelism %s looks derived by Flink rather than chosen by somebody", thousands(m))
	if now, ok := f.measure("derived_now").Get(); ok && now == m {
		head += fmt.Sprintf(": parallelism %d gives it when nothing is set", f.v.Parallelism)
	} else if ok {
		head += fmt.Sprintf(": a smaller first start gives it when nothing is set (parallelism %d would give %s)", f.v.Parallelism, thousands(now))
	}
	head += "; it may have been set to the same"
	headroom, enough := "", false
	for i := range f.j.Evidence {
		e := &f.j.Evidence[i]
		h, okH := e.Value.Get()
		least, okL := e.Threshold.Get()
		if e.Name == "headroom" && okH && okL {
			enough = h >= least
			headroom = fmt.Sprintf("It is %s the largest parallelism in sight; %s or more is advised.", times(h), times(least))
			if enough {
				headroom = fmt.Sprintf("It is %s the largest parallelism in sight, which is enough.", times(h))
			}
		}
	}
	w := Words{Summary: []string{head + "."}}
	if headroom != "" {
		w.Summary = append(w.Summary, headroom)
	}
	up := fmt.Sprintf("Rescaling up to %s needs nothing: while none is set, a restore keeps the savepoint's value.", thousands(m))
	if enough {
		w.Do = []string{up}
	} else {
		w.Do = []string{"Choose it on purpose at the next migration or first start: pipeline.max-parallelism, a power of two, four to eight times the largest parallelism you foresee. Keyed state must be rewritten offline for it (State Processor API).", up}
	}
	w.Dont = []string{fmt.Sprintf("Set another value in the job and restore the old state: keyed state written under %s does not restore under another.", thousands(m))}
	return w
}
