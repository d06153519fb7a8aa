package report

import (
	"fmt"
)

// idleReaders: readers of a source that own no partition.
func idleReaders(f facts) Words {
	who, plural := f.who()
	n, known := f.v.Partitions.Get()
	head := fmt.Sprintf("%s %s no partition", who, verb(plural, "owns", "own"))
	if len(f.j.Subtasks) == 0 {
		head = "Some readers own no partition"
	}
	if known {
		head += fmt.Sprintf(": there %s %s for %s", verb(n != 1, "is", "are"), count(int(n), "partition"), count(f.v.Parallelism, "reader"))
	}
	_, others := f.split()
	head += clause(first(f.measure("busy_readers"), f.now(mean(others, busyOf))), "; the readers that own one are %s busy on average", percent)
	w := Words{Summary: []string{head + ".", "More readers will not help: a partition is read by one reader at a time."}}
	back := len(f.j.Subtasks)
	if known && n >= 1 && int(n) < f.v.Parallelism {
		w.Do = append(w.Do, fmt.Sprintf("Lower the source's parallelism to %d (%s), or give the topic at least %s.", int(n), f.back(f.v.Parallelism-int(n)), count(f.v.Parallelism, "partition")))
	} else if back > 0 {
		w.Do = append(w.Do, fmt.Sprintf("Lower the source's parallelism by %d, or give the topic more partitions.", back))
	} else {
		w.Do = append(w.Do, "Lower the source's parallelism to the number of partitions, or give the topic more.")
	}
	w.Do = append(w.Do, "Until then set withIdleness on the watermark strategy, so that readers without a partition do not hold back the watermark.")
	w.Dont = []string{"Add readers or slots to the source.", "Chain heavy work to the source: it inherits the idle readers; rebalance before it."}
	return w
}

// hotPartition: readers own alike, and one gets far more.
func hotPartition(f facts) Words {
	who, plural := f.who()
	about, _ := f.split()
	head := fmt.Sprintf("%s %s no more partitions than the others, yet %s far more records", who, verb(plural, "owns", "own"), verb(plural, "reads", "read"))
	if hot, average, ok := f.pair("records_hot", "records_mean", f.now(mean(about, f.records)), f.now(f.recordsSignal().Mean)); ok {
		head = fmt.Sprintf("%s %s no more partitions than the others, yet %s %s records/s where the mean is %s", who, verb(plural, "owns", "own"),
			verb(plural, "reads", "read"), rate(hot), rate(average))
	}
	return Words{
		Summary: []string{head + clause(f.busyMax(), "; the busiest is %s busy", percent) + ".",
			"More readers will not help: the hot partition keeps one reader."},
		Do: []string{"Look at how the producer chooses partitions: one key that dominates, a constant key, or a partitioner that sticks; spread that key or leave the key out.",
			"Compare the partitions' rates at the broker to find the hot one."},
		Dont: []string{"Add readers or slots to the source.", "Add partitions before the producer is mended: the dominating key still goes to one of them."},
	}
}
