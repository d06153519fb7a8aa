// Command prove executes every query of every dashboard in a real Prometheus
// that scrapes the real exporter, and draws the dashboards from the answers. A
// query that has no answer in any of the demo's jobs, or takes too long, fails
// by the name of its panel.
//
// With --exporter it brings its own stage: the exporter's demo, a second
// exporter whose cluster cannot be reached, four weeks of history and a
// Prometheus, all of which end with it:
//
//	go run ./prove --exporter=../flink-skew-exporter --pictures=../docs/pictures
//
// With --prometheus.url it asks a Prometheus that is already there:
//
//	go run ./prove --prometheus.url=http://localhost:9090 --range=1h --scrape=15s
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/dashboards/internal/prom"
)

// options are the flags.
type options struct {
	url, dashboards, pictures string
	exporter                  string
	prometheus, promtool      string
	chromium                  string
	span, scrape, limit       time.Duration
	jobs, parallelism         int
	// history says that there are four weeks of one job.
	history, hold bool
}

func main() {
	o := options{}
	flag.StringVar(&o.url, "prometheus.url", "", "a Prometheus that is there already")
	flag.StringVar(&o.dashboards, "dashboards", ".", "folder of the dashboards' JSON")
	flag.StringVar(&o.pictures, "pictures", "", "folder to draw pictures to; empty draws none")
	flag.StringVar(&o.exporter, "exporter", "", "the exporter's binary, to bring a stage of one's own")
	flag.StringVar(&o.prometheus, "prometheus", "prometheus", "Prometheus' binary")
	flag.StringVar(&o.promtool, "promtool", "promtool", "promtool's binary")
	flag.StringVar(&o.chromium, "chromium", "chromium", "Chromium's binary")
	flag.DurationVar(&o.span, "range", 5*time.Minute, "time range of the panels, and how long the stage plays")
	flag.DurationVar(&o.scrape, "scrape", 5*time.Second, "scrape interval")
	flag.DurationVar(&o.limit, "limit", time.Second, "how long a query may take")
	flag.IntVar(&o.jobs, "jobs", 0, "plays a load test of so many jobs of 10 vertices instead of the demo: looks at time alone")
	flag.IntVar(&o.parallelism, "parallelism", 10, "parallelism of the load test")
	flag.BoolVar(&o.history, "history", false, "with --prometheus.url: it has four weeks of history, as a stage has")
	flag.BoolVar(&o.hold, "hold", false, "keeps the stage until interrupted, for a Grafana of your own")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "prove:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	boards, err := readBoards(o.dashboards)
	if err != nil {
		return err
	}
	if o.url == "" {
		if o.exporter == "" {
			return errors.New("give --prometheus.url, or --exporter for a stage of one's own")
		}
		s, err := openStage(ctx, o)
		if err != nil {
			return err
		}
		defer s.close()
		if err := s.play(ctx); err != nil {
			return err
		}
		o.url, o.history = s.prometheusURL, o.jobs == 0
	}
	client := &prom.Client{URL: o.url, HTTP: &http.Client{Timeout: time.Minute}}
	p := &prover{client: client, options: o, end: time.Now().Truncate(time.Second)}
	if err := p.prove(ctx, boards); err != nil {
		return err
	}
	proved := p.report(os.Stdout)
	if o.pictures != "" {
		proved = errors.Join(proved, p.draw(ctx, boards))
	}
	if o.hold {
		if proved != nil {
			fmt.Fprintln(os.Stdout, proved)
		}
		fmt.Fprintf(os.Stdout, "Prometheus is at %s until interrupted\n", o.url)
		<-ctx.Done()
	}
	return proved
}
