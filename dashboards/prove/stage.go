package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// stage is the servers that the proof brings along.
type stage struct {
	options       options
	folder        string
	children      map[string]*exec.Cmd
	exporterURL   string
	prometheusURL string
}

// unreachable is the configuration of an exporter that reaches nothing: port 1
// refuses.
const unreachable = `clusters:
  - name: demo-unreachable
    url: http://127.0.0.1:1
`

// openStage starts the exporters.
func openStage(ctx context.Context, o options) (*stage, error) {
	folder, err := os.MkdirTemp("", "dashboards-stage-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the stage: %w", err)
	}
	s := &stage{options: o, folder: folder, children: map[string]*exec.Cmd{}}
	ports, err := freePorts(ctx, 3)
	if err != nil {
		s.close()
		return nil, err
	}
	address := func(i int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(ports[i])) }
	s.exporterURL, s.prometheusURL = "http://"+address(0), "http://"+address(2)
	demo := []string{"demo", "--web.listen-address=" + address(0), "--poll.interval=5s"}
	if o.jobs > 0 {
		demo = []string{
			"demo", "--web.listen-address=" + address(0), "--poll.interval=1m", "--collector.top=1",
			fmt.Sprintf("--jobs=%d", o.jobs), fmt.Sprintf("--parallelism=%d", o.parallelism),
		}
	}
	config := filepath.Join(folder, "unreachable.yml")
	err = os.WriteFile(config, []byte(unreachable), 0o600)
	if err == nil {
		err = s.start(ctx, "demo", o.exporter, demo...)
	}
	if err == nil {
		err = s.start(ctx, "serve", o.exporter, "serve", "--config.file="+config, "--web.listen-address="+address(1), "--poll.interval=5s")
	}
	if err == nil {
		err = s.configure(address(0), address(1))
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *stage) configure(targets ...string) error {
	text := fmt.Sprintf("global: {scrape_interval: %s, scrape_timeout: %s, evaluation_interval: 1m}\nscrape_configs:\n  - job_name: flink-skew-exporter\n    static_configs: [{targets: ['%s', '%s']}]\n",
		s.options.scrape, s.options.scrape, targets[0], targets[1])
	if err := os.WriteFile(filepath.Join(s.folder, "prometheus.yml"), []byte(text), 0o600); err != nil {
		return fmt.Errorf("configure Prometheus: %w", err)
	}
	return nil
}

// start runs a server until the stage closes; its output goes to a file.
func (s *stage) start(ctx context.Context, name, binary string, args ...string) error {
	out, err := os.Create(filepath.Join(s.folder, name+".log"))
	if err != nil {
		return fmt.Errorf("keep the output of %s: %w", name, err)
	}
	defer func() { _ = out.Close() }()
	cmd := exec.CommandContext(context.WithoutCancel(ctx), binary, args...)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", name, err)
	}
	s.children[name] = cmd
	return nil
}

// close ends the servers and takes away their files.
func (s *stage) close() {
	for _, c := range s.children {
		_ = c.Process.Signal(syscall.SIGTERM)
		_ = c.Wait()
	}
	_ = os.RemoveAll(s.folder)
}

// play lets the demo find its verdicts, writes its history, and lets
// Prometheus scrape for the time range.
func (s *stage) play(ctx context.Context) error {
	if err := s.answers(ctx, s.exporterURL+"/-/ready"); err != nil {
		return err
	}
	data := filepath.Join(s.folder, "data")
	if s.options.jobs == 0 {
		if err := pause(ctx, 40*time.Second); err != nil {
			return err
		}
		if err := s.remember(ctx, data); err != nil {
			return err
		}
	}
	address := s.prometheusURL[len("http://"):]
	err := s.start(ctx, "prometheus", s.options.prometheus, "--config.file="+filepath.Join(s.folder, "prometheus.yml"),
		"--storage.tsdb.path="+data, "--storage.tsdb.retention.time=90d", "--web.listen-address="+address)
	if err != nil {
		return err
	}
	if err := s.answers(ctx, s.prometheusURL+"/-/ready"); err != nil {
		return err
	}
	if err := pause(ctx, s.options.span/2); err != nil {
		return err
	}
	// One exporter restarts, which the exporter's dashboard marks.
	if err := s.restart(ctx, "serve"); err != nil {
		return err
	}
	return pause(ctx, s.options.span/2+s.options.scrape)
}

// restart ends a server and starts it anew.
func (s *stage) restart(ctx context.Context, name string) error {
	c := s.children[name]
	_ = c.Process.Signal(syscall.SIGTERM)
	_ = c.Wait()
	return s.start(ctx, name, c.Path, c.Args[1:]...)
}

// answers waits for a server to answer 200, a minute at most.
func (s *stage) answers(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		}
		if err := pause(ctx, 200*time.Millisecond); err != nil {
			return fmt.Errorf("%s does not answer: %w; %s", url, err, s.said())
		}
	}
}

// said is how the output of the servers ends, for an error.
func (s *stage) said() string {
	var parts []string
	for name := range s.children {
		raw, err := os.ReadFile(filepath.Join(s.folder, name+".log"))
		if err != nil {
			continue
		}
		const tail = 400
		parts = append(parts, name+" said: "+string(raw[max(0, len(raw)-tail):]))
	}
	return strings.Join(parts, "\n")
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// freePorts returns ports that nobody listened on a moment ago.
func freePorts(ctx context.Context, n int) ([]int, error) {
	var ports []int
	for range n {
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("find a free port: %w", err)
		}
		defer func() { _ = l.Close() }()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}
