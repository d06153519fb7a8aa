import java.nio.charset.StandardCharsets;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.kafka.shaded.org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.Collector;

/**
 * Writes to a Kafka topic, to each partition in turn (--role write), or reads it:
 *
 * <pre>Source: orders topic -> decode  =REBALANCE=>  measure -> sink</pre>
 */
public final class KafkaJob {
    private KafkaJob() {}

    public static void main(String[] args) throws Exception {
        Arguments a = new Arguments(args);
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setMaxParallelism(a.number("max-parallelism", 128));
        env.enableCheckpointing(5_000);
        String brokers = a.text("brokers", "");
        String topic = a.text("topic", "orders");
        if (a.text("role", "read").equals("write")) {
            write(env, brokers, topic, a);
        } else {
            read(env, brokers, topic, a);
        }
        env.execute(a.text("name", "kafka"));
    }

    private static void write(StreamExecutionEnvironment env, String brokers, String topic, Arguments a) {
        int partitions = a.number("partitions", 1);
        KafkaRecordSerializationSchema<Long> round = (n, context, timestamp) -> new ProducerRecord<>(
                topic, (int) (n % partitions), null, Long.toString(n).getBytes(StandardCharsets.UTF_8));
        env.fromSequence(0, 1L << 60).setParallelism(1).name("numbers")
                .map(new Pace(Work.waiting(a.number("write-us", 0)))).returns(Long.class).setParallelism(1).name("pace")
                .sinkTo(KafkaSink.<Long>builder().setBootstrapServers(brokers).setRecordSerializer(round).build())
                .setParallelism(1).name("topic");
    }

    private static void read(StreamExecutionEnvironment env, String brokers, String topic, Arguments a) {
        int readers = a.number("parallelism", 1);
        KafkaSource<String> source = KafkaSource.<String>builder()
                .setBootstrapServers(brokers).setTopics(topic).setGroupId(a.text("name", "kafka"))
                .setStartingOffsets(OffsetsInitializer.earliest())
                .setValueOnlyDeserializer(new SimpleStringSchema())
                .build();
        env.fromSource(source, WatermarkStrategy.noWatermarks(), "orders topic").setParallelism(readers)
                .map(new Decode(Work.waiting(a.number("decode-us", 0)))).setParallelism(readers).name("decode")
                .rebalance()
                .flatMap(new DropAll()).setParallelism(2).name("measure")
                .print().setParallelism(2).name("sink");
    }

    /** Passes numbers on no faster than its work allows. */
    static final class Pace implements MapFunction<Long, Long> {
        private final Work work;

        Pace(Work work) {
            this.work = work;
        }

        @Override
        public Long map(Long n) {
            work.run();
            return n;
        }
    }

    /** Turns text into numbers, at a price. */
    static final class Decode implements MapFunction<String, Long> {
        private final Work work;

        Decode(Work work) {
            this.work = work;
        }

        @Override
        public Long map(String text) {
            work.run();
            return Long.parseLong(text);
        }
    }

    /** Passes nothing on, so that nothing is printed. */
    static final class DropAll implements FlatMapFunction<Long, String> {
        @Override
        public void flatMap(Long n, Collector<String> out) {
            if (n < 0) {
                out.collect(Long.toString(n));
            }
        }
    }
}
