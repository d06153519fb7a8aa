package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/dashboards/internal/grafana"
	"github.com/flink-skew-exporter/flink-skew-exporter/dashboards/internal/picture"
	"github.com/flink-skew-exporter/flink-skew-exporter/dashboards/internal/prom"
)

// scene is one choice of values for the variables.
type scene map[string]string

// proof is what became of one query.
type proof struct {
	board, panel, ref, expr string
	// where is the scene that had an answer; empty if none had.
	where  string
	series int
	took   time.Duration
	err    error
}

// prover executes queries and keeps what became of them.
type prover struct {
	client  *prom.Client
	options options
	// end is the end of every time range, so that all panels show one moment.
	end    time.Time
	scenes []scene
	proofs []proof
}

func readBoards(folder string) ([]grafana.Board, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil || len(paths) == 0 {
		return nil, fmt.Errorf("no dashboards in %s", folder)
	}
	var boards []grafana.Board
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read a dashboard: %w", err)
		}
		b, err := grafana.Read(raw)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		boards = append(boards, b)
	}
	return boards, nil
}

// findScenes lists every vertex there is, those that pictures show first.
func (p *prover) findScenes(ctx context.Context) error {
	found, err := p.client.Instant(ctx, "count by (cluster, job_name, vertex) (flink_skew_vertex_parallelism)", p.end)
	if err != nil {
		return err
	}
	for _, s := range found {
		p.scenes = append(p.scenes, scene{"cluster": s.Labels["cluster"], "job": s.Labels["job_name"], "job_id": ".*", "vertex": s.Labels["vertex"], "vertex_id": ".*"})
	}
	rank := func(s scene) int {
		switch {
		case s["job"] == "demo-hot-key" && strings.HasPrefix(s["vertex"], "enrich"):
			return 0
		case strings.HasPrefix(s["vertex"], "enrich"):
			return 1
		default:
			return 2
		}
	}
	slices.SortStableFunc(p.scenes, func(a, b scene) int { return cmp.Compare(rank(a), rank(b)) })
	if len(p.scenes) == 0 {
		return fmt.Errorf("%s has no series of the exporter", p.options.url)
	}
	if p.options.jobs > 0 {
		p.scenes = p.scenes[:1] // Of a load test all jobs are alike.
	}
	return nil
}

// scenesOf are the choices that a dashboard is tried with.
func (p *prover) scenesOf(b grafana.Board) []scene {
	switch b.UID {
	case "flink-skew-fleet", "flink-skew-exporter":
		return []scene{{"cluster": ".*"}}
	case "flink-skew-ceiling":
		s := scene{"cluster": ".*", "job": historyJob, "vertex": "enrich.*"}
		if p.options.jobs > 0 {
			s["job"] = p.scenes[0]["job"]
		}
		return []scene{s}
	default:
		return p.scenes
	}
}

// span is the time range of a dashboard: the ceiling's is the history's.
func (p *prover) span(b grafana.Board, points float64) grafana.Span {
	length := p.options.span
	if b.UID == "flink-skew-ceiling" && p.options.history {
		length = historyLength
	}
	return p.spanOf(length, points)
}

func (p *prover) spanOf(length time.Duration, points float64) grafana.Span {
	step := max(p.options.scrape, time.Duration(float64(length)/max(points, 1)).Truncate(time.Second))
	return grafana.Span{Start: p.end.Add(-length), End: p.end, Step: step}
}

// execute asks one query in one scene.
func (p *prover) execute(ctx context.Context, t grafana.Target, s scene, at grafana.Span) ([]prom.Series, string, error) {
	expr, err := grafana.Substitute(t.Expr, s, at, p.options.scrape)
	if err != nil {
		return nil, t.Expr, err
	}
	var series []prom.Series
	if t.Instant {
		series, err = p.client.Instant(ctx, expr, at.End)
	} else {
		series, err = p.client.Range(ctx, expr, at.Start, at.End, at.Step)
	}
	return series, expr, err
}

// prove tries every query in its scenes until one has an answer.
func (p *prover) prove(ctx context.Context, boards []grafana.Board) error {
	if err := p.findScenes(ctx); err != nil {
		return err
	}
	for _, b := range boards {
		for _, panel := range b.Panels {
			for _, t := range panel.Targets {
				p.try(ctx, b, panel.Title, t, panel.MaxPoints)
			}
		}
		for _, a := range b.Annotations.List {
			p.try(ctx, b, "annotation "+a.Name, grafana.Target{Ref: "Anno", Expr: a.Expr}, annotationPoints)
		}
	}
	return ctx.Err()
}

// annotationPoints bounds the steps of an annotation's query below the 11,000
// that Prometheus answers, as Grafana does.
const annotationPoints = 10000

