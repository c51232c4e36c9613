package device

import (
	"math"
	"math/bits"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/expr"
	"github.com/anycl/anycl/frame/internal/lower"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// sum adds 64-bit integers in two halves, of which no sum wraps, and joins these on the host, which finds overflows.
func (n *numbered) sum(v lower.Value, typ column.Type, count int) fold {
	switch {
	case v.Type.IsFloat():
		s := n.add(n.reduced("add", ops.Cast(v.X, tensor.Float64), v.OK, 0.0))
		return summed[float64](typ, count, s)
	case v.Type.IsUnsigned() && v.Type.Width() < 8:
		return summed[uint64](typ, count, n.add(n.reduced("add", ops.Cast(v.X, tensor.Uint64), v.OK, 0)))
	case v.Type.Kind == column.Bool, v.Type.Width() < 8, n.small(v):
		return summed[int64](typ, count, n.add(n.reduced("add", ops.Cast(v.X, tensor.Int64), v.OK, 0)))
	}
	high := n.add(n.reduced("add", ops.ShiftRight(v.X, 32), v.OK, 0))
	low := n.add(n.reduced("add", ops.And(v.X, uint32(math.MaxUint32)), v.OK, 0))
	if v.Type.IsUnsigned() {
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
func (n *numbered) small(v lower.Value) bool {
	known := false
	if v.Span != nil && !v.Type.IsUnsigned() {
		least, most, ok := v.Span()
		hi, lo := bits.Mul64(max(lower.Magnitude(least), lower.Magnitude(most)), uint64(n.r.base.Rows))
		known = ok && hi == 0 && lo <= math.MaxInt64
	}
	n.r.Note("small %v", known)
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
func (n *numbered) variance(v lower.Value, a expr.Collected, count int) fold {
	x := ops.Cast(v.X, tensor.Float64)
	mean := ops.Div(n.reduced("add", x, v.OK, 0.0), ops.Cast(n.o.nodes[count], tensor.Float64))
	if n.ids != nil {
		mean = ops.Gather(mean, 0, n.ids)
	}
	s := n.add(n.reduced("add", ops.Square(ops.Sub(x, mean)), v.OK, 0.0))
	return func(out []*tensor.Tensor, order []uint32) (*column.Column, error) {
		c, m2, err := countsAnd[float64](out, count, s, order)
		for i := range m2 {
			if m2[i] /= float64(c[i] - 1); a.Node.Op == "std" {
				m2[i] = math.Sqrt(m2[i])
			}
		}
		return column.FixedOf(a.Type, m2, some(c, 2)), err
	}
}

// correlation adds products of distances from means.
func (n *numbered) correlation(a expr.Collected) (fold, error) {
	var x [2]*ops.Node
	var ok *ops.Node
	for i := range x {
		v, err := n.r.Of(a.Args[i])
		if err != nil {
			return nil, err
		}
		x[i], ok = ops.Cast(v.X, tensor.Float64), lower.Both(ok, v.OK)
	}
	counts := n.count(n.r.Spread(ok))
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
		return column.FixedOf(a.Type, xy, some(c, 2)), err
	}, nil
}
