package rulecheck

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/collector"
)

// query is an expression of a dashboard.
type query struct {
	// where is the title of the panel, or the name of the variable.
	where, expr string
}

// board reads a Grafana dashboard in any of its layouts: every text under expr,
// and every query or definition (of variables and annotations) that names a
// metric of this exporter.
func board(data []byte) ([]query, error) {
	var top any
	if err := json.Unmarshal(data, &top); err != nil {
		return nil, fmt.Errorf("is not JSON: %w", err)
	}
	var all []query
	collect(top, "", &all)
	if len(all) == 0 {
		return nil, errors.New("holds no queries; a dashboard's JSON has panels with expr")
	}
	return all, nil
}

func collect(node any, where string, all *[]query) {
	switch n := node.(type) {
	case []any:
		for _, child := range n {
			collect(child, where, all)
		}
	case map[string]any:
		for _, key := range []string{"title", "name"} {
			if s, ok := n[key].(string); ok && s != "" {
				where = s
				break
			}
		}
		for _, key := range slices.Sorted(maps.Keys(n)) {
			s, isText := n[key].(string)
			switch {
			case isText && key == "expr" && s != "",
				isText && (key == "query" || key == "definition") && strings.Contains(s, collector.Prefix):
				*all = append(*all, query{where, s})
			case !isText:
				collect(n[key], where, all)
			}
		}
	}
}
