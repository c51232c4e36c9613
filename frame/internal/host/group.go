package host

import (
	"slices"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/expr"
	"github.com/anycl/anycl/frame/internal/keys"
	"github.com/anycl/anycl/frame/internal/plan"
	"github.com/anycl/anycl/frame/internal/table"
	"github.com/anycl/anycl/frame/internal/take"
)

func (x *Exec) group(p *plan.Plan, f *table.Table) (*table.Table, error) {
	digits, of, keyCols, err := x.Digits(f, p.Keys, keys.Order{})
	if err != nil {
		return nil, err
	}
	groups, g := 1, &keys.Groups{Slots: 1} // without keys one row, also of no rows
	if len(p.Keys) > 0 {
		if err := x.Reserve(int64(f.Rows) * 16); err != nil {
			return nil, err
		}
		if g, err = keys.Group(x.Pool, digits, f.Rows); err != nil {
			return nil, err
		}
		if groups = g.Len(); g.IDs == nil {
			g.IDs = []uint32{}
		}
	}
	inner := &table.Table{Rows: groups}
	for i, k := range p.Keys {
		c, err := x.KeyColumn(keyCols[i], digits[slices.Index(of, i)], g)
		if err != nil {
			return nil, err
		}
		inner.Names, inner.Cols = append(inner.Names, k.Name), append(inner.Cols, c)
	}
	c := expr.NewCollector(f.Schema(), inner.Schema())
	results, err := bound(c.Outer, p.Exprs)
	if err != nil {
		return nil, err
	}
	out := &table.Table{Names: slices.Clone(inner.Names), Rows: groups}
	for _, e := range p.Exprs {
		out.Names = append(out.Names, e.Name)
	}
	aggs, err := x.aggregates(c, f, g)
	if err != nil {
		return nil, err
	}
	cols, err := x.Evaluate(append(slices.Clone(inner.Cols), aggs...), groups, results)
	out.Cols = append(slices.Clone(inner.Cols), cols...)
	return out, err
}

// aggregates computes the aggregates that a collector found, for each group.
func (x *Exec) aggregates(c *expr.Collector, f *table.Table, g *keys.Groups) ([]*column.Column, error) {
	// An operand of several aggregates is computed once.
	var operands []expr.Bound
	at := map[string]int{}
	for _, a := range c.Found {
		for i, b := range a.Args {
			text := a.Node.Args[i].String()
			if _, ok := at[text]; !ok {
				at[text] = len(operands)
				operands = append(operands, b)
			}
		}
	}
	values, err := x.Evaluate(f.Cols, f.Rows, operands)
	if err != nil {
		return nil, err
	}
	gx := &grouped{Exec: x, g: g, n: f.Rows}
	var out []*column.Column
	for _, a := range c.Found {
		if err := x.Reserve(int64(g.Slots) * 16); err != nil {
			return nil, err
		}
		var args []*column.Column
		for i := range a.Args {
			args = append(args, values[at[a.Node.Args[i].String()]])
		}
		col, err := gx.aggregate(a.Node, a.Type, args)
		if err != nil {
			return nil, expr.Wrong(a.Node.Op, a.Node.At, err)
		}
		out = append(out, col)
	}
	return out, nil
}

// KeyColumn returns the keys of groups. Strings were interned, so only their numbers are gathered.
func (x *Exec) KeyColumn(c *column.Column, d keys.Digit, g *keys.Groups) (*column.Column, error) {
	if d.Interned == nil || c.Dictionary() != nil {
		return take.Gather(x.Pool, c, g.First)
	}
	codes := make([]int32, len(g.First))
	valid := column.Bitmap{}
	if c.Nulls() > 0 {
		valid = column.NewBitmap(len(g.First))
	}
	for i, row := range g.First {
		codes[i] = int32(d.Interned.Codes[row])
		if !valid.IsNone() {
			valid.Set(i, !c.IsNull(int(row)))
		}
	}
	return column.Trusted(codes, d.Interned.Dictionary(), valid), nil
}

// groupTop sorts by group and order, and takes the first rows of each group.
func (x *Exec) groupTop(p *plan.Plan, f *table.Table) (*table.Table, error) {
	g, err := x.groups(f, p.Keys)
	if err != nil {
		return nil, err
	}
	order, err := x.partitions(f, g, p.Order)
	if err != nil {
		return nil, err
	}
	var rows []uint32
	seen := 0
	for i, row := range order {
		if i == 0 || g.IDs[row] != g.IDs[order[i-1]] {
			seen = 0
		}
		if seen < p.Step.Count {
			rows = append(rows, row)
		}
		seen++
	}
	return x.Gather(table.Pick(f, p.Names()), rows)
}

// partitions returns rows sorted by group, in the order of the groups, and within it.
func (x *Exec) partitions(f *table.Table, g *keys.Groups, order []plan.OrderKey) ([]uint32, error) {
	digits, err := x.sortDigits(f, order)
	if err != nil {
		return nil, err
	}
	numbers := g.IDs
	if g.Order != nil { // by group, not by number
		to := make([]uint32, g.Slots)
		for i, id := range g.Order {
			to[id] = uint32(i)
		}
		numbers = make([]uint32, len(g.IDs))
		for i, id := range g.IDs {
			numbers[i] = to[id]
		}
	}
	all := append([]keys.Digit{keys.Numbers(numbers, max(g.Len(), 1))}, digits...)
	return keys.Sort(x.Pool, all, f.Rows)
}
