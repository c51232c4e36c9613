package device

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/expr"
	"github.com/anycl/anycl/frame/internal/lower"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// fold makes the column of an aggregate of a graph's outputs: a row for each group, in an order of their numbers.
type fold func(out []*tensor.Tensor, order []uint32) (*column.Column, error)

// reduced folds, for each group, the elements of rows that are there and ok: reduction is "add", "min" or "max", of which the identity is
// given.
func (n *numbered) reduced(reduction string, x, ok *ops.Node, identity any) *ops.Node {
	r := n.r
	x = r.Spread(x)
	empty := r.Number1(x.DType(), identity)
	if n.ids != nil {
		ids := n.ids
		if ok != nil {
			ids = ops.Where(ok, ids, -1)
		}
		start := ops.Cast(n.zeros, x.DType())
		if reduction != "add" {
			start = ops.Add(start, empty)
		}
		return ops.ScatterReduce(start, 0, r.Spread(ids), x, reduction, nil)
	}
	if there := lower.Both(r.Mask, ok); there != nil {
		x = ops.Where(r.Spread(there), x, empty)
	}
	switch reduction {
	case "add":
		x = ops.Sum(x)
	case "min":
		x = ops.Min(x)
	default:
		x = ops.Max(x)
	}
	return ops.Reshape(x, 1)
}

// add returns the position of an output with an element for each number of a group.
func (n *numbered) add(x *ops.Node) int {
	n.o.bytes += int64(n.slots) * int64(x.DType().Size())
	return n.o.add(x)
}

// count is how many rows that are ok a group has.
func (n *numbered) count(ok *ops.Node) *ops.Node {
	c := n.counts[ok]
	if c == nil {
		c = n.reduced("add", n.r.Ops.Ones(tensor.Int32), ok, 0)
		n.counts[ok] = c
	}
	return c
}

// folded returns elements of an output in an order.
func folded[T tensor.Elem](out []*tensor.Tensor, i int, order []uint32) ([]T, error) {
	all, err := tensor.ToSlice[T](out[i].Contiguous())
	if err != nil {
		return nil, err
	}
	v := make([]T, len(order))
	for k, id := range order {
		v[k] = all[id]
	}
	return v, nil
}

// some is the bitmap of groups with at least the given number of values, none if all have.
func some(counts []int32, least int32) column.Bitmap {
	if counts == nil {
		return column.Bitmap{}
	}
	b := column.NewBitmap(len(counts))
	for i, c := range counts {
		b.Set(i, c >= least)
	}
	return b
}

// fold returns the fold of an aggregate. Errors: it has no form as ops.
func (n *numbered) fold(a expr.Collected) (fold, error) {
	r := n.r
	if a.Node.Op == "rows" {
		return n.counted(n.add(n.count(nil))), nil
	}
	if a.Node.Op == "first" || a.Node.Op == "last" {
		return n.end(a)
	}
	if a.Node.Op == "corr" {
		return n.correlation(a)
	}
	if len(a.Args) != 1 || a.Node.Op == "quantile" || a.Node.Op == "nunique" {
		return nil, fmt.Errorf("%s has no form as ops", a.Node.Op)
	}
	if a.Node.Op == "count" && a.Args[0].Column >= 0 { // of strings too
		if c := r.cols[a.Args[0].Column]; c.c != nil && c.side == 0 && c.c.Nulls() == 0 {
			return n.counted(n.add(n.count(nil))), nil
		}
	}
	v, err := r.Of(a.Args[0])
	if err != nil {
		return nil, err
	}
	v.X, v.OK = r.Spread(v.X), r.Spread(v.OK)
	if v.Type.IsString() && a.Node.Op != "count" {
		return nil, fmt.Errorf("%s of strings has no form as ops", a.Node.Op)
	}
	count := -1 // a group has a row, and so a value where none is null
	if v.OK != nil || n.ids == nil || slices.Contains([]string{"count", "mean", "var", "std"}, a.Node.Op) {
		count = n.add(n.count(v.OK))
	}
	switch a.Node.Op {
	case "count":
		return n.counted(count), nil
	case "sum":
		return n.sum(v, a.Type, count), nil
	case "mean":
		s := n.add(n.reduced("add", ops.Cast(v.X, tensor.Float64), v.OK, 0.0))
		return func(out []*tensor.Tensor, order []uint32) (*column.Column, error) {
			c, sum, err := countsAnd[float64](out, count, s, order)
			for i := range sum {
				sum[i] /= float64(c[i])
			}
			return column.FixedOf(a.Type, sum, some(c, 1)), err
		}, nil
	case "var", "std":
		return n.variance(v, a, count), nil
	case "min", "max":
		return n.extreme(v, a, count), nil
	case "any", "all":
		reduction, identity := "max", 0
		if a.Node.Op == "all" {
			reduction, identity = "min", 1
		}
		s := n.add(n.reduced(reduction, ops.Cast(v.X, tensor.Int32), v.OK, identity))
		return n.bools(count, s), nil
	}
	return nil, fmt.Errorf("%s has no form as ops", a.Node.Op)
}

// countsAnd returns counts of values, nil where they are not needed, and the elements of another output.
func countsAnd[T tensor.Elem](out []*tensor.Tensor, count, i int, order []uint32) ([]int32, []T, error) {
	var c []int32
	if count >= 0 {
		var err error
		if c, err = folded[int32](out, count, order); err != nil {
			return nil, nil, err
		}
	}
	v, err := folded[T](out, i, order)
	return c, v, err
}

func (n *numbered) counted(at int) fold {
	return func(out []*tensor.Tensor, order []uint32) (*column.Column, error) {
		c, err := folded[int32](out, at, order)
		v := make([]int64, len(c))
		for i, k := range c {
			v[i] = int64(k)
		}
		return column.FixedOf(column.Int64.Of(), v, column.Bitmap{}), err
	}
}

func (n *numbered) bools(count, at int) fold {
	return func(out []*tensor.Tensor, order []uint32) (*column.Column, error) {
		c, v, err := countsAnd[int32](out, count, at, order)
		if err != nil {
			return nil, err
		}
		b := column.NewBitmap(len(v))
		for i, x := range v {
			b.Set(i, x == 1)
		}
		return column.Bools(b, some(c, 1))
	}
}
