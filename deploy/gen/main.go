// Command gen copies the rules and the dashboards to where Helm and kustomize
// can read them, which is not outside their own folders.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/flink-skew-exporter/flink-skew-exporter/deploy/internal/copies"
)

func main() {
	root := flag.String("root", "..", "folder of the repository")
	flag.Parse()
	if err := run(*root); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(root string) error {
	files, err := copies.Make(os.DirFS(root))
	if err != nil {
		return err
	}
	return copies.Write(root, files)
}
