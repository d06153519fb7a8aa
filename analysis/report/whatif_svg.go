package report

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/flink-skew-exporter/flink-skew-exporter/analysis"
)

const (
	svgWidth, svgHeight = 760, 400
	// The plot's edges inside the picture.
	svgLeft, svgRight, svgTop, svgBottom = 64, 740, 74, 340
	// svgTick is the least distance of two labels on the axis, svgCharacters how
	// many fit into the title.
	svgTick, svgCharacters = 34, 92
)

// svgStyle colours by class, for light and dark. The classes bear a prefix, so
// that they mean nothing to a page that the picture is put into.
const svgStyle = `<style>
.wi{font:12px system-ui,sans-serif}.wi-bg{fill:#fff}.wi-ink{fill:#1f2933}.wi-soft{fill:#52606d}.wi-grid{stroke:#e4e7eb}.wi-axis{stroke:#7b8794}
.wi-band{fill:#2f6fde;fill-opacity:.22}.wi-likely{fill:none;stroke:#2f6fde;stroke-width:2.5}.wi-target{stroke:#0b7a3e;stroke-width:1.5;stroke-dasharray:6 4}
.wi-full{stroke:#b42318;stroke-width:1.5}.wi-floor{stroke:#b54708;stroke-width:1.5;stroke-dasharray:2 3}.wi-cut{stroke:#52606d;stroke-width:1.5;stroke-dasharray:4 3}.wi-now{fill:#1f2933}
.wi-t{fill:#0b7a3e}.wi-f{fill:#b42318}.wi-h{fill:#b54708}
@media (prefers-color-scheme:dark){.wi-bg{fill:#16191d}.wi-ink{fill:#e6e9ee}.wi-soft{fill:#a3adba}.wi-grid{stroke:#2b313a}.wi-axis{stroke:#7b8794}
.wi-band{fill:#6ea8ff}.wi-likely{stroke:#6ea8ff}.wi-target{stroke:#4cc38a}.wi-full{stroke:#ff8a80}.wi-floor{stroke:#ffb570}.wi-cut{stroke:#a3adba}.wi-now{fill:#e6e9ee}
.wi-t{fill:#4cc38a}.wi-f{fill:#ff8a80}.wi-h{fill:#ffb570}}
</style>`

