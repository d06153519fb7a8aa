import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.functions.AggregateFunction;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.IntType;

/**
 * An aggregate in Flink SQL whose key is hot, in one phase or, with --mini-batch N, in two:
 *
 * <pre>Source: orders source -> parse  =REBALANCE=>  decode -> (local aggregate)  =HASH=>  aggregate -> totals</pre>
 */
public final class SqlJob {
    // Decoders are few and no source: what they combine can be counted by their records in and out.
    private static final int DECODERS = 2;

    private SqlJob() {}

    public static void main(String[] args) throws Exception {
        Arguments a = new Arguments(args);
        int maxParallelism = a.number("max-parallelism", 128);
        int miniBatch = a.number("mini-batch", 0);

        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setMaxParallelism(maxParallelism);
        env.setParallelism(a.number("parallelism", 4));
        env.enableCheckpointing(5_000);
        StreamTableEnvironment table = StreamTableEnvironment.create(env);
        table.getConfig().set("pipeline.name", a.text("name", "sql"));
        if (miniBatch > 0) {
            table.getConfig().set("table.exec.mini-batch.enabled", "true");
            table.getConfig().set("table.exec.mini-batch.allow-latency", "1 s");
            table.getConfig().set("table.exec.mini-batch.size", Integer.toString(miniBatch));
            table.getConfig().set("table.optimizer.agg-phase-strategy", "TWO_PHASE");
        }

        // SQL takes the hash of a binary row that holds the columns of GROUP BY.
        RowDataSerializer row = new RowDataSerializer(new IntType());
        Keys keys = new Keys(maxParallelism, a, key -> row.toBinaryRow(GenericRowData.of(key)).copy());
        DataStream<Order> orders = env
                .fromSequence(0, 1L << 60).setParallelism(1).name("orders source")
                .map(new Parse(keys)).setParallelism(1).name("parse")
                .rebalance()
                .map(o -> o).returns(Order.class).setParallelism(DECODERS).name("decode");
        table.createTemporaryView("orders", table.fromDataStream(orders));
        table.createTemporarySystemFunction("slow_sum",
                new SlowSum(Work.waiting(a.number("accumulate-us", 0)), Work.waiting(a.number("merge-us", 0))));
        table.executeSql("CREATE TABLE totals (customer INT, amount BIGINT) WITH ('connector' = 'blackhole')");
        table.executeSql("INSERT INTO totals SELECT customer, slow_sum(amount) FROM orders GROUP BY customer");
    }

    /** A row of the table; public fields make it a POJO. */
    public static final class Order {
        public int customer;
        public long amount;
        public String note;
    }

    /** Turns numbers into orders. */
    static final class Parse implements MapFunction<Long, Order> {
        private static final String NOTE = "n".repeat(180);
        private final Keys keys;

        Parse(Keys keys) {
            this.keys = keys;
        }

        @Override
        public Order map(Long n) {
            Order o = new Order();
            o.customer = keys.of(n);
            o.amount = n;
            o.note = NOTE;
            return o;
        }
    }

    /** The accumulator of SlowSum. */
    public static final class Sum {
        public long sum;
    }

    /** A sum that takes its time for each value, and for each partial sum that it merges. */
    public static final class SlowSum extends AggregateFunction<Long, Sum> {
        private final Work accumulate;
        private final Work merge;

        SlowSum(Work accumulate, Work merge) {
            this.accumulate = accumulate;
            this.merge = merge;
        }

        @Override
        public Sum createAccumulator() {
            return new Sum();
        }

        /** Called by generated code, for each row. */
        public void accumulate(Sum sum, Long value) {
            accumulate.run();
            sum.sum += value;
        }

        /** Called by generated code, for each partial sum. */
        public void merge(Sum sum, Iterable<Sum> others) {
            for (Sum other : others) {
                merge.run();
                sum.sum += other.sum;
            }
        }

        @Override
        public Long getValue(Sum sum) {
            return sum.sum;
        }
    }
}
