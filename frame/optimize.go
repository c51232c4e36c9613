package frame

import (
	"slices"
)

// optimize moves conditions towards the sources, and leaves out columns that nobody reads. It changes no result: what may
// fail (a strict cast) is neither moved nor moved past.
func optimize(p *plan) *plan {
	p = push(p, nil)
	prune(p, p.names())
	return p
}

// push moves conditions, all of which are to hold for the rows of p, as far down as they can go.
func push(p *plan, conditions []*node) *plan {
	var stay, down []*node
	move := func(ok func(n *node) (*node, bool)) {
		for _, c := range conditions {
			if m, is := ok(c); is && !fallible(c) {
				down = append(down, m)
			} else {
				stay = append(stay, c)
			}
		}
	}
	same := func(n *node) (*node, bool) { return n, true }
	switch p.op {
	case "filter":
		if fallible(p.pred) {
			stay, conditions = conditions, nil
			break
		}
		return push(p.in[0], append(split(p.pred), conditions...))
	case "scan":
		p.filter = conditions
		stay = conditions
	case "project":
		risky := slices.ContainsFunc(p.exprs, func(e named) bool { return fallible(e.n) })
		move(func(n *node) (*node, bool) {
			if risky {
				return nil, false
			}
			return substitute(n, p.exprs)
		})
	case "sort":
		if !slices.ContainsFunc(p.order, func(k orderKey) bool { return fallible(k.n) }) {
			move(same)
		} else {
			stay = conditions
		}
	case "distinct", "group":
		risky := slices.ContainsFunc(append(slices.Clone(p.keys), p.exprs...), func(e named) bool { return fallible(e.n) })
		risky = risky || p.op == "group" && slices.ContainsFunc(p.exprs, func(e named) bool { return overflowing(e.n) })
		move(func(n *node) (*node, bool) {
			if risky || len(p.keys) == 0 {
				return nil, false
			}
			return substitute(n, p.keys)
		})
	case "concat":
		parts := make([]*plan, len(p.in))
		for i, in := range p.in {
			parts[i] = push(in, slices.Clone(conditions))
		}
		p.in = parts
		return p
	case "join":
		return pushJoin(p, conditions)
	default:
		stay = conditions
	}
	for i, in := range p.in {
		if i == 0 {
			p.in[i] = push(in, down)
		} else {
			p.in[i] = push(in, nil)
		}
	}
	return filtered(p, stay)
}

func pushJoin(p *plan, conditions []*node) *plan {
	var stay, left, right []*node
	for _, c := range conditions {
		names := columnsOf(c)
		isLeft := all(names, func(n string) bool { return slices.Contains(p.taken, n) || p.in[0].has(n) })
		isKey := all(names, func(n string) bool {
			i := slices.Index(p.left, n)
			return i >= 0 && p.right[i] == n
		})
		back := p.fromRight(c, names)
		switch {
		case fallible(c) || len(names) == 0:
			stay = append(stay, c)
		case isLeft && (p.join.How == Inner || p.join.How == Left || p.join.How == Semi || p.join.How == Anti || p.join.How == Cross):
			left = append(left, c)
			if isKey && p.join.How == Inner {
				right = append(right, c)
			}
		case isKey && p.join.How == Right:
			right = append(right, c)
		case back != nil && (p.join.How == Inner || p.join.How == Right || p.join.How == Cross):
			right = append(right, back)
		default:
			stay = append(stay, c)
		}
	}
	p.in[0], p.in[1] = push(p.in[0], left), push(p.in[1], right)
	return filtered(p, stay)
}

