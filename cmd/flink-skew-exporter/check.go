package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/internal/config"
)

func addCheck(r *registry) {
	c := r.app.Command("check", "Checks files before they are used.").Command("config", withExample(
		"Checks a configuration file, and that the files it names can be read. Asks no cluster. The exit code is 2 when something is wrong.",
		"flink-skew-exporter check config /etc/flink-skew-exporter.yml"))
	flag := c.Flag("config.file", "The file, if it is not given as an argument.").PlaceHolder("FILE").String()
	arg := c.Arg("file", "The file.").String()
	r.add(c, func(_ context.Context, p process) error {
		file := *arg
		if file == "" {
			file = *flag
		}
		if file == "" {
			return usagef("no file to check; name it: %s check config FILE", appName)
		}
		c, err := config.Load(file)
		if err != nil {
			return err
		}
		if err := c.CheckFiles(); err != nil {
			return err
		}
		printSummary(p, file, c)
		return nil
	})
}

// printSummary says in a few lines what a configuration means.
func printSummary(p process, file string, c *config.Config) {
	fmt.Fprintf(p.stdout, "%s is valid\n", file)
	if len(c.Clusters) == 0 && needWork(c) != nil {
		fmt.Fprintln(p.stdout, "  no clusters: serve needs --flink.url")
	}
	for _, k := range c.Clusters {
		fmt.Fprintf(p.stdout, "  cluster %s at %s, every %v, at most %v a poll%s\n",
			k.Name, strings.Join(k.Addresses(), ", "), c.PollInterval(k), c.PollTimeout(k), authOf(k))
	}
	for _, s := range c.FileSD {
		fmt.Fprintf(p.stdout, "  clusters from %s, read every %v\n", strings.Join(s.Files, ", "), s.Every())
	}
	for _, s := range c.HTTPSD {
		address, _, _ := strings.Cut(s.URL, "?")
		fmt.Fprintf(p.stdout, "  clusters from %s, asked every %v\n", address, s.Every())
	}
	if len(c.Probe.AllowTargets) > 0 {
		fmt.Fprintf(p.stdout, "  probes of %s\n", strings.Join(c.Probe.AllowTargets, ", "))
	}
	fmt.Fprintf(p.stdout, "  subtasks: %s", c.Collector.Subtasks)
	if c.Collector.Subtasks == config.SubtasksTop {
		fmt.Fprintf(p.stdout, " %d a vertex", c.Collector.Top)
	}
	fmt.Fprintln(p.stdout)
	if len(c.Analysis.Silence) > 0 {
		fmt.Fprintf(p.stdout, "  silenced: %s\n", strings.Join(c.Analysis.Silence, ", "))
	}
	if n := c.ChangedThresholds(); n > 0 {
		fmt.Fprintf(p.stdout, "  thresholds: %d differ from the defaults\n", n)
	} else {
		fmt.Fprintln(p.stdout, "  thresholds: the defaults")
	}
}

func authOf(k config.Cluster) string {
	switch {
	case k.BearerTokenFile != "":
		return ", with a bearer token"
	case k.BasicAuth.Username != "":
		return ", with basic auth"
	case k.TLS.CertFile != "":
		return ", with a client certificate"
	}
	return ""
}
