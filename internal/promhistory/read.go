package promhistory

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	v1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report/weekly"
)

// API is what is used of Prometheus' API; client_golang's client has it.
type API interface {
	Query(ctx context.Context, query string, at time.Time, o ...v1.Option) (model.Value, v1.Warnings, v1.Infos, error)
	QueryRange(ctx context.Context, query string, r v1.Range, o ...v1.Option) (model.Value, v1.Warnings, v1.Infos, error)
}

// Options say what is read.
type Options struct {
	// Until is the end of the week, and Hours its length. Days, at least the
	// week's, is how far back daily peaks are read.
	Until time.Time
	Hours int
	Days  int
	// Saturated is the busy share from which on a subtask is saturated.
	Saturated float64
	// Concurrency is how many queries are under way at once.
	Concurrency int
	// Timeout bounds one query.
	Timeout time.Duration
	// Progress is told how many queries of how many are done; it may be nil.
	Progress func(done, all int)
}

const (
	// maxPoints bounds the points of one answer: longer ranges of larger
	// clusters are asked for in pieces.
	maxPoints = 400_000
	// align is the step of the shortest subquery; Until is cut to it.
	align = 5 * time.Minute
	// off keeps the ends of a window off the grid of the subqueries.
	off = time.Second
)

// ErrNoData says that Prometheus has nothing of the exporter.
var ErrNoData = errors.New("there is no series flink_skew_up in the time looked at; does this Prometheus scrape the exporter, and does it keep data for so long?")

// Read reads the history of every cluster. A cluster whose queries fail is
// there without history and says why; an error is about all of them.
func Read(ctx context.Context, api API, o Options) (weekly.Input, error) {
	o.Until = o.Until.Truncate(align)
	in := weekly.Input{Basis: weekly.BasisPrometheus, Until: o.Until, Hours: o.Hours, Days: o.Days}
	r := &reader{api: api, o: o, slots: make(chan struct{}, max(1, o.Concurrency))}
	names, err := r.clusters(ctx)
	if err != nil {
		return in, err
	}
	all := queries(o.Saturated, o.Hours)
	r.all = len(names) * len(all)
	in.Clusters = make([]weekly.ClusterInput, len(names))
	var done sync.WaitGroup
	for i, name := range names {
		done.Go(func() { in.Clusters[i] = r.cluster(ctx, name, all) })
	}
	done.Wait()
	return in, ctx.Err()
}

// reader asks the queries, a few at a time.
type reader struct {
	api   API
	o     Options
	slots chan struct{}

	mu        sync.Mutex
	done, all int
}

// clusters names those that were there in the last days, by name.
func (r *reader) clusters(ctx context.Context) ([]string, error) {
	answer, err := r.ask(ctx, clustersQuery(r.o.Days), r.o.Until.Add(-off), nil)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, s := range answer {
		names = append(names, string(s.Metric["cluster"]))
	}
	if len(names) == 0 {
		return nil, ErrNoData
	}
	return names, nil
}

// cluster asks all queries about one cluster.
func (r *reader) cluster(ctx context.Context, name string, all []query) weekly.ClusterInput {
	b := newBook(name)
	size, err := r.ask(ctx, sizeQuery(r.o.Days).expression(name), r.o.Until.Add(-off), nil)
	if err != nil {
		return weekly.ClusterInput{Name: name, Failed: "its history could not be read: " + err.Error()}
	}
	vertices := 1
	for _, s := range size {
		vertices = int(s.Values[0].Value)
	}
	answers := make([]model.Matrix, len(all))
	errs := make([]error, len(all))
	var done sync.WaitGroup
	for i, q := range all {
		done.Go(func() {
			answers[i], errs[i] = r.pieces(ctx, q, name, vertices)
			r.tick()
		})
	}
	done.Wait()
	for i, q := range all {
		if errs[i] != nil {
			return weekly.ClusterInput{Name: name, Failed: "its history could not be read: " + errs[i].Error()}
		}
		r.store(b, q, answers[i])
	}
	return b.finish()
}

// tick counts a query that is done.
func (r *reader) tick() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done++
	if r.o.Progress != nil {
		r.o.Progress(r.done, r.all)
	}
}

// shape is how many steps of what length a grid has.
func (r *reader) shape(g grid) (steps int, step time.Duration) {
	switch g {
	case hourly:
		return r.o.Hours, time.Hour
	case daily:
		return r.o.Days, 24 * time.Hour
	}
	return 1, 0
}

// pieces asks a query in as many ranges as keep each answer small.
func (r *reader) pieces(ctx context.Context, q query, cluster string, vertices int) (model.Matrix, error) {
	expr := q.expression(cluster)
	steps, step := r.shape(q.grid)
	if steps == 1 {
		return r.ask(ctx, expr, r.o.Until.Add(-off), nil)
	}
	most := max(1, min(steps, maxPoints/max(1, vertices)))
	var out model.Matrix
	for from := 0; from < steps; from += most {
		last := min(from+most, steps) - 1
		// Step i is the window that ends with the i-th hour or day.
		end := func(i int) time.Time { return r.o.Until.Add(-off - time.Duration(steps-1-i)*step) }
		part, err := r.ask(ctx, expr, time.Time{}, &v1.Range{Start: end(from), End: end(last), Step: step})
		if err != nil {
			return nil, err
		}
		out = append(out, part...)
	}
	return out, nil
}

// ask asks one query, of a range or of a moment, when a slot is free.
func (r *reader) ask(ctx context.Context, expr string, at time.Time, over *v1.Range) (model.Matrix, error) {
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	ctx, cancel := context.WithTimeout(ctx, r.o.Timeout)
	defer cancel()
	var value model.Value
	var err error
	if over != nil {
		value, _, _, err = r.api.QueryRange(ctx, expr, *over)
	} else {
		value, _, _, err = r.api.Query(ctx, expr, at)
	}
	if err != nil {
		return nil, explain(err, r.o.Timeout)
	}
	switch v := value.(type) {
	case model.Matrix:
		return v, nil
	case model.Vector:
		var m model.Matrix
		for _, s := range v {
			m = append(m, &model.SampleStream{Metric: s.Metric, Values: []model.SamplePair{{Timestamp: s.Timestamp, Value: s.Value}}})
		}
		return m, nil
	}
	return nil, fmt.Errorf("the answer to %s is a %s", expr, value.Type())
}

// store puts an answer into the book, each value at its step.
func (r *reader) store(b *book, q query, answer model.Matrix) {
	steps, step := r.shape(q.grid)
	for _, s := range answer {
		into := q.into(b, s.Metric)
		if len(*into) < steps {
			*into = append(*into, make(weekly.Series, steps-len(*into))...)
		}
		for _, p := range s.Values {
			i := 0
			if step > 0 {
				left := r.o.Until.Add(-off).Sub(p.Timestamp.Time())
				i = steps - 1 - int((left+step/2)/step)
			}
			if i < 0 || i >= steps {
				continue
			}
			v := float64(p.Value)
			if q.points > 0 {
				v /= q.points
			}
			(*into)[i] = analysis.Of(v)
		}
	}
}
