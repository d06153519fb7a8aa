package rulecheck

import (
	"slices"
	"strings"
	"testing"
)

func TestExpression(t *testing.T) {
	v := NewVocabulary()
	if err := v.Learn(File{"own.yml", []byte("groups: [{name: a, rules: [{record: 'job:flink_skew_up:max', expr: flink_skew_up}]}]")}); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		expr string
		// want are parts of the problems, in order.
		want []string
	}{
		"metric":                 {`flink_skew_up`, nil},
		"unknown metric":         {`flink_skew_upp`, []string{"no metric flink_skew_upp; did you mean flink_skew_up?"}},
		"far from any":           {`flink_skew_nonsense_that_is_long`, []string{"METRICS.md"}},
		"foreign metric":         {`node_load1{whatever="x"}`, nil},
		"recorded":               {`job:flink_skew_up:max{cluster="a"}`, nil},
		"not recorded":           {`job:flink_skew_up:min`, []string{"no recording rule makes job:flink_skew_up:min; did you mean job:flink_skew_up:max?"}},
		"label":                  {`flink_skew_up{cluster=~"a.*"}`, nil},
		"unknown label":          {`flink_skew_up{vertex="x"}`, []string{"flink_skew_up has no label vertex, only cluster"}},
		"label of Prometheus":    {`flink_skew_up{job="x",instance!="y"}`, nil},
		"histogram":              {`flink_skew_vertex_subtasks_busy_ratio_bucket{le="0.9"}`, nil},
		"histogram without part": {`flink_skew_vertex_subtasks_busy_ratio`, []string{"there is no metric"}},
		"le elsewhere":           {`flink_skew_vertex_busy_ratio{le="0.9"}`, []string{"no label le"}},
		"value":                  {`flink_skew_vertex_verdict{verdict="hot_key"}`, nil},
		"unknown value":          {`flink_skew_vertex_verdict{verdict!="hotkey"}`, []string{`verdict is never "hotkey"`}},
		"unknown in a list":      {`flink_skew_vertex_verdict{verdict=~"hot_key|few_key"}`, []string{`verdict is never "few_key"`}},
		"pattern":                {`flink_skew_vertex_verdict{verdict=~"hot_.+"}`, nil},
		"empty value":            {`flink_skew_vertex_verdict{verdict=""}`, nil},
		"grouping":               {`sum by (cluster, job_name) (flink_skew_vertex_severity)`, nil},
		"unknown grouping":       {`sum by (cluster, jobname) (flink_skew_vertex_severity)`, []string{"has a label jobname"}},
		"grouping behind":        {`sum(flink_skew_vertex_severity) without (nothing)`, []string{"has a label nothing"}},
		"matching":               {`flink_skew_up * on (cluster) group_left (flink_version) flink_skew_cluster_info`, nil},
		"unknown matching":       {`flink_skew_up * on (clusters) group_left (version2) flink_skew_cluster_info`, []string{"label clusters", "label version2"}},
		"foreign matching":       {`up == 0 and on (job, pod) flink_skew_up`, nil},
		"made label":             {`sum by (place) (label_replace(flink_skew_up, "place", "$1", "cluster", "(.*)"))`, nil},
		"keywords":               {`flink_skew_up > bool 0 and flink_skew_up offset 5m or NaN * (flink_skew_up @ 100) unless -inf`, nil},
		"ranges":                 {`rate(flink_skew_exporter_polls_total[5m:30s] offset 1h30m) * 1e3 + 0x1F + .5`, nil},
		"comment":                {"flink_skew_up # flink_skew_down\n or flink_skew_down", []string{"no metric flink_skew_down;"}},
		"strings":                {`label_join(flink_skew_up, "x", 'flink_skew_a', ` + "`flink_skew_b\\`" + `)`, nil},
		"endless string":         {`flink_skew_up{cluster="a}`, []string{"a string does not end"}},
		"name as label":          {`{__name__="flink_skew_upper"}`, []string{"no metric flink_skew_upper"}},
		"quoted name":            {`{"flink_skew_up", cluster="x"}`, nil},
		"by labels alone":        {`count({cluster="x"}) by (cluster)`, nil},
		"variable in value":      {`flink_skew_vertex_verdict{verdict=~"$verdict",cluster="${cluster:regex}"}`, nil},
		"variable as value":      {`topk($n, flink_skew_vertex_severity{cluster=$cluster})`, nil},
		"variable completes":     {`flink_skew_vertex_${signal}_ratio + $prefix_up + [[a]]_b`, nil},
		"variable range":         {`increase(flink_skew_exporter_polls_total[$__range])`, nil},
		"label_values":           {`label_values(flink_skew_up{cluster!=""}, clusterr)`, []string{"label clusterr"}},
		"metric named by":        {`flink_skew_by`, []string{"no metric flink_skew_by"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := v.Expression(c.expr)
			ok := len(got) == len(c.want)
			for i := range c.want {
				ok = ok && strings.Contains(got[i], c.want[i])
			}
			if !ok {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	if got := NewVocabulary("pod").Expression(`sum by (pod) (flink_skew_up{pod="x"})`); got != nil {
		t.Errorf("a label of the target is refused: %q", got)
	}
}

const ruleText = `
groups:
  - name: a
    rules:
      - record: cluster:flink_skew_up:min
        expr: min by (cluster) (flink_skew_up)
      - alert: Good
        expr: |
          cluster:flink_skew_up:min == 0
        annotations:
          summary: '{{ $labels.cluster }} {{ with printf "flink_skew_down_info{cluster=%q,reason=\"x\"}" $labels.cluster | query }}{{ . | first | label "reason" }}{{ end }}'
      - alert: Bad
        expr: flink_skew_upp == 0
        labels:
          team: '{{ $labels.teem }}'
        annotations:
          summary: "{{ with query ` + "`flink_skew_down{cluster=\\\"x\\\"}`" + ` }}{{ end }}"
`

func TestCheckRules(t *testing.T) {
	indented := "apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nspec:\n" + strings.ReplaceAll(ruleText, "\n", "\n  ")
	for name, text := range map[string]string{"rules.yml": ruleText, "resource.yml": indented} {
		summaries, problems := NewVocabulary().Check(File{name, []byte(text)})
		if s := summaries[0]; s.Alerts != 2 || s.Records != 1 || s.Dashboards != 0 || s.Expressions != 3 {
			t.Errorf("%s: %+v", name, s)
		}
		var got []string
		for _, p := range problems {
			got = append(got, p.String())
		}
		line := "13"
		if name != "rules.yml" {
			line = "16"
		}
		want := []string{
			name + ":" + line + ": Bad: there is no metric flink_skew_upp; did you mean flink_skew_up?",
			name + ":" + line + ": Bad: summary: there is no metric flink_skew_down",
			name + ":" + line + ": Bad: team: no metric of this exporter has a label teem",
		}
		if len(got) != len(want) {
			t.Fatalf("%s: got %q", name, got)
		}
		for i := range want {
			if !strings.HasPrefix(got[i], want[i]) {
				t.Errorf("%s: got %q, want %q", name, got[i], want[i])
			}
		}
	}
}

func TestCheckKnowsRecordsOfAllFiles(t *testing.T) {
	user := File{"b.yml", []byte("groups: [{name: b, rules: [{alert: A, expr: 'cluster:flink_skew_up:min == 0'}]}]")}
	records := File{"a.yml", []byte("groups: [{name: a, rules: [{record: 'cluster:flink_skew_up:min', expr: flink_skew_up}]}]")}
	if _, problems := NewVocabulary().Check(user, records); len(problems) > 0 {
		t.Errorf("%v", problems)
	}
	if _, problems := NewVocabulary().Check(user); len(problems) != 1 {
		t.Errorf("%v", problems)
	}
}

func TestCheckDashboard(t *testing.T) {
	text := `{"title": "Board", "panels": [
	  {"title": "Row", "panels": [{"title": "Good", "targets": [{"expr": "flink_skew_up{cluster=~\"$cluster\"}"}]}]},
	  {"title": "Bad", "targets": [{"expr": "sum(flink_skew_vertex_busy{stat=\"max\"})"}, {"expr": ""}]}],
	 "templating": {"list": [{"name": "vertex", "query": {"query": "label_values(flink_skew_vertex_parallelismm, vertex)"}},
	   {"name": "other", "query": "label_values(kafka, topic)"}]}}`
	summaries, problems := NewVocabulary().Check(File{"board.json", []byte(text)})
	if s := summaries[0]; s.Dashboards != 1 || s.Expressions != 3 || s.Alerts != 0 {
		t.Errorf("%+v", s)
	}
	var where []string
	for _, p := range problems {
		where = append(where, p.Where)
		if p.Line != 0 || !strings.HasPrefix(p.String(), "board.json: "+p.Where+": there is no metric") {
			t.Errorf("%s", p)
		}
	}
	if !slices.Equal(where, []string{"Bad", "vertex"}) {
		t.Errorf("problems at %q", where)
	}
}

func TestCheckUnreadable(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":      {"", "holds no rules"},
		"no rules":   {"groups: []", "holds no rules"},
		"other YAML": {"a: 1", "holds no rules"},
		"list":       {"- 1", "is not a rule file"},
		"not YAML":   {"a: [", "is not YAML"},
		"not JSON":   {"{\"a\"", "is not JSON"},
		"no queries": {"{}", "holds no queries"},
		"both":       {"groups: [{name: g, rules: [{alert: a, record: b, expr: c}]}]", "line 1: group g: a rule needs either record or alert"},
		"no expr":    {"groups: [{name: g, rules: [{alert: a}]}]", "line 1: group g: a has no expr"},
		"no rule":    {"groups: [{name: g, rules: [1]}]", "line 1: group g: is not a rule"},
	} {
		t.Run(name, func(t *testing.T) {
			_, problems := NewVocabulary().Check(File{name, []byte(c.text)})
			if len(problems) != 1 || !strings.HasPrefix(problems[0].String(), name+": "+c.want) {
				t.Errorf("got %v, want %q", problems, c.want)
			}
			if strings.Contains(c.want, "line 1") || strings.Contains(c.want, "is not YAML") {
				if err := NewVocabulary().Learn(File{name, []byte(c.text)}); err == nil {
					t.Error("learned")
				}
			}
		})
	}
}

// FuzzExpression: no text makes the reader panic or loop.
func FuzzExpression(f *testing.F) {
	for _, s := range []string{`sum by (a) (b{c="d"})`, `{`, `a{b=`, `[[`, `${`, `$`, `"\`, `by(`, `label_values(`, `a{b="c"`, "{{ x `"} {
		f.Add(s)
	}
	v := NewVocabulary()
	f.Fuzz(func(t *testing.T, s string) {
		all, err := tokens(s)
		n := 0
		for _, w := range all {
			n += len(w.text)
		}
		if err == nil && n > len(s) {
			t.Errorf("%d bytes of tokens from %d", n, len(s))
		}
		v.Expression(s)
		v.template("{{ "+s+" }}", true)
	})
}
