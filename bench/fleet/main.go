// Command fleet measures what polling many clusters costs the exporter: it
// builds the exporter, starts it beside simulated JobManagers in another
// process, scrapes it as Prometheus would, and prints its CPU and memory as
// the exporter itself and the kernel report them.
//
// The exporter is the released program in its usual configuration, so that
// everything is in the figures: requests, decoding, analysis, exposition,
// garbage collection. The clocks are real; a run takes the warm-up and so many
// intervals.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// size is what is simulated and how it is polled.
type size struct {
	clusters, jobs, vertices, parallelism int
	interval                              time.Duration
	intervals                             int
}

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "fleet:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	fs := flag.NewFlagSet("fleet", flag.ContinueOnError)
	var s size
	fs.IntVar(&s.clusters, "clusters", 200, "clusters")
	fs.IntVar(&s.jobs, "jobs", 10, "jobs of a cluster")
	fs.IntVar(&s.vertices, "vertices", 8, "vertices of a job")
	fs.IntVar(&s.parallelism, "parallelism", 50, "subtasks of a vertex")
	fs.DurationVar(&s.interval, "interval", 30*time.Second, "poll and scrape interval")
	fs.IntVar(&s.intervals, "intervals", 5, "intervals measured, after three that warm up")
	role := fs.String("role", "", "internal: simulator")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if *role == "simulator" {
		return simulate(ctx, s, out)
	}
	m, err := measure(ctx, s)
	if err != nil {
		return err
	}
	return m.print(out, s)
}

// child is a process that ends when its standard input does.
type child struct {
	cmd    *exec.Cmd
	stdin  io.Closer
	stdout *bufio.Reader
}

// startSimulator starts the JobManagers and returns their common address.
func startSimulator(ctx context.Context, s size) (*child, string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, "", err
	}
	cmd := exec.CommandContext(ctx, self, "-role=simulator", "-clusters="+strconv.Itoa(s.clusters), "-jobs="+strconv.Itoa(s.jobs),
		"-vertices="+strconv.Itoa(s.vertices), "-parallelism="+strconv.Itoa(s.parallelism))
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, "", err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	if err := cmd.Start(); err != nil {
		return nil, "", err
	}
	c := &child{cmd: cmd, stdin: stdin, stdout: bufio.NewReader(stdout)}
	address, err := c.stdout.ReadString('\n')
	if err != nil {
		return nil, "", errors.Join(fmt.Errorf("simulator: %w", err), stdin.Close(), cmd.Wait())
	}
	return c, strings.TrimSpace(address), nil
}

func (c *child) end() error { return errors.Join(c.stdin.Close(), c.cmd.Wait()) }

// build builds the exporter into a folder.
func build(ctx context.Context, dir string) (string, error) {
	file := filepath.Join(dir, "flink-skew-exporter")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", file, "./cmd/flink-skew-exporter")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("building the exporter (run from the root of the repository): %w", err)
	}
	return file, nil
}
