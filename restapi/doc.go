// Package restapi reads a Flink cluster through its REST API and turns the
// answers into an analysis.Snapshot. It alone knows Flink's JSON: the wire
// structs stay unexported, and what differs between Flink 1.15 and 2.3 ends
// here. It owns the HTTP client, its typed errors, and tapes (recorded answers
// that replay through the same client). It must not import collector, the
// commands or the configuration; it speaks analysis.Snapshot and nothing else.
//
// # Requests per poll
//
// In the steady state a poll makes these requests, all of them GET:
//
//   - per cluster: /overview, /jobs/overview and /taskmanagers, one each, and
//     one per TaskManager for CPU time and garbage collection when there are
//     at most Options.MaxTaskManagers (64);
//   - per running job: /jobs/:id (the plan is in it) and /jobs/:id/checkpoints;
//     the latter only in every tenth poll once three answers showed no
//     checkpoint, or one said that checkpointing is off. A job in any other
//     state costs nothing beyond the list;
//   - per vertex: /jobs/:id/vertices/:vid, which holds every subtask. A vertex
//     whose subtasks together were busy or back-pressured for less than
//     Options.ActivityFloor seconds per second, by the job's own totals in two
//     successive windows, costs it only in every tenth poll: the total bounds
//     each subtask, so none of them can matter. Before
//     Flink 1.17, which has no accumulated times, every vertex costs one more,
//     its back-pressure answer, and none is skipped;
//   - per vertex with a HASH input and newly completed checkpoint: its part of
//     the checkpoint, once;
//   - per source vertex: the names of its metrics, to count the partitions each
//     subtask owns: once in a run of the job, again in the next polls (three at
//     most, then every tenth) while a subtask is younger than a minute or shows
//     no metrics, and every hundredth poll since sources discover partitions;
//   - per vertex with inputs, in turn: its watermarks, of so many vertices a
//     poll as Options.WatermarkBudget says, by default the larger of 4 and a
//     25th of them. Quiet vertices take their turns too. Each shows its newest
//     answer, with the time it was read, for up to 10 minutes: where polls are a
//     minute apart and vertices many, raise the budget;
//   - per source that publishes its backlog for every subtask, in turn: the
//     values, at one request for about 60 subtasks, 8 at most and none above 256
//     subtasks, of Options.BacklogBudget sources a poll, by default 50. Where
//     there are more, each shows its newest value for up to 2 minutes.
//
// Otherwise nothing is asked per subtask. Retries (connection errors, 502, 503, 504) come
// on top, at most 32 in a poll and never beyond its deadline.
//
// # What Flink does that this package answers to
//
//   - The metric cache is lazy (MetricFetcherImpl): a request starts a refresh
//     at most every metrics.fetcher.update-interval (10 s) and is answered from
//     what is stored, at first with zeros or empty lists. In the first poll of
//     a job's run vertices that are cold are therefore read again after 1.5 s;
//     what is cold even then has no counters, and a Gap says so.
//   - It adds up a job's totals while it refreshes the cache, so that they may
//     mix two refreshes (seen on 2.3.0: busy time of the new one beside idle
//     time of the old). Totals that do not account for most of the time between
//     two polls are therefore no proof of quiet.
//   - The calls of one poll are not one transaction. A vertex whose parallelism
//     is not that of the job's answer tears the whole job; one with attempts
//     that began after the job's answer is torn itself. Both become gaps.
//   - The job's answer comes from an ExecutionGraph cached for
//     web.refresh-interval (3 s); its RUNNING timestamp is the job's epoch.
//   - Request lines above 4096 bytes answer 404 "Unable to load requested file
//     /bad-request." (StaticFileServerHandler), a length limit in disguise.
//   - With high availability 503 is answered while a leader is elected; jobs
//     that are SUSPENDED have not ended.
//   - Watermarks are those of the input (MetricNames.IO_CURRENT_INPUT_WATERMARK),
//     which sources lack: they answer an empty list. The smallest long says that
//     none has come yet, the largest that the input has ended (Watermark).
//   - pendingRecords (FLIP-33, since 1.14) is what a reader's partitions hold
//     that it has not fetched. Kafka's readers register it with their first
//     records (KafkaSourceReaderMetrics.maybeAddRecordsLagMetric), so that one
//     without a partition lacks it and truly waits for nothing. Any other reader
//     that lacks it makes the sum unknown, even if its partition may be empty.
//   - Names in get= are divided by commas after unescaping; Flink itself writes
//     commas in operator names as underscores (MetricQueryService).
//   - The names under which sources publish partitions are those of the Kafka
//     (KafkaSourceReaderMetrics), Pulsar and Kinesis connectors.
package restapi
