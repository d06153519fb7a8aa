package flinksim

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// fault returns the first fault that is on at t for a path.
func (s *Sim) fault(path string, t time.Time) (Fault, bool) {
	s.mu.Lock()
	faults := s.faults
	s.mu.Unlock()
	age := t.Sub(s.env.begin)
	for _, f := range faults {
		if age >= f.After && (f.For == 0 || age < f.After+f.For) && strings.Contains(path, f.Path) {
			return f, true
		}
	}
	return Fault{}, false
}

// before deals with faults that need no answer; true means that all is said.
func (f Fault) before(w http.ResponseWriter, r *http.Request) bool {
	switch f.Kind {
	case SlowAnswer:
		timer := time.NewTimer(f.Delay)
		defer timer.Stop()
		select {
		case <-timer.C:
			return false
		case <-r.Context().Done():
			return true
		}
	case Hang:
		<-r.Context().Done()
	case HTMLPage:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write([]byte("<!DOCTYPE html><html><head><title>Sign in</title></head><body><h1>Sign in to continue</h1></body></html>"))
	case Unauthorized:
		w.Header().Set("WWW-Authenticate", `Basic realm="flink"`)
		w.WriteHeader(http.StatusUnauthorized)
	case Endless:
		f.endless(w, r)
	default:
		return false
	}
	return true
}

// instead replaces or spoils an answer; true means that all is said.
func (f Fault) instead(w http.ResponseWriter, r *http.Request, a answer) bool {
	switch f.Kind {
	case NoLeader:
		a = noLeader()
	case NotFound:
		a = notFound("org.apache.flink.runtime.messages.FlinkJobNotFoundException: Could not find the job")
	case ServerError:
		a = internal("java.util.concurrent.CompletionException: akka.pattern.AskTimeoutException")
	case Empty:
		a = answer{http.StatusOK, nil}
	case Truncate, StallBody:
		w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
		w.WriteHeader(a.status)
		w.Write(a.body[:len(a.body)/2])
		if f.Kind == StallBody {
			flush(w)
			<-r.Context().Done()
		}
		return true
	default:
		return false
	}
	w.WriteHeader(a.status)
	w.Write(a.body)
	return true
}

// endless writes one JSON array that never closes, until the client goes.
func (f Fault) endless(w http.ResponseWriter, r *http.Request) {
	chunk := []byte(strings.Repeat(`{"id":"0.numRecordsIn","value":"1"},`, 1000))
	w.Write([]byte{'['})
	for r.Context().Err() == nil {
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
}

func flush(w http.ResponseWriter) {
	if fl, ok := w.(http.Flusher); ok {
		fl.Flush()
	}
}
