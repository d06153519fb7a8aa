package restapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// redactedTape records the given answers with redaction, and returns the tape's text.
func redactedTape(t *testing.T, url string, answers [][2]string) string {
	t.Helper()
	var out bytes.Buffer
	r, err := NewRecorder(&out, RecordOptions{URL: url, Redact: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range answers {
		transport := r.Wrap(roundTripper(func(req *http.Request) (*http.Response, error) {
			if a[1] == "" {
				return nil, errors.New("dial tcp: lookup jm.prod.example on 10.9.8.7:53: no such host")
			}
			return answer(req, 200, []byte(a[1])), nil
		}))
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://jm.prod.example"+a[0], http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		if resp, err := transport.RoundTrip(req); err == nil {
			if _, err := io.Copy(io.Discard, resp.Body); err != nil {
				t.Fatal(err)
			}
			if err := resp.Body.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	return out.String()
}

func TestRedactionRemovesHostsAndSecrets(t *testing.T) {
	text := redactedTape(t, "http://ann:hunter2@jm.prod.example:8081/", [][2]string{
		{"/overview", `{"flink-version":"1.20.3","slots-total":4,"ratio":0.30}`},
		{"/taskmanagers", `{"taskmanagers":[{"id":"10.1.2.3:39951-d0a8d8","path":"pekko.tcp://flink@10.1.2.3:39951/user/rpc/taskmanager_0","slotsNumber":8},
			{"id":"flink-taskmanager-1-7","path":"pekko.tcp://flink@worker7.prod.example:6122/user/rpc/taskmanager_0"}]}`},
		{"/taskmanagers/10.1.2.3:39951-d0a8d8/metrics?get=Status.JVM.CPU.Time", `[]`},
		{"/taskmanagers/flink-taskmanager-1-7/metrics?get=Status.JVM.CPU.Time", `[]`},
		{"/jobs/a/vertices/b", `{"id":"b","name":"worker7.prod.example reader -> jobmanager","subtasks":[
			{"subtask":0,"host":"worker7","endpoint":"worker7.prod.example:6122","taskmanager-id":"flink-taskmanager-1-7"},
			{"subtask":1,"endpoint":"[fd00::17]:6122","taskmanager-id":"fd00::17:6122-ab"}]}`},
		{"/jobs/a/jobmanager/config", `[{"key":"jobmanager.rpc.address","value":"jobmanager"},{"key":"s3.secret-key","value":"wJalrXUt"},
			{"key":"security.kerberos.login.principal","value":"svc_flink"},{"key":"high-availability.zookeeper.quorum","value":"zk1:2181,zk2:2181"},
			{"key":"state.checkpoints.dir","value":"hdfs://namenode.prod:8020/flink/ckpt"},{"key":"web.tmpdir","value":"file:///flink/tmp"},
			{"key":"env.java.opts","value":"-Dtrust.password=opensesame -Xmx1g"}]`},
		{"/jobs/a/config", `{"execution-config":{"job-parallelism":5,"user-config":{"program-args":"--db-password tiger99 --dry-run","kafka.sasl.jaas.config":"PlainLoginModule required password=\"p4ss\";",
			"url":"jdbc:postgresql://bob:b0bpw@db.prod.example/x","apiKey":"k-123","bootstrap.servers":"kafka-a:9092"}}}`},
		{"/jobs/a/exceptions", `{"root-exception":"java.io.IOException: Connection to kafka-a:9092 and worker7 (192.168.0.9) refused\n\tat x.Y(Y.java:1)"}`},
		{"/login", `<html>zk2 says token="abcdef123"</html>`},
		{"/jobs/a/vertices/c", `{"endpoint":"late-host:1","busy":NaN,"also":"late-host"}`},
		{"/gone", ""},
	})
	for _, secret := range []string{
		"10.1.2.3", "192.168.0.9", "10.9.8.7", "worker7", "prod", "flink-taskmanager-1-7", "fd00", "namenode", "zk1", "zk2", "kafka-a", "late-host",
		"ann", "hunter2", "wJalrXUt", "svc_flink", "opensesame", "tiger99", "p4ss", "bob", "b0bpw", "k-123", "abcdef123",
	} {
		if i := strings.Index(text, secret); i >= 0 {
			t.Errorf("%q is still in the tape: %s", secret, text[max(0, i-60):min(len(text), i+60)])
		}
	}
	for _, kept := range []string{`"flink-version":"1.20.3"`, `"ratio":0.30`, "reader ->", "jobmanager.rpc.address", "/jobs/a/jobmanager/config", "Y.java:1", "--dry-run", "file:///flink/tmp", "-Xmx1g"} {
		if !strings.Contains(text, kept) {
			t.Errorf("%q is not in the tape any more:\n%s", kept, text)
		}
	}
	// One machine keeps one name, in ids, paths and requests alike.
	id := regexp.MustCompile(`"id":"(host-\d+:39951-d0a8d8)"`).FindStringSubmatch(text)
	if id == nil || !strings.Contains(text, `"path":"/taskmanagers/`+id[1]+`/metrics?get=Status.JVM.CPU.Time"`) || strings.Count(text, "pekko.tcp://flink@"+strings.Split(id[1], "-d0")[0]) != 1 {
		t.Errorf("the TaskManager 10.1.2.3 has not one name throughout (%v):\n%s", id, text)
	}
}

// TestRedactionOfFreeText: users write into names and settings what they like.
func TestRedactionOfFreeText(t *testing.T) {
	for text, want := range map[string]string{
		"reads kafka-1:9092":                             "reads host-1:9092",
		"to db.prod.example:15432 and db.prod.example":   "to host-1:15432 and host-1",
		"zookeeper:2181,zoo:2181":                        "host-1:2181,host-2:2181",
		"bind fd00:12::7, twice fd00:12::7.":             "bind host-1, twice host-1.",
		"2001:db8:0:1:1:1:1:1":                           "host-1",
		"fe80::1%eth0 is up":                             "host-1 is up",
		"10.1.2.3:4567":                                  "host-1:4567",
		"jdbc:mysql;user=ann;x=1":                        "jdbc:mysql;user=(redacted);x=1",
		"db.username = 'ann b' and userId=7":             "db.username = (redacted) and userId=(redacted)",
		"key AKIAIOSFODNN7EXAMPLE.":                      "key (redacted).",
		"ghp_abcdefghijklmnopqrstuvwxyz0123456789":       "(redacted)",
		"sent eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln": "sent (redacted)",
		"Authorization is Bearer abcdef0123456789":       "Authorization is Bearer (redacted)",
		// What is none of these stays.
		"at x.Y(Y.java:1234) in main.py:8080":          "at x.Y(Y.java:1234) in main.py:8080",
		"from 12:30:45 to 12:30:46.123, at 10:1000":    "from 12:30:45 to 12:30:46.123, at 10:1000",
		"Foo::bar, ::1 and a::b::c; ratio 1:2":         "Foo::bar, ::1 and a::b::c; ratio 1:2",
		"Window:60000 -> Map -> parallelism:128":       "Window:60000 -> Map -> parallelism:128",
		"SELECT user FROM users WHERE basic and login": "SELECT user FROM users WHERE basic and login",
		"sha 9c:56:cc:51:b3:74:c3:ba:18:92:10":         "sha 9c:56:cc:51:b3:74:c3:ba:18:92:10",
		"0.Source__Gen.numRecordsIn, localhost:8081":   "0.Source__Gen.numRecordsIn, localhost:8081",
	} {
		r := newRedactor()
		got := r.text(text)
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
		if again := r.text(got); again != got {
			t.Errorf("%s: redacted again it is %s", got, again)
		}
	}
}

// TestRedactedTapesTellTheSame replays tapes of every Flink version through a
// recorder with redaction: what the snapshots say of jobs, vertices and numbers stays,
// and TaskManagers can be told apart as before.
func TestRedactedTapesTellTheSame(t *testing.T) {
	for _, file := range []string{"hot-key-1.15.4", "key-group-layout-1.17.2", "restarting-1.20.3", "rescale-4-to-7-2.3.0", "sql-hot-key-2.3.0"} {
		tape, err := OpenTape("../testdata/tapes/" + file + ".jsonl.gz")
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		r, err := NewRecorder(&out, RecordOptions{URL: "http://tape", Redact: true, Now: (&player{tape: tape}).now})
		if err != nil {
			t.Fatal(err)
		}
		p := &player{tape: tape}
		p.poll.Store(-1)
		client, err := New(Options{URL: "http://tape", Transport: p, WrapTransport: r.Wrap, NoPrime: true, Now: p.now, Concurrency: 1})
		if err != nil {
			t.Fatal(err)
		}
		var want []analysis.Snapshot
		for range tape.Polls() {
			if p.poll.Add(1) > 0 {
				r.NextPoll()
			}
			s, err := client.Snapshot(t.Context())
			if err == nil {
				want = append(want, s)
			}
		}
		if strings.Contains(out.String(), "127.0.0.1") {
			t.Errorf("%s: an address is still in the tape", file)
		}
		again, err := ReadTape(&out)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		source, err := again.Source(Options{})
		if err != nil {
			t.Fatal(err)
		}
		for k, w := range want {
			got, err := source.Snapshot(t.Context())
			if err != nil {
				t.Fatalf("%s poll %d: %v", file, k, err)
			}
			if a, b := anonymous(t, got), anonymous(t, w); a != b {
				t.Errorf("%s poll %d:\n got %.3000s\nwant %.3000s", file, k, a, b)
			}
		}
	}
}

// anonymous returns a snapshot as JSON, without its time and with TaskManagers
// numbered in the order of their first subtask.
func anonymous(t *testing.T, s analysis.Snapshot) string {
	t.Helper()
	numbers := map[string]string{}
	for _, j := range s.Jobs {
		for _, v := range j.Vertices {
			for i := range v.Subtasks {
				id := v.Subtasks[i].TaskManager
				if numbers[id] == "" {
					numbers[id] = strings.Repeat("I", len(numbers)+1)
				}
				v.Subtasks[i].TaskManager = numbers[id]
			}
		}
	}
	for i := range s.TaskManagers {
		tm := &s.TaskManagers[i]
		tm.ID, tm.Host, tm.CPUAt = numbers[tm.ID], "", s.At
	}
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(b), s.At.Format("2006-01-02T15:04:05.999999999Z07:00"), "")
}
