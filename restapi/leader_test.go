package restapi

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// managerServers are several JobManagers, each of which a test may change.
type managerServers struct {
	mu      sync.Mutex
	answers []http.HandlerFunc
	asked   []int
	urls    []string
}

// set exchanges what the i-th answers.
func (m *managerServers) set(i int, h http.HandlerFunc) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answers[i] = h
}

// counts returns how often each was asked since the last call.
func (m *managerServers) counts() []int {
	m.mu.Lock()
	defer m.mu.Unlock()
	was := m.asked
	m.asked = make([]int, len(m.answers))
	return was
}

func serveManagers(t *testing.T, answers ...http.HandlerFunc) *managerServers {
	t.Helper()
	m := &managerServers{answers: answers, asked: make([]int, len(answers))}
	for i := range answers {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			m.mu.Lock()
			m.asked[i]++
			h := m.answers[i]
			m.mu.Unlock()
			h(w, r)
		}))
		t.Cleanup(s.Close)
		m.urls = append(m.urls, s.URL)
	}
	return m
}

func election(w http.ResponseWriter, r *http.Request) {
	respond(503, `{"errors":["Service temporarily unavailable due to an ongoing leader election. Please refresh."]}`)(w, r)
}

func managersClient(t *testing.T, urls []string, change func(*Options)) *Client {
	t.Helper()
	o := DefaultOptions("ha", urls[0])
	o.Others = urls[1:]
	o.Retries = 0
	if change != nil {
		change(&o)
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// TestLeaderChange follows the leader through its failure, an election and the
// return of the first one, which is not gone back to without need.
func TestLeaderChange(t *testing.T) {
	f := newFake()
	var logs bytes.Buffer
	m := serveManagers(t, f.ServeHTTP, election, election)
	c := managersClient(t, m.urls, func(o *Options) { o.Logger = slog.New(slog.NewTextHandler(&logs, nil)) })
	wantGaps(t, mustPoll(t, c))
	if n := m.counts(); n[1]+n[2] != 0 {
		t.Errorf("asked %v while the first answers", n)
	}
	m.set(0, respond(500, ""))
	if _, err := c.Snapshot(t.Context()); Reason(err) != ReasonNoLeader || !strings.Contains(err.Error(), "the other JobManagers: "+m.urls[0]+": http_5xx, "+m.urls[2]+": no_leader") {
		t.Errorf("while electing: %v", err)
	}
	f.tick()
	m.set(2, f.ServeHTTP)
	wantGaps(t, mustPoll(t, c))
	if c.URL() != m.urls[2] || strings.Count(logs.String(), "another JobManager answers") != 1 {
		t.Errorf("asks %s of %v; logs %s", c.URL(), m.urls, logs.String())
	}
	m.counts()
	m.set(0, f.ServeHTTP)
	f.tick()
	wantGaps(t, mustPoll(t, c))
	if n := m.counts(); n[0]+n[1] != 0 || n[2] == 0 {
		t.Errorf("asked %v when the first is back", n)
	}
}

// TestStandbyRedirects has standbys that lead to the leader: the request is made
// anew at the configured address, prefix and all, and never follows elsewhere.
func TestStandbyRedirects(t *testing.T) {
	f := newFake()
	thieves := 0
	thief := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { thieves++ }))
	defer thief.Close()
	guarded := func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); password != secret {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		http.StripPrefix("/flink/b", f).ServeHTTP(w, r)
	}
	m := serveManagers(t, nil, location(thief.URL), guarded)
	m.set(0, location(m.urls[2]+"/jobs/overview?token="+secret))
	c := managersClient(t, []string{m.urls[0] + "/a", m.urls[1], m.urls[2] + "/flink/b/"}, func(o *Options) {
		o.Auth = Auth{User: "u", Password: secret}
	})
	wantGaps(t, mustPoll(t, c))
	if n := m.counts(); n[1] != 0 {
		t.Errorf("asked %v: the redirect named the leader", n)
	}
	m.set(2, location(thief.URL))
	_, err := c.Snapshot(t.Context())
	if Reason(err) != ReasonRedirect || strings.Contains(err.Error(), secret) {
		t.Errorf("nothing but redirects: %v", err)
	}
	if thieves > 0 {
		t.Errorf("another host was asked %d times", thieves)
	}
}

// TestSilentManagerGetsItsShare: one that accepts and never answers must not
// use up the poll's time.
func TestSilentManagerGetsItsShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		hosts := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Host == "silent:8081" {
				<-r.Context().Done()
				panic(r.Context().Err())
			}
			f.ServeHTTP(w, r)
		})
		c := managersClient(t, []string{"http://silent:8081", "http://leader:8081"}, func(o *Options) {
			o.Transport, o.PollTimeout = breaking{direct{hosts}}, 12*time.Second
		})
		begin := time.Now()
		wantGaps(t, mustPoll(t, c))
		if spent := time.Since(begin); spent > 7*time.Second {
			t.Errorf("took %v of 12s", spent)
		}
		begin = time.Now()
		f.tick()
		mustPoll(t, c)
		if spent := time.Since(begin); spent != 0 {
			t.Errorf("the silent one costs %v again", spent)
		}
	})
}

// TestRefusalIsNotTriedElsewhere: a wrong password is not to be spread.
func TestRefusalIsNotTriedElsewhere(t *testing.T) {
	m := serveManagers(t, challenge("Basic"), challenge("Basic"))
	c := managersClient(t, m.urls, nil)
	if _, err := c.Snapshot(t.Context()); Reason(err) != ReasonUnauthorized {
		t.Errorf("%v", err)
	}
	if n := m.counts(); n[1] != 0 {
		t.Errorf("asked %v", n)
	}
}

// TestNewManagerIsGivenItsTime: its metric cache is cold, so that its first
// answer is asked for again.
func TestNewManagerIsGivenItsTime(t *testing.T) {
	f := newFake()
	c := managersClient(t, []string{"http://a:8081", "http://b:8081"}, func(o *Options) { o.Transport = direct{f} })
	mustPoll(t, c)
	for _, j := range c.jobs {
		j.primed = true
	}
	(&poll{c: c}).moved(c.URL(), io.EOF)
	if c.jobs[jobA].primed {
		t.Error("a job counts as primed at a JobManager that was never asked")
	}
}

func TestOthersAreChecked(t *testing.T) {
	for _, bad := range []string{"", "ftp://a", "http://u:" + secret + "@a", "http://a?" + secret} {
		o := DefaultOptions("ha", "http://a")
		o.Others = []string{bad}
		if c, err := New(o); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("%q: %v, %v", bad, c, err)
		}
	}
}

// TestOneAddressSaysNothingOfOthers: the text is that of one address, as it always was.
func TestOneAddressSaysNothingOfOthers(t *testing.T) {
	c := managersClient(t, []string{"http://flink:8081"}, func(o *Options) {
		o.Transport = roundTrip(func(*http.Request) (*http.Response, error) { return nil, io.ErrUnexpectedEOF })
	})
	if _, err := c.Snapshot(t.Context()); Reason(err) != ReasonClosed || strings.Contains(err.Error(), "the other") {
		t.Errorf("%v", err)
	}
}
