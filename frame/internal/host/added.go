package host

import (
	"slices"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/expr"
	"github.com/anycl/anycl/frame/internal/plan"
	"github.com/anycl/anycl/frame/internal/table"
)

// bound are expressions of a plan, bound by b.
func bound(b *expr.Binder, exprs []plan.Named) ([]expr.Bound, error) {
	results := make([]expr.Bound, 0, len(exprs))
	for _, e := range exprs {
		x, err := b.Bind(e.Node)
		if err != nil {
			return nil, err
		}
		results = append(results, x)
	}
	return results, nil
}

// added are the columns of p: those of f, and its expressions in the place of columns of their names or behind them. results are the
// expressions as c has bound them, and compute makes a column of each that c has found in them.
func (x *Exec) added(
	p *plan.Plan, f *table.Table, c *expr.Collector, results []expr.Bound,
	compute func(a expr.Collected, args []*column.Column) (*column.Column, error),
) (*table.Table, error) {
	cols := slices.Clone(f.Cols)
	for _, a := range c.Found {
		args, err := x.Evaluate(f.Cols, f.Rows, a.Args)
		if err != nil {
			return nil, err
		}
		col, err := compute(a, args)
		if err != nil {
			return nil, expr.Wrong(a.Node.Op, a.Node.At, err)
		}
		cols = append(cols, col)
	}
	values, err := x.Evaluate(cols, f.Rows, results)
	if err != nil {
		return nil, err
	}
	out := &table.Table{Rows: f.Rows}
	for _, field := range p.Schema {
		col := f.Column(field.Name)
		if i := slices.IndexFunc(p.Exprs, func(e plan.Named) bool { return e.Name == field.Name }); i >= 0 {
			col = values[i]
		}
		out.Names, out.Cols = append(out.Names, field.Name), append(out.Cols, col)
	}
	return out, nil
}
