package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/alecthomas/kingpin/v2"
	"github.com/prometheus/common/promslog"
	logflag "github.com/prometheus/common/promslog/flag"

	"github.com/flink-skew-exporter/flink-skew-exporter/internal/buildinfo"
)

const appName = "flink-skew-exporter"

const appHelp = `Says why subtasks of Apache Flink jobs are unevenly loaded and how far the jobs can scale, and exports both to Prometheus.

Without a command it is serve. Every flag can also come from the environment, as the help of each says. Try it without Flink:

  flink-skew-exporter demo`

// process is what a command has of the process around it.
type process struct {
	stdout, stderr io.Writer
	logger         *slog.Logger
}

// action is what a command does once its flags are parsed.
type action func(context.Context, process) error

// registry collects the commands' flags and actions.
type registry struct {
	app     *kingpin.Application
	actions map[string]action
}

// commands lists every command. Adding one is a file and a line here.
func commands() []func(*registry) {
	return []func(*registry){
		addServe, addDemo, addDiagnose, addRecord, addReport, addWhatIf, addPlan, addSavepoint, addKeys,
		addCheck, addCheckAlerts, addCheckHealth,
	}
}

// add registers what a command does under its full name.
func (r *registry) add(c *kingpin.CmdClause, do action) { r.actions[c.FullCommand()] = do }

// run parses the arguments and runs the command they name. It returns the exit
// code. Flags that are absent are looked up in the process's environment.
func run(ctx context.Context, args []string, p process) int {
	app := kingpin.New(appName, appHelp)
	app.UsageWriter(p.stdout).ErrorWriter(p.stderr)
	app.Version(buildinfo.Read().Lines(appName))
	// Kingpin would exit after printing help or the version; it goes on parsing
	// instead, and what comes of that does not matter.
	shown := false
	app.Terminate(func(int) { shown = true })
	logs := &promslog.Config{Writer: p.stderr}
	logflag.AddFlags(app, logs)

	r := &registry{app: app, actions: map[string]action{}}
	for _, add := range commands() {
		add(r)
	}
	nameFlags(app)
	name, err := app.Parse(args)
	switch {
	case shown:
		return exitOK
	case err != nil:
		return exitCode(usagef("%w; see %s --help", err, helpFor(args)), p.stderr)
	}
	p.logger = promslog.New(logs)
	return exitCode(r.actions[name](ctx, p), p.stderr)
}

// helpFor names the command whose help is worth reading: the words before the
// first flag, if they are one.
func helpFor(args []string) string {
	words := []string{appName}
	for _, a := range args {
		if strings.HasPrefix(a, "-") || len(words) > 2 {
			break
		}
		words = append(words, a)
	}
	app := kingpin.New(appName, "")
	r := &registry{app: app, actions: map[string]action{}}
	for _, add := range commands() {
		add(r)
	}
	for n := len(words); n > 1; n-- {
		if r.actions[strings.Join(words[1:n], " ")] != nil {
			return strings.Join(words[:n], " ")
		}
	}
	return appName
}

// withExample ends a command's help with an example.
func withExample(help string, example ...string) string {
	return fmt.Sprintf("%s\n\nExample:\n\n  %s", help, strings.Join(example, "\n  "))
}
