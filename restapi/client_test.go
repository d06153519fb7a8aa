package restapi

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestRetries(t *testing.T) {
	for name, tc := range map[string]struct {
		fail  http.HandlerFunc
		times int
		want  int
		ok    bool
	}{
		"503 twice":    {respond(503, ""), 2, 3, true},
		"502 always":   {respond(502, ""), 99, 3, false},
		"504 once":     {respond(504, ""), 1, 2, true},
		"500 never":    {respond(500, ""), 1, 1, false},
		"404 never":    {respond(404, ""), 1, 1, false},
		"junk never":   {respond(200, "<html>"), 1, 1, false},
		"closed twice": {func(http.ResponseWriter, *http.Request) { panic(io.EOF) }, 2, 3, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake()
			left := tc.times
			f.override["/jobs/overview"] = func(w http.ResponseWriter, r *http.Request) {
				if left--; left >= 0 {
					tc.fail(w, r)
					return
				}
				f.mu.Lock()
				delete(f.override, "/jobs/overview")
				f.asked["/jobs/overview"]--
				f.mu.Unlock()
				f.ServeHTTP(w, r)
			}
			c := fakeClient(t, f, func(o *Options) { o.Transport = breaking{direct{f}} })
			_, err := c.Snapshot(t.Context())
			if n := f.count("/jobs/overview"); n != tc.want || (err == nil) != tc.ok {
				t.Errorf("%s: %d attempts, want %d; error %v", name, n, tc.want, err)
			}
		})
	}
}

// breaking turns a handler's panic with an error into that error of the connection.
type breaking struct{ next http.RoundTripper }

func (b breaking) RoundTrip(r *http.Request) (resp *http.Response, err error) {
	defer func() {
		if e, ok := recover().(error); ok {
			err = e
		}
	}()
	return b.next.RoundTrip(r)
}

func TestRetriesKeepToThePollsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.override["/jobs/overview"] = respond(503, "")
		begin := time.Now()
		c := fakeClient(t, f, func(o *Options) { o.Retries, o.PollTimeout = 1000, 2*time.Second })
		_, err := c.Snapshot(t.Context())
		if Reason(err) != ReasonServerError {
			t.Errorf("error %v", err)
		}
		if spent := time.Since(begin); spent > 2*time.Second {
			t.Errorf("took %v of 2s", spent)
		}
	})
}

func TestRetriesOfAPollAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.jobs = nil
		for i := range 500 {
			id := fmt.Sprintf("%032x", i)
			f.jobs = append(f.jobs, obj{"jid": id, "name": "j", "state": "RUNNING"})
			f.override["/jobs/"+id] = respond(503, "")
		}
		c := fakeClient(t, f, nil)
		mustPoll(t, c)
		if n, most := f.reset(), 5+500+pollRetries; n > most {
			t.Errorf("%d requests, want at most %d", n, most)
		}
	})
}

func TestSlowJobManagerIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.jobs = nil
		for i := range 300 {
			f.jobs = append(f.jobs, obj{"jid": fmt.Sprintf("%032x", i), "name": "j", "state": "RUNNING"})
		}
		var now, most atomic.Int64
		slow := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			most.Store(max(most.Load(), now.Add(1)))
			defer now.Add(-1)
			select {
			case <-time.After(8 * time.Second):
				f.ServeHTTP(w, r)
			case <-r.Context().Done():
				panic(r.Context().Err())
			}
		})
		begin := time.Now()
		c := fakeClient(t, f, func(o *Options) { o.Transport = breaking{direct{slow}} })
		s := mustPoll(t, c)
		if spent := time.Since(begin); spent > DefaultPollTimeout {
			t.Errorf("poll took %v", spent)
		}
		if most.Load() > DefaultConcurrency {
			t.Errorf("%d requests at once", most.Load())
		}
		if len(s.Jobs) != 300 || s.Gaps[len(s.Gaps)-1].Detail != ReasonTimeout {
			t.Errorf("%d jobs, last gap %+v", len(s.Jobs), s.Gaps[len(s.Gaps)-1])
		}
	})
}

// watcher is an Observer that keeps what it is told.
type watcher struct {
	mu   sync.Mutex
	seen map[string]int64
}

func (w *watcher) Response(endpoint string, code int, bytes int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen[fmt.Sprint(endpoint, " ", code)] += bytes
}

