package device

import (
	"math"

	"github.com/anycl/anycl/frame/internal/expr"
	"github.com/anycl/anycl/frame/internal/lower"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// blocks divides the places of each partition into blocks as long as a window, of which each window meets one or two: it is the end of
// one and the beginning of the next, so that nothing has to be taken out of a fold.
// Source: van Herk, A Fast Algorithm for Local Minimum and Maximum Filters on Rectangular and Octagonal Kernels (1992).
type blocks struct {
	from       *ops.Node // int32: the first place of the window
	start      *ops.Node // int32: that of the block
	head, tail *ops.Node // bool: the first and last place of a block
	two        *ops.Node // bool: the window begins in the block before
}

func (w *windowed) blocks(size int) *blocks {
	n := lower.Scalar(w.r.Graph, int32(min(size, w.r.base.Rows)))
	within := ops.Rem(ops.Sub(w.index, w.start), n)
	b := &blocks{start: ops.Sub(w.index, within), head: ops.Equal(within, 0)}
	b.from = ops.Maximum(w.start, ops.Add(ops.Sub(w.index, n), 1))
	b.tail = ops.Or(ops.Equal(within, ops.Sub(n, 1)), ops.Equal(w.index, ops.Sub(w.end, 1)))
	b.two = ops.Less(b.from, b.start)
	return b
}

// cumulative adds the values up to each place.
func (w *windowed) cumulative(a expr.Collected) (added, error) {
	v, err := w.r.Of(a.Args[0])
	if err != nil {
		return added{}, err
	}
	typ := a.Type
	if v.Type.IsFloat() {
		s := w.summands(v)
		sum := w.special(w.scanned(s.x, w.head, false), s, w.start)
		return w.sums(a, sum, s.ok, w.start), nil
	}
	dt, _ := typ.DType()
	ok := w.sorted(v.OK)
	x := w.sorted(ops.Cast(v.X, dt))
	if there := w.sorted(lower.Both(w.r.Mask, v.OK)); there != nil {
		x = ops.Where(there, x, ops.ZerosLike(x))
	}
	sum := w.difference(x, w.start)
	// Up to the first sum that wraps all are right, so that it is seen as one that moves the wrong way.
	last := ops.Sub(sum, x)
	if typ.IsUnsigned() {
		w.r.Broken = append(w.r.Broken, ops.Less(sum, last))
	} else {
		wrong := ops.NotEqual(ops.Greater(sum, last), ops.Greater(x, 0))
		w.r.Broken = append(w.r.Broken, ops.And(wrong, ops.NotEqual(x, 0)))
	}
	return w.sums(a, sum, ok, w.start), nil
}

// rolling adds the values of windows.
func (w *windowed) rolling(a expr.Collected, b *blocks) (added, error) {
	v, err := w.r.Of(a.Args[0])
	if err != nil {
		return added{}, err
	}
	s := w.summands(v)
	sum := w.scanned(s.x, b.head, false)
	before := ops.Gather(w.scanned(s.x, b.tail, true), 0, b.from)
	sum = w.special(ops.Add(sum, ops.Where(b.two, before, 0)), s, b.from)
	if a.Node.Op == "rollmean" {
		sum = ops.Div(sum, ops.Cast(w.counted(s.ok, b.from), tensor.Float64))
	}
	return w.sums(a, sum, s.ok, b.from), nil
}

// sums are the sums of values from a place up to each, null where there are none.
func (w *windowed) sums(a expr.Collected, sum, ok, from *ops.Node) added {
	v := lower.Value{Type: a.Type, X: w.back(sum)}
	if ok != nil {
		v.OK = w.back(ops.Greater(w.counted(ok, from), 0))
	}
	return added{at: w.add(v)}
}

// summands are floats of which nothing but finite ones are added: infinity times 0, which ends a partition in [windowed.scanned], is not 0.
type summands struct {
	x     *ops.Node // float64: the finite ones, else 0
	ok    *ops.Node // bool: the values that are not null; nil: all
	apart *ops.Node // int64: 1 for infinity, 2³¹ for -infinity, both for NaN, as which their sum counts; nil: all are finite
}

// negatives is a power of two above the number of rows.
const negatives = 1 << 31

func (w *windowed) summands(v lower.Value) summands {
	s := summands{x: w.sorted(ops.Cast(v.X, tensor.Float64)), ok: w.sorted(v.OK)}
	there := w.sorted(lower.Both(w.r.Mask, v.OK))
	if v.Type.IsFloat() {
		finite := ops.IsFinite(s.x)
		class := func(is *ops.Node, n int64) *ops.Node {
			if there != nil {
				is = ops.And(is, there)
			}
			return ops.Mul(ops.Cast(is, tensor.Int64), n)
		}
		neither := ops.Not(finite)
		s.apart = ops.Add(class(ops.And(neither, ops.Not(ops.Less(s.x, 0))), 1), class(ops.And(neither, ops.Not(ops.Greater(s.x, 0))), negatives))
		there = lower.Both(there, finite)
	}
	if there != nil {
		s.x = ops.Where(there, s.x, 0)
	}
	return s
}

// scanned adds floats from a place where mark is true up to each, or from each up to such a place. That is a scan, not a difference of
// running sums, in which small sums after large ones would be lost. Sums that are not finite are left to the CPU path.
func (w *windowed) scanned(x, mark *ops.Node, reverse bool) *ops.Node {
	keep := ops.Where(mark, ops.ZerosLike(x), ops.OnesLike(x))
	sum := ops.LinearRecurrence(keep, x, 0, &ops.CumSumOptions{Reverse: reverse})
	w.r.Broken = append(w.r.Broken, ops.Not(ops.IsFinite(sum)))
	return ops.Where(ops.Equal(sum, 0), 0, sum) // no -0, as a sum from 0 is none
}

// special is a sum of finite values from a place up to each with the others among them.
func (w *windowed) special(sum *ops.Node, s summands, from *ops.Node) *ops.Node {
	if s.apart == nil {
		return sum
	}
	k := w.difference(s.apart, from)
	up, down := ops.NotEqual(ops.And(k, negatives-1), 0), ops.GreaterEqual(k, negatives)
	sum = ops.Where(down, math.Inf(-1), sum)
	sum = ops.Where(up, math.Inf(1), sum)
	return ops.Where(ops.And(up, down), math.NaN(), sum)
}
