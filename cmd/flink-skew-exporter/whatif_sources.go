package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/alecthomas/kingpin/v2"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keyhash"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/savepoint"
)

// candidate is a vertex that the filters leave.
type candidate struct {
	cluster string
	job     *analysis.JobResult
	vertex  *analysis.VertexResult
}

// ofVertex polls or replays, and takes the worst of the vertices chosen.
func (w *whatIf) ofVertex(ctx context.Context, p process) (*report.WhatIf, error) {
	cfg, err := w.look.config.load()
	if err != nil {
		return nil, err
	}
	var all []*readings
	from := "live"
	if *w.look.tape == "" {
		all, err = w.look.live(ctx, p, cfg)
	} else {
		from = "tape"
		all, err = w.look.replay(ctx, p, cfg)
	}
	if err != nil {
		return nil, err
	}
	if err := allFailed(all); err != nil {
		return nil, err
	}
	best, others := w.choose(all)
	if best.vertex == nil {
		return nil, fmt.Errorf("no vertex matches --job=%q and --vertex=%q; diagnose --all lists the vertices", *w.look.job, *w.look.vertex)
	}
	if others > 0 {
		warn(p.stderr, fmt.Errorf("%s match; this is %.60q, the worst; choose another with --job and --vertex", strconv.Itoa(others+1)+" vertices", best.vertex.Name))
	}
	out := report.NewWhatIf(best.cluster, best.job, best.vertex, *w.load)
	out.Source = from
	return &out, nil
}

// choose returns the worst vertex by severity and load, and how many others there are.
func (w *whatIf) choose(all []*readings) (best candidate, others int) {
	n := 0
	for _, r := range all {
		if r.result == nil {
			continue
		}
		for i := range r.result.Jobs {
			j := &r.result.Jobs[i]
			if !named(*w.look.job, j.ID, j.Name) {
				continue
			}
			for k := range j.Vertices {
				v := &j.Vertices[k]
				if !named(*w.look.vertex, v.ID, v.Name) {
					continue
				}
				n++
				if best.vertex == nil || worse(v, best.vertex) {
					best = candidate{r.name, j, v}
				}
			}
		}
	}
	return best, max(0, n-1)
}

// named reports whether a filter is the id, or a part of the name.
func named(filter, id, name string) bool {
	return filter == "" || filter == id || strings.Contains(strings.ToLower(name), strings.ToLower(filter))
}

func worse(a, b *analysis.VertexResult) bool {
	if a.Severity() != b.Severity() {
		return a.Severity() > b.Severity()
	}
	return a.Signals.Busy.Max.Or(-1) > b.Signals.Busy.Max.Or(-1)
}

// ofSavepoint takes the operator with most keyed state of those chosen.
func (w *whatIf) ofSavepoint(ctx context.Context, p process) (*report.WhatIf, error) {
	s := &savepointCommand{from: w.savepoint, operator: w.look.vertex, files: new(bool), paths: new(bool)}
	m, err := s.read(ctx)
	if m == nil {
		return nil, err
	}
	var best *savepoint.Operator
	var most int64
	n := 0
	for _, o := range m.Operators {
		if !s.wanted(o) {
			continue
		}
		var keyed int64
		for _, sub := range o.Subtasks {
			keyed += sub.KeyedBytes()
		}
		if keyed > 0 {
			n++
		}
		if keyed > most {
			best, most = o, keyed
		}
	}
	if best == nil {
		return nil, fmt.Errorf("no operator of %d that --vertex=%q lets through has keyed state", len(m.Operators), *w.look.vertex)
	}
	name := best.Name
	if name == "" {
		name = "operator " + best.ID.String()
	}
	if n > 1 {
		warn(p.stderr, fmt.Errorf("%d operators have keyed state; this is the largest, %.60q; choose another with --vertex", n, name))
	}
	curve, err := stateCurve(best)
	if err != nil {
		return nil, err
	}
	out := report.NewExactWhatIf("savepoint", name, &curve)
	return &out, nil
}

