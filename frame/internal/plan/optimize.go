package plan

import (
	"math"
	"slices"

	"github.com/anycl/anycl/frame/internal/expr"
	"github.com/anycl/anycl/frame/internal/table"
)

// Optimize moves conditions towards the sources, and leaves out columns that nobody reads. It changes no result: an
// expression that may fail (a strict cast) is neither moved nor moved past.
func Optimize(p *Plan) *Plan {
	p = push(p, nil)
	prune(p, p.Names())
	return p
}

// push moves conditions, all of which are to hold for the rows of p, as far down as they can go.
func push(p *Plan, conditions []*expr.Node) *Plan {
	var stay, down []*expr.Node
	move := func(ok func(n *expr.Node) (*expr.Node, bool)) {
		for _, c := range conditions {
			if m, is := ok(c); is && !expr.Fallible(c) {
				down = append(down, m)
			} else {
				stay = append(stay, c)
			}
		}
	}
	same := func(n *expr.Node) (*expr.Node, bool) { return n, true }
	switch p.Op {
	case "filter":
		if expr.Fallible(p.Predicate) {
			stay, conditions = conditions, nil
			break
		}
		return push(p.In[0], append(split(p.Predicate), conditions...))
	case "scan":
		p.Filter = conditions
		stay = conditions
	case "project":
		risky := slices.ContainsFunc(p.Exprs, func(e Named) bool { return expr.Fallible(e.Node) })
		move(func(n *expr.Node) (*expr.Node, bool) {
			if risky {
				return nil, false
			}
			return substitute(n, p.Exprs)
		})
	case "sort":
		if !slices.ContainsFunc(p.Order, func(k OrderKey) bool { return expr.Fallible(k.Node) }) {
			move(same)
		} else {
			stay = conditions
		}
	case "distinct", "group":
		risky := slices.ContainsFunc(append(slices.Clone(p.Keys), p.Exprs...), func(e Named) bool { return expr.Fallible(e.Node) })
		risky = risky || p.Op == "group" && slices.ContainsFunc(p.Exprs, func(e Named) bool { return expr.Overflowing(e.Node) })
		move(func(n *expr.Node) (*expr.Node, bool) {
			if risky || len(p.Keys) == 0 {
				return nil, false
			}
			return substitute(n, p.Keys)
		})
	case "concat":
		parts := make([]*Plan, len(p.In))
		for i, in := range p.In {
			parts[i] = push(in, slices.Clone(conditions))
		}
		p.In = parts
		return p
	case "join":
		return pushJoin(p, conditions)
	default:
		stay = conditions
	}
	for i, in := range p.In {
		if i == 0 {
			p.In[i] = push(in, down)
		} else {
			p.In[i] = push(in, nil)
		}
	}
	return filtered(p, stay)
}

func pushJoin(p *Plan, conditions []*expr.Node) *Plan {
	var stay, left, right []*expr.Node
	for _, c := range conditions {
		names := expr.ColumnsOf(c)
		isLeft := all(names, func(n string) bool { return slices.Contains(p.Taken, n) || p.In[0].has(n) })
		isKey := all(names, func(n string) bool {
			i := slices.Index(p.Left, n)
			return i >= 0 && p.Right[i] == n
		})
		back := p.fromRight(c, names)
		switch {
		case expr.Fallible(c) || len(names) == 0:
			stay = append(stay, c)
		case isLeft && (p.Join.How == InnerJoin || p.Join.How == LeftJoin || p.Join.How == SemiJoin || p.Join.How == AntiJoin ||
			p.Join.How == CrossJoin):
			left = append(left, c)
			if isKey && p.Join.How == InnerJoin {
				right = append(right, c)
			}
		case isKey && p.Join.How == RightJoin:
			right = append(right, c)
		case back != nil && (p.Join.How == InnerJoin || p.Join.How == RightJoin || p.Join.How == CrossJoin):
			right = append(right, back)
		default:
			stay = append(stay, c)
		}
	}
	p.In[0], p.In[1] = push(p.In[0], left), push(p.In[1], right)
	return filtered(p, stay)
}

// fromRight returns a condition in the names of the right side, nil if it reads others.
func (p *Plan) fromRight(c *expr.Node, names []string) *expr.Node {
	var back []Named
	for _, f := range p.In[1].Schema {
		if i := slices.Index(p.Right, f.Name); i >= 0 && p.Left[i] == f.Name {
			continue
		}
		back = append(back, Named{p.RightName(f.Name), expr.Col(f.Name)})
	}
	for _, n := range names {
		if slices.Contains(p.Taken, n) {
			return nil
		}
	}
	m, ok := substitute(c, back)
	if !ok {
		return nil
	}
	return m
}

func all(names []string, f func(string) bool) bool {
	return !slices.ContainsFunc(names, func(n string) bool { return !f(n) })
}

// filtered puts a filter on top of a plan.
func filtered(p *Plan, conditions []*expr.Node) *Plan {
	if len(conditions) == 0 {
		return p
	}
	pred := conditions[0]
	for _, c := range conditions[1:] {
		pred = &expr.Node{Op: "and", Args: []*expr.Node{pred, c}, At: c.At}
	}
	return &Plan{Op: "filter", In: []*Plan{p}, At: pred.At, Schema: slices.Clone(p.Schema), Predicate: pred, Limit: -1}
}

// split divides a condition into parts that all have to be true.
func split(n *expr.Node) []*expr.Node {
	if n = expr.Bare(n); n.Op == "and" {
		return append(split(n.Args[0]), split(n.Args[1])...)
	}
	return []*expr.Node{n}
}

