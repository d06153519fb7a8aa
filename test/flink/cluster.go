package flink

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/test/await"
	"github.com/flink-skew-exporter/flink-skew-exporter/test/proc"
)

// Deadlines are for the slowest machine that should still pass: a start takes
// about 10 s on two idle cores.
const (
	startDeadline = 3 * time.Minute
	callDeadline  = time.Minute
	// frozenAfter is a silence that no living JobManager keeps: it answers in milliseconds.
	frozenAfter = 5 * time.Second
)

// Options says what cluster to start.
type Options struct {
	Distribution Distribution
	// TaskManagers is the number of worker processes, about 500 MB each in use.
	TaskManagers int
	// Slots is the number of task slots of each.
	Slots int
}

// Cluster is a running session cluster.
type Cluster struct {
	options Options
	// owner is the test whose end is the end of the processes.
	owner testing.TB
	conf  string
	// dir holds logs, configuration and temporary files.
	dir    string
	ports  ports
	starts int
	// jobManager and taskManagers are the living processes.
	jobManager   *proc.Process
	taskManagers []*proc.Process
}

// Start starts a cluster and waits until all of its slots are there. It is
// stopped on cleanup.
func Start(t testing.TB, o Options) *Cluster {
	t.Helper()
	dir := t.TempDir()
	free, err := FreePorts(2)
	if err != nil {
		t.Fatal(err)
	}
	c := &Cluster{options: o, owner: t, dir: dir, ports: ports{rest: free[0], rpc: free[1]}}
	if c.conf, err = writeConf(dir, o.Distribution, c.ports, o.Slots); err != nil {
		t.Fatalf("writing Flink's configuration: %v", err)
	}
	c.StartJobManager()
	for i := range o.TaskManagers {
		var args []string
		for _, m := range memory() {
			args = append(args, "-D", m)
		}
		c.taskManagers = append(c.taskManagers, c.java(fmt.Sprintf("taskmanager-%d", i),
			"org.apache.flink.runtime.taskexecutor.TaskManagerRunner", args...))
	}
	c.AwaitSlots(t)
	return c
}

// java starts one JVM with the release's class path.
func (c *Cluster) java(name, class string, args ...string) *proc.Process {
	c.owner.Helper()
	line := append(jvm(c.dir, c.conf), "-cp", c.options.Distribution.Classpath(), class, "-c", c.conf)
	return proc.Start(c.owner, proc.Spec{Name: name, Path: "java", Args: append(line, args...), Logs: c.dir})
}

// URL returns the address of the REST API.
func (c *Cluster) URL() string { return fmt.Sprintf("http://127.0.0.1:%d", c.ports.rest) }

// Version returns the Flink version that runs.
func (c *Cluster) Version() string { return c.options.Distribution.Version }

// TaskManagers returns the number of worker processes.
func (c *Cluster) TaskManagers() int { return c.options.TaskManagers }

// Slots returns the number of task slots of all workers together.
func (c *Cluster) Slots() int { return c.options.TaskManagers * c.options.Slots }

// StartJobManager starts the JobManager, the first time or again after
// KillJobManager; the new one listens where the old one did and knows no jobs.
func (c *Cluster) StartJobManager() {
	c.owner.Helper()
	c.starts++
	c.jobManager = c.java(fmt.Sprintf("jobmanager-%d", c.starts),
		"org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint")
}

// KillJobManager ends the JobManager as a crash would.
func (c *Cluster) KillJobManager() { c.jobManager.Kill() }

// FreezeJobManager stops the JobManager in its tracks: the kernel still accepts
// connections for it, and nobody ever answers. It returns when that can be seen.
func (c *Cluster) FreezeJobManager(t testing.TB) {
	t.Helper()
	c.jobManager.Signal(t, syscall.SIGSTOP)
	await.Until(t, callDeadline, "the JobManager to freeze", func() error {
		probe := http.Client{Timeout: frozenAfter}
		resp, err := probe.Get(c.URL() + "/overview")
		if err == nil {
			resp.Body.Close()
			return errors.New("it still answers")
		}
		if !os.IsTimeout(err) {
			return err
		}
		return nil
	})
}

// ThawJobManager lets a frozen JobManager go on.
func (c *Cluster) ThawJobManager(t testing.TB) { c.jobManager.Signal(t, syscall.SIGCONT) }

// AwaitSlots waits until every TaskManager has registered and no slot is taken.
func (c *Cluster) AwaitSlots(t testing.TB) {
	t.Helper()
	want := c.Slots()
	await.Until(t, startDeadline, fmt.Sprintf("%d free slots", want), func() error {
		if err := c.ended(); err != nil {
			return await.Hopeless(err)
		}
		var o struct {
			Free int `json:"slots-available"`
		}
		if err := c.get("/overview", &o); err != nil {
			return err
		}
		if o.Free != want {
			return fmt.Errorf("%d slots are free", o.Free)
		}
		return nil
	})
}

// ended returns an error when a process of the cluster has died.
func (c *Cluster) ended() error {
	for _, p := range append([]*proc.Process{c.jobManager}, c.taskManagers...) {
		if err := p.Ended(); err != nil {
			return err
		}
	}
	return nil
}
