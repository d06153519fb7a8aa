package flink

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
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
	// startAttempts is how often a process is started that ends at once.
	startAttempts = 3
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
	// Conf are further lines of Flink's configuration.
	Conf []string
	// Jars are further parts of the class path.
	Jars []string
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
	if c.conf, err = writeConf(dir, o, c.ports); err != nil {
		t.Fatalf("writing Flink's configuration: %v", err)
	}
	c.StartJobManager()
	for i := range o.TaskManagers {
		c.startTaskManager(i)
	}
	c.AwaitSlots(t)
	return c
}

// startTaskManager starts the i-th worker and waits until it has registered. One
// after the other: a process gives up when its actor system is not up within
// 10 s, and three that start at once on a busy host keep each other from it.
// What gave up for that is started again.
func (c *Cluster) startTaskManager(i int) {
	c.owner.Helper()
	args := []string{"-D", "taskmanager.resource-id=" + taskManagerID(i)}
	for _, m := range memory() {
		args = append(args, "-D", m)
	}
	start := func(attempt int) *proc.Process {
		return c.java(fmt.Sprintf("%s-%d", taskManagerID(i), attempt), "org.apache.flink.runtime.taskexecutor.TaskManagerRunner", args...)
	}
	attempt := 1
	c.taskManagers = append(c.taskManagers, start(attempt))
	await.Until(c.owner, startDeadline, taskManagerID(i)+" to register", func() error {
		if err := c.taskManagers[i].Ended(); err != nil && attempt < startAttempts {
			attempt++
			c.taskManagers[i] = start(attempt)
		}
		return c.registered(i + 1)
	})
}

// registered returns an error unless so many TaskManagers have registered.
func (c *Cluster) registered(want int) error {
	if err := c.ended(); err != nil {
		return await.Hopeless(err)
	}
	var o struct {
		TaskManagers int `json:"taskmanagers"`
	}
	if err := c.get("/overview", &o); err != nil {
		return err
	}
	if o.TaskManagers != want {
		return fmt.Errorf("%d of %d TaskManagers have registered", o.TaskManagers, want)
	}
	return nil
}

// java starts one JVM with the release's class path.
func (c *Cluster) java(name, class string, args ...string) *proc.Process {
	c.owner.Helper()
	line := append(jvm(c.dir, c.conf), "-cp", c.options.classpath(), class, "-c", c.conf)
	return proc.Start(c.owner, proc.Spec{Name: name, Path: "java", Args: append(line, args...), Logs: c.dir})
}

// classpath is that of the cluster's processes.
func (o Options) classpath() string {
	return strings.Join(append([]string{o.Distribution.Classpath()}, o.Jars...), string(os.PathListSeparator))
}

// taskManagerID is the name of the i-th TaskManager, in the REST API too.
func taskManagerID(i int) string { return fmt.Sprintf("taskmanager-%d", i) }

// TaskManager returns the process of the TaskManager that the REST API calls id.
func (c *Cluster) TaskManager(t testing.TB, id string) *proc.Process {
	t.Helper()
	for i, p := range c.taskManagers {
		if taskManagerID(i) == id {
			return p
		}
	}
	t.Fatalf("no TaskManager is called %q", id)
	return nil
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
// KillJobManager, and waits until it answers; the new one listens where the old
// one did and knows no jobs. One that gives up is started again, as workers are.
func (c *Cluster) StartJobManager() {
	c.owner.Helper()
	start := func() *proc.Process {
		c.starts++
		return c.java(fmt.Sprintf("jobmanager-%d", c.starts), "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint")
	}
	last := c.starts + startAttempts
	c.jobManager = start()
	await.Until(c.owner, startDeadline, "the JobManager to answer", func() error {
		if err := c.jobManager.Ended(); err != nil {
			if c.starts >= last {
				return await.Hopeless(err)
			}
			c.jobManager = start()
		}
		return c.get("/overview", nil)
	})
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
