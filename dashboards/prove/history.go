package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	// historyLength is how far back the trend of the ceiling dashboard looks.
	historyLength = 28 * 24 * time.Hour
	// historyStep is short enough for a window of five minutes to hold two points.
	historyStep = 2 * time.Minute
	// historyJob is the demo's job whose load is made to have grown.
	historyJob = "demo-key-group-layout"
)

// remembered is a series of the demo that gets a past.
type remembered struct {
	name, labels string
	value        float64
	keyed        bool
}

// remember gives four weeks of history to one job of the demo, as if its load
// had grown to what it is now: the same series with the same labels, written
// as blocks before Prometheus starts.
func (s *stage) remember(ctx context.Context, data string) error {
	series, err := s.present(ctx)
	if err != nil {
		return err
	}
	path := filepath.Join(s.folder, "history.om")
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write the history: %w", err)
	}
	defer func() { _ = f.Close() }()
	w := bufio.NewWriter(f)
	writeHistory(w, series, time.Now().Truncate(time.Minute))
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write the history: %w", err)
	}
	// promtool reads the whole file once a block: blocks of four weeks instead
	// of two hours make that seconds.
	out, err := exec.CommandContext(ctx, s.options.promtool, "tsdb", "create-blocks-from",
		"--max-block-duration=672h", "openmetrics", "--quiet", path, data).CombinedOutput()
	if err != nil {
		return fmt.Errorf("make blocks of the history: %w: %s", err, out)
	}
	return nil
}

// present reads the series of the job from the exporter.
func (s *stage) present(ctx context.Context) ([]remembered, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.exporterURL+"/metrics", http.NoBody)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, fmt.Errorf("read the demo's metrics: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, fmt.Errorf("read the demo's metrics: %w", err)
	}
	instance := s.exporterURL[len("http://"):]
	re := regexp.MustCompile(`(?m)^(flink_skew_vertex_(?:parallelism|ceiling|required_parallelism|required_headroom_ratio)|flink_skew_job_running_timestamp_seconds)\{(.*)\} (\S+)$`)
	var all []remembered
	for _, m := range re.FindAllStringSubmatch(string(raw), -1) {
		if !strings.Contains(m[2], `job_name="`+historyJob+`"`) {
			continue
		}
		v, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			return nil, fmt.Errorf("a value of the demo: %w", err)
		}
		labels := fmt.Sprintf(`%s,instance="%s",job="flink-skew-exporter"`, m[2], instance)
		all = append(all, remembered{m[1], labels, v, strings.Contains(m[2], `vertex="enrich`)})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("the demo has no job %s", historyJob)
	}
	return all, nil
}

// writeHistory writes the series as OpenMetrics, each family once.
func writeHistory(w *bufio.Writer, series []remembered, end time.Time) {
	last := ""
	for _, s := range series {
		if s.name != last {
			fmt.Fprintf(w, "# TYPE %s gauge\n", s.name)
			last = s.name
		}
		for at := end.Add(-historyLength - time.Hour); at.Before(end); at = at.Add(historyStep) {
			fmt.Fprintf(w, "%s{%s} %g %d\n", s.name, s.labels, s.then(at, end), at.Unix())
		}
	}
	fmt.Fprintln(w, "# EOF")
}

// then is what the series was: the load of the keyed vertex was half of
// today's and grew evenly, with a daily wave; its parallelism was raised a
// week and a half ago.
func (s remembered) then(at, end time.Time) float64 {
	past := end.Sub(at).Hours() / historyLength.Hours()
	load := (1 - past/2) * (1 + 0.07*math.Sin(2*math.Pi*float64(at.Unix()%86400)/86400) - 0.07*past)
	raised := end.Add(-historyLength * 3 / 8)
	switch {
	case s.name == "flink_skew_job_running_timestamp_seconds" && at.Before(raised):
		return float64(end.Add(-historyLength * 9 / 8).Unix())
	case s.name == "flink_skew_job_running_timestamp_seconds":
		return float64(raised.Unix())
	case !s.keyed:
		return s.value
	case s.name == "flink_skew_vertex_required_parallelism":
		return math.Ceil(s.value * load)
	case s.name == "flink_skew_vertex_required_headroom_ratio":
		return s.value / load
	case s.name == "flink_skew_vertex_parallelism" && at.Before(raised):
		return math.Round(s.value * 0.6)
	default:
		return s.value
	}
}