// substitute rewrites an expression over computed columns as one over the columns that they rename;
// false if one of them is no mere renaming.
func substitute(n *expr.Node, exprs []Named) (*expr.Node, bool) {
	if n.Op == "col" {
		i := slices.IndexFunc(exprs, func(e Named) bool { return e.Name == n.Name })
		if i < 0 || expr.Bare(exprs[i].Node).Op != "col" {
			return nil, false
		}
		return expr.Bare(exprs[i].Node), true
	}
	c := *n
	c.Args = make([]*expr.Node, len(n.Args))
	for i, a := range n.Args {
		var ok bool
		if c.Args[i], ok = substitute(a, exprs); !ok {
			return nil, false
		}
	}
	return &c, true
}

// prune leaves out the columns that are not needed.
func prune(p *Plan, need []string) {
	p.dropExprs(need)
	p.trim(need)
	switch p.Op {
	case "frame", "scan":
	case "join", "asof":
		left, right := p.readsOfSides(need)
		prune(p.In[0], left)
		prune(p.In[1], right)
	case "slice", "sample", "concat":
		for _, in := range p.In {
			prune(in, need)
		}
		p.limitScan()
	default:
		prune(p.In[0], p.reads(need))
	}
}

// dropExprs leaves out the expressions that are not needed and have no errors that would be lost.
func (p *Plan) dropExprs(need []string) {
	if !slices.Contains([]string{"project", "group", "window"}, p.Op) {
		return
	}
	p.Exprs = slices.DeleteFunc(slices.Clone(p.Exprs), func(e Named) bool {
		return !slices.Contains(need, e.Name) && !p.mayFail(e.Node)
	})
}

// mayFail reports whether computing x in the step can be an error.
func (p *Plan) mayFail(x *expr.Node) bool {
	return expr.Fallible(x) || p.Op != "project" && expr.Overflowing(x) || p.Op == "window" && expr.Bare(x).Op == "cumsum"
}

// trim leaves out of the schema what is neither needed nor computed all the same.
func (p *Plan) trim(need []string) {
	switch p.Op {
	case "project", "window", "rolling":
		need = slices.Concat(need, Names(p.Exprs))
	case "group":
		need = slices.Concat(need, Names(p.Keys), Names(p.Exprs))
	}
	whole := p.Schema
	p.Schema = slices.DeleteFunc(slices.Clone(whole), func(f table.Field) bool { return !slices.Contains(need, f.Name) })
	if p.Op == "scan" && len(p.Schema) == 0 && len(whole) > 0 {
		p.Schema = whole[:1:1] // how many rows there are is known of a column
	}
}

// reads are the columns that a step with one input reads of it.
func (p *Plan) reads(need []string) []string {
	of := func(exprs []Named) (names []string) {
		for _, e := range exprs {
			names = append(names, expr.ColumnsOf(e.Node)...)
		}
		return names
	}
	var ordering []string
	for _, k := range p.Order {
		ordering = append(ordering, expr.ColumnsOf(k.Node)...)
	}
	switch p.Op {
	case "unpivot":
		return slices.Concat(p.Step.Unpivot.Keep, p.Step.Unpivot.Columns)
	case "filter":
		return slices.Concat(need, expr.ColumnsOf(p.Predicate))
	case "project":
		return of(p.Exprs)
	case "group":
		return slices.Concat(of(p.Keys), of(p.Exprs))
	case "splitrows":
		return slices.Concat(need, p.Step.Names[:1])
	}
	return slices.Concat(need, ordering, of(p.Keys), of(p.Exprs)) // those of grouptop, sort, topk, distinct, window and rolling
}

// readsOfSides are the columns that a join reads of its two inputs.
func (p *Plan) readsOfSides(need []string) (left, right []string) {
	left, right = slices.Clone(p.Left), slices.Clone(p.Right)
	for _, f := range p.In[0].Schema {
		if slices.Contains(need, f.Name) {
			left = append(left, f.Name)
		}
	}
	for _, f := range p.In[1].Schema {
		if slices.Contains(need, p.RightName(f.Name)) {
			right = append(right, f.Name)
		}
	}
	return left, right
}

// limitScan tells a source how many of its rows a slice needs.
func (p *Plan) limitScan() {
	in := p.In[0]
	if p.Op == "slice" && p.Step.From >= 0 && in.Op == "scan" && len(in.Filter) == 0 && p.Step.Count <= math.MaxInt-p.Step.From {
		in.Limit = p.Step.From + p.Step.Count
	}
}

// Names returns the names of expressions.
func Names(exprs []Named) (out []string) {
	for _, e := range exprs {
		out = append(out, e.Name)
	}
	return out
}

// Conditions returns the comparisons of columns with constants that a condition consists of.
func Conditions(n *expr.Node, schema []table.Field) (out []condition) {
	if n.Op == "and" {
		return append(Conditions(n.Args[0], schema), Conditions(n.Args[1], schema)...)
	}
	op, ok := expr.Infix[n.Op]
	if !ok || len(n.Args) != 2 || !slices.Contains([]string{"eq", "ne", "lt", "le", "gt", "ge"}, n.Op) {
		return nil
	}
	l, r := expr.Bare(n.Args[0]), expr.Bare(n.Args[1])
	if l.Op == "lit" {
		l, r = r, l
		op = map[string]string{"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}[op]
	}
	if l.Op != "col" || r.Op != "lit" || r.Value == nil {
		return nil
	}
	for _, f := range schema {
		if f.Name != l.Name {
			continue
		}
		c, _, err := expr.Literal(r.Value, f.Type)
		if err == nil && (c.Type() == f.Type || c.Type().IsString() && f.Type.IsString()) {
			return []condition{{l.Name, op, c}}
		}
	}
	return nil
}
