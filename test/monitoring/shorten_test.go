package monitoring

import "testing"

func TestShorten(t *testing.T) {
	const rules = `groups:
  - name: g
    interval: 30m
    rules:
      - alert: A
        expr: |
          sum(increase(x{a="[5m]y"}[15m])) - y offset 10m > 300
          and deriv(z[84h] offset 84h)
        for: 1h
        keep_firing_for: 10m
        annotations:
          description: for at least 10 min [5m]
`
	// The range within quotes is taken for one: no rule has such a value.
	const want = `groups:
    - name: g
      interval: 2m
      rules:
        - alert: A
          expr: |
            sum(increase(x{a="[20s]y"}[1m])) - y offset 40s > 300
            and deriv(z[5h36m] offset 5h36m)
          for: 4m
          keep_firing_for: 40s
          annotations:
            description: for at least 10 min [5m]
`
	got, err := Shorten([]byte(rules), 15)
	if err != nil || string(got) != want {
		t.Errorf("got %v\n%s", err, got)
	}
	for _, wrong := range []string{"for: soon", "expr: x[5x]", "a: [", "group_wait: 5"} {
		if got, err := Shorten([]byte(wrong), 15); err == nil {
			t.Errorf("%s: no error, but %s", wrong, got)
		}
	}
}
