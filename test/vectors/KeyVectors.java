import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;

import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.tuple.Tuple;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.writer.BinaryRowWriter;
import org.apache.flink.table.data.writer.BinaryWriter;
import org.apache.flink.table.runtime.typeutils.InternalSerializers;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.LocalZonedTimestampType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.utils.LogicalTypeParser;

/**
 * Prints keys with their hash and key group as Flink computes them, one a line:
 * type, hash, key group of 128, key group of 720 and the key's fields as a JSON
 * array of texts and nulls, separated by tabs. The same on every run.
 */
public final class KeyVectors {
    private static final Random RANDOM = new Random(20240229);

    private static final String[] JAVA_TYPES = {
        "string", "long", "int", "short", "byte", "boolean", "double", "float", "char", "uuid",
        "tuple(string)", "tuple(string,long)", "tuple(int,double,boolean)",
        "tuple(uuid,short,byte,char,float)", "tuple(long,tuple(string,int))",
    };

    private static final String[] SQL_TYPES = {
        "string", "varchar(20)", "char(3)", "int", "bigint", "smallint", "tinyint", "boolean",
        "double", "float", "date", "time(3)", "timestamp(0)", "timestamp(3)", "timestamp(6)", "timestamp(9)",
        "timestamp_ltz(3)", "timestamp_ltz(6)", "decimal(10,2)", "decimal(18,0)", "decimal(38,10)", "bytes",
        "string,bigint", "int,int", "string,string", "bigint,string,double,date",
        "timestamp(6),string,decimal(38,10),boolean", "bytes,timestamp_ltz(9),string",
    };

    public static void main(String[] args) throws Exception {
        for (String type : JAVA_TYPES) {
            for (int i = 0; i < 200; i++) {
                List<String> texts = new ArrayList<>();
                print(type, java(type, i, texts), texts);
            }
        }
        for (String type : SQL_TYPES) {
            sql(type.split(",(?![0-9])"), "sql(" + type + ")", 200);
        }
        // So many fields that the bits of nulls take more than one word.
        String[] wide = new String[70];
        for (int i = 0; i < wide.length; i++) {
            wide[i] = i % 3 == 0 ? "string" : "int";
        }
        sql(wide, "sql(" + String.join(",", wide) + ")", 10);
    }

    private static void print(String type, Object key, List<String> texts) {
        System.out.println(type + "\t" + key.hashCode() + "\t" + KeyGroupRangeAssignment.assignToKeyGroup(key, 128)
            + "\t" + KeyGroupRangeAssignment.assignToKeyGroup(key, 720) + "\t" + json(texts));
    }

    /** The i-th key of a Java type; its text, or its fields' texts, are added to texts. */
    private static Object java(String type, int i, List<String> texts) {
        if (type.startsWith("tuple(")) {
            List<String> fields = split(type.substring(6, type.length() - 1));
            Tuple t = Tuple.newInstance(fields.size());
            for (int f = 0; f < fields.size(); f++) {
                t.setField(java(fields.get(f), i < 20 ? RANDOM.nextInt(20) : i, texts), f);
            }
            return t;
        }
        Object v = scalar(type, i);
        texts.add(v.toString());
        return v;
    }

    /** Splits at the commas outside parentheses. */
    private static List<String> split(String s) {
        List<String> parts = new ArrayList<>();
        int depth = 0, from = 0;
        for (int i = 0; i <= s.length(); i++) {
            char c = i < s.length() ? s.charAt(i) : ',';
            depth += c == '(' ? 1 : c == ')' ? -1 : 0;
            if (c == ',' && depth == 0) {
                parts.add(s.substring(from, i));
                from = i + 1;
            }
        }
        return parts;
    }

    private static Object scalar(String type, int i) {
        long[] ends = {0, 1, -1, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 32, -(1L << 32), Integer.MIN_VALUE, 42};
        long number = i < ends.length ? ends[i] : RANDOM.nextLong() >> RANDOM.nextInt(64);
        switch (type) {
            case "string": return text(i);
            case "long": return number;
            case "int": return i == 4 ? Integer.MAX_VALUE : i == 3 ? Integer.MIN_VALUE : (int) number;
            case "short": return i == 4 ? Short.MAX_VALUE : i == 3 ? Short.MIN_VALUE : (short) number;
            case "byte": return i == 4 ? Byte.MAX_VALUE : i == 3 ? Byte.MIN_VALUE : (byte) number;
            case "boolean": return i % 2 == 0;
            case "double": {
                double[] special = {0.0, -0.0, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY,
                    Double.MIN_VALUE, Double.MAX_VALUE, 1, -1.5, 0.1, 1e21};
                return i < special.length ? special[i] : i % 2 == 0 ? RANDOM.nextGaussian() * 1000
                    : canonical(Double.longBitsToDouble(RANDOM.nextLong()));
            }
            case "float": {
                float[] special = {0f, -0f, Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY,
                    Float.MIN_VALUE, Float.MAX_VALUE, 1, -1.5f, 0.1f, 1e21f};
                return i < special.length ? special[i] : i % 2 == 0 ? (float) RANDOM.nextGaussian() * 1000
                    : canonical(Float.intBitsToFloat(RANDOM.nextInt()));
            }
            case "char": {
                char c = (char) (i < 128 ? i : RANDOM.nextInt(0xd800));
                return c;
            }
            case "uuid": return i == 0 ? new UUID(0, 0) : i == 1 ? new UUID(-1, -1) : new UUID(RANDOM.nextLong(), RANDOM.nextLong());
            default: throw new IllegalArgumentException(type);
        }
    }

