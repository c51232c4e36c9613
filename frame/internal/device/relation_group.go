package device

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/expr"
	"github.com/anycl/anycl/frame/internal/plan"
	"github.com/anycl/anycl/frame/internal/table"
	"github.com/anycl/anycl/frame/internal/take"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// group is a step that divides rows by keys and computes aggregates.
func (r *relation) group(p *plan.Plan) (*outcome, error) {
	r.Note("%s", p.Masked())
	n, err := r.number(p.Keys, false)
	if err != nil {
		return nil, err
	}
	schema := p.Schema[:len(p.Keys)]
	c := expr.NewCollector(r.schema, schema)
	var results []expr.Bound
	names := []string{}
	for _, f := range p.Schema {
		names = append(names, f.Name)
	}
	for _, e := range p.Exprs {
		b, err := c.Outer.Bind(e.Node)
		if err != nil {
			return nil, err
		}
		results = append(results, b)
	}
	var folds []fold
	for _, a := range c.Found {
		f, err := n.fold(a)
		if err != nil {
			return nil, err
		}
		folds = append(folds, f)
	}
	r.work++
	if n.o.nodes == nil {
		return nil, fmt.Errorf("nothing is computed")
	}
	n.o.finish = func(out []*tensor.Tensor) (*table.Table, error) {
		order, first, err := n.groupsOf(out)
		if err != nil {
			return nil, err
		}
		inner := &table.Table{Rows: len(order)}
		if inner.Cols, err = n.keyColumns(order, first, schema); err != nil {
			return nil, err
		}
		all := slices.Clone(inner.Cols)
		for i, f := range folds {
			col, err := f(out, order)
			if err != nil {
				return nil, err
			}
			if col.Type() != c.Found[i].Type {
				if col, err = expr.Cast(col, c.Found[i].Type, true); err != nil {
					return nil, err
				}
			}
			all = append(all, col)
		}
		cols, err := r.x.Evaluate(all, len(order), results)
		return &table.Table{Names: names, Rows: len(order), Cols: append(inner.Cols, cols...)}, err
	}
	return n.o, nil
}

// distinct is a step that keeps the first row of each group.
func (r *relation) distinct(p *plan.Plan) (*outcome, error) {
	r.Note("%s", p.Masked())
	n, err := r.number(p.Keys, true)
	if err != nil {
		return nil, err
	}
	if err := r.keep(p); err != nil {
		return nil, err
	}
	r.work++
	if n.first == nil {
		return nil, fmt.Errorf("no columns")
	}
	return n.o, r.chosenRows(n.o, n.first, func(out []*tensor.Tensor) ([]uint32, []uint32, error) { return n.groupsOf(out) })
}

// chosenRows completes an outcome whose rows are some of the relation's. A function says at which places of the outputs they are, and which
// rows of the base.
func (r *relation) chosenRows(o *outcome, rows *ops.Node, places func(out []*tensor.Tensor) (at, rows []uint32, err error)) error {
	type computed struct{ x, ok int }
	pos := make([]computed, len(r.cols))
	gathered := func(n *ops.Node) int {
		if n == nil {
			return -1
		}
		return o.add(ops.Gather(r.Spread(n), 0, rows))
	}
	for i, s := range r.cols {
		switch {
		case s.c == nil:
			pos[i] = computed{gathered(s.v.X), gathered(s.v.OK)}
		case s.side > 0:
			pos[i] = computed{gathered(r.sides[s.side].row), -1}
		}
	}
	o.finish = func(out []*tensor.Tensor) (*table.Table, error) {
		where, kept, err := places(out)
		if err != nil {
			return nil, err
		}
		f := &table.Table{Rows: len(kept)}
		choose := func(c *column.Column) (*column.Column, error) { return take.Gather(r.Pool, c, where) }
		for i, s := range r.cols {
			var c *column.Column
			switch {
			case s.c == nil:
				if c, err = r.columnOf(r.schema[i].Type, *s.v, out[pos[i].x], at(out, pos[i].ok)); err == nil {
					c, err = choose(c)
				}
			case s.side == 0:
				c, err = take.Gather(r.Pool, s.c, kept)
			default:
				var rows []uint32
				if rows, err = r.partners(out[pos[i].x], choose); err == nil {
					c, err = r.fromPartner(s, rows)
				}
			}
			if err != nil {
				return nil, err
			}
			f.Names, f.Cols = append(f.Names, r.schema[i].Name), append(f.Cols, c)
		}
		return f, nil
	}
	return nil
}
