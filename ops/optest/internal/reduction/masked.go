package reduction

import (
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Ops of the elements that a mask chooses. Their references leave others out, or replace them by the identity element.

func init() {
	sumLike := spec.Tolerance{ULP: 3, ULP64: 1, Terms: 1, Stored: 1, Source: spec.Composition}
	for _, m := range []struct {
		op     string
		call   func(x, mask *ops.Node, axes ...int) *ops.Node
		like   string
		value  float64
		within spec.Tolerance
		lo, hi float64
	}{
		{"masked_sum", ops.MaskedSum, "sum", 0, spec.Summed(spec.AnySum), -4, 4},
		{"masked_prod", ops.MaskedProd, "prod", 1, spec.Summed("a product in any order: n·u·|product|"), 0.8, 1.25},
		{"masked_max", ops.MaskedMax, "max", math.Inf(-1), spec.Exact, -4, 4},
		{"masked_min", ops.MaskedMin, "min", math.Inf(1), spec.Exact, -4, 4},
		{"masked_argmax", ops.MaskedArgMax, "argmax", math.Inf(-1), spec.Exact, -4, 4},
		{"masked_argmin", ops.MaskedArgMin, "argmin", math.Inf(1), spec.Exact, -4, 4},
		{"masked_log_sum_exp", ops.MaskedLogSumExp, "log_sum_exp", math.Inf(-1),
			spec.Tolerance{ULP: 6, ULP64: 6, Terms: 1, Stored: 4, Source: spec.Composition}, -4, 4},
		{"masked_median", ops.MaskedMedian, "nanmedian", math.NaN(), spec.Exact, -4, 4},
	} {
		spec.Register(m.op, spec.Spec{
			Reference: func(c spec.Case) spec.Result {
				return spec.Of(m.like).Reference(spec.Case{In: []spec.Array{chosen(c, m.value)}, Attr: c.Attr})
			},
			Tolerance: m.within, Samples: maskedFolds(m.call, m.lo, m.hi),
		})
	}
	spec.Register("masked_mean", spec.Spec{
		Reference: func(c spec.Case) spec.Result { return maskedMeans(c, reference.Attr[[]int](c)) },
		Tolerance: sumLike, Samples: maskedFolds(ops.MaskedMean, -4, 4),
	})
	spread := spec.Tolerance{ULP: 6, ULP64: 2, Terms: 1, Stored: 4, Source: spec.Composition}
	spec.Register("masked_var", spec.Spec{
		Reference: func(c spec.Case) spec.Result { return maskedVariances(c, 1, false) }, Tolerance: spread,
		Samples: maskedFolds(func(x, mask *ops.Node, axes ...int) *ops.Node { return ops.MaskedVar(x, mask, 1, axes...) }, -4, 4)[:2],
	})
	spec.Register("masked_std", spec.Spec{
		Reference: func(c spec.Case) spec.Result { return maskedVariances(c, 0.5, true) }, Tolerance: spread,
		Samples: maskedFolds(func(x, mask *ops.Node, axes ...int) *ops.Node { return ops.MaskedStd(x, mask, 0.5, axes...) }, -4, 4)[:1],
	})
	var norms []spec.Sample
	for i, ord := range []float64{2, math.Inf(-1), 3} {
		s := maskedFolds(func(x, mask *ops.Node, axes ...int) *ops.Node { return ops.MaskedNorm(x, mask, ord, axes...) }, -4, 4)[i%2]
		s.Label, s.Attr = []string{"2", "-inf", "3"}[i], vectorNorm{s.Attr.([]int), ord}
		norms = append(norms, s)
	}
	spec.Register("masked_norm", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			value := 0.0
			if reference.Attr[vectorNorm](c).ord < 0 {
				value = math.Inf(1)
			}
			return spec.Of("vector_norm").Reference(spec.Case{In: []spec.Array{chosen(c, value)}, Attr: c.Attr})
		},
		Tolerance: spec.Tolerance{ULP: 36, ULP64: 36, Terms: 1, Stored: 1, Source: spec.Composition + ": two powers, 16 each"}, Samples: norms,
	})
}

