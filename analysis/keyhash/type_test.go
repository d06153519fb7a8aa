package keyhash

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for name, fields := range map[string]int{
		"string": 1, "Long": 1, " int ": 1, "java.lang.Integer": 1, "UUID": 1,
		"tuple(string,long)": 2, "Tuple2(string, long)": 2, "tuple3(int,tuple(int,int),char)": 4,
		"sql(string)": 1, "SQL(VARCHAR(20) NOT NULL, BIGINT)": 2, "sql(decimal(38,10),timestamp(3),timestamp_ltz)": 3, "sql(decimal)": 1, "sql(double precision)": 1,
	} {
		typ, err := Parse(name)
		if err != nil || typ.Fields() != fields {
			t.Errorf("%q: %d fields, want %d (%v)", name, typ.Fields(), fields, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for name, want := range map[string]string{
		"": "unknown type", "text": "sql(…) of SQL's types", "byte[]": "identity of the object", "bytes": "identity of the object", "String[]": "an array",
		"array(int)": "an array", "enum": "an enum", "tuple(int,byte[])": "an array", "varchar(3)": "write sql(varchar(3))", "bigint": "write sql(bigint)",
		"tuple()": "unknown type", "tuple3(int,int)": "tuple3 has 2 fields", "tuple(" + strings.Repeat("int,", 25) + "int)": "at most 25",
		strings.Repeat("tuple(", 20) + "int" + strings.Repeat(")", 20): "nested deeper",
		"sql()": "unknown SQL type", "sql(long)": "unknown SQL type", "sql(map<int,int>)": "unknown SQL type", "sql(int(3))": "too many numbers",
		"sql(decimal(39,0))": "from 1 to 38", "sql(decimal(3,4))": "scale no larger", "sql(timestamp(10))": "from 0 to 9", "sql(varchar(x))": "no length",
		"sql(" + strings.Repeat("int,", 1000) + "int)": "longer than 1000",
		"tuple(int": "unknown type",
	} {
		if _, err := Parse(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
}

// TestValues: what is no value of a type is an error that quotes it, and other
// spellings of a value are the value.
func TestValues(t *testing.T) {
	for _, c := range []struct{ typ, bad, good, same string }{
		{"long", "9223372036854775808", " 42 ", "42"},
		{"int", "2147483648", "+7", "7"},
		{"short", "32768", "-32768", "-32768"},
		{"byte", "128", "-0", "0"},
		{"boolean", "yes", "TRUE", "true"},
		{"double", "0x1p3", "1e3", "1000.0"},
		{"double", "1_0", "1E400", ""},
		{"float", "1e39", "0.10", "0.1"},
		{"char", "ab", "é", "é"},
		{"char", "😀", "a", "a"},
		{"char", "", "b", "b"},
		{"uuid", "123", "00000000-0000-0000-0000-00000000000A", "00000000-0000-0000-0000-00000000000a"},
		{"uuid", "0000000g-0000-0000-0000-00000000000a", "", ""},
		{"string", "\xff", "a", "a"},
		{"sql(string)", "a\xc3", "a", "a"},
		{"sql(bytes)", "0", "0A", "0a"},
		{"sql(decimal(4,2))", "100", "+01.50", "1.5"},
		{"sql(decimal(4,2))", "1.234", "1.230", "1.23"},
		{"sql(decimal(4,2))", "1e1", ".5", "0.50"},
		{"sql(decimal(4,2))", "", "-0.00", "0"},
		{"sql(decimal(38,0))", "--1", "-128", "-128"},
		{"sql(date)", "2023-02-29", "2024-02-29", "2024-02-29"},
		{"sql(date)", "2024-1-01", "", ""},
		{"sql(date)", "2100-02-29", "", ""},
		{"sql(time)", "24:00:00", "23:59", "23:59:00"},
		{"sql(time(3))", "00:00:00.1234", "00:00:01.5", "00:00:01.500"},
		{"sql(timestamp)", "2024-01-01", "2024-01-01T10:00", "2024-01-01 10:00:00.000000"},
		{"sql(timestamp)", "2024-01-01 10:00:00Z", "", ""},
		{"sql(timestamp(3))", "2024-01-01 10:00:00.0001", "2024-01-01 10:00:00.1230", "2024-01-01 10:00:00.123"},
		{"sql(timestamp(9))", "2024-01-01 10:00:00.1234567891", "", ""},
		{"sql(timestamp_ltz(3))", "2024-01-01 10:00:00", "2024-01-01 00:30:00+01:00", "2023-12-31 23:30:00Z"},
		{"sql(timestamp_ltz)", "2024-01-01 10:00:00+19:00", "1969-12-31 23:59:59.999999-01:00", "1970-01-01T00:59:59.999999z"},
	} {
		typ, err := Parse(c.typ)
		if err != nil {
			t.Fatal(err)
		}
		h := typ.NewHasher()
		if _, err := h.Hash([]Field{{Text: c.bad}}); err == nil {
			t.Errorf("%s takes %q", c.typ, c.bad)
		}
		if c.same == "" {
			continue
		}
		a, err1 := h.Hash([]Field{{Text: c.good}})
		b, err2 := h.Hash([]Field{{Text: c.same}})
		if err1 != nil || err2 != nil || a != b {
			t.Errorf("%s: %q is %d (%v), %q is %d (%v)", c.typ, c.good, a, err1, c.same, b, err2)
		}
	}
}

// TestMessages: the field of a composite key is named, and a long text cut.
func TestMessages(t *testing.T) {
	typ, err := Parse("sql(string,int)")
	if err != nil {
		t.Fatal(err)
	}
	h := typ.NewHasher()
	for _, c := range []struct {
		fields []Field
		want   string
	}{
		{[]Field{{Text: "a"}, {Text: strings.Repeat("ä", 5000)}}, "field 2: \"\\u00e4"},
		{[]Field{{Text: "a"}}, "the key has 1 field, its type sql(string,int) has 2"},
	} {
		if _, err := h.Hash(c.fields); err == nil || !strings.HasPrefix(err.Error(), c.want) || len(err.Error()) > 300 {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// FuzzHash: no text of a type or of a key makes it panic.
func FuzzHash(f *testing.F) {
	f.Add("tuple(string,long)", "a", "1")
	f.Add("sql(decimal(38,10),timestamp_ltz(9))", "-1.5", "2024-02-29T23:59:59.5+01:00")
	f.Add("sql(date,time)", "0000-01-01", "23:59:59.999")
	f.Fuzz(func(t *testing.T, name, a, b string) {
		typ, err := Parse(name)
		if err != nil {
			return
		}
		fields := make([]Field, typ.Fields())
		for i := range fields {
			fields[i] = Field{Text: [2]string{a, b}[i%2], Null: i%5 == 4}
		}
		h := typ.NewHasher()
		first, err1 := h.Hash(fields)
		again, err2 := h.Hash(fields)
		if first != again || (err1 == nil) != (err2 == nil) {
			t.Errorf("%s %q %q: %d and %d, %v and %v", name, a, b, first, again, err1, err2)
		}
	})
}