func TestObserverSeesTemplatesOnly(t *testing.T) {
	f := newFake()
	f.override["/overview"] = func(http.ResponseWriter, *http.Request) { panic(io.ErrClosedPipe) }
	w := &watcher{seen: map[string]int64{}}
	c := fakeClient(t, f, func(o *Options) { o.Observer, o.Transport, o.Retries = w, breaking{direct{f}}, 0 })
	mustPoll(t, c)
	known := map[string]bool{}
	for _, e := range Endpoints() {
		known[e] = true
	}
	for k, bytes := range w.seen {
		endpoint, code, _ := strings.Cut(k, " ")
		if !known[endpoint] || (code == "0") != (endpoint == epOverview) || (bytes == 0) != (code == "0") {
			t.Errorf("observed %q with %d bytes", k, bytes)
		}
	}
	if len(w.seen) != len(Endpoints())-1 { // nothing asks for back pressure here
		t.Errorf("observed %d endpoints: %v", len(w.seen), w.seen)
	}
}

func TestWrapTransport(t *testing.T) {
	f := newFake()
	n := 0
	mustPoll(t, fakeClient(t, f, func(o *Options) {
		o.Concurrency = 1
		o.WrapTransport = func(next http.RoundTripper) http.RoundTripper {
			return roundTrip(func(r *http.Request) (*http.Response, error) { n++; return next.RoundTrip(r) })
		}
	}))
	if n != 14 {
		t.Errorf("the wrapper saw %d requests, want 14", n)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestBodiesAreNotKept overwrites every buffer after use: nothing in the
// snapshot may change, as buffers are used again for other answers.
func TestBodiesAreNotKept(t *testing.T) {
	f := newFake()
	c := fakeClient(t, f, func(o *Options) { o.Now = fixedNow })
	want := mustPoll(t, fakeClient(t, f, func(o *Options) { o.Now = fixedNow }))
	var buffers []*buffer
	var mu sync.Mutex
	c.buffers.New = func() any {
		mu.Lock()
		defer mu.Unlock()
		buffers = append(buffers, new(buffer))
		return buffers[len(buffers)-1]
	}
	got := mustPoll(t, c)
	for _, b := range buffers {
		for i := range b.b[:cap(b.b)] {
			b.b[:cap(b.b)][i] = '#'
		}
	}
	if len(buffers) == 0 || !reflect.DeepEqual(got, want) {
		t.Error("the snapshot points into a body's buffer")
	}
}

// TestNothingLeaks fails 1,000 polls in all the ways that hold something open.
func TestNothingLeaks(t *testing.T) {
	var n atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/jobs/overview" {
			respond(500, strings.Repeat("trace ", 1000))(w, r)
			return
		}
		switch n.Add(1) % 5 {
		case 0:
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, "{")
		case 1:
			respond(200, strings.Repeat("[", 100_000))(w, r)
		case 2:
			respond(503, "")(w, r)
		case 3:
			respond(200, "<html>")(w, r)
		case 4:
			panic(http.ErrAbortHandler)
		}
	}))
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.Start()
	defer server.Close()
	c, err := New(Options{URL: server.URL, MaxResponseBytes: 50_000})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fail := func(times int) {
		for range times {
			if _, err := c.Snapshot(t.Context()); err == nil {
				t.Fatal("a poll succeeded")
			}
		}
	}
	fail(50)
	goroutines, heap := level(c, server)
	fail(1000)
	laterGoroutines, laterHeap := level(c, server)
	if laterGoroutines > goroutines+5 {
		t.Errorf("%d goroutines, %d before", laterGoroutines, goroutines)
	}
	if laterHeap > heap+2<<20 {
		t.Errorf("heap of %d bytes, %d before", laterHeap, heap)
	}
}

// level closes what is idle and waits until the goroutines of connections,
// ours and the server's, have ended.
func level(c *Client, s *httptest.Server) (goroutines int, heap uint64) {
	c.Close()
	s.CloseClientConnections()
	last, same := 0, 0
	for range 1000 {
		runtime.Gosched()
		time.Sleep(time.Millisecond)
		if n := runtime.NumGoroutine(); n == last {
			same++
		} else {
			last, same = n, 0
		}
		if same > 30 {
			break
		}
	}
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return last, m.HeapAlloc
}
