// Package kafka runs a real Apache Kafka broker on this machine, one process
// that is broker and controller (KRaft, KIP-500), on 127.0.0.1. Broker and
// Flink's connector come from Maven. It must not import anything of the product.
//
// A broker without scripts is two classes: kafka.tools.StorageTool writes the
// identity of the cluster into an empty log directory, kafka.Kafka is the broker.
package kafka