    /** Text knows one NaN, so that the others are left out. */
    private static double canonical(double d) { return Double.isNaN(d) ? Double.NaN : d; }

    private static float canonical(float f) { return Float.isNaN(f) ? Float.NaN : f; }

    /** Texts around the length that a row stores in place, of one to four bytes a character. */
    private static String text(int i) {
        String[] special = {"", "a", " ", "customer-4711", "1234567", "12345678", "\u0000", "null", "a\"b\\c\td\n",
            "\u00e4\u00f6\u00fc\u00df", "\u65e5\u672c\u8a9e", "\ud83d\ude00", "x\ud83d\ude00\ud83c\uddea\ud83c\uddfa", "polygenelubricants",
            "\u20ac\u20ac7", "\u00e9\u00e9\u00e9\u00e9", "\uffff", "\ufffd", "\udbff\udfff"};
        if (i < special.length) {
            return special[i];
        }
        int length = i % 40 == 0 ? 200 + RANDOM.nextInt(200) : RANDOM.nextInt(i % 3 == 0 ? 40 : 10);
        StringBuilder b = new StringBuilder();
        while (b.length() < length) {
            switch (i % 4) {
                case 0: b.append((char) ('a' + RANDOM.nextInt(26))); break;
                case 1: b.append((char) (' ' + RANDOM.nextInt(95))); break;
                case 2: b.append((char) RANDOM.nextInt(0xd800)); break;
                default: b.appendCodePoint(0x10000 + RANDOM.nextInt(0x100000));
            }
        }
        return b.toString();
    }

    /** Prints rows of a key as SQL's operators build them. */
    private static void sql(String[] names, String type, int rows) {
        LogicalType[] types = new LogicalType[names.length];
        for (int f = 0; f < names.length; f++) {
            types[f] = LogicalTypeParser.parse(names[f], KeyVectors.class.getClassLoader());
        }
        TypeSerializer<?>[] serializers = new TypeSerializer<?>[types.length];
        for (int f = 0; f < types.length; f++) {
            serializers[f] = InternalSerializers.create(types[f]);
        }
        BinaryRowData row = new BinaryRowData(types.length);
        BinaryRowWriter writer = new BinaryRowWriter(row);
        for (int i = 0; i < rows; i++) {
            List<String> texts = new ArrayList<>();
            writer.reset();
            for (int f = 0; f < types.length; f++) {
                int which = types.length > 1 && i < 20 ? RANDOM.nextInt(20) : i;
                if (i == 19 || types.length > 1 && RANDOM.nextInt(10) == 0) {
                    texts.add(null);
                    writeNull(writer, f, types[f]);
                } else {
                    BinaryWriter.write(writer, f, internal(types[f], which, texts), types[f], serializers[f]);
                }
            }
            writer.complete();
            print(type, row, texts);
        }
    }

    /**
     * Writes a null as the planner's generated projections do, which make the rows
     * of keys: a type that may later be set in place keeps its room in the row.
     * RowDataSerializer.toBinaryRow would not keep it, and the hash would differ.
     */
    private static void writeNull(BinaryRowWriter writer, int f, LogicalType type) {
        if (type instanceof DecimalType && ((DecimalType) type).getPrecision() > 18) {
            writer.writeDecimal(f, null, ((DecimalType) type).getPrecision());
        } else if (type instanceof TimestampType && ((TimestampType) type).getPrecision() > 3) {
            writer.writeTimestamp(f, null, ((TimestampType) type).getPrecision());
        } else if (type instanceof LocalZonedTimestampType && ((LocalZonedTimestampType) type).getPrecision() > 3) {
            writer.writeTimestamp(f, null, ((LocalZonedTimestampType) type).getPrecision());
        } else {
            writer.setNullAt(f);
        }
    }

