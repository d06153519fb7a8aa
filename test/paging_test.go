package test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/flink-skew-exporter/flink-skew-exporter/test/await"
	"github.com/flink-skew-exporter/flink-skew-exporter/test/flink"
	"github.com/flink-skew-exporter/flink-skew-exporter/test/jobs"
	"github.com/flink-skew-exporter/flink-skew-exporter/test/monitoring"
	"github.com/flink-skew-exporter/flink-skew-exporter/test/product"
)

// faster is what the durations of rules and routes are divided by: five minutes
// are 20 s, two polls of the real cluster.
const faster = 15

const (
	saturated = "FlinkSubtaskSaturated"
	stalled   = "FlinkSubtaskStalled"
)

// pagesOfDemo are the demo's jobs that somebody has to be woken for, and by
// which alert. All its others have room, lose throughput only, or wait.
func pagesOfDemo() map[string]string {
	return map[string]string{
		"demo-hot-key":          saturated,
		"demo-costly-records":   saturated,
		"demo-slow-taskmanager": saturated,
		"demo-stalled":          stalled,
	}
}

// paged is a cluster and a demo with all that stands behind an exporter in
// production, on the way from a hot subtask to the pager.
type paged struct {
	bench
	demo  *product.Server
	stage *monitoring.Stage
}

// monitor starts a demo, and what watches it and the daemon of the cluster.
func (b bench) monitor(t *testing.T) paged {
	t.Helper()
	ports, err := flink.FreePorts(3)
	if err != nil {
		t.Fatal(err)
	}
	p := paged{bench: b, demo: b.binary.Demo(t, "demo", ports[0])}
	p.stage = monitoring.Start(t, monitoring.Options{
		Root: "..", Targets: []string{b.server.Address(), p.demo.Address()}, Factor: faster, Ports: ports[1:],
	})
	return p
}

// testPaging follows one hot subtask from the job to the pager: it is judged,
// paged once, and resolved when the job has ended.
func (b bench) testPaging(t *testing.T) {
	p := b.monitor(t)
	hot := jobs.HotKey()
	ids := b.run(t, []jobs.Scenario{hot})
	b.judge(t, []jobs.Scenario{hot})
	job := map[string]string{"job_id": ids[0]}
	t.Run("page", func(t *testing.T) { p.testPage(t, job) })
	t.Run("ticket is inhibited", func(t *testing.T) {
		ticket := map[string]string{"job_id": ids[0], "alertname": "FlinkHotKey"}
		p.await(t, "the ticket to be held back", func() error { return p.stage.Inhibited(ticket) })
	})
	t.Run("demo pages", func(t *testing.T) {
		p.await(t, "the demo's pages", func() error { return p.checkDemo("firing") })
	})
	p.await(t, "every rule to be evaluated", p.stage.Works)
	b.end(t, []jobs.Scenario{hot}, ids)
	p.demo.Signal(t, syscall.SIGTERM)
	t.Run("page is resolved", func(t *testing.T) {
		p.await(t, "the page to resolve", func() error { return p.checkPages(job, "firing", "resolved") })
	})
	t.Run("demo is resolved", func(t *testing.T) {
		p.await(t, "the demo's pages to resolve", func() error { return p.checkDemo("firing", "resolved") })
	})
	t.Run("no ticket beside the page", func(t *testing.T) {
		for _, n := range p.stage.Received(monitoring.Tickets, job) {
			t.Errorf("a ticket about the paged job: %s", n.Raw)
		}
	})
}

// await waits while Prometheus and Alertmanager run.
func (p paged) await(t *testing.T, what string, condition func() error) {
	t.Helper()
	await.Until(t, deadline, what, condition)
}

