package host

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/expr"
	"github.com/anycl/anycl/frame/internal/plan"
	"github.com/anycl/anycl/frame/internal/table"
)

// merges says how an aggregate of all rows is computed from aggregates of batches.
type merges struct {
	first  []plan.Named // of the rows of a batch
	again  []plan.Named // of the rows of first, by the same names
	result *expr.Node   // of the rows of again
	spread bool         // a variance, which needs the mean of all
}

var mergeableAggregates = []string{"rows", "count", "sum", "mean", "min", "max", "first", "last", "any", "all", "var", "std", "argmin",
	"argmax"}

// mergeable reports whether all aggregates of a plan can be computed from those of batches.
func mergeable(p *plan.Plan) bool {
	var ok func(n *expr.Node) bool
	ok = func(n *expr.Node) bool {
		if expr.Aggregates[n.Op] {
			return slices.Contains(mergeableAggregates, n.Op)
		}
		return !slices.ContainsFunc(n.Args, func(a *expr.Node) bool { return !ok(a) })
	}
	return !slices.ContainsFunc(p.Exprs, func(e plan.Named) bool { return !ok(e.Node) })
}

// mergesOf names the results of batches by a prefix, which no column has.
func mergesOf(n *expr.Node, prefix string, schema []table.Field) merges {
	name := func(i int) string { return fmt.Sprintf("\x00%s.%d", prefix, i) }
	col := func(i int) *expr.Node { return expr.Col(name(i)) }
	of := func(op string) plan.Named {
		return plan.Named{Name: op, Node: &expr.Node{Op: op, At: n.At, Args: n.Args}}
	}
	m := merges{result: col(0)}
	add := func(first plan.Named, again *expr.Node) {
		i := len(m.first)
		m.first, m.again = append(m.first, plan.Named{Name: name(i), Node: first.Node}), append(m.again, plan.Named{Name: name(i), Node: again})
	}
	mean := func() { // weighted by counts
		add(of("count"), expr.Apply("sum", col(0)))
		add(of("mean"), expr.Apply("div", expr.Apply("sum", expr.Apply("mul", col(1), col(0))), expr.Apply("sum", col(0))))
	}
	switch n.Op {
	case "rows":
		add(plan.Named{Node: n}, expr.Apply("sum", col(0)))
	case "count":
		add(of("count"), expr.Apply("sum", col(0)))
	case "mean":
		sum := n.Args[0]
		if e, err := (&expr.Binder{Schema: schema}).Bind(sum); err != nil || !e.Type.IsFloat() {
			sum = &expr.Node{Op: "cast", Type: column.Float64.Of(), Args: []*expr.Node{sum}, At: n.At}
		}
		add(of("count"), expr.Apply("sum", col(0)))
		add(plan.Named{Node: &expr.Node{Op: "sum", At: n.At, Args: []*expr.Node{sum}}}, expr.Apply("sum", col(1)))
		m.result = expr.Apply("div", col(1), col(0))
	case "var", "std":
		mean()
		// The sum of squared deviations is the sum of the batches' own, plus each batch's rows times the square of its mean's distance from
		// the mean of all rows.
		// Source: Chan, Golub and LeVeque, Updating Formulae and a Pairwise Algorithm for Computing Sample Variances (1979).
		m.spread = true
		rows := expr.Apply("sum", col(0))
		add(of("var"), expr.Apply("when", expr.Apply("gt", rows, expr.Lit(1)),
			expr.Apply("div", expr.Apply("sum", col(2)), expr.Apply("sub", rows, expr.Lit(1))), expr.Lit(nil)))
		m.result = col(2)
		if n.Op == "std" {
			m.result = expr.Apply("sqrt", col(2))
		}
	case "argmin", "argmax":
		add(plan.Named{Node: n}, &expr.Node{Op: n.Op, At: n.At, Args: []*expr.Node{col(0), col(1)}})
		by := map[string]string{"argmin": "min", "argmax": "max"}[n.Op]
		add(plan.Named{Node: &expr.Node{Op: by, At: n.At, Args: n.Args[1:]}}, &expr.Node{Op: by, At: n.At, Args: []*expr.Node{col(1)}})
	default: // an aggregate of aggregates is one of all
		add(of(n.Op), &expr.Node{Op: n.Op, At: n.At, Args: []*expr.Node{col(0)}})
	}
	return m
}

// grouper keeps the aggregates of batches.
type grouper struct {
	*Exec
	p     *plan.Plan
	names []string // of keys
	all   []merges
	exprs []plan.Named // with columns in place of aggregates
	kept  []*table.Table
	rows  int // of kept
	last  int // rows after they were merged the last time
	bytes int64
}

