// Package config owns the configuration file: its shape, its defaults, the
// meaning of every key, and the messages for what is wrong with it.
//
// Keys are addressed by their path in the file (poll.interval,
// clusters[1].url). The same paths serve command-line flags through Set, error
// messages, and the generated reference, so that a key has one name and one
// meaning everywhere.
//
// The package opens the configuration file and nothing else, except that
// CheckFiles looks whether the files it names can be read. It must not import
// restapi, collector or cmd: it holds values, others act on them.
//
// The default poll interval rests on a fact of Flink: the JobManager refreshes
// its metric cache on request, at most every metrics.fetcher.update-interval
// (10 s by default; MetricFetcherImpl.update, Flink 1.15 to 2.3). A shorter
// interval reads the same values twice and pays for nothing.
package config

//go:generate go run ../gen/referenceconfig -o ../../deploy/reference-config.yaml
