package frame

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// Explain returns the plan that runs: steps, the last first, with their columns or expressions. Errors: mistakes in the query.
func (q *Query) Explain() (string, error) {
	p, err := q.plan()
	if err != nil {
		return "", err
	}
	return explain(optimize(p), false), nil
}

// String returns the plan with the rows and bytes that each step returned, the time that it took without those below, and where it
// ran.
func (r *Result) String() string {
	return explain(r.plan, true) + fmt.Sprintf("%d %s in %s\n", r.Frame.rows, plural(r.Frame.rows, "row"), r.total.Round(10*time.Microsecond))
}

func explain(p *plan, ran bool) string {
	var s strings.Builder
	w := tabwriter.NewWriter(&s, 0, 0, 2, ' ', 0)
	why := ran && p.reasons()
	if ran {
		fmt.Fprint(w, "step\trows\tbytes\ttime\twhere")
		if why {
			fmt.Fprint(w, "\twhy")
		}
		fmt.Fprintln(w)
	}
	p.write(w, 0, ran, why)
	w.Flush()
	return s.String()
}

// nothingComputed is why a step that only chooses columns is no graph.
const nothingComputed = "nothing is computed"

// Left returns the steps that stayed on the CPU path although there was a device, each with the reason.
func (r *Result) Left() (out []string) {
	var walk func(p *plan)
	walk = func(p *plan) {
		for _, in := range p.in {
			walk(in)
		}
		if p.why != "" && p.where == "" && p.why != nothingComputed {
			out = append(out, p.op+": "+p.why)
		}
	}
	walk(r.plan)
	return out
}

// reasons reports whether there are reasons for where steps ran.
func (p *plan) reasons() bool { return p.why != "" || slices.ContainsFunc(p.in, (*plan).reasons) }

func (p *plan) write(w *tabwriter.Writer, depth int, ran, why bool) {
	fmt.Fprint(w, strings.Repeat("  ", depth)+p.describe())
	switch {
	case p.stats.fused:
		fmt.Fprintf(w, "\t-\t-\t-\t%s", p.where)
	case ran:
		where := p.where
		if where == "" {
			where = "cpu"
		}
		fmt.Fprintf(w, "\t%d\t%s\t%s\t%s", p.stats.rows, size(p.stats.bytes), p.stats.time.Round(10*time.Microsecond), where)
	}
	if why {
		fmt.Fprint(w, "\t"+p.why)
	}
	fmt.Fprintln(w)
	for _, in := range p.in {
		in.write(w, depth+1, ran, why)
	}
}

func (p *plan) describe() string {
	s := p.op
	list := func(word string, items []string) {
		if len(items) > 8 {
			items = append(items[:8:8], fmt.Sprintf("and %d more", len(items)-8))
		}
		if len(items) > 0 {
			s += word + strings.Join(items, ", ")
		}
	}
	exprs := func(all []named) (out []string) {
		for _, e := range all {
			if bare(e.n).op == "col" && bare(e.n).name == e.name {
				out = append(out, e.name)
			} else {
				out = append(out, bare(e.n).String()+" as "+e.name)
			}
		}
		return out
	}
	switch p.op {
	case "frame":
		list(" ", p.names())
	case "scan":
		s += " " + p.source.String()
		list(": ", p.names())
		var f []string
		for _, n := range p.filter {
			f = append(f, n.String())
		}
		list(" where ", f)
		if p.limit >= 0 {
			s += fmt.Sprintf(" limit %d", p.limit)
		}
	case "filter":
		s += " " + p.pred.String()
	case "project":
		list(" ", exprs(p.exprs))
	case "group", "distinct", "grouptop", "window":
		list(" by ", exprs(p.keys))
		list(": ", exprs(p.exprs))
	case "slice":
		s += fmt.Sprintf(" %d from %d", p.step.count, p.step.from)
	case "sample":
		s += fmt.Sprintf(" %d", p.step.count)
	case "join":
		s += " " + string(p.join.How)
		var on []string
		for i := range p.left {
			on = append(on, p.left[i]+" = "+p.right[i])
		}
		list(" on ", on)
	case "rolling":
		s += fmt.Sprintf(" %v back", p.step.roll.Window)
		list(" by ", exprs(p.keys))
		list(": ", exprs(p.exprs))
	case "splitrows":
		s += fmt.Sprintf(" %s at %q", p.step.names[0], p.step.sep)
	case "asof":
		s += " on " + p.step.asof.On
		list(" by ", p.step.asof.By)
	}
	if p.op == "topk" || p.op == "grouptop" {
		s += fmt.Sprintf(" %d", p.step.count)
	}
	var order []string
	for _, k := range p.order {
		o := k.n.String()
		if k.desc {
			o += " desc"
		}
		if !k.last {
			o += " nulls first"
		}
		order = append(order, o)
	}
	list(" order ", order)
	return s
}

// size writes a number of bytes.
func size(n int64) string {
	switch {
	case n < 10_000:
		return fmt.Sprintf("%d B", n)
	case n < 10_000_000:
		return fmt.Sprintf("%d KB", n/1000)
	case n < 10_000_000_000:
		return fmt.Sprintf("%d MB", n/1_000_000)
	}
	return fmt.Sprintf("%d GB", n/1_000_000_000)
}
