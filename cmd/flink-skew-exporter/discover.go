package main

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"sync"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/collector"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/config"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/discovery"
)

// reader is a source of clusters.
type reader interface {
	Name() string
	Read(ctx context.Context) ([]discovery.Cluster, error)
}

// targetSource is one source of clusters and the last good list it gave.
type targetSource struct {
	reader reader
	every  time.Duration
	module string
	// made is the part of the configuration it is from.
	made any

	mu     sync.Mutex
	tried  bool
	last   []discovery.Cluster
	status collector.Discovery
	failed string // the error last logged
}

// finder reads the sources of one configuration, over and over.
type finder struct {
	sources []*targetSource
	logger  *slog.Logger
	// changed is called after every attempt; it must not wait.
	changed func()
	cancel  context.CancelFunc
	reading sync.WaitGroup
}

// newFinder makes the sources of a configuration. Those that were there before
// keep their last good lists.
func newFinder(c *config.Config, before *finder, logger *slog.Logger, changed func()) (*finder, error) {
	f := &finder{logger: logger, changed: changed}
	for _, s := range c.FileSD {
		f.add(before, &targetSource{reader: discovery.Files{Patterns: s.Files}, every: s.Every(), module: s.Module, made: s})
	}
	for i, s := range c.HTTPSD {
		r, err := discovery.NewHTTP(discovery.HTTPOptions{
			URL: s.URL, User: s.BasicAuth.Username, Password: s.BasicAuth.Password.Reveal(), PasswordFile: s.BasicAuth.PasswordFile,
			BearerTokenFile: s.BearerTokenFile, CAFile: s.TLS.CAFile, CertFile: s.TLS.CertFile, KeyFile: s.TLS.KeyFile,
			ServerName: s.TLS.ServerName, InsecureSkipVerify: s.TLS.InsecureSkipVerify,
		})
		if err != nil {
			return nil, usagef("http_sd_configs[%d]: %w", i, err)
		}
		f.add(before, &targetSource{reader: r, every: s.Every(), module: s.Module, made: s})
	}
	return f, nil
}

func (f *finder) add(before *finder, s *targetSource) {
	s.status.Source = s.reader.Name()
	if before != nil {
		for _, old := range before.sources {
			if reflect.DeepEqual(old.made, s.made) {
				old.mu.Lock()
				s.tried, s.last, s.status, s.failed = old.tried, old.last, old.status, old.failed
				old.mu.Unlock()
			}
		}
	}
	f.sources = append(f.sources, s)
}

// begin reads every source at once and then at its interval. Once is enough.
func (f *finder) begin() {
	if f.cancel != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	f.cancel = cancel
	for _, s := range f.sources {
		f.reading.Go(func() {
			ticker := time.NewTicker(s.every)
			defer ticker.Stop()
			for {
				s.read(ctx, f.logger)
				if ctx.Err() != nil {
					return
				}
				f.changed()
				select {
				case <-ticker.C:
				case <-ctx.Done():
					return
				}
			}
		})
	}
}

// end stops to read.
func (f *finder) end() {
	if f.cancel == nil {
		return
	}
	f.cancel()
	f.reading.Wait()
	for _, s := range f.sources {
		if c, ok := s.reader.(interface{ Close() }); ok {
			c.Close()
		}
	}
}

// read reads the list once. One that cannot be had, or that is empty, leaves
// the last good one in use.
func (s *targetSource) read(ctx context.Context, logger *slog.Logger) {
	list, err := s.reader.Read(ctx)
	if ctx.Err() != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tried = true
	if err != nil {
		s.status.Failures++
		if text := err.Error(); text != s.failed {
			s.failed = text
			logger.Warn("no list of targets to use, the last good one stays", "targets", len(s.last), "error", err)
		}
		return
	}
	if s.failed != "" {
		logger.Info("list of targets is good again", "source", s.status.Source)
	}
	s.last, s.failed = list, ""
	s.status.Targets, s.status.At = len(list), time.Now()
}

// found returns the clusters of all lists, as the configuration has it. Those
// that cannot be clusters are left out, and why is returned.
func (f *finder) found(c *config.Config) (all []config.Cluster, problems []error) {
	for _, s := range f.sources {
		s.mu.Lock()
		list := s.last
		s.mu.Unlock()
		for _, target := range list {
			module := target.Module
			if module == "" {
				module = s.module
			}
			k, err := c.Discovered(target.Name, target.Addresses, module)
			if err != nil {
				problems = append(problems, fmt.Errorf("%s: %w", s.status.Source, err))
				continue
			}
			all = append(all, k)
		}
	}
	return all, problems
}

// statuses returns what is known of every source.
func (f *finder) statuses() []collector.Discovery {
	all := make([]collector.Discovery, len(f.sources))
	for i, s := range f.sources {
		s.mu.Lock()
		all[i] = s.status
		s.mu.Unlock()
	}
	return all
}

// waiting names the sources that have not been read yet, well or badly.
func (f *finder) waiting() []string {
	var names []string
	for _, s := range f.sources {
		s.mu.Lock()
		if !s.tried {
			names = append(names, s.status.Source)
		}
		s.mu.Unlock()
	}
	return names
}
