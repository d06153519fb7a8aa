import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.FilterFunction;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * A source of which one reader holds the watermark back, --behind-s seconds behind the others or,
 * when that is negative, without ever giving one:
 *
 * <pre>Source: orders source -> parse  =FORWARD=>  stamp  =HASH=>  drop -> sink</pre>
 *
 * <p>Flink hands each reader a part of the numbers. Which reader gets the part that is late is
 * Flink's choice; it is the one on which the vertex behind it shows the late watermark.
 */
public final class EventTimeJob {
    private static final long NUMBERS = 1L << 60;

    private EventTimeJob() {}

    public static void main(String[] args) throws Exception {
        Arguments a = new Arguments(args);
        int readers = a.number("parallelism", 3);
        long behindMillis = a.number("behind-s", 0) * 1_000L;

        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setMaxParallelism(a.number("max-parallelism", 128));
        env.setParallelism(readers);
        env.enableCheckpointing(5_000);

        // The first reader's part ends at NUMBERS / readers.
        WatermarkStrategy<Long> strategy = WatermarkStrategy
                .<Long>forGenerator(context -> new Late(NUMBERS / readers, behindMillis))
                .withTimestampAssigner((n, before) -> System.currentTimeMillis());
        SingleOutputStreamOperator<Long> orders = env
                .fromSource(new NumberSequenceSource(0, NUMBERS), strategy, "orders source")
                .map(new Throttle(Work.waiting(a.number("parse-us", 0)))).returns(Long.class).name("parse");
        orders
                .map(new Throttle(Work.waiting(a.number("stamp-us", 0)))).returns(Long.class).disableChaining().name("stamp")
                .keyBy(n -> n % 1_000)
                .filter(new DropAll(Work.waiting(a.number("stamp-us", 0)))).name("drop")
                .print().name("sink");
        env.execute(a.text("name", "event time"));
    }

    /** Follows the clock, except for numbers below a bound. */
    static final class Late implements WatermarkGenerator<Long> {
        private final long bound;
        private final long behindMillis;
        private boolean late = true;

        Late(long bound, long behindMillis) {
            this.bound = bound;
            this.behindMillis = behindMillis;
        }

        @Override
        public void onEvent(Long n, long timestamp, WatermarkOutput output) {
            late = n < bound;
        }

        @Override
        public void onPeriodicEmit(WatermarkOutput output) {
            if (!late) {
                output.emitWatermark(new Watermark(System.currentTimeMillis()));
            } else if (behindMillis > 0) {
                output.emitWatermark(new Watermark(System.currentTimeMillis() - behindMillis));
            }
        }
    }

    /** Passes on no more than its work allows. */
    static final class Throttle implements MapFunction<Long, Long> {
        private final Work work;

        Throttle(Work work) {
            this.work = work;
        }

        @Override
        public Long map(Long n) {
            work.run();
            return n;
        }
    }

    /** Passes nothing on, so that nothing is printed. */
    static final class DropAll implements FilterFunction<Long> {
        private final Work work;

        DropAll(Work work) {
            this.work = work;
        }

        @Override
        public boolean filter(Long n) {
            work.run();
            return n < 0;
        }
    }
}