// newGrouper prepares the aggregates of a plan.
func (x *Exec) newGrouper(p *plan.Plan) *grouper {
	g := &grouper{Exec: x, p: p, names: plan.Names(p.Keys)}
	schema := p.In[0].Schema
	seen := map[string]int{}
	var replace func(n *expr.Node) *expr.Node
	replace = func(n *expr.Node) *expr.Node {
		if expr.Aggregates[n.Op] {
			text := n.String()
			i, ok := seen[text]
			if !ok {
				i = len(g.all)
				seen[text] = i
				g.all = append(g.all, mergesOf(n, fmt.Sprint(i), schema))
			}
			return g.all[i].result
		}
		c := *n
		c.Args = make([]*expr.Node, len(n.Args))
		for i, a := range n.Args {
			c.Args[i] = replace(a)
		}
		return &c
	}
	for _, e := range p.Exprs {
		g.exprs = append(g.exprs, plan.Named{Name: e.Name, Node: replace(e.Node)})
	}
	return g
}

func (x *Exec) groupBatches(p *plan.Plan) (*table.Table, error) {
	g := x.newGrouper(p)
	defer func() { x.live.Add(-g.bytes) }()
	if err := x.larger(p.In[0], g.add); err != nil {
		return nil, err
	}
	if len(g.kept) == 0 {
		if err := g.add(table.Empty(p.In[0].Schema)); err != nil {
			return nil, err
		}
	}
	return g.finish()
}

// finish returns the columns of the plan.
func (g *grouper) finish() (*table.Table, error) {
	f, err := g.merged()
	if err != nil {
		return nil, err
	}
	out := references(g.names)
	f, err = g.project(f, append(out, g.exprs...))
	if err != nil {
		return nil, err
	}
	return table.Pick(f, g.p.Names()), nil
}

// partial groups some rows.
func (g *grouper) partial(x *Exec, f *table.Table) (*table.Table, error) {
	var exprs []plan.Named
	for _, m := range g.all {
		exprs = append(exprs, m.first...)
	}
	return x.group(&plan.Plan{Op: "group", Keys: g.p.Keys, Exprs: exprs}, f)
}

// add groups the rows of a batch.
func (g *grouper) add(f *table.Table) error {
	f, err := g.partial(g.Exec, f)
	if err != nil {
		return err
	}
	if err := g.keep(f); err != nil {
		return err
	}
	if g.rows < 2*g.last+BatchRows/4 {
		return nil
	}
	_, err = g.merged()
	return err
}

func (g *grouper) keep(f *table.Table) error {
	if err := g.Reserve(f.Bytes()); err != nil {
		return err
	}
	g.kept, g.rows, g.bytes = append(g.kept, f), g.rows+f.Rows, g.bytes+f.Bytes()
	g.live.Add(f.Bytes())
	return nil
}

// merged makes one row for each group of the kept rows.
func (g *grouper) merged() (*table.Table, error) {
	f := g.kept[0]
	if len(g.kept) > 1 {
		var err error
		if f, err = g.stacked(f.Names, g.kept); err != nil {
			return nil, err
		}
		q := &plan.Step{Op: "frame", Frame: f}
		for i, m := range g.all {
			if m.spread {
				q = spreadOf(q, g.names, fmt.Sprint(i))
			}
		}
		again := &plan.Step{Op: "group", In: []*plan.Step{q}}
		for _, name := range g.names {
			again.Keys = append(again.Keys, expr.Col(name))
		}
		for _, m := range g.all {
			for _, e := range m.again {
				again.Exprs = append(again.Exprs, expr.As(e.Node, e.Name))
			}
		}
		p, err := plan.Of(again)
		if err != nil {
			return nil, err
		}
		if f, err = g.Run(p); err != nil {
			return nil, err
		}
		g.live.Add(-p.Stats.Bytes)
	}
	g.live.Add(-g.bytes)
	g.kept, g.rows, g.bytes = nil, 0, 0
	g.last = f.Rows
	return f, g.keep(f)
}

// spreadOf replaces variances of batches by sums of squared distances from the mean of all their rows.
func spreadOf(q *plan.Step, by []string, prefix string) *plan.Step {
	col := func(i int) *expr.Node { return expr.Col(fmt.Sprintf("\x00%s.%d", prefix, i)) }
	mean := fmt.Sprintf("\x00%s.mean", prefix)
	over := &plan.Step{Op: "window", In: []*plan.Step{q}}
	for _, name := range by {
		over.Keys = append(over.Keys, expr.Col(name))
	}
	over.Exprs = []*expr.Node{expr.As(expr.Apply("div", expr.Apply("sum", expr.Apply("mul", col(1), col(0))), expr.Apply("sum", col(0))),
		mean)}
	away := expr.Apply("sub", col(1), expr.Col(mean))
	within := expr.Apply("mul", expr.Apply("coalesce", col(2), expr.Lit(0.0)), expr.Apply("sub", col(0), expr.Lit(1)))
	spread := expr.Apply("add", within, expr.Apply("mul", col(0), expr.Apply("mul", away, away)))
	return &plan.Step{Op: "with", In: []*plan.Step{over}, Exprs: []*expr.Node{expr.As(spread, fmt.Sprintf("\x00%s.2", prefix))}}
}