// stateCurve is exact where bytes are recorded by key group, else it rests on
// those of the subtasks.
func stateCurve(o *savepoint.Operator) (analysis.Curve, error) {
	state := o.KeyGroups()
	if state.Reason == savepoint.Recorded {
		groups := make([]float64, o.MaxParallelism)
		for _, g := range state.Groups {
			if g.Group < len(groups) {
				groups[g.Group] = float64(g.Bytes)
			}
		}
		return analysis.ExactCurve(analysis.CurveBytes, groups, o.Parallelism), nil
	}
	if o.At(o.Parallelism).Basis == savepoint.NoBasis {
		return analysis.Curve{}, fmt.Errorf("the keyed state cannot be placed: %s", o.At(o.Parallelism).Reason)
	}
	loads := make([]float64, o.Parallelism)
	for i, b := range o.At(o.Parallelism).Bytes {
		loads[i] = float64(b)
	}
	return analysis.SubtaskCurve(analysis.CurveBytes, loads, o.MaxParallelism), nil
}

// addKeyInput adds the flags that say what the keys of a list are; they mean what
// they mean for the command keys.
func addKeyInput(c *kingpin.CmdClause) *keysCommand {
	k := &keysCommand{
		file: new(source), ceilings: &parallelisms{}, parallelisms: &parallelisms{}, groups: &groupRanges{}, null: &nullText{},
		typeName:  c.Flag("type", "Type of the keys of --keys, as for the command keys.").PlaceHolder("TYPE").String(),
		input:     enum(c, "input", "Form of the keys, as for the command keys", "lines", "csv", "jsonl"),
		delimiter: c.Flag("delimiter", `What separates the columns of CSV; \t is a tab.`).Default(",").String(),
		header:    c.Flag("header", "Leave out the first line of CSV.").Bool(),
		onError:   enum(c, "on-error", "What to do at a key that is none of its type: fail, or skip and count it", "fail", "skip"),
		each:      new(bool),
	}
	c.Flag("keys", "List of keys instead of a cluster, one a line or with counts; - for standard input.").PlaceHolder("FILE").SetValue(k.file)
	c.Flag("max-parallelism", "Max parallelism for --keys.").PlaceHolder("N").SetValue(k.ceilings)
	c.Flag("parallelism", "Present parallelism for --keys, if there is one.").PlaceHolder("N").SetValue(k.parallelisms)
	c.Flag("null", "The text that stands for NULL in lines and CSV.").PlaceHolder("TEXT").SetValue(k.null)
	return k
}

// ofKeys reads the list of keys as the command keys does.
func (w *whatIf) ofKeys(ctx context.Context, p process) (*report.WhatIf, error) {
	k := w.keys
	if len(*k.ceilings) != 1 || len(*k.parallelisms) > 1 {
		return nil, usagef("--keys needs one --max-parallelism, and takes one --parallelism at most")
	}
	typ, err := keyhash.Parse(*k.typeName)
	if err != nil {
		return nil, usagef("--type: %w", err)
	}
	if err := k.check(typ); err != nil {
		return nil, err
	}
	in, err := k.open(p)
	if err != nil {
		return nil, err
	}
	work := &keysRun{
		flags: k, typ: typ, hasher: typ.NewHasher(), in: k.reader(in, typ.Fields()), progress: keysProgress{progressLine: newProgress(p.stderr)},
		tally: keyhash.NewTally(*k.ceilings, nil),
	}
	done := make(chan error, 1)
	// A read of standard input cannot be interrupted, so that it is left behind.
	go func() { done <- errors.Join(work.all(ctx), in.Close()) }()
	select {
	case <-ctx.Done():
		return nil, errors.New("interrupted while reading keys; nothing is reported")
	case err := <-done:
		if err != nil {
			return nil, err
		}
	}
	if work.skipped > 0 {
		warn(p.stderr, fmt.Errorf("%s left out by --on-error=skip; the first is in %w", plural64(work.skipped, "key"), work.firstSkipped))
	}
	if work.tally.Total() == 0 {
		return nil, errors.New("there is no key to predict from; is the input empty, and --type right?")
	}
	present := 0
	if len(*k.parallelisms) == 1 {
		present = (*k.parallelisms)[0]
	}
	curve := analysis.ExactCurve(analysis.CurveRecords, work.tally.GroupCounts((*k.ceilings)[0]), present)
	out := report.NewExactWhatIf("keys", "keys of "+filepath.Base(string(*k.file)), &curve)
	return &out, nil
}