    private static Object internal(LogicalType type, int i, List<String> texts) {
        switch (type.getTypeRoot()) {
            case CHAR:
            case VARCHAR: return StringData.fromString(add(texts, text(i)));
            case BOOLEAN: return add(texts, scalar("boolean", i));
            case TINYINT: return add(texts, scalar("byte", i));
            case SMALLINT: return add(texts, scalar("short", i));
            case INTEGER: return add(texts, scalar("int", i));
            case BIGINT: return add(texts, scalar("long", i));
            case FLOAT: return add(texts, scalar("float", i));
            case DOUBLE: return add(texts, scalar("double", i));
            case VARBINARY: {
                byte[] bytes = new byte[i < 20 ? i : RANDOM.nextInt(60)];
                RANDOM.nextBytes(bytes);
                StringBuilder hex = new StringBuilder();
                for (byte b : bytes) {
                    hex.append(String.format("%02x", b));
                }
                texts.add(hex.toString());
                return bytes;
            }
            case DATE: return (int) add(texts, i == 0 ? LocalDate.EPOCH : date(i)).toEpochDay();
            case TIME_WITHOUT_TIME_ZONE: {
                LocalTime t = LocalTime.ofNanoOfDay(RANDOM.nextInt(86_400_000) * 1_000_000L);
                texts.add(t.format(DateTimeFormatter.ofPattern("HH:mm:ss.SSS")));
                return (int) (t.toNanoOfDay() / 1_000_000);
            }
            case DECIMAL: return decimal((DecimalType) type, i, texts);
            case TIMESTAMP_WITHOUT_TIME_ZONE:
                return TimestampData.fromLocalDateTime(stamp(
                    ((TimestampType) type).getPrecision(), i, texts, ""));
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE: {
                LocalDateTime utc = stamp(
                    ((LocalZonedTimestampType) type).getPrecision(), i, texts, "Z");
                return TimestampData.fromInstant(utc.toInstant(java.time.ZoneOffset.UTC));
            }
            default: throw new IllegalArgumentException(type.toString());
        }
    }

    private static <T> T add(List<String> texts, T value) {
        texts.add(value.toString());
        return value;
    }

    /** A date from 1900 to 2100, so that many are before 1970. */
    private static LocalDate date(int i) {
        return i == 1 ? LocalDate.of(1969, 12, 31) : LocalDate.of(1900, 1, 1).plusDays(RANDOM.nextInt(73049));
    }

    private static LocalDateTime stamp(int precision, int i, List<String> texts, String zone) {
        LocalDateTime t = i == 0 ? LocalDateTime.of(1970, 1, 1, 0, 0) : date(i).atTime(LocalTime.ofNanoOfDay(RANDOM.nextLong() >>> 18));
        long unit = BigInteger.TEN.pow(9 - precision).longValue();
        t = t.truncatedTo(ChronoUnit.SECONDS).plusNanos(t.getNano() / unit * unit);
        StringBuilder pattern = new StringBuilder("yyyy-MM-dd HH:mm:ss");
        for (int d = 0; d < precision; d++) {
            pattern.append(d == 0 ? ".S" : "S");
        }
        texts.add(t.format(DateTimeFormatter.ofPattern(pattern.toString())) + zone);
        return t;
    }

    private static DecimalData decimal(DecimalType type, int i, List<String> texts) {
        int digits = 1 + RANDOM.nextInt(type.getPrecision());
        StringBuilder s = new StringBuilder();
        for (int d = 0; d < (i == 1 ? type.getPrecision() : digits); d++) {
            s.append(i == 1 ? '9' : (char) ('0' + RANDOM.nextInt(10)));
        }
        BigInteger unscaled = i == 0 ? BigInteger.ZERO : new BigInteger(s.toString());
        BigDecimal value = new BigDecimal(i % 2 == 0 ? unscaled : unscaled.negate(), type.getScale());
        texts.add(value.toPlainString());
        return DecimalData.fromBigDecimal(value, type.getPrecision(), type.getScale());
    }

    /** A JSON array in ASCII. */
    private static String json(List<String> texts) {
        StringBuilder b = new StringBuilder("[");
        for (int i = 0; i < texts.size(); i++) {
            b.append(i == 0 ? "" : ",");
            String s = texts.get(i);
            if (s == null) {
                b.append("null");
                continue;
            }
            b.append('"');
            for (char c : s.toCharArray()) {
                if (c < ' ' || c > '~' || c == '"' || c == '\\') {
                    b.append(String.format("\\u%04x", (int) c));
                } else {
                    b.append(c);
                }
            }
            b.append('"');
        }
        return b.append("]").toString();
    }
}
