package monitoring

import (
	"errors"
	"fmt"
)

// Works returns an error unless Prometheus scrapes every target and has
// evaluated every rule, all of them without an error. The trend's rules are
// evaluated for the first time within their interval, of half an hour before it
// is shortened.
func (s *Stage) Works() error { return errors.Join(s.scrapes(), s.rulesWork()) }

// scrapes returns an error unless Prometheus scrapes every target.
func (s *Stage) scrapes() error {
	var targets struct {
		Data struct {
			Active []struct {
				Health    string `json:"health"`
				URL       string `json:"scrapeUrl"`
				LastError string `json:"lastError"`
			} `json:"activeTargets"`
		} `json:"data"`
	}
	if err := get(s.prometheusURL+"/api/v1/targets", &targets); err != nil {
		return err
	}
	var wrong []error
	if n := len(targets.Data.Active); n != len(s.options.Targets) {
		wrong = append(wrong, fmt.Errorf("%d targets, want %d", n, len(s.options.Targets)))
	}
	for _, t := range targets.Data.Active {
		if t.Health != "up" {
			wrong = append(wrong, fmt.Errorf("%s is %s: %s", t.URL, t.Health, t.LastError))
		}
	}
	return errors.Join(wrong...)
}

// rulesWork returns an error unless every rule has been evaluated well.
func (s *Stage) rulesWork() error {
	var rules struct {
		Data struct {
			Groups []struct {
				Rules []struct {
					Name      string `json:"name"`
					Health    string `json:"health"`
					LastError string `json:"lastError"`
				} `json:"rules"`
			} `json:"groups"`
		} `json:"data"`
	}
	if err := get(s.prometheusURL+"/api/v1/rules", &rules); err != nil {
		return err
	}
	if len(rules.Data.Groups) == 0 {
		return errors.New("prometheus has no rules")
	}
	var wrong []error
	for _, g := range rules.Data.Groups {
		for _, r := range g.Rules {
			if r.Health != "ok" {
				wrong = append(wrong, fmt.Errorf("rule %s is %s: %s", r.Name, r.Health, r.LastError))
			}
		}
	}
	return errors.Join(wrong...)
}

// Inhibited returns an error unless Alertmanager holds exactly one alert with
// the labels, and another one silences it.
func (s *Stage) Inhibited(labels map[string]string) error {
	var alerts []struct {
		Labels map[string]string `json:"labels"`
		Status struct {
			State       string   `json:"state"`
			InhibitedBy []string `json:"inhibitedBy"`
		} `json:"status"`
	}
	if err := get(s.alertsURL+"/api/v2/alerts", &alerts); err != nil {
		return err
	}
	n, inhibited := 0, 0
	for _, a := range alerts {
		if (Alert{Labels: a.Labels}).carries(labels) {
			n++
			inhibited += min(len(a.Status.InhibitedBy), 1)
		}
	}
	if n != 1 || inhibited != 1 {
		return fmt.Errorf("alertmanager holds %d alerts %v, %d of them inhibited; want one that is", n, labels, inhibited)
	}
	return nil
}