// fromRight returns a condition in the names of the right side, nil if it reads others.
func (p *plan) fromRight(c *node, names []string) *node {
	var back []named
	for _, f := range p.in[1].schema {
		if i := slices.Index(p.right, f.Name); i >= 0 && p.left[i] == f.Name {
			continue
		}
		back = append(back, named{p.rightName(f.Name), column1(f.Name)})
	}
	for _, n := range names {
		if slices.Contains(p.taken, n) {
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
func filtered(p *plan, conditions []*node) *plan {
	if len(conditions) == 0 {
		return p
	}
	pred := conditions[0]
	for _, c := range conditions[1:] {
		pred = &node{op: "and", args: []*node{pred, c}, at: c.at}
	}
	return &plan{op: "filter", in: []*plan{p}, at: pred.at, schema: slices.Clone(p.schema), pred: pred, limit: -1}
}

// split divides a condition into parts that all have to be true.
func split(n *node) []*node {
	if n = bare(n); n.op == "and" {
		return append(split(n.args[0]), split(n.args[1])...)
	}
	return []*node{n}
}

// substitute writes an expression in terms of what its columns are computed from, if those are columns.
func substitute(n *node, exprs []named) (*node, bool) {
	if n.op == "col" {
		i := slices.IndexFunc(exprs, func(e named) bool { return e.name == n.name })
		if i < 0 || bare(exprs[i].n).op != "col" {
			return nil, false
		}
		return bare(exprs[i].n), true
	}
	c := *n
	c.args = make([]*node, len(n.args))
	for i, a := range n.args {
		var ok bool
		if c.args[i], ok = substitute(a, exprs); !ok {
			return nil, false
		}
	}
	return &c, true
}

func overflowing(n *node) bool { return n.op == "sum" || slices.ContainsFunc(n.args, overflowing) }

func columnsOf(n *node) (names []string) {
	if n.op == "col" {
		return []string{n.name}
	}
	for _, a := range n.args {
		names = append(names, columnsOf(a)...)
	}
	return names
}

// prune leaves out the columns that are not needed.
func prune(p *plan, need []string) {
	keep := func(names ...string) { need = append(slices.Clone(need), names...) }
	needs := func(name string) bool { return slices.Contains(need, name) }
	trim := func() {
		p.schema = slices.DeleteFunc(slices.Clone(p.schema), func(f Field) bool { return !needs(f.Name) })
	}
	of := func(exprs []named) (names []string) {
		for _, e := range exprs {
			names = append(names, columnsOf(e.n)...)
		}
		return names
	}
	var ordering []string
	for _, k := range p.order {
		ordering = append(ordering, columnsOf(k.n)...)
	}
	trimmed := slices.Clone(need)
	switch p.op {
	case "frame", "scan":
		if full := p.schema; p.op == "scan" && !slices.ContainsFunc(full, func(f Field) bool { return needs(f.Name) }) {
			need = []string{full[0].Name} // how many rows there are is known of a column
		}
		trim()
		return
	case "unpivot":
		trim()
		prune(p.in[0], append(slices.Clone(p.step.melt.Keep), p.step.melt.Columns...))
	case "filter":
		trim()
		prune(p.in[0], append(trimmed, columnsOf(p.pred)...))
	case "project":
		p.exprs = slices.DeleteFunc(slices.Clone(p.exprs), func(e named) bool { return !needs(e.name) && !fallible(e.n) })
		keep(names(p.exprs)...)
		trim()
		prune(p.in[0], of(p.exprs))
	case "group":
		p.exprs = slices.DeleteFunc(slices.Clone(p.exprs), func(e named) bool { return !needs(e.name) && !fallible(e.n) && !overflowing(e.n) })
		keep(append(names(p.keys), names(p.exprs)...)...)
		trim()
		prune(p.in[0], append(of(p.keys), of(p.exprs)...))
	case "grouptop", "sort", "topk":
		trim()
		prune(p.in[0], append(append(trimmed, ordering...), of(p.keys)...))
	case "distinct":
		trim()
		prune(p.in[0], append(trimmed, of(p.keys)...))
	case "window":
		p.exprs = slices.DeleteFunc(slices.Clone(p.exprs), func(e named) bool {
			return !needs(e.name) && !fallible(e.n) && !overflowing(e.n) && !slices.Contains([]string{"cumsum"}, bare(e.n).op)
		})
		keep(names(p.exprs)...)
		trim()
		prune(p.in[0], append(append(append(trimmed, ordering...), of(p.keys)...), of(p.exprs)...))
	case "rolling":
		keep(names(p.exprs)...)
		trim()
		prune(p.in[0], append(append(append(trimmed, ordering...), of(p.keys)...), of(p.exprs)...))
	case "splitrows":
		trim()
		prune(p.in[0], append(trimmed, p.step.names[0]))
	case "join", "asof":
		left, right := slices.Clone(p.left), slices.Clone(p.right)
		for _, f := range p.in[0].schema {
			if needs(f.Name) {
				left = append(left, f.Name)
			}
		}
		for _, f := range p.in[1].schema {
			if needs(p.rightName(f.Name)) {
				right = append(right, f.Name)
			}
		}
		trim()
		prune(p.in[0], left)
		prune(p.in[1], right)
	case "slice", "sample", "concat":
		trim()
		for _, in := range p.in {
			prune(in, trimmed)
		}
		if in := p.in[0]; p.op == "slice" && p.step.from >= 0 && in.op == "scan" && len(in.filter) == 0 {
			in.limit = p.step.from + p.step.count
		}
	}
}

func names(exprs []named) (out []string) {
	for _, e := range exprs {
		out = append(out, e.name)
	}
	return out
}

// bounds1 returns the comparisons of columns with constants that a condition consists of.
func bounds1(n *node, schema []Field) (out []Bound) {
	if n.op == "and" {
		return append(bounds1(n.args[0], schema), bounds1(n.args[1], schema)...)
	}
	op, ok := infix[n.op]
	if !ok || len(n.args) != 2 || !slices.Contains([]string{"eq", "ne", "lt", "le", "gt", "ge"}, n.op) {
		return nil
	}
	l, r := bare(n.args[0]), bare(n.args[1])
	if l.op == "lit" {
		l, r = r, l
		op = map[string]string{"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}[op]
	}
	if l.op != "col" || r.op != "lit" || r.value == nil {
		return nil
	}
	for _, f := range schema {
		if f.Name != l.name {
			continue
		}
		c, _, err := literal(r.value, f.Type)
		if err == nil && (c.Type() == f.Type || c.Type().IsString() && f.Type.IsString()) {
			return []Bound{{l.name, op, c}}
		}
	}
	return nil
}
