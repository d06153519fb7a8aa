// Command referenceconfig writes the reference configuration file.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/flink-skew-exporter/flink-skew-exporter/internal/config"
)

func main() {
	out := flag.String("o", "deploy/reference-config.yaml", "file to write")
	flag.Parse()
	if err := os.WriteFile(*out, config.Reference(), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, "referenceconfig:", err)
		os.Exit(1)
	}
}
