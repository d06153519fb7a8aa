package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/restapi/flinksim"
)

// interval is the simulated time between two polls. The cluster's clock stands
// still in between, so that every poll finds new numbers, and checkpoints
// complete as often as they would at this interval.
const interval = 15 * time.Second

// checkpointEvery is the jobs' checkpoint interval; details are read once a checkpoint.
const checkpointEvery = 3 * time.Minute

// advancePath is asked, beside Flink's own API, to let an interval pass.
const advancePath = "/bench/advance"

// simulate serves a cluster of so many jobs until standard input ends, and
// prints its address first.
func simulate(ctx context.Context, jobs int, out io.Writer) error {
	began := time.Now()
	var passed atomic.Int64
	cluster := flinksim.Load(jobs, verticesPerJob, parallelism)
	for i := range cluster.Jobs {
		cluster.Jobs[i].CheckpointEvery = checkpointEvery
	}
	sim, err := flinksim.New(cluster, func() time.Time {
		return began.Add(time.Duration(passed.Load()))
	})
	if err != nil {
		return err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/", sim)
	mux.HandleFunc(advancePath, func(w http.ResponseWriter, _ *http.Request) {
		passed.Add(int64(interval))
		_, _ = io.WriteString(w, "{}")
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = server.Close()
	}()
	if _, err := fmt.Fprintf(out, "http://%s\n", l.Addr()); err != nil {
		return err
	}
	if err := server.Serve(l); err != http.ErrServerClosed {
		return err
	}
	return nil
}
