package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/alecthomas/kingpin/v2"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report/weekly"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/config"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/promhistory"
)

const (
	// minSince and maxSince bound --since: hourly values are read of it.
	minSince = 24 * time.Hour
	maxSince = 35 * 24 * time.Hour
	// maxTrend bounds --trend: daily values are read of it.
	maxTrend = 366 * 24 * time.Hour
)

// reportCommand holds the flags of the command.
type reportCommand struct {
	config       *configFlags
	prometheus   *prometheusFlags
	webhook      *webhookFlags
	tape         *string
	polls        *int
	interval     *time.Duration
	since, trend *time.Duration
	at           *string
	format, out  *string
	top          *int
}

func addReport(r *registry) {
	c := r.app.Command("report", withExample(
		"Says how much of its ceiling each vertex needs at its peak, whether that grows and when the ceiling is reached, what changed since the week before, and what skew cost; worst first. History comes from the Prometheus that scrapes this exporter. Without one, it reports the present of a live cluster or of a tape, and says so.",
		"flink-skew-exporter report --prometheus.url=http://prometheus:9090 --format=html --out=report.html",
		"flink-skew-exporter report --prometheus.url=http://prometheus:9090 --webhook-file=/etc/flink-skew-exporter/webhook"))
	o := &reportCommand{
		prometheus: addPrometheusFlags(c),
		config:     addConfigFlags(c, append(pollKeys(), analysisKeys()...)...),
		tape:       c.Flag("tape", "Recording whose end to report instead of a live cluster.").PlaceHolder("FILE").String(),
		polls:      count(c, "polls", "Readings to take of a live cluster, at least 2.", "3"),
		interval:   span(c, "interval", "Pause between two polls of a live cluster.", "10s"),
		since:      span(c, "since", "Time that the report is about.", "7d"),
		trend:      span(c, "trend", "Time that trends rest on; at least two weeks are needed for one, and three even weekly cycles out.", "28d"),
		at:         c.Flag("at", "End of the time, such as 2026-11-30T06:00:00Z. (default now)").PlaceHolder("TIME").String(),
		format:     enum(c, "format", "Format of the report; text is a digest", "markdown", "html", "json", "csv", "text"),
		out:        outFlag(c),
		top:        count(c, "top", "Lines that a table has at most, the worst ones; 0 is all. JSON and CSV have all.", "25"),
		webhook:    addWebhookFlags(c),
	}
	r.add(c, o.run)
}

func outFlag(c *kingpin.CmdClause) *string {
	return c.Flag("out", "File to write instead of the standard output; replaced as a whole if it exists.").PlaceHolder("FILE").String()
}

func (o *reportCommand) run(ctx context.Context, p process) error {
	if err := o.webhook.check(); err != nil {
		return err
	}
	cfg, err := o.config.load()
	if err != nil {
		return err
	}
	in, err := o.input(ctx, p, cfg)
	if err != nil {
		return err
	}
	doc := weekly.New(in)
	if err := writeOut(p.stdout, *o.out, func(w io.Writer) error { return o.render(w, &doc) }); err != nil {
		return err
	}
	return errors.Join(o.webhook.post(ctx, &doc), unread(in))
}

// input reads the history, or else the present.
func (o *reportCommand) input(ctx context.Context, p process, cfg *config.Config) (weekly.Input, error) {
	switch {
	case *o.prometheus.url == "":
		if *o.tape == "" && len(cfg.Clusters) == 0 {
			return weekly.Input{}, usagef("nothing to report on; give --prometheus.url=http://prometheus:9090 for the history, or --flink.url=http://jobmanager:8081 for the present")
		}
		return o.present(ctx, p, cfg)
	case *o.tape != "":
		return weekly.Input{}, usagef("--prometheus.url and --tape are both given; keep one of them")
	case len(*o.config.urls) > 0:
		return weekly.Input{}, usagef("--prometheus.url and --flink.url are both given; history tells of every cluster that was scraped, so keep one of them")
	}
	until, err := o.until()
	if err != nil {
		return weekly.Input{}, err
	}
	if *o.since < minSince || *o.since > maxSince {
		return weekly.Input{}, usagef("--since must be from 1d to 35d, not %v", *o.since)
	}
	if *o.trend > maxTrend {
		return weekly.Input{}, usagef("--trend must be at most 366d, not %v", *o.trend)
	}
	api, err := o.prometheus.client()
	if err != nil {
		return weekly.Input{}, err
	}
	line := newProgress(p.stderr)
	defer line.clear()
	in, err := promhistory.Read(ctx, api, promhistory.Options{
		Until: until, Hours: int(*o.since / time.Hour), Days: int(max(*o.since, *o.trend) / (24 * time.Hour)),
		Saturated: cfg.Thresholds.SaturatedEnter, Concurrency: *o.prometheus.concurrency, Timeout: *o.prometheus.timeout,
		Progress: func(done, all int) { line.show("queries: %d of %d", done, all) },
	})
	if err != nil {
		return weekly.Input{}, fmt.Errorf("--prometheus.url %s: %w", o.prometheus.shown(), err)
	}
	return in, nil
}

func (o *reportCommand) until() (time.Time, error) {
	if *o.at == "" {
		return time.Now(), nil
	}
	at, err := time.Parse(time.RFC3339, *o.at)
	if err != nil {
		return time.Time{}, usagef("--at must be a time such as 2026-11-30T06:00:00Z, not %q", *o.at)
	}
	return at, nil
}

// present polls the clusters, or replays the tape, as diagnose does.
func (o *reportCommand) present(ctx context.Context, p process, cfg *config.Config) (weekly.Input, error) {
	d := &diagnose{config: o.config, tape: o.tape, polls: o.polls, interval: o.interval, verbose: new(bool)}
	read, basis := d.live, weekly.BasisLive
	if *o.tape != "" {
		read, basis = d.replay, weekly.BasisTape
	}
	all, err := read(ctx, p, cfg)
	if err != nil {
		return weekly.Input{}, err
	}
	if err := allFailed(all); err != nil {
		return weekly.Input{}, err
	}
	in := report.Input{GeneratedAt: all[0].last}
	for _, r := range all {
		in.Clusters = append(in.Clusters, r.input(basis == weekly.BasisLive))
		if r.last.After(in.GeneratedAt) {
			in.GeneratedAt = r.last
		}
	}
	return weekly.Present(in, basis), nil
}

func (o *reportCommand) render(w io.Writer, r *weekly.Report) error {
	return weekly.Write(w, r, weekly.Format(*o.format), weekly.Options{Top: *o.top})
}

// unread is an error when a cluster is missing from the report.
func unread(in weekly.Input) error {
	var errs []error
	for i := range in.Clusters {
		if c := &in.Clusters[i]; c.Failed != "" {
			errs = append(errs, fmt.Errorf("cluster %s: %s", c.Name, c.Failed))
		}
	}
	return errors.Join(errs...)
}
