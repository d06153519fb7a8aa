// Command flink-skew-exporter polls Apache Flink's REST API, says why subtasks
// are unevenly loaded and how far jobs can scale, and exports both.
//
// The package owns flags, signals, exit codes and the wiring of all other
// packages; nobody imports it. One file holds one subcommand: a function that
// registers its flags and returns what runs, listed in commands. A command
// gets a context that ends with SIGINT or SIGTERM, writes what people read to
// standard output and logs to standard error, and returns an error whose kind
// decides the exit code (exit.go).
//
// Values come, in rising precedence, from the defaults, the file of
// --config.file, the environment (FLINK_SKEW_ and the flag's name in capitals)
// and the command line.
package main
