// Package collector turns polls into metrics. It owns the poll loop of one
// cluster (Poller), the one table of metric families from which Describe,
// Collect, the text exposition and METRICS.md derive (Families), and the
// exporter's own metrics.
//
// It may import analysis, client_golang, prometheus/common, log/slog and the
// standard library. It must not import restapi and never sees Flink's JSON or
// HTTP; package collector/scrape serves what it writes.
//
// How facts travel:
//
//	Source ─▶ Poller ─▶ analysis.Analyze ─▶ *Published (atomic pointer) ─▶ Collector ─▶ text or registry
//
// A scrape reads atomic pointers only: it never waits for a poll and never
// copies the Result. What a scrape would have to compute again and again
// (label text, the hottest subtasks, the histogram) is computed once a poll in
// the view, whose size grows with vertices and not with subtasks.
//
// Facts of Flink that shape the metrics:
//   - job names are not unique in a session cluster (JobID is; JobGraph), so
//     job_id carries identity and names are for people;
//   - a job's vertex ids are hashes of the topology (StreamGraphHasherV2): they
//     survive restarts and rescales, and TaskManager ids and attempt numbers do
//     not, so the latter are never labels;
//   - the JobManager's answers about metrics come from a cache refreshed every
//     metrics.fetcher.update-interval (10 s by default, MetricFetcherImpl), so
//     the age of a snapshot is exported.
package collector
