// Package flinksim is a simulated Flink JobManager: an http.Handler that
// answers Flink's REST API from a small, seeded model of jobs under load. It
// drives the demo, end-to-end tests and load benchmarks.
//
// The package owns the model (how records flow, who is busy, who waits) and
// the shapes of Flink's answers per version. It must not import restapi, so
// that the two sides of the wire are written twice and a mistake in one is
// seen by the other; of the project it imports analysis/keygroup alone. It
// reads no clock: time is the function given to New, and every number is a
// closed form of that time, so that equal seeds and equal times give equal
// bytes and nothing runs in the background.
//
// # The model
//
// A source offers records at a rate. They reach subtasks by key group
// (KeyGroupRangeAssignment), by partition (KafkaSourceEnumerator.getSplitOwner)
// or evenly. A subtask is busy for rate × cost. One that would be busy more
// than all of the time throttles everything upstream of it, because Flink's
// exchanges are bounded: with HASH or REBALANCE a full channel stops the whole
// sender, with FORWARD only its own one. What is upstream of a full subtask
// spends the rest of its time back-pressured, what is downstream idles.
// Rates are constant while an attempt lives, apart from a seeded wobble and the
// pauses of a Job's Pulse.
//
// # Facts of Flink it rests on
//
//   - MetricFetcherImpl: metrics are fetched on request, at most once per
//     metrics.fetcher.update-interval (10 s), and answers come from what is
//     stored: the first ones are zeros with "…-complete": false.
//   - IOMetricsInfo: accumulated-*-time since 1.17 (FLINK-29255); busy time is
//     a double and the string "NaN" where a source cannot measure it.
//   - FLINK-33147: "endpoint" stands beside "host" in 1.20 and alone in 2.x.
//   - Netty's HttpServerCodec cuts request lines at 4096 bytes; the router then
//     answers 404 for the file /bad-request.
//   - AbstractSubtaskMetricsHandler: one unknown name makes the aggregated
//     answer empty; JobVertexMetricsHandler leaves unknown names out.
//   - StreamGraphHasherV2: two deployments of one program have the same vertex
//     ids under different job ids.
//
// Where a version between the recorded ones (1.15.4, 1.17.2, 1.20.3, 2.3.0) is
// asked for, 1.18.1 answers as 1.17.2 does, plus what came with 1.18: aggregated
// skew, resource requirements, and task-level records in of Kafka sources.
package flinksim