// SVG draws the curve as a picture that can stand alone: the band, the likely
// load as steps, the target, what one subtask can do, the floor and what cuts
// it. It loads nothing. Without a curve the picture says why.
func (wi *WhatIf) SVG() string {
	var b strings.Builder
	title := cut(clean(wi.heading()), svgCharacters)
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" class="wi" viewBox="0 0 %d %d" width="%d" height="%d" role="img">`, svgWidth, svgHeight, svgWidth, svgHeight)
	fmt.Fprintf(&b, "<title>%s</title><desc>%s</desc>\n%s\n", html.EscapeString(title), html.EscapeString(clean(strings.Join(wi.Summary, " "))), svgStyle)
	fmt.Fprintf(&b, `<rect class="wi-bg" width="%d" height="%d"/>`+"\n", svgWidth, svgHeight)
	label(&b, 16, 24, "wi-ink", "start", title)
	for i, l := range firstLines(wi.Summary) {
		label(&b, 16, 42+16*i, "wi-soft", "start", l)
	}
	if wi.Curve != nil && len(wi.Curve.Points) > 0 {
		p := newPlot(wi.Curve)
		p.grid(&b)
		p.band(&b)
		p.lines(&b)
		p.cuts(&b)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// firstLines are the first sentence in at most two lines.
func firstLines(summary []string) []string {
	if len(summary) == 0 {
		return nil
	}
	lines := wrap(summary[0], svgCharacters+16)
	return lines[:min(2, len(lines))]
}

// label writes text at a point; its words are a user's and are escaped.
func label(b *strings.Builder, x, y int, class, anchor, text string) {
	fmt.Fprintf(b, `<text x="%d" y="%d" class="%s" text-anchor="%s">%s</text>`+"\n", x, y, class, anchor, html.EscapeString(text))
}

// plot maps parallelisms, by their logarithm, and loads to the picture.
type plot struct {
	c           *analysis.Curve
	first, last float64
	top         float64
}

func newPlot(c *analysis.Curve) *plot {
	p := &plot{c: c, first: float64(c.Points[0].Parallelism), last: float64(c.Points[len(c.Points)-1].Parallelism)}
	if c.Parallelism > 0 { // Far below today's is of no use, and would hide the rest.
		p.first = max(p.first, math.Floor(float64(c.Parallelism)/4))
	}
	p.last = max(p.last, p.first+1)
	for _, q := range p.points() {
		p.top = max(p.top, q.High)
	}
	if c.Unit == analysis.CurveBusy {
		p.top = min(max(p.top*1.05, 1.1), curveMost)
	}
	if p.top <= 0 {
		p.top = 1
	}
	return p
}

// points are those that the picture shows.
func (p *plot) points() []analysis.CurvePoint {
	var shown []analysis.CurvePoint
	for _, q := range p.c.Points {
		if float64(q.Parallelism) >= p.first {
			shown = append(shown, q)
		}
	}
	return shown
}

func (p *plot) x(parallelism float64) int {
	share := math.Log(parallelism/p.first) / math.Log(p.last/p.first)
	return svgLeft + int(math.Round(share*(svgRight-svgLeft-12)))
}

func (p *plot) y(load float64) int {
	return svgBottom - int(math.Round(min(load, p.top)/p.top*(svgBottom-svgTop)))
}

// grid draws the axes with their labels.
func (p *plot) grid(b *strings.Builder) {
	for i := range 5 {
		v := p.top * float64(i) / 4
		if p.c.Unit == analysis.CurveBusy {
			v = math.Round(v*20) / 20
		}
		line(b, "wi-grid", svgLeft, p.y(v), svgRight, p.y(v))
		label(b, svgLeft-6, p.y(v)+4, "wi-soft", "end", amount(p.c.Unit, v))
	}
	line(b, "wi-axis", svgLeft, svgBottom, svgRight, svgBottom)
	before := -svgTick
	for _, q := range p.points() {
		if !q.Useful {
			continue
		}
		x := p.x(float64(q.Parallelism))
		line(b, "wi-axis", x, svgBottom, x, svgBottom+4)
		if x-before >= svgTick {
			label(b, x, svgBottom+18, "wi-soft", "middle", strconv.Itoa(q.Parallelism))
			before = x
		}
	}
	label(b, (svgLeft+svgRight)/2, svgBottom+36, "wi-soft", "middle", "parallelism (ticks: those worth running)")
}

// band draws the bounds and the likely load as steps: between two parallelisms
// worth running the busiest subtask owns as much as at the lower one.
func (p *plot) band(b *strings.Builder) {
	qs := p.points()
	var upper, lower, likely []string
	for i, q := range qs {
		x, end := p.x(float64(q.Parallelism)), svgRight
		if i+1 < len(qs) {
			end = p.x(float64(qs[i+1].Parallelism))
		}
		upper = append(upper, fmt.Sprintf("%d,%d %d,%d", x, p.y(q.High), end, p.y(q.High)))
		lower = append(lower, fmt.Sprintf("%d,%d %d,%d", end, p.y(q.Low), x, p.y(q.Low)))
		likely = append(likely, fmt.Sprintf("%d,%d %d,%d", x, p.y(q.Likely), end, p.y(q.Likely)))
	}
	slices.Reverse(lower)
	fmt.Fprintf(b, `<polygon class="wi-band" points="%s"/>`+"\n", strings.Join(append(upper, lower...), " "))
	fmt.Fprintf(b, `<polyline class="wi-likely" points="%s"/>`+"\n", strings.Join(likely, " "))
}

// lines draws the target, what one subtask can do, the floor, and today.
func (p *plot) lines(b *strings.Builder) {
	across := func(n analysis.Num, class, text, words string) {
		if v, ok := n.Get(); ok && v > 0 && v <= p.top {
			line(b, class, svgLeft, p.y(v), svgRight, p.y(v))
			label(b, svgRight-4, p.y(v)-4, text, "end", words+" "+amount(p.c.Unit, v))
		}
	}
	if p.c.Unit == analysis.CurveBusy {
		across(analysis.Of(1), "wi-full", "wi-f", "one subtask can do")
		across(p.c.Target, "wi-target", "wi-t", "target")
		across(p.c.Floor, "wi-floor", "wi-h", "hot key alone")
	} else {
		across(p.c.Floor, "wi-floor", "wi-h", "heaviest key group")
	}
	if n, ok := p.c.Now.Get(); ok && p.c.Parallelism > 0 {
		x, y := p.x(float64(p.c.Parallelism)), p.y(n*p.c.Load)
		fmt.Fprintf(b, `<circle class="wi-now" cx="%d" cy="%d" r="4.5"/>`+"\n", x, y)
		label(b, x+8, max(y-8, svgTop+10), "wi-ink", "start", fmt.Sprintf("now: %d", p.c.Parallelism))
	}
}

// cuts draws what limits the parallelism.
func (p *plot) cuts(b *strings.Builder) {
	n := 0
	at := func(limit analysis.Num, words string) {
		v, ok := limit.Get()
		if !ok || v < p.first || v > p.last {
			return
		}
		x := p.x(v)
		line(b, "wi-cut", x, svgTop, x, svgBottom)
		anchor, shift := "end", -5
		if x < (svgLeft+svgRight)/2 {
			anchor, shift = "start", 5
		}
		label(b, x+shift, svgTop+12+15*n, "wi-soft", anchor, words+" "+thousands(v))
		n++
	}
	at(p.c.Limits.MaxParallelism, "max parallelism")
	at(p.c.Limits.SourcePartitions, "partitions")
	at(p.c.Limits.TaskSlots, "free slots allow")
}

func line(b *strings.Builder, class string, x1, y1, x2, y2 int) {
	fmt.Fprintf(b, `<line class="%s" x1="%d" y1="%d" x2="%d" y2="%d"/>`+"\n", class, x1, y1, x2, y2)
}
