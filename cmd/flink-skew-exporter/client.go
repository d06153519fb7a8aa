package main

import (
	"log/slog"
	"regexp"

	"github.com/flink-skew-exporter/flink-skew-exporter/internal/buildinfo"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/config"
	"github.com/flink-skew-exporter/flink-skew-exporter/restapi"
)

// clientOptions translates a validated configuration of one cluster.
func clientOptions(c *config.Config, k config.Cluster, logger *slog.Logger) restapi.Options {
	addresses := k.Addresses()
	o := restapi.DefaultOptions(k.Name, addresses[0])
	o.Others = addresses[1:]
	o.PollTimeout = c.PollTimeout(k)
	o.RequestTimeout = min(o.RequestTimeout, o.PollTimeout)
	o.Concurrency = c.Poll.Concurrency
	o.MaxResponseBytes = int64(c.Poll.MaxResponseBytes)
	o.WatermarkBudget, o.BacklogBudget = c.Poll.WatermarkBudget, c.Poll.BacklogBudget
	include, exclude := c.Jobs(k)
	o.Include, o.Exclude = pattern(include), pattern(exclude)
	// What the client may skip is what the analysis would call quiet.
	o.ActivityFloor = c.Thresholds.ActivityBusy
	o.Auth = restapi.Auth{
		User:         k.BasicAuth.Username,
		Password:     k.BasicAuth.Password.Reveal(),
		PasswordFile: k.BasicAuth.PasswordFile,
		TokenFile:    k.BearerTokenFile,
	}
	o.TLS = restapi.TLS(k.TLS)
	o.UserAgent = appName + "/" + buildinfo.Read().Version
	o.Logger = logger.With("cluster", k.Name)
	return o
}

// pattern compiles an expression that Validate has accepted; an empty one is none.
func pattern(expression string) *regexp.Regexp {
	if expression == "" {
		return nil
	}
	return regexp.MustCompile(expression)
}
