package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// warmUp is how many intervals come before those measured: first polls are
// dearer, and so is the first growth of the heap.
const warmUp = 3

// measured is what a run came to.
type measured struct {
	cores         float64 // CPU seconds of the exporter a second
	simCores      float64 // the same of the simulator
	peakRSS       int64
	polls, failed float64
	skipped       float64
	judged        int
	series        int
	scrape        time.Duration // mean, from the scraper's side
	burst         float64       // most polls begun in any second of an interval, by their share of the even number
}

func measure(ctx context.Context, s size) (m measured, err error) {
	dir, err := os.MkdirTemp("", "fleet-")
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	binary, err := build(ctx, dir)
	if err != nil {
		return m, err
	}
	simulator, address, err := startSimulator(ctx, s)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, simulator.end()) }()
	file := filepath.Join(dir, "config.yml")
	if err := os.WriteFile(file, configFile(s, address), 0o600); err != nil {
		return m, err
	}
	ctx, cancel := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, binary, "--config.file="+file, "--web.listen-address=127.0.0.1:0")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	stderr, err := cmd.StderrPipe()
	if err != nil {
		cancel()
		return m, err
	}
	if err := cmd.Start(); err != nil {
		cancel()
		return m, err
	}
	defer func() {
		cancel()
		_ = cmd.Wait()
	}()
	url, err := listening(stderr)
	if err != nil {
		return m, err
	}
	return watch(ctx, s, url, cmd.Process.Pid, simulator.cmd.Process.Pid)
}

// configFile names every cluster by its prefix.
func configFile(s size, address string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "poll: {interval: %v}\nclusters:\n", s.interval)
	for i := range s.clusters {
		fmt.Fprintf(&b, "- {name: c%d, url: '%s/c%d'}\n", i, address, i)
	}
	return []byte(b.String())
}

// listening returns the exporter's address from its log, and reads the log on.
func listening(r io.Reader) (string, error) {
	scanner := bufio.NewScanner(r)
	for scanner.Scan() {
		if m := regexp.MustCompile(`address=(\S+:\d+)`).FindStringSubmatch(scanner.Text()); m != nil {
			go func() {
				for scanner.Scan() {
					if strings.Contains(scanner.Text(), "level=ERROR") {
						fmt.Fprintln(os.Stderr, scanner.Text())
					}
				}
			}()
			return "http://" + m[1], nil
		}
	}
	return "", errors.New("the exporter ended before it listened")
}

// watch scrapes once an interval and takes the differences over those measured.
func watch(ctx context.Context, s size, url string, exporter, simulator int) (m measured, err error) {
	ticker := time.NewTicker(s.interval)
	defer ticker.Stop()
	var cpu, simCPU float64
	var began time.Time
	var first exposition
	for n := range warmUp + s.intervals + 1 {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return m, ctx.Err()
		}
		start := time.Now()
		now, err := scrape(ctx, url)
		if err != nil {
			return m, err
		}
		took := time.Since(start)
		fmt.Fprintf(os.Stderr, "interval %d of %d: %d clusters up, scrape %v\n", n+1, warmUp+s.intervals+1, now.up, took.Round(time.Millisecond))
		if n < warmUp {
			continue
		}
		if n == warmUp {
			began, first = time.Now(), now
			cpu, simCPU = cpuOf(exporter), cpuOf(simulator)
			continue
		}
		m.scrape += took / time.Duration(s.intervals)
		if n == warmUp+s.intervals {
			seconds := time.Since(began).Seconds()
			m.cores, m.simCores = (cpuOf(exporter)-cpu)/seconds, (cpuOf(simulator)-simCPU)/seconds
			m.polls, m.failed, m.skipped = now.polls-first.polls, now.failed-first.failed, now.skipped-first.skipped
			m.judged, m.series, m.burst = now.judged, now.series, burst(now.began, s)
		}
	}
	m.peakRSS = peakRSS(exporter)
	if want := s.clusters * s.jobs * s.vertices; m.judged != want {
		return m, fmt.Errorf("only %d of %d vertices were judged: what was measured is not the whole work", m.judged, want)
	}
	return m, nil
}

func (m measured) print(out io.Writer, s size) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "clusters\tsubtasks\tpolls\tfailed\tskipped\tcores\tpeak RSS MiB\tscrape ms\tseries\tburst\tsimulator cores\t")
	fmt.Fprintf(w, "%d\t%d\t%.0f\t%.0f\t%.0f\t%.3f\t%d\t%d\t%d\t%.1f\t%.3f\t\n", s.clusters, s.clusters*s.jobs*s.vertices*s.parallelism,
		m.polls, m.failed, m.skipped, m.cores, m.peakRSS>>20, m.scrape.Milliseconds(), m.series, m.burst, m.simCores)
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, `
%d clusters of %d jobs of %d vertices of %d subtasks, polled and scraped every %v, over %d intervals after %d of warm-up.
cores is the CPU time of the exporter's process, user and system, over the wall time; burst is how many polls began in the fullest
second, as a multiple of the even number.
`, s.clusters, s.jobs, s.vertices, s.parallelism, s.interval, s.intervals, warmUp)
	return err
}

// exposition is what a scrape says.
type exposition struct {
	up, judged, series     int
	polls, failed, skipped float64
	began                  []float64 // when the last polls began, Unix seconds
}

func scrape(ctx context.Context, url string) (e exposition, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/metrics", http.NoBody)
	if err != nil {
		return e, err
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		return e, err
	}
	defer func() { _ = answer.Body.Close() }()
	scanner := bufio.NewScanner(answer.Body)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		line := scanner.Text()
		if strings.HasPrefix(line, "#") {
			continue
		}
		e.series++
		name, _, _ := strings.Cut(line, "{")
		value, _ := strconv.ParseFloat(line[strings.LastIndexByte(line, ' ')+1:], 64)
		switch name {
		case "flink_skew_up":
			e.up += int(value)
		case "flink_skew_exporter_polls_total":
			e.polls += value
		case "flink_skew_poll_failures_total":
			e.failed += value
		case "flink_skew_exporter_polls_skipped_total":
			e.skipped += value
		case "flink_skew_exporter_snapshot_timestamp_seconds":
			e.began = append(e.began, value)
		case "flink_skew_vertex_verdict":
			if !strings.Contains(line, `"not_enough_data"`) {
				e.judged++
			}
		}
	}
	return e, scanner.Err()
}

// burst holds the fullest second of the interval against the even number.
func burst(began []float64, s size) float64 {
	perSecond := map[int]int{}
	most := 0
	for _, at := range began {
		second := int(at) % int(s.interval.Seconds())
		perSecond[second]++
		most = max(most, perSecond[second])
	}
	return float64(most) * s.interval.Seconds() / float64(s.clusters)
}

// cpuOf is the CPU time of a process so far in seconds, user and system, as
// Linux reports it in hundredths (proc(5), utime and stime); 0 elsewhere.
func cpuOf(pid int) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseFloat(fields[11], 64)
	system, _ := strconv.ParseFloat(fields[12], 64)
	return (user + system) / 100
}

// peakRSS is the largest resident set of a process so far in bytes; 0 where
// there is no /proc.
func peakRSS(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	m := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(text)
	if m == nil {
		return 0
	}
	kb, _ := strconv.ParseInt(string(m[1]), 10, 64)
	return kb << 10
}
