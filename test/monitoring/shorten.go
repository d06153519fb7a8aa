package monitoring

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"go.yaml.in/yaml/v3"
)

// durationKeys are the keys whose value is a duration, in the rules and in the
// configurations of Prometheus and Alertmanager.
func durationKeys() []string {
	return []string{
		"for", "keep_firing_for", "interval", "scrape_interval", "evaluation_interval",
		"group_wait", "group_interval", "repeat_interval", "resolve_timeout",
	}
}

// Shorten returns the YAML with every duration divided by the factor, 1 or
// more: the values of durationKeys, and ranges and offsets in expressions.
func Shorten(text []byte, factor int) ([]byte, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	if err := shortenNode(&document, factor); err != nil {
		return nil, err
	}
	return yaml.Marshal(&document)
}

// shortenNode changes what is below one node.
func shortenNode(n *yaml.Node, factor int) error {
	if n.Kind == yaml.MappingNode {
		for i := 0; i < len(n.Content); i += 2 {
			if err := shortenValue(n.Content[i].Value, n.Content[i+1], factor); err != nil {
				return err
			}
		}
	}
	for _, child := range n.Content {
		if err := shortenNode(child, factor); err != nil {
			return err
		}
	}
	return nil
}

// shortenValue changes one value, by its key.
func shortenValue(key string, value *yaml.Node, factor int) (err error) {
	switch {
	case value.Kind != yaml.ScalarNode:
	case slices.Contains(durationKeys(), key):
		value.Value, err = divide(value.Value, factor)
	case key == "expr":
		value.Value, err = shortenExpr(value.Value, factor)
	}
	if err != nil {
		err = fmt.Errorf("line %d, %s: %w", value.Line, key, err)
	}
	return err
}

// shortenExpr divides the ranges and offsets of an expression.
func shortenExpr(expr string, factor int) (string, error) {
	var failed error
	durations := regexp.MustCompile(`\[[0-9a-z]+\]|\boffset [0-9a-z]+`)
	short := durations.ReplaceAllStringFunc(expr, func(found string) string {
		written := strings.TrimPrefix(strings.Trim(found, "[]"), "offset ")
		d, err := divide(written, factor)
		if err != nil {
			failed = err
		}
		return strings.Replace(found, written, d, 1)
	})
	return short, failed
}

// divide divides a duration as Prometheus writes it; what comes out is a whole
// number of milliseconds, and at least one.
func divide(written string, factor int) (string, error) {
	d, err := model.ParseDuration(written)
	if err != nil {
		return "", err
	}
	return model.Duration(max(time.Duration(d)/time.Duration(factor), time.Millisecond)).String(), nil
}
