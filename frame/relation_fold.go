package frame

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/take"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// fold makes the column of an aggregate of a graph's outputs: a row for each group, in an order of their numbers.
type fold func(out []*tensor.Tensor, order []uint32) (*column.Column, error)

// reduced folds, for each group, the elements of rows that are there and ok: reduction is "add", "min" or "max", of which the identity is given.
func (n *numbered) reduced(reduction string, x, ok *ops.Node, identity any) *ops.Node {
	r := n.r
	x = r.spread(x)
	empty := r.number1(x.DType(), identity)
	if n.ids != nil {
		ids := n.ids
		if ok != nil {
			ids = ops.Where(ok, ids, -1)
		}
		start := ops.Cast(n.zeros, x.DType())
		if reduction != "add" {
			start = ops.Add(start, empty)
		}
		return ops.ScatterReduce(start, 0, r.spread(ids), x, reduction, nil)
	}
	if there := both(r.mask, ok); there != nil {
		x = ops.Where(r.spread(there), x, empty)
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

// number1 is a number of a dtype, which has it.
func (l *lowering) number1(dt tensor.DType, v any) *ops.Node {
	if !dt.Valid() { // of an op that was refused, which the graph reports
		dt = tensor.Int64
	}
	t := tensor.Scalar(int64(0))
	switch v := v.(type) {
	case int:
		t = tensor.Scalar(int64(v))
	case int64:
		t = tensor.Scalar(v)
	case uint64:
		t = tensor.Scalar(v)
	case float64:
		t = tensor.Scalar(v)
	}
	return l.g.Const(tensor.Must(tensor.Cast(t, dt)))
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
		c = n.reduced("add", n.r.g.Ones(tensor.Int32), ok, 0)
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

// some is the bitmap of groups with at least so many values.
func some(counts []int32, least int32) column.Bitmap {
	b := column.NewBitmap(len(counts))
	for i, c := range counts {
		b.Set(i, c >= least)
	}
	return b
}

// fold returns the fold of an aggregate. Errors: it has no form as ops.
func (n *numbered) fold(a collected) (fold, error) {
	r := n.r
	if a.n.op == "rows" {
		return n.counted(n.add(n.count(nil))), nil
	}
	if a.n.op == "first" || a.n.op == "last" {
		return n.end(a)
	}
	if a.n.op == "corr" {
		return n.correlation(a)
	}
	if len(a.args) != 1 || a.n.op == "quantile" || a.n.op == "nunique" {
		return nil, fmt.Errorf("%s has no form as ops", a.n.op)
	}
	if a.n.op == "count" && a.args[0].col >= 0 { // of strings too
		if c := r.cols[a.args[0].col]; c.c != nil && c.side == 0 && c.c.Nulls() == 0 {
			return n.counted(n.add(n.count(nil))), nil
		}
	}
	v, err := r.of(a.args[0])
	if err != nil {
		return nil, err
	}
	v.x, v.ok = r.spread(v.x), r.spread(v.ok)
	if v.typ.IsString() && a.n.op != "count" {
		return nil, fmt.Errorf("%s of strings has no form as ops", a.n.op)
	}
	count := n.add(n.count(v.ok))
	switch a.n.op {
	case "count":
		return n.counted(count), nil
	case "sum":
		return n.sum(v, a.typ, count), nil
	case "mean":
		s := n.add(n.reduced("add", ops.Cast(v.x, tensor.Float64), v.ok, 0.0))
		return func(out []*tensor.Tensor, order []uint32) (*column.Column, error) {
			c, sum, err := countsAnd[float64](out, count, s, order)
			for i := range sum {
				sum[i] /= float64(c[i])
			}
			return column.FixedOf(a.typ, sum, some(c, 1)), err
		}, nil
	case "var", "std":
		return n.variance(v, a, count), nil
	case "min", "max":
		return n.extreme(v, a, count), nil
	case "any", "all":
		reduction, identity := "max", 0
		if a.n.op == "all" {
			reduction, identity = "min", 1
		}
		s := n.add(n.reduced(reduction, ops.Cast(v.x, tensor.Int32), v.ok, identity))
		return n.bools(count, s), nil
	}
	return nil, fmt.Errorf("%s has no form as ops", a.n.op)
}

func countsAnd[T tensor.Elem](out []*tensor.Tensor, count, i int, order []uint32) ([]int32, []T, error) {
	c, err := folded[int32](out, count, order)
	if err != nil {
		return nil, nil, err
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

// sum adds 64-bit integers in two halves, of which no sum wraps, and joins these on the host, which finds overflows.
func (n *numbered) sum(v value, typ column.Type, count int) fold {
	switch {
	case v.typ.IsFloat():
		s := n.add(n.reduced("add", ops.Cast(v.x, tensor.Float64), v.ok, 0.0))
		return summed[float64](typ, count, s)
	case v.typ.IsUnsigned() && v.typ.Width() < 8:
		return summed[uint64](typ, count, n.add(n.reduced("add", ops.Cast(v.x, tensor.Uint64), v.ok, 0)))
	case v.typ.Kind == column.Bool, v.typ.Width() < 8, n.small(v):
		return summed[int64](typ, count, n.add(n.reduced("add", ops.Cast(v.x, tensor.Int64), v.ok, 0)))
	}
	high := n.add(n.reduced("add", ops.ShiftRight(v.x, 32), v.ok, 0))
	low := n.add(n.reduced("add", ops.And(v.x, uint32(math.MaxUint32)), v.ok, 0))
	if v.typ.IsUnsigned() {
		return joined2(typ, count, high, low, func(high, low uint64) (uint64, bool) {
			sum, carry := bits.Add64(high<<32, low, 0)
			return sum, carry == 0 && high < 1<<32
		})
	}
	return joined2(typ, count, high, low, func(high, low int64) (int64, bool) {
		carry := low >> 32 // low is not negative
		top := high + carry
		return top<<32 | low&math.MaxUint32, top >= math.MinInt32 && top <= math.MaxInt32
	})
}

// small is whether no sum of the values can wrap.
func (n *numbered) small(v value) bool {
	known := false
	if v.span != nil && !v.typ.IsUnsigned() {
		least, most, ok := v.span()
		hi, lo := bits.Mul64(max(magnitude(least), magnitude(most)), uint64(n.r.base.rows))
		known = ok && hi == 0 && lo <= math.MaxInt64
	}
	n.r.note("small %v", known)
	return known
}

func summed[T interface {
	tensor.Elem
	column.Native
}](typ column.Type, count, at int) fold {
	return func(out []*tensor.Tensor, order []uint32) (*column.Column, error) {
		c, s, err := countsAnd[T](out, count, at, order)
		return column.FixedOf(typ, s, some(c, 1)), err
	}
}

func joined2[T int64 | uint64](typ column.Type, count, high, low int, join func(high, low T) (T, bool)) fold {
	return func(out []*tensor.Tensor, order []uint32) (*column.Column, error) {
		c, h, err := countsAnd[T](out, count, high, order)
		if err != nil {
			return nil, err
		}
		l, err := folded[T](out, low, order)
		if err != nil {
			return nil, err
		}
		for i := range h {
			var ok bool
			if h[i], ok = join(h[i], l[i]); !ok {
				return nil, errBroken
			}
		}
		return column.FixedOf(typ, h, some(c, 1)), nil
	}
}

// variance adds squared distances from means.
func (n *numbered) variance(v value, a collected, count int) fold {
	x := ops.Cast(v.x, tensor.Float64)
	mean := ops.Div(n.reduced("add", x, v.ok, 0.0), ops.Cast(n.o.nodes[count], tensor.Float64))
	if n.ids != nil {
		mean = ops.Gather(mean, 0, n.ids)
	}
	s := n.add(n.reduced("add", ops.Square(ops.Sub(x, mean)), v.ok, 0.0))
	return func(out []*tensor.Tensor, order []uint32) (*column.Column, error) {
		c, m2, err := countsAnd[float64](out, count, s, order)
		for i := range m2 {
			if m2[i] /= float64(c[i] - 1); a.n.op == "std" {
				m2[i] = math.Sqrt(m2[i])
			}
		}
		return column.FixedOf(a.typ, m2, some(c, 2)), err
	}
}

// correlation adds products of distances from means.
func (n *numbered) correlation(a collected) (fold, error) {
	var x [2]*ops.Node
	var ok *ops.Node
	for i := range x {
		v, err := n.r.of(a.args[i])
		if err != nil {
			return nil, err
		}
		x[i], ok = ops.Cast(v.x, tensor.Float64), both(ok, v.ok)
	}
	counts := n.count(n.r.spread(ok))
	count := n.add(counts)
	for i := range x {
		mean := ops.Div(n.reduced("add", x[i], ok, 0.0), ops.Cast(counts, tensor.Float64))
		if n.ids != nil {
			mean = ops.Gather(mean, 0, n.ids)
		}
		x[i] = ops.Sub(x[i], mean)
	}
	var at [3]int
	for i, product := range []*ops.Node{ops.Mul(x[0], x[1]), ops.Square(x[0]), ops.Square(x[1])} {
		at[i] = n.add(n.reduced("add", product, ok, 0.0))
	}
	return func(out []*tensor.Tensor, order []uint32) (*column.Column, error) {
		c, xy, err := countsAnd[float64](out, count, at[0], order)
		if err != nil {
			return nil, err
		}
		xx, err := folded[float64](out, at[1], order)
		if err != nil {
			return nil, err
		}
		yy, err := folded[float64](out, at[2], order)
		for i := range xy {
			xy[i] /= math.Sqrt(xx[i]) * math.Sqrt(yy[i])
		}
		return column.FixedOf(a.typ, xy, some(c, 2)), err
	}, nil
}

// extreme is the least or greatest value. NaN is the greatest, and the least of nothing else.
func (n *numbered) extreme(v value, a collected, count int) fold {
	typ := v.typ
	x, reduction := v.x, a.n.op
	numbers := -1
	switch {
	case typ.Kind == column.Bool:
		s := n.add(n.reduced(reduction, ops.Cast(x, tensor.Int32), v.ok, map[string]int{"min": 1, "max": 0}[reduction]))
		return n.bools(count, s)
	case typ.IsFloat() && reduction == "min" && !v.number:
		is := ops.Not(ops.IsNaN(x))
		numbers = n.add(n.count(both(is, v.ok)))
		x = ops.Where(is, x, math.Inf(1))
	}
	s := n.add(n.reduced(reduction, x, v.ok, worst(typ, reduction == "max")))
	return func(out []*tensor.Tensor, order []uint32) (*column.Column, error) {
		c, err := folded[int32](out, count, order)
		if err != nil {
			return nil, err
		}
		col, err := n.r.columnOf(typ, value{typ: typ}, out[s], nil)
		if err != nil {
			return nil, err
		}
		if col, err = take.Gather(n.r.pool, col, order); err != nil {
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

// worst is what every value of a type is at least, or at most.
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
func (n *numbered) end(a collected) (fold, error) {
	r := n.r
	last := a.n.op == "last"
	row := n.first
	switch {
	case last:
		row = n.reduced("max", r.g.Iota(tensor.Int32, 0, r.rows), nil, -1)
	case row == nil:
		row = n.reduced("min", r.g.Iota(tensor.Int32, 0, r.rows), nil, math.MaxInt32)
	}
	rows := n.add(row)
	found := func(out []*tensor.Tensor, order []uint32) ([]uint32, error) { // row + 1
		v, err := folded[int32](out, rows, order)
		at := make([]uint32, len(v))
		for i, k := range v {
			if k >= 0 && int(k) < r.base.rows {
				at[i] = uint32(k) + 1
			}
		}
		return at, err
	}
	arg := a.args[0]
	if arg.col >= 0 && r.cols[arg.col].c != nil && r.cols[arg.col].side == 0 {
		c := r.cols[arg.col].c
		return func(out []*tensor.Tensor, order []uint32) (*column.Column, error) {
			at, err := found(out, order)
			if err != nil {
				return nil, err
			}
			return take.GatherFound(r.pool, c, at)
		}, nil
	}
	v, err := r.of(arg)
	if err != nil {
		return nil, err
	}
	x, ok := n.add(ops.Gather(r.spread(v.x), 0, row)), -1
	if v.ok != nil {
		ok = n.add(ops.Gather(r.spread(v.ok), 0, row))
	}
	return func(out []*tensor.Tensor, order []uint32) (*column.Column, error) {
		rows, err := found(out, order)
		if err != nil {
			return nil, err
		}
		c, err := r.columnOf(v.typ, v, out[x], at(out, ok))
		if err != nil {
			return nil, err
		}
		if c, err = take.Gather(r.pool, c, order); err != nil {
			return nil, err
		}
		there := column.NewBitmap(len(rows))
		for i, k := range rows {
			there.Set(i, k != 0)
		}
		return c.WithValidity(column.And(there, c.Validity()))
	}, nil
}
