package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/collector"
	"github.com/flink-skew-exporter/flink-skew-exporter/internal/config"
)

// use makes a configuration the one in use, whole or not at all: it is an error
// when a cluster of it cannot be polled, and then the one before stays.
func (d *daemon) use(c *config.Config) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	next, err := newFinder(c, d.finder, d.o.logger, d.signal)
	if err != nil {
		return err
	}
	found, problems := next.found(c)
	if err := d.fleet.change(c, found); err != nil {
		next.end()
		return err
	}
	if d.probe != nil {
		if err := d.probe.Use(c); err != nil {
			return err // Validate has accepted it.
		}
	}
	if err := d.collector.SetLimits(collector.Mode(c.Collector.Subtasks), c.Collector.SeriesBudget); err != nil {
		return err // Validate has accepted both.
	}
	before := d.finder
	d.config, d.finder, d.read = c, next, time.Now()
	d.tell(problems)
	d.collector.SetDiscovery(next.statuses())
	if d.o.reload != nil {
		d.collector.SetReload(collector.Reload{OK: true, At: d.read})
	}
	if before != nil {
		before.end()
		next.begin()
	}
	return nil
}

// reload reads the configuration again and uses it. What is wrong with it is
// logged and returned; then the one before stays in use.
func (d *daemon) reload() error {
	c, err := d.o.reload()
	if err == nil {
		err = d.use(c)
	}
	if err != nil {
		d.mu.Lock()
		d.collector.SetReload(collector.Reload{OK: false, At: d.read})
		d.mu.Unlock()
		d.o.logger.Error("configuration not reloaded, the one before stays in use", "error", err)
		return err
	}
	d.o.logger.Info("configuration reloaded", "clusters", len(d.fleet.all()))
	return nil
}

// reloader answers /-/reload; nil when there is nothing to reload.
func (d *daemon) reloader() http.Handler {
	if d.o.reload == nil {
		return nil
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !d.o.lifecycle:
			http.Error(w, "reloading by request is off; start with --web.enable-lifecycle, or send SIGHUP", http.StatusForbidden)
		case r.Method != http.MethodPost && r.Method != http.MethodPut:
			w.Header().Set("Allow", "POST, PUT")
			http.Error(w, "reload with POST", http.StatusMethodNotAllowed)
		default:
			if err := d.reload(); err != nil {
				http.Error(w, fmt.Sprintf("configuration not reloaded, the one before stays in use:\n%v", err), http.StatusInternalServerError)
				return
			}
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			fmt.Fprintln(w, "configuration reloaded")
		}
	})
}

// signal tells that a list was read. It never waits: one signal is enough for
// any number of lists.
func (d *daemon) signal() {
	select {
	case d.found <- struct{}{}:
	default:
	}
}

// watch takes over what the sources of targets find, until cleanup.
func (d *daemon) watch(cleanup *closers) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-d.found:
				d.refresh()
			case <-ctx.Done():
				return
			}
		}
	}()
	d.mu.Lock()
	d.finder.begin()
	d.mu.Unlock()
	cleanup.add(func() {
		cancel()
		<-done
		d.mu.Lock()
		defer d.mu.Unlock()
		d.finder.end()
	})
}

// refresh polls what the sources of targets have found.
func (d *daemon) refresh() {
	d.mu.Lock()
	defer d.mu.Unlock()
	found, problems := d.finder.found(d.config)
	d.tell(problems)
	if err := d.fleet.change(d.config, found); err != nil {
		d.o.logger.Error("what was found is not polled", "error", err)
	}
	d.collector.SetDiscovery(d.finder.statuses())
}

// tell logs what is wrong with single targets, each once while it lasts.
func (d *daemon) tell(problems []error) {
	now := map[string]bool{}
	for _, err := range problems {
		text := err.Error()
		if now[text] = true; !d.told[text] {
			d.o.logger.Warn("a target found is no cluster", "error", err)
		}
	}
	d.told = now
}
