package plan

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/anycl/anycl/frame/internal/expr"
	"github.com/anycl/anycl/frame/internal/table"
)

// Explain prints a plan: its steps, and, if it ran, what each did.
func Explain(p *Plan, ran bool) string {
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

// NothingComputed is why a step that only chooses columns is no graph.
const NothingComputed = "nothing is computed"

// reasons reports whether there are reasons for where steps ran.
func (p *Plan) reasons() bool { return p.Why != "" || slices.ContainsFunc(p.In, (*Plan).reasons) }

func (p *Plan) write(w *tabwriter.Writer, depth int, ran, why bool) {
	fmt.Fprint(w, strings.Repeat("  ", depth)+p.describe())
	switch {
	case p.Stats.Fused:
		fmt.Fprintf(w, "\t-\t-\t-\t%s", p.Where)
	case ran:
		where := p.Where
		if where == "" {
			where = "cpu"
		}
		fmt.Fprintf(w, "\t%d\t%s\t%s\t%s", p.Stats.Rows, table.Size(p.Stats.Bytes), p.Stats.Time.Round(10*time.Microsecond), where)
	}
	if why {
		fmt.Fprint(w, "\t"+p.Why)
	}
	fmt.Fprintln(w)
	for _, in := range p.In {
		in.write(w, depth+1, ran, why)
	}
}

func (p *Plan) describe() string {
	s := p.Op
	list := func(word string, items []string) {
		if len(items) > 8 {
			items = append(items[:8:8], fmt.Sprintf("and %d more", len(items)-8))
		}
		if len(items) > 0 {
			s += word + strings.Join(items, ", ")
		}
	}
	exprs := func(all []Named) (out []string) {
		for _, e := range all {
			if expr.Bare(e.Node).Op == "col" && expr.Bare(e.Node).Name == e.Name {
				out = append(out, e.Name)
			} else {
				out = append(out, expr.Bare(e.Node).String()+" as "+e.Name)
			}
		}
		return out
	}
	switch p.Op {
	case "frame":
		list(" ", p.Names())
	case "scan":
		s += " " + p.Source.String()
		list(": ", p.Names())
		var f []string
		for _, n := range p.Filter {
			f = append(f, n.String())
		}
		list(" where ", f)
		if p.Limit >= 0 {
			s += fmt.Sprintf(" limit %d", p.Limit)
		}
	case "filter":
		s += " " + p.Predicate.String()
	case "project":
		list(" ", exprs(p.Exprs))
	case "group", "distinct", "grouptop", "window":
		list(" by ", exprs(p.Keys))
		list(": ", exprs(p.Exprs))
	case "slice":
		s += fmt.Sprintf(" %d from %d", p.Step.Count, p.Step.From)
	case "sample":
		s += fmt.Sprintf(" %d", p.Step.Count)
	case "join":
		s += " " + string(p.Join.How)
		var on []string
		for i := range p.Left {
			on = append(on, p.Left[i]+" = "+p.Right[i])
		}
		list(" on ", on)
	case "rolling":
		s += fmt.Sprintf(" %v back", p.Step.Rolling.Window)
		list(" by ", exprs(p.Keys))
		list(": ", exprs(p.Exprs))
	case "splitrows":
		s += fmt.Sprintf(" %s at %q", p.Step.Names[0], p.Step.Separator)
	case "asof":
		s += " on " + p.Step.AsOf.On
		list(" by ", p.Step.AsOf.By)
	}
	if p.Op == "topk" || p.Op == "grouptop" {
		s += fmt.Sprintf(" %d", p.Step.Count)
	}
	var order []string
	for _, k := range p.Order {
		o := k.Node.String()
		if k.Desc {
			o += " desc"
		}
		if !k.NullsLast {
			o += " nulls first"
		}
		order = append(order, o)
	}
	list(" order ", order)
	return s
}

// Masked is a step as text in which constants are left out: they are fed.
func (p *Plan) Masked() string {
	q := *p
	text := q.Op
	list := func(exprs []Named) {
		for _, e := range exprs {
			text += " " + expr.Masked(e.Node) + "=" + e.Name
		}
	}
	if p.Predicate != nil {
		text += expr.Masked(p.Predicate)
	}
	list(p.Keys)
	text += ":"
	list(p.Exprs)
	for _, k := range p.Order {
		text += fmt.Sprintf(" %s %v %v", expr.Masked(k.Node), k.Desc, k.NullsLast)
	}
	if p.Op == "join" {
		text += fmt.Sprint(p.Join.How, p.Left, p.Right)
	}
	for _, f := range p.Schema {
		text += "," + f.Name
	}
	return text
}
