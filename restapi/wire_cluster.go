package restapi

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

// decodeOverview reads /overview.
func decodeOverview(b []byte) (overview, error) {
	s := scanner{buf: b}
	var o overview
	for ok := s.top('{'); ok; ok = s.more('}') {
		switch string(s.name()) {
		case "flink-version":
			o.flinkVersion = s.text()
		case "slots-total":
			o.slotsTotal = few(s.num())
		case "slots-available":
			o.slotsFree = few(s.num())
		case "taskmanagers":
			o.taskManagers = few(s.num())
		default:
			s.skip()
		}
	}
	if err := s.done("cluster overview"); err != nil {
		return overview{}, err
	}
	if o.flinkVersion == "" && !o.slotsTotal.Known() {
		return overview{}, errors.New("cluster overview: neither version nor slots in the answer; does the URL name a Flink JobManager?")
	}
	return o, nil
}

// decodeJobs reads /jobs/overview. Entries without an id, and repetitions of
// one, are dropped.
func decodeJobs(b []byte) ([]jobEntry, error) {
	s := scanner{buf: b}
	listed := false
	jobs := []jobEntry{}
	seen := map[string]bool{}
	for ok := s.top('{'); ok; ok = s.more('}') {
		if string(s.name()) != "jobs" {
			s.skip()
			continue
		}
		listed = listed || s.peek() == '['
		for ok := s.array(); ok; ok = s.more(']') {
			if j := s.jobEntry(); j.id != "" && !seen[j.id] {
				seen[j.id] = true
				jobs = append(jobs, j)
			}
		}
	}
	if err := s.done("jobs overview"); err != nil {
		return nil, err
	}
	if !listed {
		return nil, errors.New("jobs overview: no list of jobs in the answer")
	}
	return jobs, nil
}

func (s *scanner) jobEntry() (j jobEntry) {
	for ok := s.object(); ok; ok = s.more('}') {
		switch string(s.name()) {
		case "jid":
			j.id = s.text()
		case "name":
			j.name = s.text()
		case "state":
			j.state = s.text()
		case "schedulerType":
			j.scheduler = s.text()
		case "start-time":
			j.startMs = aboveZero(s.num())
		default:
			s.skip()
		}
	}
	return j
}

// decodeTaskManagers reads /taskmanagers. CPU and GC figures are not in it.
func decodeTaskManagers(b []byte) ([]analysis.TaskManager, error) {
	s := scanner{buf: b}
	listed := false
	list := []analysis.TaskManager{}
	for ok := s.top('{'); ok; ok = s.more('}') {
		if string(s.name()) != "taskmanagers" {
			s.skip()
			continue
		}
		listed = listed || s.peek() == '['
		for ok := s.array(); ok; ok = s.more(']') {
			if tm := s.taskManager(); tm.ID != "" {
				list = append(list, tm)
			}
		}
	}
	if err := s.done("TaskManagers"); err != nil {
		return nil, err
	}
	if !listed {
		return nil, errors.New("TaskManagers: no list of them in the answer")
	}
	return list, nil
}

func (s *scanner) taskManager() (tm analysis.TaskManager) {
	for ok := s.object(); ok; ok = s.more('}') {
		switch string(s.name()) {
		case "id":
			tm.ID = s.text()
		case "path":
			tm.Host = hostOfPath(s.text())
		case "slotsNumber":
			tm.Slots = few(s.num())
		case "freeSlots":
			tm.FreeSlots = few(s.num())
		case "hardware":
			for ok := s.object(); ok; ok = s.more('}') {
				if string(s.name()) == "cpuCores" {
					tm.CPUCores = aboveZero(s.num())
				} else {
					s.skip()
				}
			}
		default:
			s.skip()
		}
	}
	return tm
}

// hostOfPath returns the host of an actor's path, such as
// "pekko.tcp://flink@10.0.0.7:38755/user/rpc/taskmanager_0" (akka before 1.18),
// and "" for a path inside one process, which names no host.
func hostOfPath(path string) string {
	_, rest, ok := strings.Cut(path, "@")
	if !ok {
		return ""
	}
	address, _, _ := strings.Cut(rest, "/")
	return hostOf(address)
}

// maxErrorRunes bounds what is quoted of an error that the JobManager reports.
const maxErrorRunes = 200

// decodeErrors returns the first line that is not blank of {"errors": […]},
// cut to maxErrorRunes runes, and "" when b is no such answer. Flink's errors
// are stack traces of 5 to 8 KB.
func decodeErrors(b []byte) string {
	var answer struct {
		Errors []string `json:"errors"`
	}
	if json.Unmarshal(b, &answer) != nil {
		return ""
	}
	for line := range strings.Lines(strings.Join(answer.Errors, "\n")) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if runes := []rune(line); len(runes) > maxErrorRunes {
			return string(runes[:maxErrorRunes])
		}
		return line
	}
	return ""
}
