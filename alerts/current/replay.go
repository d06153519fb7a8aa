package current

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/promslog"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/rules"
)

// replay is a scenario that is being played.
type replay struct {
	scenario scenario
	loader   *promqltest.LazyLoader
	groups   []*rules.Group
	// wrong is in what the rules differ from what is right.
	wrong []error
}

// play evaluates the rules over the scenario, from time 0 at every interval,
// and returns everything in which they differ from what it expects.
func play(s scenario, ruleFiles []string, every time.Duration) error {
	loader, err := promqltest.NewLazyLoader(s.load(), promqltest.LazyLoaderOpts{EnableAtModifier: true, EnableNegativeOffset: true})
	if err != nil {
		return err
	}
	loader.SubqueryInterval = every
	r := &replay{scenario: s, loader: loader}
	err = r.loadGroups(ruleFiles, every)
	for at := time.Duration(0); err == nil && at <= time.Duration(s.last()); at += every {
		err = r.step(at)
		r.compare(at, at+every)
	}
	return errors.Join(append(r.wrong, err, loader.Close())...)
}

// loadGroups reads the rules.
func (r *replay) loadGroups(files []string, every time.Duration) error {
	manager := rules.NewManager(&rules.ManagerOptions{
		QueryFunc:   rules.EngineQueryFunc(r.loader.QueryEngine(), r.loader.Storage()),
		NotifyFunc:  func(context.Context, string, ...*rules.Alert) {},
		Context:     context.Background(),
		Appendable:  r.loader.Storage(),
		Queryable:   r.loader.Storage(),
		Logger:      promslog.NewNopLogger(),
		ExternalURL: &url.URL{},
	})
	groups, failed := manager.LoadGroups(every, labels.EmptyLabels(), "", nil, false, files...)
	if len(failed) > 0 {
		return errors.Join(failed...)
	}
	// The keys are file and name: files in their order, as they are read.
	byFile := func(a, b *rules.Group) int {
		return slices.Index(files, a.File()) - slices.Index(files, b.File())
	}
	keys := slices.Sorted(maps.Keys(groups))
	for _, key := range keys {
		r.groups = append(r.groups, groups[key])
	}
	slices.SortStableFunc(r.groups, byFile)
	for _, g := range r.groups {
		for _, rule := range g.AlertingRules() {
			// There is no state to restore, and before it is restored no ALERTS are written.
			rule.SetRestored(true)
		}
	}
	return nil
}

// step loads the samples up to a time and evaluates every rule there.
func (r *replay) step(at time.Duration) (err error) {
	r.loader.WithSamplesTill(time.Unix(0, 0).Add(at), func(loadErr error) {
		if err = loadErr; err != nil {
			return
		}
		for _, g := range r.groups {
			g.Eval(r.loader.Context(), time.Unix(0, 0).Add(at))
			for _, rule := range g.Rules() {
				if failed := rule.LastError(); failed != nil {
					err = errors.Join(err, fmt.Errorf("%s at %s: %w", rule.Name(), at, failed))
				}
			}
		}
	})
	return err
}

// compare holds what fires, and what queries answer, against what is expected
// at times from the first to before the last.
func (r *replay) compare(from, before time.Duration) {
	within := func(d time.Duration) bool { return from <= d && d < before }
	for _, want := range r.scenario.Alerts {
		if at := time.Duration(want.EvalTime); within(at) {
			r.same(fmt.Sprintf("%s at %s", want.Alertname, want.EvalTime), r.firing(want.Alertname), want.expected())
		}
	}
	for _, want := range r.scenario.Queries {
		if at := time.Duration(want.EvalTime); within(at) {
			got, err := r.ask(want.Expr, at)
			if err == nil {
				err = r.sameSamples(want, got)
			}
			r.add(err)
		}
	}
}

func (r *replay) add(err error) {
	if err != nil {
		r.wrong = append(r.wrong, err)
	}
}

// same compares two sets of lines.
func (r *replay) same(what string, got, want []string) {
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		r.add(fmt.Errorf("%s:\n got  %s\n want %s", what, strings.Join(got, "\n      "), strings.Join(want, "\n      ")))
	}
}

// firing are the alerts of a name that fire, one text each.
func (r *replay) firing(name string) []string {
	var all []string
	for _, g := range r.groups {
		for _, rule := range g.AlertingRules() {
			if rule.Name() != name {
				continue
			}
			for _, a := range rule.ActiveAlerts() {
				if a.State == rules.StateFiring {
					bare := labels.NewBuilder(a.Labels).Del(labels.AlertName).Labels()
					all = append(all, text(bare.Map(), a.Annotations.Map()))
				}
			}
		}
	}
	return all
}

// expected are the alerts that should fire, one text each.
func (a alertsAt) expected() []string {
	var all []string
	for _, e := range a.ExpAlerts {
		all = append(all, text(e.Labels, e.Annotations))
	}
	return all
}

// text writes labels and annotations in their order.
func text(parts ...map[string]string) string {
	var b strings.Builder
	for _, part := range parts {
		b.WriteString(labels.FromMap(part).String())
	}
	return b.String()
}

// ask evaluates a query; labels by their text.
func (r *replay) ask(expr string, at time.Duration) (map[string]float64, error) {
	q, err := r.loader.QueryEngine().NewInstantQuery(r.loader.Context(), r.loader.Queryable(), nil, expr, time.Unix(0, 0).Add(at))
	if err != nil {
		return nil, err
	}
	defer q.Close()
	vector, err := q.Exec(r.loader.Context()).Vector()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", expr, err)
	}
	got := map[string]float64{}
	for _, s := range vector {
		got[s.Metric.String()] = s.F
	}
	return got, nil
}

// sameSamples compares an answer.
func (r *replay) sameSamples(want queryAt, got map[string]float64) error {
	expected := map[string]float64{}
	for _, s := range want.ExpSamples {
		l, err := parser.NewParser(parser.Options{}).ParseMetric(s.Labels)
		if err != nil {
			return err
		}
		expected[l.String()] = s.Value
	}
	if !maps.Equal(got, expected) {
		return fmt.Errorf("%s at %s: got %v, want %v", want.Expr, want.EvalTime, got, expected)
	}
	return nil
}
