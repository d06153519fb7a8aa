package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/config"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/web"
	"github.com/flink-skew-exporter/flink-skew-exporter/restapi"
)

// minPolls is how many readings a window needs.
const minPolls = 2

// diagnose holds the flags of the command.
type diagnose struct {
	config       *configFlags
	tape         *string
	polls        *int
	interval     *time.Duration
	format       *string
	failOn       *string
	job, vertex  *string
	all, verbose *bool
}

func addDiagnose(r *registry) {
	c := r.app.Command("diagnose", withExample(
		"Polls a live cluster a few times, or replays a recording, and prints for each vertex the verdict with its evidence and advice. The exit code is 3 when --fail-on says so, and else 1 when a cluster did not answer or only once, or nothing was chosen.",
		"flink-skew-exporter diagnose --flink.url=http://jobmanager:8081",
		"flink-skew-exporter diagnose --tape incident.jsonl.gz --format=markdown"))
	d := &diagnose{
		config:   addConfigFlags(c, append(pollKeys(), analysisKeys()...)...),
		tape:     c.Flag("tape", "Recording to replay at once instead of a live cluster.").PlaceHolder("FILE").String(),
		polls:    count(c, "polls", "Readings to take, at least 2. One poll more comes first, to wake Flink's metrics.", "3"),
		interval: span(c, "interval", "Pause between two polls. Flink refreshes its metrics at most every 10s.", "10s"),
		format:   enum(c, "format", "Format of the report", "text", "json", "markdown"),
		failOn:   enum(c, "fail-on", "Exit with 3 when a verdict or finding is at least this severe", "none", "info", "warning", "critical"),
		job:      c.Flag("job", "Only jobs with this id, or with this in their name.").PlaceHolder("TEXT").String(),
		vertex:   c.Flag("vertex", "Only vertices with this id, or with this in their name.").PlaceHolder("TEXT").String(),
		all:      c.Flag("all", "List also the vertices that are fine.").Bool(),
		verbose:  c.Flag("verbose", "List all vertices, and add all evidence, every rule with why it did or did not fire, the signals, and what was missing.").Bool(),
	}
	r.add(c, d.run)
}

func (d *diagnose) run(ctx context.Context, p process) error {
	cfg, err := d.config.load()
	if err != nil {
		return err
	}
	all, primed := []*readings(nil), *d.tape == ""
	if primed {
		all, err = d.live(ctx, p, cfg)
	} else {
		all, err = d.replay(ctx, p, cfg)
	}
	if err != nil {
		return err
	}
	in := report.Input{GeneratedAt: time.Now()}
	for _, r := range all {
		in.Clusters = append(in.Clusters, r.input(primed))
	}
	if err := allFailed(all); err != nil {
		return err
	}
	if err := d.unmatched(all, in); err != nil {
		return err
	}
	for i, r := range all {
		d.caveats(p, r, in.Clusters[i])
	}
	if err := d.print(p, in); err != nil {
		return err
	}
	return d.outcome(p, all, in)
}

// live polls every cluster at once.
func (d *diagnose) live(ctx context.Context, p process, cfg *config.Config) ([]*readings, error) {
	if err := need(cfg); err != nil {
		return nil, err
	}
	if *d.polls < minPolls {
		return nil, usagef("--polls is %d; a window lies between two readings, so give at least %d", *d.polls, minPolls)
	}
	line := newProgress(p.stderr)
	defer line.clear()
	all := make([]*readings, len(cfg.Clusters))
	clients := make([]*restapi.Client, len(cfg.Clusters))
	for i, k := range cfg.Clusters {
		client, err := restapi.New(clientOptions(cfg, k, p.logger))
		if err != nil {
			return nil, fmt.Errorf("cluster %s: %w", k.Name, err)
		}
		defer client.Close()
		clients[i], all[i] = client, &readings{name: k.Name, thresholds: d.thresholds(cfg, k), filters: filters(cfg.Jobs(k))}
	}
	var done sync.WaitGroup
	for i := range clients {
		s := schedule{polls: *d.polls, interval: *d.interval, progress: func(int, int) {}}
		if i == 0 {
			s.progress = func(n, of int) { line.show("polls: %d of %d, %v apart", n, of, *d.interval) }
		}
		done.Go(func() { _ = all[i].watch(ctx, clients[i], s) })
	}
	done.Wait()
	if ctx.Err() != nil {
		return nil, errors.New("interrupted before the last poll; nothing is reported")
	}
	return all, nil
}

// thresholds are the cluster's, with a trace of the rules where it is shown.
func (d *diagnose) thresholds(cfg *config.Config, k config.Cluster) analysis.Config {
	c := cfg.Judging(k)
	c.Trace = *d.verbose
	return c
}

// replay reads the tape, whose name stands for the cluster's.
func (d *diagnose) replay(ctx context.Context, p process, cfg *config.Config) ([]*readings, error) {
	if len(*d.config.urls) > 0 {
		return nil, usagef("--tape and --flink.url are both given; keep one of them")
	}
	tape, err := restapi.OpenTape(*d.tape)
	if err != nil {
		return nil, err
	}
	if damage := tape.Damage(); damage != nil && tape.Polls() >= minPolls {
		warn(p.stderr, fmt.Errorf("tape %s: %w; the report rests on the polls that were complete before it: %d", *d.tape, damage, tape.Polls()))
	}
	base := filepath.Base(*d.tape)
	name, _, _ := strings.Cut(base, ".jsonl")
	o := restapi.DefaultOptions(name, "http://tape")
	// A tape answers for nothing, so that every vertex is read in every poll.
	o.ActivityFloor, o.NoPrime = 0, true
	o.WatermarkBudget, o.BacklogBudget = restapi.Unlimited, restapi.Unlimited
	o.Include, o.Exclude = pattern(cfg.Poll.IncludeJobs), pattern(cfg.Poll.ExcludeJobs)
	src, err := tape.Source(o)
	if err != nil {
		return nil, fmt.Errorf("tape %s: %w", *d.tape, err)
	}
	r := &readings{name: name, thresholds: d.thresholds(cfg, config.Cluster{}), filters: filters(cfg.Jobs(config.Cluster{})), damage: tape.Damage()}
	if err := r.replay(ctx, src); err != nil {
		return nil, fmt.Errorf("tape %s: %w", *d.tape, err)
	}
	return []*readings{r}, nil
}

func (d *diagnose) filter() report.Filter { return report.Filter{Job: *d.job, Vertex: *d.vertex} }

func (d *diagnose) print(p process, in report.Input) error {
	switch *d.format {
	case "json":
		return report.JSON(web.EscapeControls(p.stdout), in, d.filter())
	case "markdown":
		return report.Markdown(p.stdout, in, d.filter(), report.MarkdownOptions{All: *d.all, Verbose: *d.verbose})
	default:
		t := look(p.stdout, os.Getenv)
		return report.Text(p.stdout, in, d.filter(), report.TextOptions{
			Color: t.color, Unicode: t.unicode, Width: t.width, All: *d.all, Verbose: *d.verbose,
		})
	}
}
