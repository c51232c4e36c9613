package optest

import (
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Ops along an axis of the elements that a mask chooses.

func init() {
	inf := math.Inf(1)
	soft := Tolerance{ULP: 16, ULP64: 8, Terms: 1, Source: composition}
	for _, m := range []struct {
		op     string
		call   func(x, mask *ops.Node, axis int) *ops.Node
		value  float64
		within Tolerance
		lo, hi float64
		fill   func(s slice)
	}{
		{"masked_softmax", ops.MaskedSoftmax, -inf, soft, -4, 4, maskedShares},
		{"masked_softmin", ops.MaskedSoftmin, inf, soft, -4, 4, func(s slice) {
			negated := make([]float64, len(s.raw))
			for i, x := range s.raw {
				negated[i] = -x
			}
			of := newSlice(negated)
			maskedShares(of)
			copy(s.y, of.y)
			copy(s.terms, of.terms)
		}},
		{"masked_log_softmax", ops.MaskedLogSoftmax, -inf, soft, -4, 4, func(s slice) {
			for i, z := range s.shifted {
				if s.y[i] = z - math.Log(s.sum); !math.IsInf(z, 0) {
					s.terms[i] = math.Abs(z) + math.Log(s.sum) + s.n + 8
				}
			}
		}},
	} {
		Register(m.op, Spec{
			Reference: func(c Case) Result { return alongAxis(chosen(c, m.value), attr[int](c), m.fill) },
			Tolerance: m.within, Samples: maskedAlong(m.call, m.lo, m.hi),
		})
	}
	Register("masked_cumsum", Spec{
		Reference: func(c Case) Result {
			return runningSums(Case{In: []Array{chosen(c, 0)}, Attr: cumSumAttr{Axis: attr[int](c)}})
		},
		Tolerance: summed(anySum), Samples: maskedAlong(ops.MaskedCumSum, -4, 4),
	})
	Register("masked_cumprod", Spec{
		Reference: func(c Case) Result {
			x, axis := chosen(c, 1), attr[int](c)
			y := NewArray(x.DType, x.Shape...)
			inner := count(x.Shape[axis+1:])
			for q := range x.Len() {
				y.copy(q, x, q)
				if q/inner%x.Shape[axis] == 0 {
					continue
				}
				switch p := q - inner; {
				case y.F != nil:
					y.F[q] *= y.F[p]
				case y.I != nil:
					y.I[q] = wrapInt(y.DType, y.I[q]*y.I[p])
				default:
					y.U[q] = wrapUint(y.DType, y.U[q]*y.U[p])
				}
			}
			r := exactly(y)
			if y.F != nil {
				r.Terms, r.N = absolutes(y.F), float64(x.Shape[axis])
			}
			return r
		},
		Tolerance: summed("a product in any order: n·u·|product|"), Samples: maskedAlong(ops.MaskedCumProd, 0.8, 1.25),
	})
	normalized := maskedAlong(func(x, mask *ops.Node, axis int) *ops.Node { return ops.MaskedNormalize(x, mask, 2, axis, 1e-3) }, -4, 4)
	Register("masked_normalize", Spec{
		Reference: func(c Case) Result {
			return alongAxis(chosen(c, 0), attr[int](c), func(s slice) {
				sum := 0.0
				for _, x := range s.raw {
					sum += x * x
				}
				for i, x := range s.raw {
					s.y[i] = x / max(math.Sqrt(sum), 1e-3)
					s.terms[i] = math.Abs(s.y[i]) * (s.n + 16)
				}
			})
		},
		Tolerance: normTolerance, Samples: normalized,
	})
}

// maskedShares fills in the softmax, in which -Inf has no share.
func maskedShares(s slice) {
	for i, e := range s.exps {
		if s.y[i] = e / s.sum; e > 0 {
			s.terms[i] = s.y[i] * (2*math.Abs(s.shifted[i]) + s.n + 8)
		}
	}
}

func maskedAlong(call func(x, mask *ops.Node, axis int) *ops.Node, lo, hi float64) []Sample {
	var out []Sample
	for i, axis := range []int{1, 0} {
		shape, mask := [][]int{{3, 17}, {17, 3}}[i], [][]int{{3, 17}, {17, 1}}[i]
		out = append(out, Sample{
			Label: []string{"last", "first"}[i], Attr: axis,
			Operands: []Operand{{Shape: shape, Lo: lo, Hi: hi}, {Shape: mask, DType: tensor.Bool}},
			Build:    func(in []*ops.Node) *ops.Node { return call(in[0], in[1], axis) }, Through: mixed,
		})
	}
	return out
}
