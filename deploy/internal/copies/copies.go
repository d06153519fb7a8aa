// Package copies makes the files that packages need inside their own folders:
// the Helm chart's rules and dashboards, and the PrometheusRule of the plain
// manifests. It reads the repository through fs.FS and knows no flag.
package copies

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"sigs.k8s.io/yaml"
)

// Folders that hold nothing but copies, from the root of the repository.
const (
	chartRules      = "deploy/helm/flink-skew-exporter/files/rules"
	chartDashboards = "deploy/helm/flink-skew-exporter/files/dashboards"
	// ruleManifest is one PrometheusRule with all groups.
	ruleManifest = "deploy/kubernetes/prometheus-operator/prometheusrule.yaml"
)

const header = "# Made of alerts/*.rules.yml by \"make generate\"; do not edit.\n"

// Folders are those that hold nothing else, so that what is left over in them
// can be found.
func Folders() []string { return []string{chartRules, chartDashboards} }

// Make returns the contents of all copies by their path from the root.
func Make(root fs.FS) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, c := range []struct{ pattern, to string }{
		{"alerts/*.rules.yml", chartRules},
		{"dashboards/*.json", chartDashboards},
	} {
		names, err := fs.Glob(root, c.pattern)
		if err != nil || len(names) == 0 {
			return nil, fmt.Errorf("nothing matches %s: %w", c.pattern, err)
		}
		for _, name := range names {
			data, err := fs.ReadFile(root, name)
			if err != nil {
				return nil, fmt.Errorf("copy for the packages: %w", err)
			}
			files[path.Join(c.to, path.Base(name))] = data
		}
	}
	rule, err := prometheusRule(root)
	if err != nil {
		return nil, err
	}
	files[ruleManifest] = rule
	return files, nil
}

// prometheusRule is all rule files as one object of the Prometheus operator.
func prometheusRule(root fs.FS) ([]byte, error) {
	names, err := fs.Glob(root, "alerts/*.rules.yml")
	if err != nil {
		return nil, fmt.Errorf("find the rules: %w", err)
	}
	var groups []any
	for _, name := range names {
		data, err := fs.ReadFile(root, name)
		if err != nil {
			return nil, fmt.Errorf("read the rules: %w", err)
		}
		var file struct {
			Groups []any `json:"groups"`
		}
		if err := yaml.Unmarshal(data, &file); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		groups = append(groups, file.Groups...)
	}
	object, err := yaml.Marshal(map[string]any{
		"apiVersion": "monitoring.coreos.com/v1",
		"kind":       "PrometheusRule",
		"metadata":   map[string]any{"name": "flink-skew-exporter"},
		"spec":       map[string]any{"groups": groups},
	})
	if err != nil {
		return nil, fmt.Errorf("write the PrometheusRule: %w", err)
	}
	return bytes.Join([][]byte{[]byte(header), object}, nil), nil
}

// Write writes the files below root and removes what else lies in Folders.
func Write(root string, files map[string][]byte) error {
	for _, folder := range Folders() {
		if err := os.RemoveAll(filepath.Join(root, filepath.FromSlash(folder))); err != nil {
			return fmt.Errorf("clear the copies: %w", err)
		}
	}
	for name, data := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return fmt.Errorf("make room for the copies: %w", err)
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			return fmt.Errorf("write a copy: %w", err)
		}
	}
	return nil
}
