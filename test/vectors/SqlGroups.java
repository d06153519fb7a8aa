import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.typeutils.RowTypeInfo;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.Table;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;

/**
 * Runs a SQL aggregate over the keys of a file of vectors and holds the subtask
 * that each falls to against the file's key group. With 128 subtasks and as many
 * key groups the two are the same number.
 */
public final class SqlGroups {
    private static final int GROUPS = 128;
    private static final String[] TYPES = {
        "string", "int", "bigint", "boolean", "double", "float", "date", "timestamp(3)", "timestamp(6)", "decimal(10,2)",
        "decimal(38,10)", "smallint", "tinyint", "timestamp(9)", "timestamp(0)", "string,bigint", "string,string", "bigint,string,double,date",
        "timestamp(6),string,decimal(38,10),boolean",
    };

    public static void main(String[] args) throws Exception {
        List<String> lines = Files.readAllLines(Path.of(args[0]));
        int wrong = 0;
        String[] types = args.length > 1 ? Arrays.copyOfRange(args, 1, args.length) : TYPES;
        for (String type : types) {
            wrong += check(type.split(",(?![0-9])"), "sql(" + type + ")", lines);
        }
        if (wrong > 0) {
            throw new IllegalStateException(wrong + " keys fell to another subtask than to that of their group");
        }
    }

    private static int check(String[] types, String name, List<String> lines) throws Exception {
        Configuration conf = new Configuration();
        conf.setString("taskmanager.memory.network.max", "512mb");
        conf.setString("taskmanager.memory.network.min", "512mb");
        StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment(GROUPS, conf);
        env.setMaxParallelism(GROUPS);
        StreamTableEnvironment sql = StreamTableEnvironment.create(env);

        List<Row> rows = new ArrayList<>();
        Map<Integer, Integer> groups = new HashMap<>();
        for (int n = 0; n < lines.size(); n++) {
            String[] columns = lines.get(n).split("\t");
            if (!columns[0].equals(name)) {
                continue;
            }
            Row row = new Row(types.length + 1);
            List<String> texts = texts(columns[4]);
            row.setField(0, n);
            for (int f = 0; f < types.length; f++) {
                row.setField(f + 1, texts.get(f));
            }
            rows.add(row);
            groups.put(n, Integer.parseInt(columns[2]));
        }
        TypeInformation<?>[] infos = new TypeInformation<?>[types.length + 1];
        String[] names = new String[types.length + 1];
        StringBuilder casts = new StringBuilder(), keys = new StringBuilder();
        for (int f = 0; f <= types.length; f++) {
            infos[f] = f == 0 ? Types.INT : Types.STRING;
            names[f] = f == 0 ? "n" : "t" + f;
            if (f > 0) {
                casts.append(", CAST(t" + f + " AS " + types[f - 1] + ") AS k" + f);
                keys.append(f == 1 ? "k" : ", k").append(f);
            }
        }
        DataStream<Row> input = env.fromCollection(rows, new RowTypeInfo(infos, names)).setParallelism(1);
        sql.createTemporaryView("texts", input);
        // CAST does not read NaN and infinity, so that these keys are left out.
        Table grouped = sql.sqlQuery("SELECT MIN(n) AS n, COUNT(*) AS c FROM (SELECT n" + casts
            + " FROM texts WHERE COALESCE(t1, '') NOT IN ('NaN', 'Infinity', '-Infinity')) GROUP BY " + keys);
        DataStream<String> seen = sql.toChangelogStream(grouped).map(new Subtask());
        int right = 0, wrong = 0;
        try (CloseableIterator<String> it = seen.executeAndCollect()) {
            while (it.hasNext()) {
                String[] at = it.next().split(" ");
                if (groups.get(Integer.parseInt(at[0])) == Integer.parseInt(at[1])) {
                    right++;
                } else {
                    wrong++;
                    System.out.println(name + ": " + lines.get(Integer.parseInt(at[0])) + " is in subtask " + at[1]);
                }
            }
        }
        System.out.println(name + ": " + right + " right, " + wrong + " wrong");
        return wrong;
    }

    /** Names the subtask it is chained to. */
    private static final class Subtask extends RichMapFunction<Row, String> {
        @Override
        public String map(Row row) throws Exception {
            Object at = getRuntimeContext();
            try {
                at = RuntimeContext.class.getMethod("getTaskInfo").invoke(at); // from Flink 1.19
            } catch (NoSuchMethodException before) {
                return row.getField(0) + " " + RuntimeContext.class.getMethod("getIndexOfThisSubtask").invoke(at);
            }
            return row.getField(0) + " " + ((TaskInfo) at).getIndexOfThisSubtask();
        }
    }

    /** Reads a JSON array of texts and nulls as KeyVectors writes it. */
    private static List<String> texts(String json) {
        List<String> all = new ArrayList<>();
        for (int i = 1; i < json.length() - 1; i++) {
            if (json.charAt(i) == 'n') {
                all.add(null);
                i += 4;
                continue;
            }
            StringBuilder b = new StringBuilder();
            for (i++; json.charAt(i) != '"'; i++) {
                if (json.charAt(i) == '\\') {
                    b.append((char) Integer.parseInt(json.substring(i + 2, i + 6), 16));
                    i += 5;
                } else {
                    b.append(json.charAt(i));
                }
            }
            all.add(b.toString());
            i++;
        }
        return all;
    }
}
