package probe

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/analysis/report"
	"github.com/flink-skew-exporter/flink-skew-exporter/collector"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/config"
)

// explainWidth is the width of the explanation in columns.
const explainWidth = 120

// explain writes what the poll did and what its numbers mean, as text. Nothing
// in it is secret: credentials are named by their kind.
func (h *Handler) explain(w http.ResponseWriter, t *target) {
	pub, fresh := t.poller.Current()
	var b bytes.Buffer
	fmt.Fprintf(&b, "cluster  %s\ntarget   %s%s\nmodule   %s\n", t.cluster.Name, t.cluster.Addresses()[0], authOf(t.cluster), t.cluster.Module)
	fmt.Fprintf(&b, "poll     %s after %v, at most %v; number %d of this target, %d failed\n",
		outcome(pub), pub.Duration.Round(time.Millisecond), t.timeout, pub.Polls, total(pub.Failures))
	if pub.Err != nil {
		fmt.Fprintf(&b, "         %s\n", oneLine(pub.Err.Error()))
	}
	writeRequests(&b, t.observer)
	in := report.Input{GeneratedAt: h.o.Now(), Clusters: []report.ClusterInput{{
		Name: pub.Cluster, Up: pub.Up, Reason: pub.Reason, Polls: int(pub.Polls - total(pub.Failures)),
	}}}
	if fresh {
		in.Clusters[0].Result = pub.Result
		writeGaps(&b, pub.Result)
	}
	b.WriteString("\n")
	err := report.Text(&b, in, report.Filter{}, report.TextOptions{Unicode: true, Width: explainWidth, All: true, Verbose: true})
	if err == nil {
		b.WriteString("\nmetrics\n\n")
		err = t.exposition(&b)
	}
	if err != nil {
		refuse(w, err)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(b.Bytes()) // A client that has gone is told nothing.
}

// exposition writes what the probe would have answered.
func (t *target) exposition(w io.Writer) error {
	frame := t.shown.Frame()
	if err := frame.WriteData(w); err != nil {
		return err
	}
	return frame.WriteSelf(w)
}

func outcome(pub *collector.Published) string {
	if pub.Up {
		return "succeeded"
	}
	return "failed (" + pub.Reason + ")"
}

func total(counts map[string]uint64) (n uint64) {
	for _, c := range counts {
		n += c
	}
	return n
}

// writeRequests lists what was asked since the target is known.
func writeRequests(w io.Writer, o *collector.Observer) {
	fmt.Fprintln(w, "requests so far, by endpoint and status:")
	for _, r := range o.Requests() {
		fmt.Fprintf(w, "         %6d  %-4s  %s\n", r.Count, r.Code, r.Endpoint)
	}
}

// writeGaps says what the poll lacked, by what and why.
func writeGaps(w io.Writer, r *analysis.Result) {
	counts := map[string]int{}
	for _, g := range r.Gaps {
		counts[fmt.Sprintf("%s: %s %s", g.What, g.Reason, g.Detail)]++
	}
	if len(counts) == 0 {
		return
	}
	fmt.Fprintln(w, "lacking:")
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(w, "         %6d  %s\n", counts[what], oneLine(what))
	}
}

func authOf(k config.Cluster) string {
	switch {
	case k.BearerTokenFile != "":
		return " with a bearer token"
	case k.BasicAuth.Username != "":
		return " with basic auth"
	case k.TLS.CertFile != "":
		return " with a client certificate"
	}
	return ""
}

// oneLine keeps a text from breaking out of its line.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
