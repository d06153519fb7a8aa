package rulecheck

import "slices"

// matcher is one condition in a selector's braces.
type matcher struct {
	label, op, value string
	// open says that a variable completes the value, so that it is not known.
	open bool
}

// selector is a metric that an expression reads.
type selector struct {
	// metric is empty for a selector by labels alone.
	metric   string
	matchers []matcher
}

// expression is what an expression names.
type expression struct {
	selectors []selector
	// labels are those that grouping and matching name.
	labels []string
	// made are labels that label_replace, label_join or count_values may have
	// added: every string that is an argument.
	made []string
}

// grouping words take a list of labels.
func grouping(w string) bool {
	return slices.Contains([]string{"by", "without", "on", "ignoring", "group_left", "group_right"}, w)
}

// reserved words are neither metrics nor labels where they stand alone.
func reserved(w string) bool {
	return slices.Contains([]string{"and", "or", "unless", "atan2", "bool", "offset", "inf", "Inf", "nan", "NaN"}, w) || grouping(w)
}

// read finds out what an expression names.
func read(expr string) (expression, error) {
	all, err := tokens(expr)
	if err != nil {
		return expression{}, err
	}
	var e expression
	at := func(i int) token {
		if i < len(all) {
			return all[i]
		}
		return token{kind: symbol}
	}
	label := -1 // Where label_values names a label.
	for i := 0; i < len(all); i++ {
		t, next := all[i], at(i+1)
		switch {
		case i == label:
			e.labels = append(e.labels, t.text)
		case t.kind == symbol && t.text == "{":
			var s selector
			s, i = braces(all, i, "")
			e.selectors = append(e.selectors, s)
		case t.kind == literal:
			e.made = append(e.made, t.text)
		case t.kind != word:
		case next.kind == variable && next.glued || t.glued && i > 0 && all[i-1].kind == variable:
			// A variable completes the name.
		case grouping(t.text) && next.text == "(":
			i = e.list(all, i+2)
		case t.text == "label_values" && next.text == "(":
			label = lastArgument(all, i+2)
		case next.text == "(" || next.kind == word && grouping(next.text) && !reserved(t.text) && at(i+2).text == "(" && aggregator(t.text):
			// A function or an aggregation.
		case reserved(t.text):
		case next.text == "{" && next.kind == symbol:
			var s selector
			s, i = braces(all, i+1, t.text)
			e.selectors = append(e.selectors, s)
		default:
			e.selectors = append(e.selectors, selector{metric: t.text})
		}
	}
	return e, nil
}

// aggregator tells "sum by (...)" from "metric on (...)".
func aggregator(w string) bool {
	return slices.Contains([]string{
		"sum", "min", "max", "avg", "group", "stddev", "stdvar", "count", "count_values",
		"bottomk", "topk", "quantile", "limitk", "limit_ratio",
	}, w)
}

// list takes the labels up to the closing parenthesis and returns its position.
func (e *expression) list(all []token, i int) int {
	for ; i < len(all) && all[i].text != ")"; i++ {
		if all[i].kind == word || all[i].kind == literal {
			e.labels = append(e.labels, all[i].text)
		}
	}
	return i
}

// lastArgument is the position of the label in Grafana's
// label_values(metric, label), -1 without one.
func lastArgument(all []token, i int) int {
	for ; i+1 < len(all); i++ {
		if all[i].kind == word && all[i+1].text == ")" && all[i-1].text == "," {
			return i
		}
	}
	return -1
}

// braces reads the matchers from the opening brace at i on, and returns the
// position of the closing one.
func braces(all []token, i int, metric string) (selector, int) {
	s := selector{metric: metric}
	for i++; i < len(all) && (all[i].kind != symbol || all[i].text != "}"); i++ {
		t := all[i]
		if t.kind != word && t.kind != literal {
			continue
		}
		if i+2 >= len(all) || all[i+1].kind != symbol || !slices.Contains([]string{"=", "!=", "=~", "!~"}, all[i+1].text) {
			if t.kind == literal {
				s.metric = t.text // {"metric", label="value"}.
			}
			continue
		}
		m := matcher{label: t.text, op: all[i+1].text, value: all[i+2].text}
		m.open = all[i+2].kind != literal || hasVariable(m.value)
		i += 2
		if m.label == "__name__" {
			if m.op == "=" && !m.open {
				s.metric = m.value
			}
			continue
		}
		s.matchers = append(s.matchers, m)
	}
	return s, i
}

// hasVariable reports whether Grafana would put something into the string.
func hasVariable(s string) bool {
	for i := range len(s) {
		if (s[i] == '$' || s[i] == '[') && variableSize(s[i:]) > 0 {
			return true
		}
	}
	return false
}
