// Command metricsdoc writes METRICS.md from the collector's table of families.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"

	"github.com/flink-skew-exporter/flink-skew-exporter/collector"
)

func main() {
	out := flag.String("o", "METRICS.md", "file to write")
	flag.Parse()
	if err := run(*out); err != nil {
		fmt.Fprintln(os.Stderr, "metricsdoc:", err)
		os.Exit(1)
	}
}

// run writes the file only once its content is complete.
func run(path string) error {
	var b bytes.Buffer
	if err := collector.WriteMetricsDoc(&b); err != nil {
		return err
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
