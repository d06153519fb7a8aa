// Package proc runs child processes that cannot outlive the test: each leads a
// process group of its own, which is killed on cleanup, and a guard in that
// group kills it when the test process itself vanishes (a panic in another
// goroutine, go test's own timeout, an interrupt, SIGKILL), where no cleanup
// runs. It must not import other packages of this module.
package proc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Spec says what to run.
type Spec struct {
	// Name is for messages and names the log files.
	Name string
	Path string
	Args []string
	// Env is added to the test's own environment.
	Env []string
	// Logs is the directory for the two output files.
	Logs string
}

// Process is a child that has been started.
type Process struct {
	name           string
	cmd            *exec.Cmd
	guard          *exec.Cmd
	release        func()
	stdout, stderr string
	done           chan struct{}
}

// Start runs s and ends the test when it cannot be started. On cleanup the
// whole process group is killed and, when the test failed, the end of its
// output is logged unless it had ended well by itself.
func Start(t testing.TB, s Spec) *Process {
	t.Helper()
	p := &Process{
		name:   s.Name,
		cmd:    exec.Command(s.Path, s.Args...),
		stdout: filepath.Join(s.Logs, s.Name+".out"),
		stderr: filepath.Join(s.Logs, s.Name+".err"),
		done:   make(chan struct{}),
	}
	p.cmd.Env = append(os.Environ(), s.Env...)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.start(); err != nil {
		t.Fatalf("starting %s (%s): %v", s.Name, s.Path, err)
	}
	t.Cleanup(func() {
		telling := p.Ended() == nil || !p.cmd.ProcessState.Success()
		p.Kill()
		if telling && t.Failed() {
			t.Logf("end of the output of %s:\n%s", p.name, p.tail())
		}
	})
	return p
}

// start opens the output files and starts the child and its guard.
func (p *Process) start() error {
	out, err := os.Create(p.stdout)
	if err != nil {
		return err
	}
	defer out.Close()
	errs, err := os.Create(p.stderr)
	if err != nil {
		return err
	}
	defer errs.Close()
	p.cmd.Stdout, p.cmd.Stderr = out, errs
	if err := p.cmd.Start(); err != nil {
		return err
	}
	go func() {
		_ = p.cmd.Wait()
		close(p.done)
	}()
	return p.watch()
}

// watch starts the guard: a shell in the child's process group that waits for
// the end of its standard input, which comes when this process ends in any
// way, and then kills the group, itself included.
func (p *Process) watch() error {
	p.guard = exec.Command("/bin/sh", "-c", "trap '' INT TERM; cat >/dev/null; kill -KILL 0")
	p.guard.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: p.cmd.Process.Pid}
	in, err := p.guard.StdinPipe()
	if err != nil {
		return err
	}
	p.release = func() { _ = in.Close() }
	if err := p.guard.Start(); err != nil {
		// The group is gone when the child ended before its guard came: nothing is left to guard.
		p.guard, p.release = nil, func() {}
		select {
		case <-p.done:
			return nil
		case <-time.After(5 * time.Second):
			_ = p.cmd.Process.Kill()
			return fmt.Errorf("starting its guard: %w", err)
		}
	}
	return nil
}

// Ended returns an error that says how the child ended, nil while it runs.
func (p *Process) Ended() error {
	select {
	case <-p.done:
		return fmt.Errorf("%s has ended (%v):\n%s", p.name, p.cmd.ProcessState, p.tail())
	default:
		return nil
	}
}

// Wait waits for the child to end by itself and returns its exit code, -1 when
// a signal ended it. It ends the test when the child still runs after the deadline.
func (p *Process) Wait(t testing.TB, deadline time.Duration) int {
	t.Helper()
	select {
	case <-p.done:
		return p.cmd.ProcessState.ExitCode()
	case <-time.After(deadline):
		t.Fatalf("%s still runs after %s:\n%s", p.name, deadline, p.tail())
		return 0
	}
}

// Signal sends a signal to the child alone, not to its group.
func (p *Process) Signal(t testing.TB, s syscall.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		t.Fatalf("sending %s to %s: %v", s, p.name, err)
	}
}

// Throttle lets the child run for only a share of each period, 0–1: the rest of
// it the child is stopped. It goes on until the returned function is called,
// or at the latest until the end of the test.
func (p *Process) Throttle(t testing.TB, share float64, period time.Duration) (release func()) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	running := time.Duration(share * float64(period))
	go func() {
		defer close(stopped)
		for {
			for _, turn := range []struct {
				signal syscall.Signal
				lasts  time.Duration
			}{{syscall.SIGSTOP, period - running}, {syscall.SIGCONT, running}} {
				if p.cmd.Process.Signal(turn.signal) != nil {
					return // It has ended.
				}
				select {
				case <-stop:
					_ = p.cmd.Process.Signal(syscall.SIGCONT)
					return
				case <-time.After(turn.lasts):
				}
			}
		}
	}()
	release = sync.OnceFunc(func() { close(stop); <-stopped })
	t.Cleanup(release)
	return release
}

// Kill kills the process group and waits for its end; it may be called twice.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill()
	<-p.done
	p.release()
	if p.guard != nil {
		// The guard answers the closed input by killing what is left of the group.
		_ = p.guard.Wait()
	}
}

// Stdout returns what the child has written to standard output so far.
func (p *Process) Stdout() []byte { return read(p.stdout) }

// Stderr returns what the child has written to standard error so far.
func (p *Process) Stderr() []byte { return read(p.stderr) }

// read returns a file's content, or the error in its place: it is for people.
func read(path string) []byte {
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return []byte(err.Error())
	}
	return b
}

// tail returns the last lines of both outputs.
func (p *Process) tail() string {
	const lines = 40
	var b strings.Builder
	for _, text := range []string{string(p.Stdout()), string(p.Stderr())} {
		all := strings.SplitAfter(text, "\n")
		b.WriteString(strings.Join(all[max(0, len(all)-lines):], ""))
	}
	return b.String()
}
