import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
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

        Keys keys = new Keys(maxParallelism, a, Integer::valueOf);
        Enrich enrich = new Enrich();
        enrich.work = a.number("call-us", 0) > 0
                ? Work.calls(a.number("call-us", 0))
                : Work.of(a.number("enrich-us", 0), a.number("enrich-cpu-us", 0));
        enrich.costlyKey = keys.at(a.number("costly-key", 0));
        enrich.costly = Work.waiting(a.number("costly-us", 0));
        enrich.failAfterMillis = a.number("fail-after-ms", 0);
        Work format = Work.of(a.number("format-us", 0), a.number("format-cpu-us", 0));

        DataStream<Order> orders = env
                .fromSequence(0, 1L << 60).setParallelism(1).name("orders source")
                .map(new Parse(keys, Work.waiting(a.number("parse-us", 0)))).setParallelism(1).name("parse");
        orders
                .keyBy(o -> o.customer)
                .process(enrich).setParallelism(enrichers).name("enrich & count: by(customer), v2.1")
                .rebalance()
                .flatMap(new Format(format)).setParallelism(sinks).name("format")
                .print().setParallelism(sinks).name("warehouse sink");
        env.execute(a.text("name", "skew"));
    }

    /** What the job passes on; public fields make it a POJO that Flink serializes by itself. */
    public static final class Order {
        public int customer;
        public long amount;
        public String note;
    }

    /** Turns numbers into orders. */
    static final class Parse implements MapFunction<Long, Order> {
        // The note makes a record about 200 bytes, so that buffers hold few and back pressure builds up in seconds.
        private static final String NOTE = "n".repeat(180);
        private final Keys keys;
        private final Work work;

        Parse(Keys keys, Work work) {
            this.keys = keys;
            this.work = work;
        }

        @Override
        public Order map(Long n) {
            work.run();
            Order o = new Order();
            o.customer = keys.of(n);
            o.amount = n;
            o.note = NOTE;
            return o;
        }
    }

    /** Counts orders by customer in keyed state; its work is what makes the vertex the slow one. */
    static final class Enrich extends KeyedProcessFunction<Integer, Order, Order> {
        private Work work;
        private int costlyKey;
        private Work costly;
        private int failAfterMillis;
        private transient ValueState<Long> count;
        private transient long firstNanos;

        @Override
        public void processElement(Order o, Context context, Collector<Order> out) throws Exception {
            if (count == null) {
                count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Long.class));
                firstNanos = System.nanoTime();
            }
            Long before = count.value();
            count.update(before == null ? 1 : before + 1);
            work.run();
            if (o.customer == costlyKey) {
                costly.run();
            }
            if (failAfterMillis > 0 && System.nanoTime() - firstNanos > failAfterMillis * 1_000_000L) {
                throw new IllegalStateException("fails on purpose after " + failAfterMillis + " ms");
            }
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
}
