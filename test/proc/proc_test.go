package proc

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/test/await"
)

// endless is a child that ignores polite signals and has a child of its own.
func endless(t *testing.T, logs string) *Process {
	return Start(t, Spec{
		Name: "endless", Path: "/bin/sh", Logs: logs,
		Args: []string{"-c", "trap '' INT TERM; sleep 1000 & echo $! $$; wait; wait"},
	})
}

// alive reports whether a process exists and is more than a zombie's entry.
func alive(pid int) bool {
	if err := syscall.Kill(pid, 0); errors.Is(err, syscall.ESRCH) {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

// pids waits for the two process ids that endless prints.
func pids(t *testing.T, output func() []byte) []int {
	t.Helper()
	var found []int
	await.Until(t, time.Minute, "two process ids", func() error {
		found = nil
		for _, word := range strings.Fields(string(output())) {
			if pid, err := strconv.Atoi(word); err == nil {
				found = append(found, pid)
			}
		}
		if len(found) != 2 {
			return errors.New("not printed yet")
		}
		return nil
	})
	return found
}

// awaitGone waits until none of the processes lives.
func awaitGone(t *testing.T, pids []int) {
	t.Helper()
	await.Until(t, time.Minute, "the end of the children", func() error {
		for _, pid := range pids {
			if alive(pid) {
				return errors.New("process " + strconv.Itoa(pid) + " lives")
			}
		}
		return nil
	})
}

func TestKillEndsTheWholeGroup(t *testing.T) {
	p := endless(t, t.TempDir())
	both := pids(t, p.Stdout)
	p.Kill()
	awaitGone(t, both)
	if p.Ended() == nil {
		t.Error("Ended says that a killed process runs")
	}
}

func TestExitCodeAndOutput(t *testing.T) {
	p := Start(t, Spec{Name: "short", Path: "/bin/sh", Args: []string{"-c", "echo out; echo err >&2; exit 3"}, Logs: t.TempDir()})
	if code := p.Wait(t, time.Minute); code != 3 {
		t.Errorf("exit code %d, want 3", code)
	}
	if out, errs := string(p.Stdout()), string(p.Stderr()); out != "out\n" || errs != "err\n" {
		t.Errorf("output %q and %q", out, errs)
	}
}

// helper is set in the process that TestGuard starts from this test's binary.
const helper = "PROC_TEST_LOGS"

// TestGuard lets a copy of the test start a child and then vanish without any
// cleanup, as it does when a test panics in another goroutine.
func TestGuard(t *testing.T) {
	if logs := os.Getenv(helper); logs != "" {
		p := endless(t, logs)
		pids(t, p.Stdout)
		os.Exit(0)
	}
	logs := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestGuard$")
	cmd.Env = append(os.Environ(), helper+"="+logs)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("running the copy: %v\n%s", err, out)
	}
	awaitGone(t, pids(t, func() []byte { return read(logs + "/endless.out") }))
}

// state returns the letter that /proc gives to a process: T for a stopped one.
func state(t *testing.T, pid int) string {
	t.Helper()
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return rest[:1]
}

// TestThrottle: the child is stopped and runs in turn, and runs on when it is
// let go in the midst of a stop.
func TestThrottle(t *testing.T) {
	p := Start(t, Spec{Name: "sleeper", Path: "/bin/sleep", Args: []string{"1000"}, Logs: t.TempDir()})
	pid := p.cmd.Process.Pid
	release := p.Throttle(t, 0.5, 20*time.Millisecond)
	for _, want := range []bool{true, false, true} {
		await.Until(t, time.Minute, "the child to change", func() error {
			if stopped := state(t, pid) == "T"; stopped != want {
				return errors.New("it has not")
			}
			return nil
		})
	}
	release()
	await.Until(t, time.Minute, "the child to run on", func() error {
		if state(t, pid) == "T" {
			return errors.New("it is stopped")
		}
		return nil
	})
}

// TestCPU: what a child computes is counted as time that it ran.
func TestCPU(t *testing.T) {
	p := Start(t, Spec{Name: "spinner", Path: "/bin/sh", Args: []string{"-c", "while :; do :; done"}, Logs: t.TempDir()})
	before := p.CPU(t)
	await.Until(t, time.Minute, "half a second of CPU", func() error {
		if got := p.CPU(t).Minus(before); got.Ran < 0.5 || !(got.Share() > 0 && got.Share() <= 1) {
			return errors.New("not yet")
		}
		return nil
	})
}