func (p *prover) try(ctx context.Context, b grafana.Board, panel string, t grafana.Target, points float64) {
	result := proof{board: b.UID, panel: panel, ref: t.Ref, expr: t.Expr}
	scenes, at := p.scenesOf(b), p.span(b, points)
	if t.Ref == "Anno" && p.options.history && b.UID != "flink-skew-exporter" {
		// What annotations mark is in the history of one job. The exporter's
		// restart is of the stage itself, and steps over weeks would miss it.
		at = p.spanOf(historyLength, points)
		scenes = slices.Clone(scenes)
		slices.SortStableFunc(scenes, func(a, b scene) int { return -cmp.Compare(b2i(a["job"] == historyJob), b2i(b["job"] == historyJob)) })
	}
	for _, s := range scenes {
		series, expr, took, err := p.timed(ctx, t, s, at)
		result.took = max(result.took, took)
		result.expr = expr
		if err != nil {
			result.err = err
			break
		}
		if n := numbers(series); n > 0 {
			result.series, result.where = n, s.String()
			break
		}
	}
	p.proofs = append(p.proofs, result)
}

// timed executes a query, and where it took too long twice more: the machine
// may have been busy with something else. It returns the shortest time.
func (p *prover) timed(ctx context.Context, t grafana.Target, s scene, at grafana.Span) (series []prom.Series, expr string, took time.Duration, err error) {
	for try := range 3 {
		began := time.Now()
		series, expr, err = p.execute(ctx, t, s, at)
		if d := time.Since(began); try == 0 || d < took {
			took = d
		}
		if err != nil || took <= p.options.limit {
			break
		}
	}
	return series, expr, took, err
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// numbers counts the series that have a number.
func numbers(series []prom.Series) int {
	n := 0
	for _, s := range series {
		if slices.ContainsFunc(s.Points, func(pt prom.Point) bool { return !math.IsNaN(pt.V) }) {
			n++
		}
	}
	return n
}

func (s scene) String() string {
	parts := []string{s["cluster"], s["job"], s["vertex"]}
	return strings.TrimRight(strings.Join(parts, " / "), "/ ")
}

// report lists every query, and returns an error that names those that failed.
func (p *prover) report(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "DASHBOARD\tPANEL\tQUERY\tSERIES\tMILLISECONDS\tSEEN IN")
	var failed []string
	slowest := proof{}
	for _, r := range p.proofs {
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%.1f\t%s\n", r.board, r.panel, r.ref, r.series, r.took.Seconds()*1000, r.where)
		if r.took > slowest.took {
			slowest = r
		}
		name := fmt.Sprintf("%s / %s %s", r.board, r.panel, r.ref)
		switch {
		case r.err != nil:
			failed = append(failed, fmt.Sprintf("%s: %v\n    %s", name, r.err, r.expr))
		case r.took > p.options.limit:
			failed = append(failed, fmt.Sprintf("%s took %v", name, r.took.Round(time.Millisecond)))
		case r.where == "" && p.options.jobs == 0:
			failed = append(failed, fmt.Sprintf("%s is empty\n    %s", name, r.expr))
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%d queries, slowest %.0f ms (%s / %s %s)\n", len(p.proofs), slowest.took.Seconds()*1000, slowest.board, slowest.panel, slowest.ref)
	if failed != nil {
		return fmt.Errorf("%d of %d queries failed:\n  %s", len(failed), len(p.proofs), strings.Join(failed, "\n  "))
	}
	return nil
}

// draw makes a picture of each dashboard in its first scene.
func (p *prover) draw(ctx context.Context, boards []grafana.Board) error {
	for _, b := range boards {
		s := p.scenesOf(b)[0]
		at := p.span(b, 1)
		page := picture.Page{
			Board: b, Titles: map[int]string{}, Answers: map[int]picture.Answers{}, Start: at.Start, End: at.End,
		}
		for _, v := range b.Templating.List[1:] {
			shown := s[v.Name]
			switch shown {
			case ".*":
				shown = "All"
			case "enrich.*":
				shown = p.scenes[0]["vertex"]
			}
			page.Chosen = append(page.Chosen, [2]string{v.Name, shown})
		}
		for _, panel := range b.Panels {
			title, err := grafana.Substitute(panel.Title, s, at, p.options.scrape)
			if err != nil {
				return err
			}
			page.Titles[panel.ID], page.Answers[panel.ID] = title, picture.Answers{}
			for _, t := range panel.Targets {
				series, _, err := p.execute(ctx, t, s, p.span(b, panel.MaxPoints))
				if err != nil {
					return err
				}
				page.Answers[panel.ID][t.Ref] = series
			}
		}
		if err := p.mark(ctx, &page, s); err != nil {
			return err
		}
		if err := p.shoot(ctx, page); err != nil {
			return err
		}
	}
	return nil
}

// mark adds the annotations: of a run of points one step apart the first.
func (p *prover) mark(ctx context.Context, page *picture.Page, s scene) error {
	at := p.span(page.Board, annotationPoints)
	for _, a := range page.Board.Annotations.List {
		series, _, err := p.execute(ctx, grafana.Target{Expr: a.Expr}, s, at)
		if err != nil {
			return err
		}
		moments := map[int64]bool{}
		for _, one := range series {
			var last time.Time
			for _, pt := range one.Points {
				if a.ValueIsTime {
					moments[int64(pt.V)] = true
				} else if pt.T.Sub(last) > at.Step {
					moments[pt.T.UnixMilli()] = true
				}
				last = pt.T
			}
		}
		for _, ms := range slices.Sorted(maps.Keys(moments)) {
			page.Marks = append(page.Marks, picture.Mark{At: time.UnixMilli(ms), Colour: a.IconColor})
		}
	}
	return nil
}
