package flink

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
)

// memory is one TaskManager's memory, part by part; their sum has to be the
// process size.
func memory() []string {
	return []string{
		"taskmanager.cpu.cores=1",
		"taskmanager.memory.framework.heap.size=100m",
		"taskmanager.memory.task.heap.size=200m",
		"taskmanager.memory.framework.off-heap.size=100m",
		"taskmanager.memory.task.off-heap.size=0m",
		"taskmanager.memory.network.min=64m",
		"taskmanager.memory.network.max=64m",
		"taskmanager.memory.managed.size=128m",
		"taskmanager.memory.jvm-metaspace.size=200m",
		"taskmanager.memory.jvm-overhead.min=192m",
		"taskmanager.memory.jvm-overhead.max=192m",
		"taskmanager.memory.process.size=984m",
	}
}

// jvm returns the options that both kinds of process need on Java 17, where
// Flink 1.15 to 1.17 also reaches into sun.net.util. Temporary files, such as
// the JobManager's web directory, outlive a process that is killed: they go
// where the test removes them.
func jvm(dir, conf string) []string {
	opts := []string{
		"-Djava.io.tmpdir=" + filepath.Join(dir, "tmp"),
		"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx300m", "-XX:MaxDirectMemorySize=300m",
		"-Dlog4j.configurationFile=" + filepath.Join(conf, "log4j2.properties"),
		"--add-exports=java.base/sun.net.util=ALL-UNNAMED",
	}
	for _, pkg := range []string{
		"java.lang", "java.net", "java.io", "java.nio", "sun.nio.ch", "java.lang.reflect", "java.text", "java.time",
		"java.util", "java.util.concurrent", "java.util.concurrent.atomic", "java.util.concurrent.locks",
	} {
		opts = append(opts, "--add-opens=java.base/"+pkg+"=ALL-UNNAMED")
	}
	return opts
}

// ports are the JobManager's two fixed ports: they stay over a restart, so that
// TaskManagers and clients find the new process.
type ports struct{ rest, rpc int }

// writeConf writes Flink's and its logger's configuration into dir/conf and
// returns that directory.
func writeConf(dir string, o Options, p ports) (string, error) {
	conf, checkpoints, tmp := filepath.Join(dir, "conf"), filepath.Join(dir, "checkpoints"), filepath.Join(dir, "tmp")
	for _, made := range []string{conf, checkpoints, tmp} {
		if err := os.MkdirAll(made, 0o755); err != nil {
			return "", err
		}
	}
	name, checkpointKey := "flink-conf.yaml", "state.checkpoints.dir"
	if o.Distribution.major() != "1" {
		name, checkpointKey = "config.yaml", "execution.checkpointing.dir"
	}
	lines := []string{
		"jobmanager.rpc.address: 127.0.0.1",
		fmt.Sprintf("jobmanager.rpc.port: %d", p.rpc),
		"jobmanager.bind-host: 127.0.0.1",
		"jobmanager.memory.process.size: 1200m",
		"rest.address: 127.0.0.1",
		"rest.bind-address: 127.0.0.1",
		fmt.Sprintf("rest.port: %d", p.rest),
		"taskmanager.host: 127.0.0.1",
		"taskmanager.bind-host: 127.0.0.1",
		fmt.Sprintf("taskmanager.numberOfTaskSlots: %d", o.Slots),
		"cluster.evenly-spread-out-slots: true",
		"taskmanager.load-balance.mode: SLOTS",
		"io.tmp.dirs: " + tmp,
		checkpointKey + ": file://" + checkpoints,
	}
	lines = append(append(lines, o.Conf...), "")
	if err := os.WriteFile(filepath.Join(conf, name), []byte(strings.Join(lines, "\n")), 0o644); err != nil {
		return "", err
	}
	return conf, os.WriteFile(filepath.Join(conf, "log4j2.properties"), []byte(logging), 0o644)
}

// logging sends everything from INFO up to standard output.
const logging = `rootLogger.level = INFO
rootLogger.appenderRef.console.ref = Console
appender.console.name = Console
appender.console.type = CONSOLE
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d{HH:mm:ss,SSS} %-5p %-60c %x - %m%n
`

// FreePorts returns n ports of 127.0.0.1 that nothing listens on at the moment.
func FreePorts(n int) ([]int, error) {
	var found []int
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("looking for a free port: %w", err)
		}
		// All are held until the last is found, so that none comes twice.
		defer l.Close()
		found = append(found, l.Addr().(*net.TCPAddr).Port)
	}
	return found, nil
}
