// Command gen writes the dashboards' JSON.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/flink-skew-exporter/flink-skew-exporter/dashboards"
)

func main() {
	out := flag.String("o", ".", "folder to write to")
	flag.Parse()
	if err := run(*out); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(folder string) error {
	files, err := dashboards.Generate()
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(folder, f.Name), f.JSON, 0o644); err != nil {
			return fmt.Errorf("write a dashboard: %w", err)
		}
	}
	return nil
}
