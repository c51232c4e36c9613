package frame

import (
	"slices"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/keys"
	"github.com/anycl/anycl/frame/internal/take"
)

func (x *exec) group(p *plan, f *Frame) (*Frame, error) {
	digits, of, keyCols, err := x.digits(f, p.keys, keys.Order{})
	if err != nil {
		return nil, err
	}
	groups, g := 1, &keys.Groups{Slots: 1} // without keys one row, also of no rows
	if len(p.keys) > 0 {
		if err := x.reserve(int64(f.rows) * 16); err != nil {
			return nil, err
		}
		if g, err = keys.Group(x.pool, digits, f.rows); err != nil {
			return nil, err
		}
		if groups = g.Len(); g.IDs == nil {
			g.IDs = []uint32{}
		}
	}
	inner := &Frame{rows: groups}
	for i, k := range p.keys {
		c, err := x.keyColumn(keyCols[i], digits[slices.Index(of, i)], g)
		if err != nil {
			return nil, err
		}
		inner.names, inner.cols = append(inner.names, k.name), append(inner.cols, c)
	}
	c := newCollector(f.Schema(), inner.Schema())
	var results []bound
	out := &Frame{names: inner.names, rows: groups}
	for _, e := range p.exprs {
		b, err := c.outer.bind(e.n)
		if err != nil {
			return nil, err
		}
		results, out.names = append(results, b), append(out.names[:len(out.names):len(out.names)], e.name)
	}
	aggs, err := x.aggregates(c, f, g)
	if err != nil {
		return nil, err
	}
	cols, err := x.evaluate(append(slices.Clone(inner.cols), aggs...), groups, results)
	out.cols = append(slices.Clone(inner.cols), cols...)
	return out, err
}

// aggregates computes what a collector found, for each group.
func (x *exec) aggregates(c *collector, f *Frame, g *keys.Groups) ([]*column.Column, error) {
	// An operand of several aggregates is computed once.
	var operands []bound
	at := map[string]int{}
	for _, a := range c.found {
		for i, b := range a.args {
			text := a.n.args[i].String()
			if _, ok := at[text]; !ok {
				at[text] = len(operands)
				operands = append(operands, b)
			}
		}
	}
	values, err := x.evaluate(f.cols, f.rows, operands)
	if err != nil {
		return nil, err
	}
	gx := &grouped{x, g, f.rows}
	var out []*column.Column
	for _, a := range c.found {
		if err := x.reserve(int64(g.Slots) * 16); err != nil {
			return nil, err
		}
		var args []*column.Column
		for i := range a.args {
			args = append(args, values[at[a.n.args[i].String()]])
		}
		col, err := gx.aggregate(a.n, a.typ, args)
		if err != nil {
			return nil, wrong(a.n.op, a.n.at, err)
		}
		out = append(out, col)
	}
	return out, nil
}

// keyColumn returns the keys of groups. Strings were interned, so only their numbers are gathered.
func (x *exec) keyColumn(c *column.Column, d keys.Digit, g *keys.Groups) (*column.Column, error) {
	if d.Interned == nil || c.Dictionary() != nil {
		return take.Gather(x.pool, c, g.First)
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
func (x *exec) groupTop(p *plan, f *Frame) (*Frame, error) {
	g, err := x.groups(f, p.keys)
	if err != nil {
		return nil, err
	}
	order, err := x.partitions(f, g, p.order)
	if err != nil {
		return nil, err
	}
	var rows []uint32
	seen := 0
	for i, row := range order {
		if i == 0 || g.IDs[row] != g.IDs[order[i-1]] {
			seen = 0
		}
		if seen < p.step.count {
			rows = append(rows, row)
		}
		seen++
	}
	return x.gather(pick(f, p.names()), rows)
}

// partitions returns rows sorted by group, in the order of the groups, and within it.
func (x *exec) partitions(f *Frame, g *keys.Groups, order []orderKey) ([]uint32, error) {
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
	return keys.Sort(x.pool, all, f.rows)
}
