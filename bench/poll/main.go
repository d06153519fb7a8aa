// Command poll measures what a poll costs the exporter, from 10,000 to
// 1,000,000 subtasks: it starts a simulated JobManager in one process and the
// exporter in another, both over loopback, and prints a table.
//
// The yardstick is taken in the same run and process as the poll, because
// machines are shared and noisy: the CPU time that encoding/json alone takes to
// decode the same vertex bodies into structs.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"text/tabwriter"
)

// verticesPerJob and parallelism are those of every simulated job; sizes grow
// by the number of jobs.
const (
	verticesPerJob = 10
	parallelism    = 100
)

// measured is what the exporter's process reports of one size.
type measured struct {
	Subtasks      int     `json:"subtasks"`
	Requests      int64   `json:"requests"`
	Bytes         int64   `json:"bytes"`
	CPUSeconds    float64 `json:"cpu_seconds"`
	WallSeconds   float64 `json:"wall_seconds"`
	PeakRSSBytes  int64   `json:"peak_rss_bytes"`
	JSONMicros    float64 `json:"json_micros"`
	ScrapeSeconds float64 `json:"scrape_seconds"`
	// ScrapeCPUSeconds is what the scrape takes when nobody else wants the processors.
	ScrapeCPUSeconds float64 `json:"scrape_cpu_seconds"`
	ScrapeBytes      int64   `json:"scrape_bytes"`
	Series           int64   `json:"series"`
	Judged           int     `json:"judged"`
}

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "poll:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	fs := flag.NewFlagSet("poll", flag.ContinueOnError)
	sizes := fs.String("subtasks", "10000,100000,1000000", "sizes to measure, in thousands of subtasks")
	polls := fs.Int("polls", 0, "polls measured for each size, after three that warm up; 0: as many as make 2,000,000 subtasks, at least 12")
	profile := fs.String("cpuprofile", "", "where to write the exporter's CPU profile of the last size")
	role := fs.String("role", "", "internal: simulator or exporter")
	jobs := fs.Int("jobs", 0, "internal: number of jobs")
	url := fs.String("url", "", "internal: the simulator's address")
	if err := fs.Parse(args); err != nil {
		return err
	}
	switch *role {
	case "simulator":
		return simulate(ctx, *jobs, out)
	case "exporter":
		m, err := measure(ctx, *url, *jobs, *polls, *profile)
		if err != nil {
			return err
		}
		return json.NewEncoder(out).Encode(m)
	}
	var rows []measured
	for _, text := range strings.Split(*sizes, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < verticesPerJob*parallelism {
			return fmt.Errorf("--subtasks: %q is not a number of at least %d", text, verticesPerJob*parallelism)
		}
		fmt.Fprintf(os.Stderr, "polling %d subtasks …\n", n)
		measured := *polls
		if measured == 0 {
			measured = max(12, 2_000_000/n)
		}
		m, err := both(ctx, n/(verticesPerJob*parallelism), measured, *profile)
		if err != nil {
			return fmt.Errorf("%d subtasks: %w", n, err)
		}
		rows = append(rows, m)
	}
	return table(out, rows)
}

// both runs the simulator and the exporter in processes of their own.
func both(ctx context.Context, jobs, polls int, profile string) (m measured, err error) {
	self, err := os.Executable()
	if err != nil {
		return m, err
	}
	simulator := exec.CommandContext(ctx, self, "-role=simulator", "-jobs="+strconv.Itoa(jobs))
	simulator.Stderr = os.Stderr
	stdin, err := simulator.StdinPipe() // It ends when this is closed, and so with this process.
	if err != nil {
		return m, err
	}
	stdout, err := simulator.StdoutPipe()
	if err != nil {
		return m, err
	}
	if err := simulator.Start(); err != nil {
		return m, err
	}
	defer func() {
		err = errors.Join(err, stdin.Close(), simulator.Wait())
	}()
	address, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		return m, fmt.Errorf("simulator: %w", err)
	}
	exporter := exec.CommandContext(ctx, self, "-role=exporter", "-jobs="+strconv.Itoa(jobs),
		"-polls="+strconv.Itoa(polls), "-cpuprofile="+profile, "-url="+strings.TrimSpace(address))
	exporter.Stderr = os.Stderr
	text, err := exporter.Output()
	if err != nil {
		return m, fmt.Errorf("exporter: %w", err)
	}
	return m, json.Unmarshal(text, &m)
}

func table(out io.Writer, rows []measured) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "subtasks\trequests\tMB\tCPU s\twall s\tpeak RSS MiB\tµs/subtask\tencoding/json µs\tratio\tscrape ms\tscrape CPU ms\tscrape MB\tseries\tnaive requests\tfewer\t")
	for _, m := range rows {
		micros := m.CPUSeconds / float64(m.Subtasks) * 1e6
		naive := 2 * m.Subtasks
		fmt.Fprintf(w, "%d\t%d\t%.1f\t%.3f\t%.2f\t%d\t%.2f\t%.2f\t%.2f\t%.0f\t%.0f\t%.1f\t%d\t%d\t%.0f×\t\n",
			m.Subtasks, m.Requests, float64(m.Bytes)/1e6, m.CPUSeconds, m.WallSeconds, m.PeakRSSBytes>>20,
			micros, m.JSONMicros, micros/m.JSONMicros, m.ScrapeSeconds*1e3, m.ScrapeCPUSeconds*1e3, float64(m.ScrapeBytes)/1e6, m.Series,
			naive, float64(naive)/float64(m.Requests))
	}
	fmt.Fprintln(w)
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, `Jobs of %d vertices of %d subtasks, a checkpoint every %s; means of steady polls at a simulated interval of %s.
CPU is that of the exporter's process, user and system: requests, decoding, analysis, publishing.
encoding/json is the CPU time it takes to decode the same vertex bodies into structs; ratio is µs/subtask over it.
naive is two requests a subtask. The scrape is the first after a poll, subtasks of mode top.
`, verticesPerJob, parallelism, checkpointEvery, interval)
	return err
}
