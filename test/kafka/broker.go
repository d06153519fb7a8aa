package kafka

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/flink-skew-exporter/flink-skew-exporter/test/await"
	"github.com/flink-skew-exporter/flink-skew-exporter/test/proc"
)

// deadline is for the slowest machine that should still pass: a start takes
// about 5 s on two idle cores.
const deadline = 3 * time.Minute

// Options says what broker to start.
type Options struct {
	// Classpath is that of the broker's jars.
	Classpath string
	// Port is for clients, ControllerPort for the broker's other half.
	Port, ControllerPort int
	// Partitions is what a topic gets that is made by writing to it.
	Partitions int
}

// Broker is a running broker.
type Broker struct {
	*proc.Process
	address, logs string
}

// Start starts a broker and waits until it can be reached. It is stopped on
// cleanup.
func Start(t testing.TB, o Options) *Broker {
	t.Helper()
	dir := t.TempDir()
	b := &Broker{address: fmt.Sprintf("127.0.0.1:%d", o.Port), logs: filepath.Join(dir, "logs")}
	properties := filepath.Join(dir, "server.properties")
	if err := os.WriteFile(properties, []byte(b.configuration(o)), 0o644); err != nil {
		t.Fatalf("writing Kafka's configuration: %v", err)
	}
	java := func(name, class string, args ...string) *proc.Process {
		line := append([]string{"-Xmx400m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", o.Classpath, class}, args...)
		return proc.Start(t, proc.Spec{Name: name, Path: "java", Args: line, Logs: dir})
	}
	id := make([]byte, 16)
	_, _ = rand.Read(id) // It cannot fail (crypto/rand, Go 1.24).
	// Words that begin with a dash would be options.
	cluster := "k" + base64.RawURLEncoding.EncodeToString(id)[1:]
	format := java("kafka-format", "kafka.tools.StorageTool", "format", "--cluster-id", cluster, "--config", properties)
	if code := format.Wait(t, deadline); code != 0 {
		t.Fatalf("formatting Kafka's storage: %v", format.Ended())
	}
	b.Process = java("kafka", "kafka.Kafka", properties)
	await.Until(t, deadline, "the broker at "+b.address, func() error {
		if err := b.Ended(); err != nil {
			return await.Hopeless(err)
		}
		c, err := net.DialTimeout("tcp", b.address, time.Second)
		if err != nil {
			return err
		}
		return c.Close()
	})
	return b
}

// configuration is the broker's server.properties.
func (b *Broker) configuration(o Options) string {
	return strings.Join([]string{
		"process.roles=broker,controller",
		"node.id=1",
		fmt.Sprintf("controller.quorum.voters=1@127.0.0.1:%d", o.ControllerPort),
		fmt.Sprintf("listeners=PLAINTEXT://%s,CONTROLLER://127.0.0.1:%d", b.address, o.ControllerPort),
		"advertised.listeners=PLAINTEXT://" + b.address,
		"controller.listener.names=CONTROLLER",
		"listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
		"log.dirs=" + b.logs,
		fmt.Sprintf("num.partitions=%d", o.Partitions),
		"offsets.topic.replication.factor=1",
		"offsets.topic.num.partitions=1",
		"transaction.state.log.replication.factor=1",
		"transaction.state.log.min.isr=1",
		"group.initial.rebalance.delay.ms=0",
		"",
	}, "\n")
}

// Address returns what clients connect to.
func (b *Broker) Address() string { return b.address }

// AwaitTopic waits until all partitions of a topic have been written to.
func (b *Broker) AwaitTopic(t testing.TB, topic string, partitions int) {
	t.Helper()
	await.Until(t, deadline, "topic "+topic, func() error {
		if err := b.Ended(); err != nil {
			return await.Hopeless(err)
		}
		for i := range partitions {
			segment := filepath.Join(b.logs, fmt.Sprintf("%s-%d", topic, i), "00000000000000000000.log")
			info, err := os.Stat(segment)
			if err != nil {
				return err
			}
			if info.Size() == 0 {
				return fmt.Errorf("partition %d is empty", i)
			}
		}
		return nil
	})
}
