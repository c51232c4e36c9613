package report

import (
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/anycl/anycl/internal/units"
)

// colors of the engines in pictures, in the order in which they appear.
var colors = []string{"#cfe3ff", "#ffe0b8", "#d6f0cf", "#ecd5f5"}

// engines are the names of those that run tasks, in the order of the first.
func (r *Report) engines() (names []string) {
	for _, t := range r.Tasks {
		if !slices.Contains(names, t.Where) {
			names = append(names, t.Where)
		}
	}
	return names
}

func (r *Report) color(where string) string {
	return colors[max(slices.Index(r.engines(), where), 0)%len(colors)]
}

// lines are the lines of text about a task in a picture.
func (t *Task) lines() []string {
	times := t.Where + " " + t.predicted(t.Where)
	if t.Measured > 0 {
		times += ", measured " + units.Duration(t.Measured)
	}
	lines := []string{t.Name + " " + Extents(t.Axes), times}
	if others := t.elsewhere(); others != "" {
		lines = append(lines, others)
	}
	return lines
}

// edge is a value on its way to a reader, in a picture.
type edge struct {
	from, to int // tasks, or -1 for the host
	label    string
	moved    bool
}

// edges are the values between tasks, feeds and results; constants and variables are not shown.
func (r *Report) edges() (edges []edge) {
	for _, v := range r.Values {
		if v.From < 0 && !v.Fed {
			continue
		}
		add := func(to int, from, where string) {
			e := edge{from: v.From, to: to, label: units.Bytes(v.Bytes)}
			for _, m := range v.Moves {
				if m.From == from && m.To == where {
					e.moved = from != Host && where != Host
					e.label += ", " + units.Duration(m.Predicted)
				}
			}
			edges = append(edges, e)
		}
		from := Host
		if v.From >= 0 {
			from = r.Tasks[v.From].Where
		}
		for _, t := range v.To {
			add(t, from, r.Tasks[t].Where)
		}
		if v.Result && v.From >= 0 {
			add(-1, from, Host)
		}
	}
	return edges
}

// DOT is the report as a graph in the language of Graphviz: tasks in the colour of their
// engine, with the predicted times on each, and values between them, those that move
// between engines in red.
func (r *Report) DOT() string {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph %q {\n\tlabel=%q;\n\tnode [shape=box, style=filled];\n\thost [shape=oval, fillcolor=white];\n\tresults [shape=oval, fillcolor=white];\n", r.Graph, r.Graph+": "+r.times())
	for i, t := range r.Tasks {
		fmt.Fprintf(&b, "\tt%d [label=%q, fillcolor=%q, tooltip=%q];\n", i, strings.Join(t.lines(), "\n"), r.color(t.Where), t.Why)
	}
	b.WriteString(r.clusters())
	for _, e := range r.edges() {
		from, to, look := fmt.Sprintf("t%d", e.from), fmt.Sprintf("t%d", e.to), ""
		if e.from < 0 {
			from = "host"
		}
		if e.to < 0 {
			to = "results"
		}
		if e.moved {
			look = ", color=red, penwidth=2"
		}
		fmt.Fprintf(&b, "\t%s -> %s [label=%q%s];\n", from, to, e.label, look)
	}
	b.WriteString("}\n")
	return b.String()
}

// Sizes of the picture.
const (
	boxWidth, boxHeight = 300, 58
	laneGap, rowGap     = 90, 26
	margin, titleHeight = 20, 50
)

// SVG is the report as a picture: a lane for each engine, tasks from top to bottom in
// the order in which they run, and values between them, those that move between
// engines in red.
func (r *Report) SVG() string {
	names := r.engines()
	lane := func(where string) int { return margin + slices.Index(names, where)*(boxWidth+laneGap) }
	top := func(row int) int { return titleHeight + margin + row*(boxHeight+rowGap) }
	width := 2*margin + max(len(names), 1)*(boxWidth+laneGap)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">`+"\n", width,
		top(len(r.Tasks))+margin)
	b.WriteString(`<rect width="100%" height="100%" fill="white"/>` + "\n")
	text := func(x, y int, size, s string) {
		fmt.Fprintf(&b, `<text x="%d" y="%d" font-size="%s">%s</text>`+"\n", x, y, size, html.EscapeString(s))
	}
	text(margin, 24, "14", r.Graph+": "+r.times())
	for _, name := range names {
		text(lane(name), titleHeight+6, "13", name)
	}
	for _, e := range r.edges() {
		if e.from < 0 || e.to < 0 {
			continue
		}
		a, z := r.Tasks[e.from], r.Tasks[e.to]
		color, weight := "#999999", 1
		x1, y1, x2, y2 := lane(a.Where)+boxWidth/2, top(e.from)+boxHeight, lane(z.Where)+boxWidth/2, top(e.to)
		bend := 0
		switch {
		case e.moved:
			color, weight = "#cc0000", 2
		case e.to > e.from+1: // past the tasks between, at their side
			x1, y1, x2, y2 = lane(a.Where)+boxWidth, top(e.from)+boxHeight/2, lane(z.Where)+boxWidth, top(e.to)+boxHeight/2
			bend = min(12+6*(e.to-e.from), laneGap-10)
		}
		fmt.Fprintf(&b, `<path d="M%d %d C%d %d %d %d %d %d" fill="none" stroke="%s" stroke-width="%d"/>`+"\n",
			x1, y1, x1+bend, (y1+y2)/2, x2+bend, (y1+y2)/2, x2, y2, color, weight)
		if e.moved {
			fmt.Fprintf(&b, `<text x="%d" y="%d" fill="%s">%s</text>`+"\n", (x1+x2)/2, (y1+y2)/2, color, html.EscapeString(e.label))
		}
	}
	for i := range r.Regions { // loops and branches, at the left of their tasks
		if g := &r.Regions[i]; g.First < g.Last {
			x := 4 + 5*r.outside(i)
			fmt.Fprintf(&b, `<path d="M%d %d H%d V%d H%d" fill="none" stroke="#336699" stroke-width="2"><title>%s</title></path>`+"\n",
				x+6, top(g.First)-2, x, top(g.Last-1)+boxHeight+2, x+6, html.EscapeString(g.String()))
			text(margin+4, top(g.First)-4-9*r.outside(i), "10", g.String())
		}
	}
	for i, t := range r.Tasks {
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" rx="5" fill="%s" stroke="#666666"><title>%s</title></rect>`+"\n",
			lane(t.Where), top(i), boxWidth, boxHeight, r.color(t.Where), html.EscapeString(t.Why))
		for k, line := range t.lines() {
			text(lane(t.Where)+8, top(i)+17+17*k, "12", shorten(line, 48))
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}
