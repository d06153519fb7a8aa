package test

import (
	"testing"

	"github.com/flink-skew-exporter/flink-skew-exporter/test/flink"
	"github.com/flink-skew-exporter/flink-skew-exporter/test/jobs"
	"github.com/flink-skew-exporter/flink-skew-exporter/test/kafka"
)

// partitions is how many the topic has.
const partitions = 5

// hasConnector reports whether there is a Kafka connector for the release.
func hasConnector(d flink.Distribution) bool { return kafka.Connector(d.Version) != "" }

// testKafka reads a topic of a real broker with more readers than it has
// partitions, and with fewer that do not divide them.
func (s suite) testKafka(t *testing.T) {
	cache, err := flink.CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	brokerJars, err := kafka.InstallBroker(t.Context(), cache)
	if err != nil {
		t.Fatal(err)
	}
	connector, err := kafka.InstallConnector(t.Context(), cache, kafka.Connector(s.flink.Version))
	if err != nil {
		t.Fatal(err)
	}
	ports, err := flink.FreePorts(2)
	if err != nil {
		t.Fatal(err)
	}
	broker := kafka.Start(t, kafka.Options{Classpath: brokerJars, Port: ports[0], ControllerPort: ports[1], Partitions: partitions})
	s.jar, err = jobs.BuildKafka(s.flink.Classpath()+":"+connector, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := s.start(t, flink.Options{TaskManagers: 2, Slots: 8, Jars: []string{connector}})

	writer := jobs.Writer(broker.Address())
	ids := b.run(t, []jobs.Scenario{writer})
	broker.AwaitTopic(t, "orders", partitions)
	scenarios := jobs.OnTopic(broker.Address(), nil)
	ids = append(b.run(t, scenarios), ids...)
	idle := b.cluster.AwaitIdle(t, ids[0], jobs.Topic, scenarios[0].Parallelism-partitions)
	scenarios = jobs.OnTopic(broker.Address(), idle)
	b.judge(t, scenarios)
	b.end(t, append(scenarios, writer), ids)
}
