import java.io.Serializable;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntFunction;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;

/** Keys whose key groups are known, because Flink itself said where they fall. */
final class Keys implements Serializable {
    private static final long serialVersionUID = 1;
    private final int[] keys;
    private final int[] hot;
    private final int hotPercent;
    private int next;

    /**
     * Makes count keys over all key groups. Of a hundred records hotPercent carry the keys at the
     * indexes of hot-key, in turn, the rest go round the keys. asFlinkSees turns a key into what Flink takes the hash of.
     */
    Keys(int maxParallelism, Arguments a, IntFunction<Object> asFlinkSees) {
        this.keys = even(maxParallelism, a.number("keys", 8 * maxParallelism), asFlinkSees);
        this.hot = Arrays.stream(a.text("hot-key", "0").split(",")).mapToInt(i -> keys[Integer.parseInt(i)]).toArray();
        this.hotPercent = a.number("hot-percent", 0);
    }

    /** Returns the key of the n-th record. */
    int of(long n) {
        // 37 is coprime to 100: the hot records come spread out, not as a burst.
        if (n * 37 % 100 < hotPercent) {
            return hot[(int) (n / 100 % hot.length)];
        }
        int key = keys[next];
        next = (next + 1) % keys.length;
        return key;
    }

    /** Returns the key at an index, which is its key group as long as there are as many groups. */
    int at(int index) {
        return keys[index];
    }

    /**
     * Returns keys that fall evenly over all key groups, in the order of their groups, so that a round
     * robin over them loads every key group alike: the key at index g belongs to key group g. Fewer
     * keys than groups are spread over the groups at equal distances.
     */
    private static int[] even(int maxParallelism, int count, IntFunction<Object> asFlinkSees) {
        int[] keys = new int[count];
        Map<Integer, Integer> candidates = new HashMap<>();
        for (int i = 0; i < count; i++) {
            int group = count < maxParallelism ? i * maxParallelism / count : i % maxParallelism;
            int key = candidates.getOrDefault(group, 0);
            while (KeyGroupRangeAssignment.assignToKeyGroup(asFlinkSees.apply(key), maxParallelism) != group) {
                key++;
            }
            keys[i] = key;
            candidates.put(group, key + 1);
        }
        return keys;
    }
}
