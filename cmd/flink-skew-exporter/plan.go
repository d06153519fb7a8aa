package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/keygroup"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report/migration"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/savepoint"
)

// planCommand holds the flags of the command plan.
type planCommand struct {
	// look polls or replays as diagnose does.
	look       *diagnose
	savepoint  *source
	uids       *[]string
	foreseen   *parallelisms
	target     *parallelisms
	throughput *float64
	ttl        *time.Duration
	out        *string
	force      *bool
}

func addPlan(r *registry) {
	c := r.app.Command("plan", withExample(
		"Says whether a job needs a higher max parallelism, and writes the reversible way there with the job's own numbers, as Markdown: the target and why, operators without a uid, how long the rewrite takes, each step with its commands and the way back.",
		"flink-skew-exporter plan --flink.url=http://jobmanager:8081 --job=orders --savepoint=/savepoints/savepoint-a1b2c3-0123456789ab",
		"flink-skew-exporter plan --tape incident.jsonl.gz --job=orders --foreseen=200 --out=plan.md",
		"flink-skew-exporter plan --savepoint=/savepoints/savepoint-a1b2c3-0123456789ab --target-max-parallelism=1024"))
	p := &planCommand{
		savepoint: new(source), foreseen: &parallelisms{}, target: &parallelisms{},
		look: &diagnose{
			config:   addConfigFlags(c, append(pollKeys(), analysisKeys()...)...),
			tape:     c.Flag("tape", "Recording to replay at once instead of a live cluster.").PlaceHolder("FILE").String(),
			polls:    count(c, "polls", "Readings to take, at least 2. One poll more comes first, to wake Flink's metrics.", "3"),
			interval: span(c, "interval", "Pause between two polls. Flink refreshes its metrics at most every 10s.", "10s"),
			job:      c.Flag("job", "The job: its id, or a part of its name that no other has.").PlaceHolder("TEXT").String(),
			vertex:   new(string), verbose: new(bool),
		},
		uids:       c.Flag("uid", "A uid that the job's code sets, to name the operator of a savepoint that does not record uids. May be repeated.").PlaceHolder("UID").Strings(),
		throughput: c.Flag("throughput", "Pace of the rewrite in MB/s (millions of bytes), for how long it takes.").PlaceHolder("MB/S").Default("300").Float64(),
		ttl:        span(c, "state-ttl", "How long keyed state lives, where it has a time-to-live; 0s is for ever.", "0s"),
		out:        c.Flag("out", "File to write instead of the standard output.").PlaceHolder("FILE").String(),
		force:      c.Flag("force", "Overwrite the file of --out.").Bool(),
	}
	c.Flag("savepoint", "Savepoint or checkpoint of the job: its _metadata, or its folder. Names operators, uids and sizes; enough alone.").PlaceHolder("FILE").SetValue(p.savepoint)
	c.Flag("foreseen", "The largest parallelism that anyone foresees, backfills included.").PlaceHolder("N").SetValue(p.foreseen)
	c.Flag("target-max-parallelism", "Plan for this one, whatever is needed.").PlaceHolder("M").SetValue(p.target)
	r.add(c, p.run)
}

func (c *planCommand) run(ctx context.Context, p process) error {
	if err := c.check(); err != nil {
		return err
	}
	in := migration.Input{Throughput: *c.throughput * 1e6, StateTTL: *c.ttl, Foreseen: one(c.foreseen), Target: one(c.target)}
	if *c.savepoint != "" {
		s, err := c.recorded(ctx)
		if err != nil {
			return err
		}
		in.Savepoint = s
	}
	if in.Savepoint == nil || *c.look.tape != "" || *c.look.config.file != "" || len(*c.look.config.urls) > 0 {
		if err := c.judged(ctx, p, &in); err != nil {
			return err
		}
	}
	plan := migration.New(in)
	if err := plan.Check(); err != nil {
		return usageError{err}
	}
	return c.write(p, &plan)
}

func (c *planCommand) check() error {
	for name, l := range map[string]*parallelisms{"foreseen": c.foreseen, "target-max-parallelism": c.target} {
		if len(*l) > 1 {
			return usagef("--%s takes one number", name)
		}
	}
	if !(*c.throughput > 0) {
		return usagef("--throughput is %g MB/s; it must be above 0", *c.throughput)
	}
	if *c.out != "" {
		return mayWrite(*c.out, *c.force)
	}
	return nil
}

// one is the only number of a list, 0 without any.
func one(l *parallelisms) int {
	if len(*l) == 0 {
		return 0
	}
	return min((*l)[0], keygroup.UpperBound)
}

// recorded reads the savepoint.
func (c *planCommand) recorded(ctx context.Context) (*migration.Savepoint, error) {
	s := &savepointCommand{from: c.savepoint, uids: c.uids, files: new(bool), paths: new(bool)}
	m, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	s.name(m)
	return recordedOf(string(*c.savepoint), m), nil
}

func recordedOf(path string, m *savepoint.Metadata) *migration.Savepoint {
	out := &migration.Savepoint{Path: path, Format: m.Format}
	for _, o := range m.Operators {
		op := migration.Operator{ID: o.ID.String(), Name: o.Name, UID: o.UID, Parallelism: o.Parallelism, MaxParallelism: o.MaxParallelism}
		for _, s := range o.Subtasks {
			op.KeyedBytes += s.KeyedBytes()
			op.OperatorBytes += s.OperatorBytes()
		}
		out.Operators = append(out.Operators, op)
	}
	return out
}

// judged polls or replays, and takes the one job that --job means.
func (c *planCommand) judged(ctx context.Context, p process, in *migration.Input) error {
	cfg, err := c.look.config.load()
	if err != nil {
		return err
	}
	var all []*readings
	if *c.look.tape == "" {
		all, err = c.look.live(ctx, p, cfg)
	} else {
		all, err = c.look.replay(ctx, p, cfg)
	}
	if err != nil {
		return err
	}
	if err := allFailed(all); err != nil {
		return err
	}
	var names []string
	for _, r := range all {
		if r.result == nil {
			continue
		}
		for i := range r.result.Jobs {
			j := &r.result.Jobs[i]
			if !named(*c.look.job, j.ID, j.Name) || len(j.Vertices) == 0 {
				continue
			}
			names = append(names, fmt.Sprintf("%.60q (%s)", j.Name, j.ID))
			in.Job, in.Cluster, in.FlinkVersion = j, r.name, r.result.FlinkVersion
		}
	}
	switch {
	case len(names) == 0:
		return fmt.Errorf("no running job matches --job=%q; diagnose --all lists them", *c.look.job)
	case len(names) > 1:
		return usagef("%d jobs match --job=%q: %s; a plan is for one, so give its id", len(names), *c.look.job, strings.Join(names, ", "))
	}
	return nil
}

func (c *planCommand) write(p process, plan *migration.Plan) error {
	if *c.out == "" || *c.out == toStdout {
		return plan.Markdown(p.stdout)
	}
	f, err := os.Create(*c.out)
	if err != nil {
		return fmt.Errorf("--out %s: %w", *c.out, cause(err))
	}
	return errors.Join(plan.Markdown(io.Writer(f)), f.Close())
}
