package reduction

import (
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Ops along an axis of the elements that a mask chooses.

func init() {
	inf := math.Inf(1)
	soft := spec.Tolerance{ULP: 16, ULP64: 8, Terms: 1, Source: spec.Composition}
	for _, m := range []struct {
		op     string
		call   func(x, mask *ops.Node, axis int) *ops.Node
		value  float64
		within spec.Tolerance
		lo, hi float64
		fill   func(s reference.Slice)
	}{
		{"masked_softmax", ops.MaskedSoftmax, -inf, soft, -4, 4, maskedShares},
		{"masked_softmin", ops.MaskedSoftmin, inf, soft, -4, 4, func(s reference.Slice) {
			negated := make([]float64, len(s.Raw))
			for i, x := range s.Raw {
				negated[i] = -x
			}
			of := reference.NewSlice(negated)
			maskedShares(of)
			copy(s.Y, of.Y)
			copy(s.Terms, of.Terms)
		}},
		{"masked_log_softmax", ops.MaskedLogSoftmax, -inf, soft, -4, 4, func(s reference.Slice) {
			for i, z := range s.Shifted {
				if s.Y[i] = z - math.Log(s.Sum); !math.IsInf(z, 0) {
					s.Terms[i] = math.Abs(z) + math.Log(s.Sum) + s.N + 8
				}
			}
		}},
	} {
		spec.Register(m.op, spec.Spec{
			Reference: func(c spec.Case) spec.Result {
				return reference.AlongAxis(chosen(c, m.value), reference.Attr[int](c), m.fill)
			},
			Tolerance: m.within, Samples: maskedAlong(m.call, m.lo, m.hi),
		})
	}
	spec.Register("masked_cumsum", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			return runningSums(spec.Case{In: []spec.Array{chosen(c, 0)}, Attr: CumSumAttr{Axis: reference.Attr[int](c)}})
		},
		Tolerance: spec.Summed(spec.AnySum), Samples: maskedAlong(ops.MaskedCumSum, -4, 4),
	})
	spec.Register("masked_cumprod", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			x, axis := chosen(c, 1), reference.Attr[int](c)
			y := spec.NewArray(x.DType, x.Shape...)
			inner := spec.Count(x.Shape[axis+1:])
			for q := range x.Len() {
				reference.CopyElement(y, q, x, q)
				if q/inner%x.Shape[axis] == 0 {
					continue
				}
				switch p := q - inner; {
				case y.F != nil:
					y.F[q] *= y.F[p]
				case y.I != nil:
					y.I[q] = reference.WrapInt(y.DType, y.I[q]*y.I[p])
				default:
					y.U[q] = reference.WrapUint(y.DType, y.U[q]*y.U[p])
				}
			}
			r := reference.Exactly(y)
			if y.F != nil {
				r.Terms, r.N = reference.Absolutes(y.F), float64(x.Shape[axis])
			}
			return r
		},
		Tolerance: spec.Summed("a product in any order: n·u·|product|"), Samples: maskedAlong(ops.MaskedCumProd, 0.8, 1.25),
	})
	normalized := maskedAlong(func(x, mask *ops.Node, axis int) *ops.Node { return ops.MaskedNormalize(x, mask, 2, axis, 1e-3) }, -4, 4)
	spec.Register("masked_normalize", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			return reference.AlongAxis(chosen(c, 0), reference.Attr[int](c), func(s reference.Slice) {
				sum := 0.0
				for _, x := range s.Raw {
					sum += x * x
				}
				for i, x := range s.Raw {
					s.Y[i] = x / max(math.Sqrt(sum), 1e-3)
					s.Terms[i] = math.Abs(s.Y[i]) * (s.N + 16)
				}
			})
		},
		Tolerance: spec.NormTolerance, Samples: normalized,
	})
}

// maskedShares fills in the softmax, in which -Inf has no share.
func maskedShares(s reference.Slice) {
	for i, e := range s.Exps {
		if s.Y[i] = e / s.Sum; e > 0 {
			s.Terms[i] = s.Y[i] * (2*math.Abs(s.Shifted[i]) + s.N + 8)
		}
	}
}

func maskedAlong(call func(x, mask *ops.Node, axis int) *ops.Node, lo, hi float64) []spec.Sample {
	var out []spec.Sample
	for i, axis := range []int{1, 0} {
		shape, mask := [][]int{{3, 17}, {17, 3}}[i], [][]int{{3, 17}, {17, 1}}[i]
		out = append(out, spec.Sample{
			Label: []string{"last", "first"}[i], Attr: axis,
			Operands: []spec.Operand{{Shape: shape, Lo: lo, Hi: hi}, {Shape: mask, DType: tensor.Bool}},
			Build:    func(in []*ops.Node) *ops.Node { return call(in[0], in[1], axis) }, Through: mixed,
		})
	}
	return out
}
