package restapi

import (
	"fmt"
	"testing"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

func TestPartitionNames(t *testing.T) {
	for name, want := range map[string]string{
		"Source__o.KafkaSourceReader.topic.t.partition.4.currentOffset":                                 "t/4",
		"Source__o.KafkaSourceReader.topic.a.b.partition.12.committedOffset":                            "a.b/12",
		"Source__o.KafkaSourceReader.topic.a.partition.b.partition.1.currentOffset":                     "a.partition.b/1",
		"Source__o.KafkaConsumer.topic.t.partition.4.currentOffsets":                                    "t/4",
		"Source__o.KafkaSourceReader.KafkaConsumer.partition-lost-latency-max":                          "",
		"Source__o.KafkaSourceReader.KafkaConsumer.assigned-partitions":                                 "",
		"Source__o.KafkaSourceReader.topic.t.partition.x.currentOffset":                                 "",
		"Source__my.topic.t.partition.4.x":                                                              "",
		"Source__pulsar(url__p+ssl_//h)[1] 50%.PulsarConsumer.persistent_//a/b/t-partition-3.c.numAcks": "persistent_//a/b/t/3",
		"Source__k.KinesisStreamsSource.stream.s.shardId.shardId-01.millisBehindLatest":                 "Source__k.KinesisStreamsSource.stream.s/shardId-01",
		"numRecordsIn": "",
	} {
		got, ok := partitionOf(name)
		if ok != (want != "") || (ok && got != want) {
			t.Errorf("%s: %q %v, want %q", name, got, ok, want)
		}
	}
}

func TestPartitionsAreCountedOverTopicsOnce(t *testing.T) {
	var names []string
	add := func(subtask int, topic string, partition int) {
		names = append(names,
			fmt.Sprintf("%d.S.KafkaSourceReader.topic.%s.partition.%d.currentOffset", subtask, topic, partition),
			fmt.Sprintf("%d.S.KafkaSourceReader.topic.%s.partition.%d.committedOffset", subtask, topic, partition))
	}
	for i := range 10 {
		add(i, "a", i)
	}
	for i := range 5 {
		add(10+i, "b", i)
	}
	for i := range 100 {
		names = append(names, fmt.Sprintf("%d.busyTimeMsPerSecond", i))
	}
	o := countPartitions(append(names, "nonsense", "x.y", "-1.z"), 100)
	idle := 0
	for _, n := range o.counts {
		if n == 0 {
			idle++
		}
	}
	if o.total.Or(0) != 15 || idle != 85 || len(o.counts) != 100 {
		t.Errorf("%v partitions, %d of %d readers own none", o.total, idle, len(o.counts))
	}
	if countPartitions([]string{"0.numRecordsIn"}, 1).total.Known() {
		t.Error("a source without such metrics has an unknown number of partitions, not 0")
	}
}

func TestIncompletePartitionNamesAreReadAgain(t *testing.T) {
	f := newFake()
	path := "/jobs/" + jobA + "/vertices/" + source + "/metrics"
	all := f.vertices[0].names
	f.vertices[0].names = nil
	c := fakeClient(t, f, func(o *Options) { o.ActivityFloor = 0 })
	poll := func() analysis.Vertex {
		f.tick()
		return mustPoll(t, c).Jobs[0].Vertices[0]
	}
	if v := poll(); v.Partitions.Known() || v.Subtasks[1].Partitions.Known() {
		t.Errorf("partitions out of an empty list: %+v", v)
	}
	f.vertices[0].names = all[:2]
	if v := poll(); v.Partitions.Or(0) != 1 || v.Subtasks[0].Partitions.Or(0) != 1 || v.Subtasks[1].Partitions.Known() {
		t.Errorf("a reader without any metric is unknown, not idle: %+v", v)
	}
	f.vertices[0].names = all
	if v := poll(); v.Partitions.Or(0) != 2 || v.Subtasks[1].Partitions.Or(-1) != 0 {
		t.Errorf("complete names: %+v", v)
	}
	f.vertices[0].names = append(all, "1.Source__orders.KafkaSourceReader.topic.b.partition.1.currentOffset")
	before := f.count(path)
	for range 98 {
		poll()
	}
	if f.count(path) != before {
		t.Errorf("complete names read %d times more", f.count(path)-before)
	}
	poll()
	if v := poll(); v.Partitions.Or(0) != 3 {
		t.Errorf("a partition discovered later: %v", v.Partitions)
	}
	before = f.count(path)
	f.vertices[0].attempt++
	poll()
	if f.count(path) != before+1 {
		t.Error("new attempts may own other partitions")
	}
}
