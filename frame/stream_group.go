package frame

import (
	"fmt"
	"slices"
)

// merges says how an aggregate of all rows is computed from aggregates of batches.
type merges struct {
	first  []named // of the rows of a batch
	again  []Expr  // of those, by the same names
	result *node   // of the latter
	spread bool    // a variance, which needs the mean of all
}

var mergeableAggregates = []string{"rows", "count", "sum", "mean", "min", "max", "first", "last", "any", "all", "var", "std", "argmin", "argmax"}

// mergeable reports whether all aggregates of a plan can be computed from those of batches.
func mergeable(p *plan) bool {
	var ok func(n *node) bool
	ok = func(n *node) bool {
		if aggregates[n.op] {
			return slices.Contains(mergeableAggregates, n.op)
		}
		return !slices.ContainsFunc(n.args, func(a *node) bool { return !ok(a) })
	}
	return !slices.ContainsFunc(p.exprs, func(e named) bool { return !ok(e.n) })
}

// mergesOf names the results of batches by a prefix, which no column has.
func mergesOf(n *node, prefix string) merges {
	name := func(i int) string { return fmt.Sprintf("\x00%s.%d", prefix, i) }
	col := func(i int) Expr { return Col(name(i)) }
	of := func(op string) named { return named{op, &node{op: op, at: n.at, args: n.args}} }
	m := merges{result: col(0).n}
	add := func(first named, again Expr) {
		i := len(m.first)
		m.first, m.again = append(m.first, named{name(i), first.n}), append(m.again, again.As(name(i)))
	}
	mean := func() { // weighted by counts
		add(of("count"), Sum(col(0)))
		add(of("mean"), Sum(col(1).Mul(col(0))).Div(Sum(col(0))))
	}
	switch n.op {
	case "rows":
		add(named{n: n}, Sum(col(0)))
	case "count":
		add(of("count"), Sum(col(0)))
	case "mean":
		mean()
		m.result = col(1).n
	case "var", "std":
		mean()
		// The rows of a batch are as far from their mean as they are, and that is as far from the mean of all as it is.
		// Source: Chan, Golub and LeVeque, Updating Formulae and a Pairwise Algorithm for Computing Sample Variances (1979).
		m.spread = true
		add(of("var"), When(Sum(col(0)).Gt(1)).Then(Sum(col(2)).Div(Sum(col(0)).Sub(1))).Otherwise(nil))
		m.result = col(2).n
		if n.op == "std" {
			m.result = col(2).Sqrt().n
		}
	case "argmin", "argmax":
		add(named{n: n}, Expr{&node{op: n.op, at: n.at, args: []*node{col(0).n, col(1).n}}})
		by := map[string]string{"argmin": "min", "argmax": "max"}[n.op]
		add(named{n: &node{op: by, at: n.at, args: n.args[1:]}}, Expr{&node{op: by, at: n.at, args: []*node{col(1).n}}})
	default: // an aggregate of aggregates is one of all
		add(of(n.op), Expr{&node{op: n.op, at: n.at, args: []*node{col(0).n}}})
	}
	return m
}

// grouper keeps the aggregates of batches.
type grouper struct {
	*exec
	p     *plan
	names []string // of keys
	all   []merges
	exprs []named // with columns in place of aggregates
	kept  []*Frame
	rows  int // of kept
	last  int // rows after they were merged the last time
	bytes int64
}

func (x *exec) groupBatches(p *plan) (*Frame, error) {
	g := &grouper{exec: x, p: p, names: names(p.keys)}
	defer func() { x.live.Add(-g.bytes) }()
	seen := map[string]int{}
	var replace func(n *node) *node
	replace = func(n *node) *node {
		if aggregates[n.op] {
			text := n.String()
			i, ok := seen[text]
			if !ok {
				i = len(g.all)
				seen[text] = i
				g.all = append(g.all, mergesOf(n, fmt.Sprint(i)))
			}
			return g.all[i].result
		}
		c := *n
		c.args = make([]*node, len(n.args))
		for i, a := range n.args {
			c.args[i] = replace(a)
		}
		return &c
	}
	for _, e := range p.exprs {
		g.exprs = append(g.exprs, named{e.name, replace(e.n)})
	}
	if err := x.larger(p.in[0], g.add); err != nil {
		return nil, err
	}
	if len(g.kept) == 0 {
		if err := g.add(nothing(p.in[0].schema)); err != nil {
			return nil, err
		}
	}
	f, err := g.merged()
	if err != nil {
		return nil, err
	}
	out := references(g.names)
	f, err = x.project(f, append(out, g.exprs...))
	if err != nil {
		return nil, err
	}
	return pick(f, p.names()), nil
}

// add groups the rows of a batch.
func (g *grouper) add(f *Frame) error {
	var exprs []named
	for _, m := range g.all {
		exprs = append(exprs, m.first...)
	}
	f, err := g.group(&plan{op: "group", keys: g.p.keys, exprs: exprs}, f)
	if err != nil {
		return err
	}
	if err := g.keep(f); err != nil {
		return err
	}
	if g.rows < 2*g.last+batchRows/4 {
		return nil
	}
	_, err = g.merged()
	return err
}

func (g *grouper) keep(f *Frame) error {
	if err := g.reserve(f.Bytes()); err != nil {
		return err
	}
	g.kept, g.rows, g.bytes = append(g.kept, f), g.rows+f.rows, g.bytes+f.Bytes()
	g.live.Add(f.Bytes())
	return nil
}

// merged makes one row for each group of what was kept.
func (g *grouper) merged() (*Frame, error) {
	f := g.kept[0]
	if len(g.kept) > 1 {
		var err error
		if f, err = g.stacked(f.names, g.kept); err != nil {
			return nil, err
		}
		q := f.Query()
		for i, m := range g.all {
			if m.spread {
				q = spreadOf(q, g.names, fmt.Sprint(i))
			}
		}
		var again []Expr
		for _, m := range g.all {
			again = append(again, m.again...)
		}
		var by []any
		for _, name := range g.names {
			by = append(by, name)
		}
		p, err := q.GroupBy(by...).Agg(again...).plan()
		if err != nil {
			return nil, err
		}
		if f, err = g.run(p); err != nil {
			return nil, err
		}
		g.live.Add(-p.stats.bytes)
	}
	g.live.Add(-g.bytes)
	g.kept, g.rows, g.bytes = nil, 0, 0
	g.last = f.rows
	return f, g.keep(f)
}

// spreadOf replaces variances of batches by sums of squared distances from the mean of all their rows.
func spreadOf(q *Query, by []string, prefix string) *Query {
	col := func(i int) Expr { return Col(fmt.Sprintf("\x00%s.%d", prefix, i)) }
	mean := fmt.Sprintf("\x00%s.mean", prefix)
	var over []any
	for _, name := range by {
		over = append(over, name)
	}
	away := col(1).Sub(Col(mean))
	return q.Window(Over(over...), Sum(col(1).Mul(col(0))).Div(Sum(col(0))).As(mean)).
		With(Coalesce(col(2), 0.0).Mul(col(0).Sub(1)).Add(col(0).Mul(away.Mul(away))).As(fmt.Sprintf("\x00%s.2", prefix)))
}
