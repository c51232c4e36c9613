package device

import (
	"math"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/expr"
	"github.com/anycl/anycl/frame/internal/lower"
	"github.com/anycl/anycl/frame/internal/take"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// extreme is the least or greatest value. NaN is the greatest, and the least of nothing else.
func (n *numbered) extreme(v lower.Value, a expr.Collected, count int) fold {
	typ := v.Type
	x, reduction := v.X, a.Node.Op
	numbers := -1
	switch {
	case typ.Kind == column.Bool:
		s := n.add(n.reduced(reduction, ops.Cast(x, tensor.Int32), v.OK, map[string]int{"min": 1, "max": 0}[reduction]))
		return n.bools(count, s)
	case typ.IsFloat() && reduction == "min" && !v.Number:
		is := ops.Not(ops.IsNaN(x))
		numbers = n.add(n.count(lower.Both(is, v.OK)))
		x = ops.Where(is, x, math.Inf(1))
	}
	s := n.add(n.reduced(reduction, x, v.OK, worst(typ, reduction == "max")))
	return func(out []*tensor.Tensor, order []uint32) (*column.Column, error) {
		var c []int32
		if count >= 0 {
			var err error
			if c, err = folded[int32](out, count, order); err != nil {
				return nil, err
			}
		}
		col, err := n.r.columnOf(typ, lower.Value{Type: typ}, out[s], nil)
		if err != nil {
			return nil, err
		}
		if col, err = take.Gather(n.r.Pool, col, order); err != nil {
			return nil, err
		}
		if numbers >= 0 {
			k, err := folded[int32](out, numbers, order)
			if err != nil {
				return nil, err
			}
			for i := range k {
				if k[i] > 0 {
					continue
				}
				if typ.Kind == column.Float32 {
					column.Values[float32](col)[i] = float32(math.NaN())
				} else {
					column.Values[float64](col)[i] = math.NaN()
				}
			}
		}
		return col.WithValidity(some(c, 1))
	}
}

// worst is the least value of a type, or the greatest.
func worst(t column.Type, least bool) any {
	switch {
	case t.IsFloat() && least:
		return math.Inf(-1)
	case t.IsFloat():
		return math.Inf(1)
	case t.IsUnsigned() && least:
		return 0
	case t.IsUnsigned():
		return uint64(math.MaxUint64) >> (64 - 8*t.Width())
	case least:
		return int64(math.MinInt64) >> (64 - 8*t.Width())
	}
	return int64(math.MaxInt64) >> (64 - 8*t.Width())
}

// end is the value of the first or last row, also if it is null. Of a column of the base only the row is found.
func (n *numbered) end(a expr.Collected) (fold, error) {
	r := n.r
	last := a.Node.Op == "last"
	row := n.first
	switch {
	case last:
		row = n.reduced("max", r.Ops.Iota(tensor.Int32, 0, r.Rows), nil, -1)
	case row == nil:
		row = n.reduced("min", r.Ops.Iota(tensor.Int32, 0, r.Rows), nil, math.MaxInt32)
	}
	rows := n.add(row)
	found := func(out []*tensor.Tensor, order []uint32) ([]uint32, error) { // row + 1
		v, err := folded[int32](out, rows, order)
		at := make([]uint32, len(v))
		for i, k := range v {
			if k >= 0 && int(k) < r.base.Rows {
				at[i] = uint32(k) + 1
			}
		}
		return at, err
	}
	arg := a.Args[0]
	if arg.Column >= 0 && r.cols[arg.Column].c != nil && r.cols[arg.Column].side == 0 {
		c := r.cols[arg.Column].c
		return func(out []*tensor.Tensor, order []uint32) (*column.Column, error) {
			at, err := found(out, order)
			if err != nil {
				return nil, err
			}
			return take.GatherFound(r.Pool, c, at)
		}, nil
	}
	v, err := r.Of(arg)
	if err != nil {
		return nil, err
	}
	x, ok := n.add(ops.Gather(r.Spread(v.X), 0, row)), -1
	if v.OK != nil {
		ok = n.add(ops.Gather(r.Spread(v.OK), 0, row))
	}
	return func(out []*tensor.Tensor, order []uint32) (*column.Column, error) {
		rows, err := found(out, order)
		if err != nil {
			return nil, err
		}
		c, err := r.columnOf(v.Type, v, out[x], at(out, ok))
		if err != nil {
			return nil, err
		}
		if c, err = take.Gather(r.Pool, c, order); err != nil {
			return nil, err
		}
		there := column.NewBitmap(len(rows))
		for i, k := range rows {
			there.Set(i, k != 0)
		}
		return c.WithValidity(column.And(there, c.Validity()))
	}, nil
}
