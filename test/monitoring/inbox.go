package monitoring

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// Alert is one alert of a notification.
type Alert struct {
	Status      string            `json:"status"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

// Notification is one message of Alertmanager to a webhook.
type Notification struct {
	Receiver string  `json:"receiver"`
	Status   string  `json:"status"`
	Alerts   []Alert `json:"alerts"`
	// Raw is the message as it came.
	Raw []byte `json:"-"`
}

// Inbox is a webhook that keeps what it is sent.
type Inbox struct {
	url string
	mu  sync.Mutex
	got []Notification
}

// openInbox starts a webhook that lives as long as the test.
func openInbox(t testing.TB) *Inbox {
	i := &Inbox{}
	server := httptest.NewServer(i)
	t.Cleanup(server.Close)
	i.url = server.URL
	return i
}

// ServeHTTP takes a notification in.
func (i *Inbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var n Notification
	raw, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(raw, &n)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	n.Raw = raw
	i.mu.Lock()
	defer i.mu.Unlock()
	i.got = append(i.got, n)
}

// Received returns what a receiver of the example has been sent so far, of
// which at least one alert carries the labels.
func (i *Inbox) Received(receiver string, labels map[string]string) []Notification {
	i.mu.Lock()
	defer i.mu.Unlock()
	var found []Notification
	for _, n := range i.got {
		if n.Receiver == receiver && n.about(labels) {
			found = append(found, n)
		}
	}
	return found
}

// about reports whether an alert of the notification carries the labels.
func (n Notification) about(labels map[string]string) bool {
	for _, a := range n.Alerts {
		if a.carries(labels) {
			return true
		}
	}
	return false
}

// carries reports whether the alert has all the labels.
func (a Alert) carries(labels map[string]string) bool {
	for name, value := range labels {
		if a.Labels[name] != value {
			return false
		}
	}
	return true
}
