package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/config"
)

// Exit codes, the contract with scripts.
const (
	exitOK       = 0
	exitFailed   = 1
	exitUsage    = 2
	exitFindings = 3
)

// usageError is a mistake in flags or in the configuration file.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// findingsError says that something at or above --fail-on stands. The report
// has been printed already, so that nothing more is said of it.
type findingsError struct{ worst analysis.Severity }

func (e findingsError) Error() string { return "a verdict or finding is " + e.worst.String() }

// exitCode returns the code for a command's outcome and prints its error, if
// there is something to say, in one line.
func exitCode(err error, stderr io.Writer) int {
	var usage usageError
	var inConfig *config.Error
	var findings findingsError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &findings):
		return exitFindings
	case errors.As(err, &usage), errors.As(err, &inConfig):
		complain(stderr, err)
		return exitUsage
	default:
		complain(stderr, err)
		return exitFailed
	}
}

// complain prints an error in one line, or joined errors in one line each.
func complain(w io.Writer, err error) { printLine(w, "error", err) }

// warn prints what a command goes on in spite of.
func warn(w io.Writer, err error) { printLine(w, "warning", err) }

func printLine(w io.Writer, kind string, err error) {
	for _, one := range apart(err) {
		printOne(w, kind, one)
	}
}

// apart takes joined errors apart. What wraps several in one text stays whole.
func apart(err error) []error {
	all, ok := err.(interface{ Unwrap() []error }) //nolint:errorlint // errors.As would look below what wraps it.
	if !ok || err.Error() != errors.Join(all.Unwrap()...).Error() {
		return []error{err}
	}
	var out []error
	for _, one := range all.Unwrap() {
		out = append(out, apart(one)...)
	}
	return out
}

func printOne(w io.Writer, kind string, err error) {
	fmt.Fprintf(w, "%s: %s: %s\n", appName, kind, strings.Join(strings.Fields(err.Error()), " "))
}
