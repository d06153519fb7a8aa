// Package weekly makes the ceiling report: how much of its ceiling each vertex
// needs at its daily peak, whether that grows, and when it will be all of it;
// what changed since the week before, hours of skew, subtasks that do nothing
// for the throughput, and what could not be seen.
//
// It owns the model of the report, the statistics of trends, the advice, and
// the renderers (Markdown, HTML with inline SVG, JSON, CSV, text). It imports
// analysis, keygroup, analysis/report (how numbers and names are written) and
// the standard library without net, os, log/slog and time.Now: history and time
// come in as data, so that the same history gives the same bytes.
//
// It rests on these facts:
//   - a job keeps its name when it is redeployed, while its id changes, so that
//     history is held by (cluster, job name, vertex name);
//   - load has a daily and a weekly cycle, so that trends are those of daily
//     peaks, and weekdays are compared with themselves where there are three
//     weeks or more (Hirsch, Slack and Smith 1982; slope and interval after
//     Theil 1950 and Sen 1968);
//   - max parallelism is frozen into savepoints: raising it is an offline
//     rewrite that reads and writes all state (State Processor API).
package weekly
