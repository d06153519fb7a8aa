package rulecheck

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/collector"
)

// Vocabulary is every name that rules and dashboards may use.
type Vocabulary struct {
	families map[string]collector.Family
	// recorded are series that recording rules make.
	recorded map[string]bool
	// values are the closed sets, by label.
	values map[string][]string
	// target are labels that Prometheus puts on what it scrapes.
	target []string
	// labels are those of all families.
	labels []string
	plain  *regexp.Regexp
}

// NewVocabulary returns the names that the collector exposes, and labels that
// the scrape configuration adds besides job and instance.
func NewVocabulary(targetLabels ...string) *Vocabulary {
	v := &Vocabulary{
		families: map[string]collector.Family{},
		recorded: map[string]bool{},
		values:   closedSets(),
		target:   append([]string{"job", "instance"}, targetLabels...),
		plain:    regexp.MustCompile(`^[a-z_|()]+$`),
	}
	for _, f := range collector.Families() {
		if f.Type != collector.Histogram {
			v.families[f.Name] = f
		} else {
			f.Labels = append(slices.Clone(f.Labels), "le")
			for _, suffix := range []string{"_bucket", "_sum", "_count"} {
				v.families[f.Name+suffix] = f
			}
		}
		for _, l := range f.Labels {
			if !slices.Contains(v.labels, l) {
				v.labels = append(v.labels, l)
			}
		}
	}
	return v
}

// Has reports whether the exporter exposes a series of the name, or a recording
// rule that has been read makes it.
func (v *Vocabulary) Has(name string) bool {
	_, ok := v.families[name]
	return ok || v.recorded[name]
}

// closedSets are the values that labels of this exporter can have.
func closedSets() map[string][]string {
	sets := map[string][]string{
		"stat":    {"max", "mean", "median", "min", "sum"},
		"binding": {string(analysis.BindMaxParallelism), string(analysis.BindSourcePartitions), string(analysis.BindTaskSlots)},
	}
	for _, id := range analysis.Verdicts() {
		sets["verdict"] = append(sets["verdict"], string(id))
	}
	for _, id := range analysis.FindingIDs() {
		sets["finding"] = append(sets["finding"], string(id))
	}
	for s := analysis.SeverityNone; s <= analysis.SeverityCritical; s++ {
		sets["severity"] = append(sets["severity"], s.String())
	}
	new(analysis.Signals).Each(func(s analysis.Signal, _ *analysis.Distribution) {
		sets["signal"] = append(sets["signal"], string(s))
	})
	return sets
}

// ours reports whether a name is for this package to judge.
func ours(metric string) bool {
	return strings.HasPrefix(metric, collector.Prefix) || strings.Contains(metric, ":"+collector.Prefix)
}

// check returns what is wrong with the names of an expression.
func (v *Vocabulary) check(expr string) []string {
	e, err := read(expr)
	if err != nil {
		return []string{err.Error()}
	}
	var problems []string
	foreign := len(e.selectors) == 0
	for _, s := range e.selectors {
		if !ours(s.metric) {
			foreign = true
			continue
		}
		problems = append(problems, v.selector(s)...)
	}
	if foreign { // Labels may be those of somebody else's metric.
		return problems
	}
	for _, l := range e.labels {
		if !v.known(l, v.labels) && !slices.Contains(e.made, l) {
			problems = append(problems, noSuchLabel(l))
		}
	}
	return problems
}

func (v *Vocabulary) selector(s selector) []string {
	f, exposed := v.families[s.metric]
	labels := f.Labels
	switch {
	case exposed:
	case v.recorded[s.metric]:
		labels = v.labels
	case strings.Contains(s.metric, ":"):
		return []string{fmt.Sprintf("no recording rule makes %s%s", s.metric, v.nearest(s.metric))}
	default:
		return []string{fmt.Sprintf("there is no metric %s%s", s.metric, v.nearest(s.metric))}
	}
	var problems []string
	for _, m := range s.matchers {
		if !v.known(m.label, labels) {
			problems = append(problems, fmt.Sprintf("%s has no label %s, only %s; if your scrape configuration adds it, say so with --target-label",
				s.metric, m.label, strings.Join(labels, ", ")))
			continue
		}
		for _, value := range v.alternatives(m) {
			if set := v.values[m.label]; !slices.Contains(set, value) {
				problems = append(problems, fmt.Sprintf("%s is never %q; it is one of %s", m.label, value, strings.Join(set, ", ")))
			}
		}
	}
	return problems
}

func (v *Vocabulary) known(label string, of []string) bool {
	return slices.Contains(of, label) || slices.Contains(v.target, label)
}

// noSuchLabel is for labels that stand apart from a metric.
func noSuchLabel(label string) string {
	return fmt.Sprintf("no metric of this exporter has a label %s; if your scrape configuration adds it, say so with --target-label", label)
}

// alternatives are the values that a matcher of a closed set names: one, or
// those of a regular expression that merely lists them.
func (v *Vocabulary) alternatives(m matcher) []string {
	switch {
	case v.values[m.label] == nil || m.open || m.value == "":
		return nil
	case m.op == "=" || m.op == "!=":
		return []string{m.value}
	case v.plain.MatchString(m.value):
		return strings.Split(strings.Trim(m.value, "()"), "|")
	default:
		return nil
	}
}

// nearest suggests the name that was probably meant.
func (v *Vocabulary) nearest(name string) string {
	best, least := "", 1+len(name)/4
	consider := func(candidate string) {
		if d := distance(name, candidate); d < least || d == least && candidate < best {
			best, least = candidate, d
		}
	}
	for c := range v.families {
		consider(c)
	}
	for c := range v.recorded {
		consider(c)
	}
	if best == "" {
		return "; METRICS.md lists what there is"
	}
	return "; did you mean " + best + "?"
}

// distance is how many characters must be put in, taken out or changed.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
