package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/restapi/flinksim"
)

// checkpointEvery is the jobs' checkpoint interval; details are read once a checkpoint.
const checkpointEvery = 3 * time.Minute

// simulate serves as many clusters as s says, each under a prefix of its own,
// until standard input ends, and prints the address first. They answer from one
// simulation, as the simulator is not what is measured; the exporter cannot
// tell, and the machine is left to it.
func simulate(ctx context.Context, s size, out io.Writer) error {
	cluster := flinksim.Load(s.jobs, s.vertices, s.parallelism)
	for i := range cluster.Jobs {
		cluster.Jobs[i].CheckpointEvery = checkpointEvery
	}
	sim, err := flinksim.New(cluster, time.Now)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	for i := range s.clusters {
		prefix := fmt.Sprintf("/c%d", i)
		mux.Handle(prefix+"/", http.StripPrefix(prefix, sim))
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = server.Close()
	}()
	if _, err := fmt.Fprintf(out, "http://%s\n", l.Addr()); err != nil {
		return err
	}
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
