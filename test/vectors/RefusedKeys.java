import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Prints what keyBy says to keys whose hashCode is that of the object, not of what it holds. */
public final class RefusedKeys {
    enum Colour { RED }

    static final class NoHashCode {
        public int x;
        public NoHashCode() {}
    }

    public static void main(String[] args) {
        tell("byte[]", new TypeHint<byte[]>() {}, v -> new byte[0]);
        tell("int[]", new TypeHint<int[]>() {}, v -> new int[0]);
        tell("String[]", new TypeHint<String[]>() {}, v -> new String[0]);
        tell("Tuple2<byte[],Long>", new TypeHint<Tuple2<byte[], Long>>() {}, v -> Tuple2.of(new byte[0], v));
        tell("enum", new TypeHint<Colour>() {}, v -> Colour.RED);
        tell("a class without hashCode", new TypeHint<NoHashCode>() {}, v -> new NoHashCode());
        tell("Tuple2<String,Long>", new TypeHint<Tuple2<String, Long>>() {}, v -> Tuple2.of("", v));
    }

    private static <K> void tell(String name, TypeHint<K> hint, KeySelector<Long, K> selector) {
        try {
            StreamExecutionEnvironment.getExecutionEnvironment().fromSequence(0, 1)
                .keyBy(selector, TypeInformation.of(hint));
            System.out.println(name + ": accepted");
        } catch (RuntimeException e) {
            System.out.println(name + ": " + e);
        }
    }
}
