import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * A job with exactly one trouble, chosen by its arguments:
 *
 * <pre>Source: orders source -> parse  =HASH=>  enrich & count: by(customer), v2.1  =REBALANCE=>  format -> warehouse sink</pre>
 *
 * <p>Only API that Flink 1.15 to 2.3 share is used: no SourceFunction (gone in 2.0), no
 * OpenContext and no getTaskInfo (missing before 1.19), no open(Configuration) (gone in 2.0).
 */
public final class SkewJob {
    private SkewJob() {}

    public static void main(String[] args) throws Exception {
        Arguments a = new Arguments(args);
        int maxParallelism = a.number("max-parallelism", 128);
        int enrichers = a.number("parallelism", 4);
        int sinks = a.number("sinks", enrichers);

        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setMaxParallelism(maxParallelism);
        env.enableCheckpointing(5_000);

        int[] keys = evenKeys(maxParallelism, a.number("keys", 8 * maxParallelism));
        Work parse = new Work(a.number("parse-us", 0), 0);
        Work enrich = new Work(a.number("enrich-us", 0), a.number("enrich-cpu-us", 0));
        Work format = new Work(a.number("format-us", 0), 0);

        DataStream<Order> orders = env
                .fromSequence(0, 1L << 60).setParallelism(1).name("orders source")
                .map(new Parse(keys, keys[a.number("hot-key", 0)], a.number("hot-percent", 0), parse)).setParallelism(1).name("parse");
        orders
                .keyBy(o -> o.customer)
                .process(new Enrich(enrich)).setParallelism(enrichers).name("enrich & count: by(customer), v2.1")
                .rebalance()
                .flatMap(new Format(format)).setParallelism(sinks).name("format")
                .print().setParallelism(sinks).name("warehouse sink");
        env.execute(a.text("name", "skew"));
    }

    /**
     * Returns keys that fall evenly over all key groups, in the order of their groups, so that a round
     * robin over them loads every key group alike: the key at index g belongs to key group g. Fewer
     * keys than groups are spread over the groups at equal distances.
     */
    static int[] evenKeys(int maxParallelism, int count) {
        int[] keys = new int[count];
        Map<Integer, Integer> candidates = new HashMap<>();
        for (int i = 0; i < count; i++) {
            int group = count < maxParallelism ? i * maxParallelism / count : i % maxParallelism;
            int key = candidates.getOrDefault(group, 0);
            while (KeyGroupRangeAssignment.assignToKeyGroup(key, maxParallelism) != group) {
                key++;
            }
            keys[i] = key;
            candidates.put(group, key + 1);
        }
        return keys;
    }

    /** What the job passes on; public fields make it a POJO that Flink serializes by itself. */
    public static final class Order {
        public int customer;
        public long amount;
        public String note;
    }

    /** Turns numbers into orders: hotPercent of a hundred carry one key, the rest go round the keys. */
    static final class Parse implements MapFunction<Long, Order> {
        // The note makes a record about 200 bytes, so that buffers hold few and back pressure builds up in seconds.
        private static final String NOTE = "n".repeat(180);
        private final int[] keys;
        private final int hotKey;
        private final int hotPercent;
        private final Work work;
        private int next;

        Parse(int[] keys, int hotKey, int hotPercent, Work work) {
            this.keys = keys;
            this.hotKey = hotKey;
            this.hotPercent = hotPercent;
            this.work = work;
        }

        @Override
        public Order map(Long n) {
            work.run();
            Order o = new Order();
            // 37 is coprime to 100: the hot records come spread out, not as a burst.
            if (n * 37 % 100 < hotPercent) {
                o.customer = hotKey;
            } else {
                o.customer = keys[next];
                next = (next + 1) % keys.length;
            }
            o.amount = n;
            o.note = NOTE;
            return o;
        }
    }

    /** Counts orders by customer in keyed state; its work is what makes the vertex the slow one. */
    static final class Enrich extends KeyedProcessFunction<Integer, Order, Order> {
        private final Work work;
        private transient ValueState<Long> count;

        Enrich(Work work) {
            this.work = work;
        }

        @Override
        public void processElement(Order o, Context context, Collector<Order> out) throws Exception {
            if (count == null) {
                count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Long.class));
            }
            Long before = count.value();
            count.update(before == null ? 1 : before + 1);
            work.run();
            out.collect(o);
        }
    }

    /** Stands before the sink and passes nothing on, so that nothing is printed. */
    static final class Format implements FlatMapFunction<Order, String> {
        private final Work work;

        Format(Work work) {
            this.work = work;
        }

        @Override
        public void flatMap(Order o, Collector<String> out) {
            work.run();
            if (o.amount < 0) {
                out.collect(o.note);
            }
        }
    }

    /**
     * What one record costs. Waiting costs time without CPU, so that many subtasks can be saturated
     * on two cores; spinning costs a fixed number of CPU steps, however long the host takes for them.
     */
    static final class Work implements java.io.Serializable {
        private static final long serialVersionUID = 1;
        // Parking is not exact below a millisecond or so: cost is saved up, and what a park overshot is a credit.
        private static final long PARK_NANOS = 2_000_000;
        // A step takes about 1 ns on a free core.
        private static final int STEPS_PER_MICRO = 1_000;
        private final long nanos;
        private final long steps;
        private long debt;
        private long random = 88172645463325252L;

        Work(int waitMicros, int cpuMicros) {
            this.nanos = waitMicros * 1_000L;
            this.steps = (long) cpuMicros * STEPS_PER_MICRO;
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
            }
        }
    }

    /** Arguments of the form --name value. */
    static final class Arguments {
        private final Map<String, String> values = new HashMap<>();

        Arguments(String[] args) {
            for (int i = 0; i + 1 < args.length; i += 2) {
                values.put(args[i].substring("--".length()), args[i + 1]);
            }
        }

        int number(String name, int otherwise) {
            return values.containsKey(name) ? Integer.parseInt(values.get(name)) : otherwise;
        }

        String text(String name, String otherwise) {
            return values.getOrDefault(name, otherwise);
        }
    }
}
