package main

import (
	"context"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// signalLimit is what a program may take to end after a signal.
const signalLimit = 5 * time.Second

// TestSignalsEndMidPoll starts the program as a process against a server that
// takes requests and never answers, and signals while a request is under way.
func TestSignalsEndMidPoll(t *testing.T) {
	for name, c := range map[string]struct {
		args   []string
		signal os.Signal
		code   int
	}{
		"serve SIGTERM":  {[]string{"serve", "--web.listen-address=127.0.0.1:0"}, syscall.SIGTERM, exitOK},
		"serve SIGINT":   {[]string{"serve", "--web.listen-address=127.0.0.1:0"}, os.Interrupt, exitOK},
		"diagnose":       {[]string{"diagnose"}, os.Interrupt, exitFailed},
		"record SIGTERM": {[]string{"record", "--out=x.jsonl.gz"}, syscall.SIGTERM, exitFailed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := make(chan struct{}, 1024)
			url := answering(t, func(_ http.ResponseWriter, r *http.Request) {
				asked <- struct{}{}
				<-r.Context().Done()
			})
			dir := t.TempDir()
			var stderr strings.Builder
			cmd := exec.CommandContext(t.Context(), os.Args[0], append(c.args, "--flink.url", url)...)
			cmd.Env = append(os.Environ(), runMain+"=1")
			cmd.Dir, cmd.Stderr = dir, &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			select {
			case <-asked:
			case err := <-ended:
				t.Fatalf("ended before it asked: %v: %s", err, stderr.String())
			}
			if err := cmd.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			limit, cancel := context.WithTimeout(t.Context(), signalLimit)
			defer cancel()
			var err error
			select {
			case err = <-ended:
			case <-limit.Done():
				_ = cmd.Process.Kill()
				<-ended
				t.Fatalf("still running %v after %v: %s", signalLimit, c.signal, stderr.String())
			}
			code := 0
			var exit *exec.ExitError
			if errors.As(err, &exit) {
				code = exit.ExitCode()
			}
			if code != c.code {
				t.Errorf("exit code %d, want %d: %s", code, c.code, stderr.String())
			}
			if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v %v", left, err)
			}
		})
	}
}