// there reports whether the mask of a case holds for element q of its x.
func there(c spec.Case) func(q int) bool {
	if len(c.In) < 2 {
		return func(int) bool { return true }
	}
	at := make([]bool, 0, c.In[0].Len())
	for _, to := range reference.Coordinates(c.In[0].Shape) {
		at = append(at, c.In[1].U[reference.Stretched(c.In[1].Shape, to)] != 0)
	}
	return func(q int) bool { return at[q] }
}

// chosen is the x of a case with a value where the mask does not hold: infinities stand for the extreme integers too.
func chosen(c spec.Case, value float64) spec.Array {
	x, in := c.In[0], there(c)
	y := spec.NewArray(x.DType, x.Shape...)
	bits := 8 * x.DType.Size()
	for q := range y.Len() {
		switch {
		case in(q):
			reference.CopyElement(y, q, x, q)
		case y.F != nil:
			y.F[q] = value
		case y.I != nil && math.IsInf(value, -1):
			y.I[q] = math.MinInt64 >> (64 - bits)
		case y.I != nil && math.IsInf(value, 1):
			y.I[q] = math.MaxInt64 >> (64 - bits)
		case y.I != nil:
			y.I[q] = int64(value)
		case math.IsInf(value, -1):
			y.U[q] = 0
		case math.IsInf(value, 1):
			y.U[q] = math.MaxUint64 >> (64 - bits)
		default:
			y.U[q] = uint64(value)
		}
	}
	return y
}

func maskedMeans(c spec.Case, axes []int) spec.Result {
	r, in := sums(chosen(c, 0), axes), there(c)
	n := make([]float64, r.Len())
	overFold(c.In[0].Shape, axes, func(p, q int) { n[p] += float64(reference.Truth(in(q))) })
	for p := range r.F {
		r.F[p] /= n[p]
		r.Terms[p] /= n[p]
	}
	r.N += 2
	return r
}

func maskedVariances(c spec.Case, correction float64, root bool) spec.Result {
	x, axes, in := c.In[0], reference.Attr[[]int](c), there(c)
	m := maskedMeans(c, axes)
	r := spec.Result{Array: spec.NewArray(x.DType, m.Shape...), Terms: make([]float64, m.Len()), N: m.N + 6}
	n := make([]float64, m.Len())
	overFold(x.Shape, axes, func(p, q int) {
		if in(q) {
			d := x.F[q] - m.F[p]
			n[p]++
			r.F[p] += d * d
			r.Terms[p] += d*d + 2*math.Abs(d)*m.Terms[p]
		}
	})
	for p := range r.F {
		by := math.Max(n[p]-correction, 0)
		r.F[p] /= by
		r.Terms[p] /= by
		if root { // half the relative error
			v := math.Sqrt(r.F[p])
			r.F[p], r.Terms[p] = v, r.Terms[p]/(2*v)
		}
	}
	return r
}

// mixed breaks up the runs of a mask: where a slice chooses nothing, many results are NaN, and have no derivative to compare.
func mixed(in []*ops.Node) []*ops.Node {
	g, shape := in[1].Graph(), in[1].Shape()
	diagonal := ops.Add(g.Iota(tensor.Int32, 0, shape...), g.Iota(tensor.Int32, 1, shape...))
	return []*ops.Node{in[0], ops.NotEqual(in[1], ops.Equal(ops.Mod(diagonal, 3), 0))}
}

// maskedFolds are samples of a reduction: a mask that broadcasts, several axes, a scalar without a mask.
func maskedFolds(call func(x, mask *ops.Node, axes ...int) *ops.Node, lo, hi float64) []spec.Sample {
	fold := func(label string, axes []int, x, mask []int) spec.Sample {
		return spec.Sample{
			Label: label, Attr: axes,
			Operands: []spec.Operand{{Shape: x, Lo: lo, Hi: hi, Distinct: true}, {Shape: mask, DType: tensor.Bool}},
			Build:    func(in []*ops.Node) *ops.Node { return call(in[0], in[1], axes...) }, Through: mixed,
		}
	}
	return []spec.Sample{
		fold("rows", []int{1}, []int{3, 25}, []int{3, 25}),
		fold("outer", []int{0, 2}, []int{3, 4, 5}, []int{4, 5}),
		{Label: "no mask", Operands: []spec.Operand{{Shape: []int{3, 3}, Lo: lo, Hi: hi, Distinct: true}}, Attr: []int(nil),
			Build: func(in []*ops.Node) *ops.Node { return call(in[0], nil) }},
	}
}
