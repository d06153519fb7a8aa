module github.com/flink-skew-exporter/flink-skew-exporter

go 1.26.0
