package weekly

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// digestLines is how many lines a digest has at most beside its head.
const digestLines = 8

// Text writes the digest: what fits into a chat message or a mail. An error is
// that of w.
func Text(w io.Writer, r *Report) error {
	m := &lines{w: bufio.NewWriter(w)}
	m.add(r.title()+"   "+strings.Join(r.scope(), ", "), sentence(strings.Join(r.headline(), "; "))+".", r.basis())
	shown, more, _ := r.lines(digestLines)
	for _, v := range shown {
		m.add("- " + v.digest(r))
	}
	if more > 0 {
		m.add(fmt.Sprintf("and %s more", vertices(more)))
	}
	for i := range r.Clusters {
		c := &r.Clusters[i]
		if c.Failed != "" {
			m.add(fmt.Sprintf("Not seen: %s: %s", c.Cluster, c.Failed))
		} else if len(c.Gaps) > 0 {
			m.add(fmt.Sprintf("Not seen: %s for a part of the time (%d gaps)", c.Cluster, len(c.Gaps)))
		}
	}
	if err := m.w.Flush(); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// digest is a vertex in one line.
func (v *Vertex) digest(r *Report) string {
	s := fmt.Sprintf("%s%s: needs %s at peak, ceiling %s", v.subject(), r.in(v.Cluster), v.peak(), v.ceiling())
	if !v.Peak.Known() {
		s = fmt.Sprintf("%s%s: ceiling %s", v.subject(), r.in(v.Cluster), v.ceiling())
	}
	if v.Trend.Kind != TrendShort {
		s += ", " + v.Trend.words()
	}
	switch v.Reached.Kind {
	case ReachNow:
		s += ", reached at peak already"
	case ReachDates:
		s += ", reached " + v.Reached.words()
	}
	if v.Advice.Text != "" {
		s += "; " + v.Advice.Text
	}
	return s
}

// sentence starts s with a capital letter.
func sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
