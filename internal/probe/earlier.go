package probe

import (
	"context"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// Snapshot polls with a deadline that is early by a little: what a source has
// when its time is up is still worth judging and sending.
func (e earlier) Snapshot(ctx context.Context) (analysis.Snapshot, error) {
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, end.Add(-early))
		defer cancel()
	}
	return e.Source.Snapshot(ctx)
}
