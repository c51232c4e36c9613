package optest

import (
	"math"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Folds over axes.

func init() {
	Register("sum", Spec{
		Reference: func(c Case) Result { return sums(c.In[0], attr[[]int](c)) },
		Tolerance: summed(anySum),
		Samples:   reductions(ops.Sum, -4, 4),
	})
	Register("prod", Spec{
		Reference: func(c Case) Result {
			x := c.In[0]
			r := fold(x, attr[[]int](c), x.DType, 1, func(y Array, p, q int) {
				switch {
				case y.F != nil:
					y.F[p] *= x.F[q]
				case y.I != nil:
					y.I[p] = wrapInt(y.DType, y.I[p]*x.I[q])
				default:
					y.U[p] = wrapUint(y.DType, y.U[p]*x.U[q])
				}
			})
			if r.F != nil { // every factor costs one rounding, relative to the product
				r.Terms = absolutes(r.F)
				r.N = foldedCount(x, r.Array)
			}
			return r
		},
		Tolerance: summed("a product in any order: n·u·|product|"),
		Samples:   reductions(ops.Prod, 0.8, 1.25),
	})
	Register("max", Spec{
		Reference: func(c Case) Result { return extremes(c.In[0], attr[[]int](c), false) },
		Tolerance: exact,
		Samples:   append(reductions(ops.Max, -4, 4), specialReduction(ops.Max)...),
	})
	Register("min", Spec{
		Reference: func(c Case) Result { return extremes(c.In[0], attr[[]int](c), true) },
		Tolerance: exact,
		Samples:   append(reductions(ops.Min, -4, 4), specialReduction(ops.Min)...),
	})
	Register("argmax", Spec{
		Reference: func(c Case) Result { return positions(c, false) },
		Tolerance: exact,
		Samples:   argReductions(ops.ArgMax),
	})
	Register("argmin", Spec{
		Reference: func(c Case) Result { return positions(c, true) },
		Tolerance: exact,
		Samples:   argReductions(ops.ArgMin),
	})
	Register("any", Spec{
		Reference: func(c Case) Result {
			x := c.In[0]
			return fold(x, attr[[]int](c), x.DType, 0, func(y Array, p, q int) { y.U[p] |= x.U[q] })
		},
		Tolerance: exact,
		Samples:   reductions(ops.Any, 0, 1),
	})
	Register("all", Spec{
		Reference: func(c Case) Result {
			x := c.In[0]
			return fold(x, attr[[]int](c), x.DType, 1, func(y Array, p, q int) { y.U[p] &= x.U[q] })
		},
		Tolerance: exact,
		Samples:   reductions(ops.All, 0, 1),
	})
	Register("mean", Spec{
		Reference: func(c Case) Result { return means(c.In[0], attr[[]int](c)) },
		Tolerance: Tolerance{ULP: 3, ULP64: 1, Terms: 1, Stored: 1, Source: composition},
		Samples:   reductions(ops.Mean, -4, 4),
	})
	Register("variance", Spec{
		Reference: func(c Case) Result { return variances(c.In[0], attr[[]int](c)) },
		Tolerance: Tolerance{ULP: 3, ULP64: 1, Terms: 1, Stored: 4, Source: composition},
		Samples:   reductions(ops.Variance, -4, 4),
	})
	Register("log_sum_exp", Spec{
		Reference: func(c Case) Result { return logSums(c.In[0], attr[[]int](c)) },
		Tolerance: Tolerance{ULP: 6, ULP64: 6, Terms: 1, Stored: 4, Source: composition},
		Samples: append(reductions(ops.LogSumExp, -4, 4), Sample{
			Label: "far apart", Operands: []Operand{{Shape: []int{9, 21}, Lo: -200, Hi: 200}}, Attr: []int{1},
			Build: func(in []*ops.Node) *ops.Node { return ops.LogSumExp(in[0], 1) },
			Only:  []tensor.DType{tensor.BFloat16, tensor.Float32, tensor.Float64},
		}),
	})
}

// fold starts every element of the result with a number and gives it one
// element of x after the other, in row-major order.
func fold(x Array, axes []int, dt tensor.DType, start float64, step func(y Array, p, q int)) Result {
	y := NewArray(dt, remaining(x.Shape, axes)...)
	for p := range y.Len() {
		switch {
		case y.F != nil:
			y.F[p] = start
		case y.I != nil:
			y.I[p] = int64(start)
		default:
			y.U[p] = uint64(start)
		}
	}
	overFold(x.Shape, axes, func(p, q int) { step(y, p, q) })
	return exactly(y)
}

// overFold visits every element q of a tensor of some shape together with the
// element p of the result that it is folded into.
func overFold(shape, axes []int, visit func(p, q int)) {
	keep := remaining(shape, axes)
	gone := folded(len(shape), axes)
	to := make([]int, len(keep))
	for q, at := range coordinates(shape) {
		k := 0
		for a, i := range at {
			if !gone[a] {
				to[k] = i
				k++
			}
		}
		visit(position(keep, to), q)
	}
}

// folded says of each axis whether it vanishes; no axes means all.
func folded(rank int, axes []int) []bool {
	gone := make([]bool, rank)
	for a := range gone {
		gone[a] = len(axes) == 0
	}
	for _, a := range axes {
		gone[wrapAxis(a, rank)] = true
	}
	return gone
}

func remaining(shape, axes []int) []int {
	keep := []int{}
	for a, gone := range folded(len(shape), axes) {
		if !gone {
			keep = append(keep, shape[a])
		}
	}
	return keep
}

// foldedCount is how many elements of x each element of y was folded from.
func foldedCount(x, y Array) float64 {
	if y.Len() == 0 {
		return 0
	}
	return float64(x.Len() / y.Len())
}

// sums adds in float64; Terms is Σ|x|.
func sums(x Array, axes []int) Result {
	r := fold(x, axes, x.DType, 0, func(y Array, p, q int) {
		switch {
		case y.F != nil:
			y.F[p] += x.F[q]
		case y.I != nil:
			y.I[p] = wrapInt(y.DType, y.I[p]+x.I[q])
		default:
			y.U[p] = wrapUint(y.DType, y.U[p]+x.U[q])
		}
	})
	if r.F != nil {
		r.Terms = make([]float64, r.Len())
		overFold(x.Shape, axes, func(p, q int) { r.Terms[p] += math.Abs(x.F[q]) })
		r.N = foldedCount(x, r.Array)
	}
	return r
}

// extremes folds to the largest or smallest element. Nothing gives the
// identity of the fold.
func extremes(x Array, axes []int, smallest bool) Result {
	y := NewArray(x.DType, remaining(x.Shape, axes)...)
	limit := FromTensor(tensor.Must(tensor.Cast(tensor.Scalar(math.Inf(map[bool]int{true: 1, false: -1}[smallest])), x.DType)))
	for p := range y.Len() {
		y.copy(p, limit, 0)
	}
	overFold(x.Shape, axes, func(p, q int) {
		if beats(x, q, y, p, smallest) {
			y.copy(p, x, q)
		}
	})
	return exactly(y)
}

// beats reports whether element q of x goes before element p of y; a NaN goes
// before every number.
func beats(x Array, q int, y Array, p int, smallest bool) bool {
	switch {
	case x.F != nil:
		a, b := x.F[q], y.F[p]
		if math.IsNaN(a) || math.IsNaN(b) {
			return math.IsNaN(a) && !math.IsNaN(b)
		}
		return smallest && a < b || !smallest && a > b
	case x.I != nil:
		return smallest && x.I[q] < y.I[p] || !smallest && x.I[q] > y.I[p]
	default:
		return smallest && x.U[q] < y.U[p] || !smallest && x.U[q] > y.U[p]
	}
}

// positions folds to the index along an axis of the first extreme.
func positions(c Case, smallest bool) Result {
	x := c.In[0]
	var axes []int
	switch a := c.Attr.(type) {
	case int:
		axes = []int{a}
	default:
		axes = attr[[]int](c)
	}
	y := NewArray(tensor.Int64, remaining(x.Shape, axes)...)
	best := NewArray(x.DType, y.Shape...)
	seen := make([]int64, y.Len())
	overFold(x.Shape, axes, func(p, q int) {
		if seen[p] == 0 || beats(x, q, best, p, smallest) {
			best.copy(p, x, q)
			y.I[p] = seen[p]
		}
		seen[p]++
	})
	return exactly(y)
}

// means is Σx / n; the mean of nothing is NaN.
func means(x Array, axes []int) Result {
	r := sums(x, axes)
	n := foldedCount(x, r.Array)
	for p := range r.F {
		r.F[p] /= n
		r.Terms[p] /= n
	}
	r.N = n + 2
	return r
}

// variances is Σ(x - mean)² / n, in two passes. Terms holds what the error of
// the mean can do to the squares too.
func variances(x Array, axes []int) Result {
	m := means(x, axes)
	n := foldedCount(x, m.Array)
	y := NewArray(x.DType, m.Shape...)
	terms := make([]float64, y.Len())
	overFold(x.Shape, axes, func(p, q int) {
		d := x.F[q] - m.F[p]
		y.F[p] += d * d
		terms[p] += d*d + 2*math.Abs(d)*m.Terms[p]
	})
	for p := range y.F {
		y.F[p] /= n
		terms[p] /= n
	}
	return Result{Array: y, Terms: terms, N: n + 6}
}

// logSums is log Σ e^x, with the largest x taken out first.
func logSums(x Array, axes []int) Result {
	top := extremes(x, axes, false)
	y := NewArray(x.DType, top.Shape...)
	overFold(x.Shape, axes, func(p, q int) { y.F[p] += math.Exp(x.F[q] - shift(top.F[p])) })
	terms := make([]float64, y.Len())
	n := foldedCount(x, y)
	for p := range y.F {
		// The logarithm turns the relative error of the sum into an absolute one.
		terms[p] = 1 + math.Abs(shift(top.F[p])) + math.Abs(math.Log(y.F[p]))
		y.F[p] = math.Log(y.F[p]) + shift(top.F[p])
	}
	return Result{Array: y, Terms: terms, N: n + 8}
}

// shift is what to subtract from exponents: not an infinity, which would give NaN.
func shift(top float64) float64 {
	if math.IsInf(top, 0) {
		return 0
	}
	return top
}

func absolutes(xs []float64) []float64 {
	out := slices.Clone(xs)
	for i, v := range out {
		out[i] = math.Abs(v)
	}
	return out
}

// reductions are samples of call with values in [lo, hi]: few and many rows, short and
// long folds, inner, outer, middle and all axes.
func reductions(call func(x *ops.Node, axes ...int) *ops.Node, lo, hi float64) []Sample {
	var out []Sample
	for _, c := range []struct {
		label string
		shape []int
		axes  []int
	}{
		{"inner", []int{7, 33}, []int{1}},
		{"outer", []int{33, 7}, []int{0}},
		{"middle", []int{3, 17, 5}, []int{1}},
		{"two", []int{4, 9, 5, 3}, []int{0, 2}},
		{"all", []int{5, 7, 3}, nil},
		{"scalar", []int{}, nil},
		{"empty fold", []int{4, 0}, []int{1}},
		{"empty result", []int{0, 4}, []int{1}},
		{"long", []int{2, 5003}, []int{-1}},
		{"tall", []int{3001, 3}, []int{0}},
	} {
		out = append(out, Sample{
			Label: c.label, Operands: []Operand{{Shape: c.shape, Lo: lo, Hi: hi}}, Attr: c.axes,
			Build: func(in []*ops.Node) *ops.Node { return call(in[0], c.axes...) },
		})
	}
	return out
}

func specialReduction(call func(x *ops.Node, axes ...int) *ops.Node) []Sample {
	return []Sample{{
		Label: "special", Operands: []Operand{{Shape: []int{31, 40}, Special: true}}, Attr: []int{1},
		Build: func(in []*ops.Node) *ops.Node { return call(in[0], 1) },
	}}
}

func argReductions(call func(x *ops.Node, axis int) *ops.Node) []Sample {
	var out []Sample
	for _, c := range []struct {
		label string
		o     Operand
		axis  int
	}{
		{"inner", Operand{Shape: []int{7, 33}}, 1},
		{"outer", Operand{Shape: []int{33, 7}}, 0},
		{"middle", Operand{Shape: []int{3, 17, 5}}, -2},
		{"one", Operand{Shape: []int{4, 1}}, 1},
		{"ties", Operand{Shape: []int{5, 64}, Lo: 0, Hi: 3}, 1},
		{"long", Operand{Shape: []int{2, 5003}}, 1},
		{"empty result", Operand{Shape: []int{0, 4}}, 1},
		{"special", Operand{Shape: []int{31, 40}, Special: true}, 1},
	} {
		out = append(out, Sample{
			Label: c.label, Operands: []Operand{c.o}, Attr: c.axis,
			Build: func(in []*ops.Node) *ops.Node { return call(in[0], c.axis) },
		})
	}
	return out
}
