package collector

import (
	"context"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// Source gives the snapshot of one cluster. The REST client and a tape
// implement it; so do the fakes of tests.
//
// An error means that nothing is known, which is not the same as a cluster
// without jobs. If the error has a method Reason() string, that reason (from a
// closed set, safe as a label) is exported; else the reason is "other".
type Source interface {
	Snapshot(ctx context.Context) (analysis.Snapshot, error)
}