// checkPages returns an error unless the pager has been sent one notification
// about the job for each status, in this order, each with one alert. More of
// them than that no waiting mends.
func (p paged) checkPages(job map[string]string, statuses ...string) error {
	got := p.stage.Received(monitoring.Pager, job)
	var seen []string
	for _, n := range got {
		if len(n.Alerts) != 1 {
			return await.Hopeless(fmt.Errorf("a page with %d alerts, want 1: %s", len(n.Alerts), n.Raw))
		}
		seen = append(seen, n.Status)
	}
	if slices.Equal(seen, statuses) {
		return nil
	}
	err := fmt.Errorf("%v: notifications %q, want %q", job, seen, statuses)
	if len(seen) > len(statuses) || !slices.Equal(seen, statuses[:len(seen)]) {
		err = await.Hopeless(err)
	}
	return err
}

// checkDemo returns an error unless the demo's jobs that deserve a page have
// had one, by the right alert, and no other has.
func (p paged) checkDemo(statuses ...string) error {
	var wrong []error
	for job, alert := range pagesOfDemo() {
		labels := map[string]string{"job_name": job}
		wrong = append(wrong, p.checkPages(labels, statuses...))
		for _, n := range p.stage.Received(monitoring.Pager, labels) {
			if got := n.Alerts[0].Labels["alertname"]; got != alert {
				wrong = append(wrong, await.Hopeless(fmt.Errorf("%s is paged by %s, want %s", job, got, alert)))
			}
		}
	}
	for _, n := range p.stage.Received(monitoring.Pager, nil) {
		job := n.Alerts[0].Labels["job_name"]
		if _, deserved := pagesOfDemo()[job]; strings.HasPrefix(job, "demo-") && !deserved {
			wrong = append(wrong, await.Hopeless(fmt.Errorf("a page for %s: %s", job, n.Raw)))
		}
	}
	return errors.Join(wrong...)
}

// testPage waits for the page, and reads it as who is woken does.
func (p paged) testPage(t *testing.T, job map[string]string) {
	p.await(t, "the page", func() error { return p.checkPages(job, "firing") })
	page := p.stage.Received(monitoring.Pager, job)[0]
	a := page.Alerts[0]
	vertex := p.hotVertex(t, job["job_id"])
	want := maps.Clone(vertex)
	maps.Copy(want, map[string]string{
		"alertname": saturated, "severity": "page", "area": "skew", "product": "flink-skew-exporter",
	})
	if !maps.Equal(a.Labels, want) {
		t.Errorf("labels are %v, want %v", a.Labels, want)
	}
	title := p.stage.Render(t, "flink_skew.title", page)
	if want := fmt.Sprintf("[PAGE] %s  hot-key / %s (cluster %s)", saturated, vertex["vertex"], vertex["cluster"]); strings.TrimSpace(title) != want {
		t.Errorf("the title is %q, want %q", title, want)
	}
	text := p.stage.Render(t, "flink_skew.text", page)
	t.Logf("the page:\n%s\n%s", title, text)
	for _, part := range []string{
		"A saturated subtask holds back hot-key / " + vertex["vertex"],
		"Subtask 1 of 5 is ", "% busy for at least 10 min, while the others have room.",
		"It holds back Source: orders source", "% back-pressured).", "Cause: hot_key, ", " confidence.", "Scaling will not help.",
		"First step: Run flink-skew-exporter diagnose --job=" + vertex["job_id"] + " --vertex=" + vertex["vertex_id"],
		"/alerts/runbooks/" + saturated + ".md", "Dashboard: https://grafana.example.com/d/flink-skew-vertex?var-cluster=",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("the page does not say %q", part)
		}
	}
}

// hotVertex returns the labels of the one vertex that the daemon calls hot.
func (p paged) hotVertex(t *testing.T, jobID string) map[string]string {
	t.Helper()
	m, err := p.server.Scrape()
	if err != nil {
		t.Fatal(err)
	}
	hot := m.Samples("flink_skew_vertex_hot_subtask", product.Labels{"job_id": jobID})
	if len(hot) != 1 || !strings.Contains(hot[0].Labels["vertex"], jobs.Enrich) {
		t.Fatalf("hot vertices of the job: %v, want the keyed one alone", hot)
	}
	return hot[0].Labels
}
