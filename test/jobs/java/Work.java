import java.util.concurrent.locks.LockSupport;

/**
 * What one record costs. Waiting costs time without CPU, so that many subtasks can be saturated
 * on two cores; spinning costs a fixed number of CPU steps, however long the host takes for them.
 */
final class Work implements java.io.Serializable {
    private static final long serialVersionUID = 2;
    // Parking is not exact below a millisecond or so: cost is saved up, and what a park overshot is a credit.
    private static final long PARK_NANOS = 2_000_000;
    // A step takes about 1 ns on a free core.
    private static final int STEPS_PER_MICRO = 1_000;
    private final long nanos;
    private final long steps;
    private final boolean credit;
    private long debt;
    private long random = 88172645463325252L;

    private Work(int waitMicros, int cpuMicros, boolean credit) {
        this.nanos = waitMicros * 1_000L;
        this.steps = (long) cpuMicros * STEPS_PER_MICRO;
        this.credit = credit;
    }

    /** Returns work that waits, exactly on the average whatever the host does. */
    static Work waiting(int micros) {
        return new Work(micros, 0, true);
    }

    /** Returns work that waits, computes, or does both in turn. */
    static Work of(int waitMicros, int cpuMicros) {
        return new Work(waitMicros, cpuMicros, true);
    }

    /**
     * Returns work that waits for one call a record, of at least two milliseconds: a process that is
     * slow takes longer for each, and gets nothing back for it.
     */
    static Work calls(int micros) {
        return new Work(micros, 0, false);
    }

    void run() {
        for (long i = 0; i < steps; i++) {
            random ^= random << 13;
            random ^= random >>> 7;
            random ^= random << 17;
        }
        debt += nanos;
        while (debt >= PARK_NANOS) {
            long from = System.nanoTime();
            LockSupport.parkNanos(debt);
            debt -= System.nanoTime() - from;
            if (!credit && debt < PARK_NANOS) {
                debt = 0;
            }
        }
    }
}
