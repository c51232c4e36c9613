// Package elementwise has the specs of element-wise ops: arithmetic, elementary and special functions,
// activations, complex numbers, casts.
package elementwise

import (
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/sample"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Arithmetic, bits and comparisons. Integers wrap; a division by the integer
// zero gives zero.

func init() {
	type dt = tensor.DType
	spec.Register("add", spec.Spec{
		Call: sample.Two(ops.Add),
		Reference: reference.Each2(
			func(a, b float64) float64 { return a + b },
			func(a, b int64, _ dt) int64 { return a + b },
			func(a, b uint64, _ dt) uint64 { return a + b }),
		Tolerance: spec.Rounded,
		Samples:   sample.Pairs(),
	})
	spec.Register("sub", spec.Spec{
		Call: sample.Two(ops.Sub),
		Reference: reference.Each2(
			func(a, b float64) float64 { return a - b },
			func(a, b int64, _ dt) int64 { return a - b },
			func(a, b uint64, _ dt) uint64 { return a - b }),
		Tolerance: spec.Rounded,
		Samples:   sample.Pairs(),
	})
	spec.Register("mul", spec.Spec{
		Call: sample.Two(ops.Mul),
		Reference: reference.Each2(
			func(a, b float64) float64 { return a * b },
			func(a, b int64, _ dt) int64 { return a * b },
			func(a, b uint64, _ dt) uint64 { return a * b }),
		Tolerance: spec.Rounded,
		Samples:   sample.Pairs(),
	})
	spec.Register("div", spec.Spec{
		Call: sample.Two(ops.Div),
		Reference: reference.Each2(
			func(a, b float64) float64 { return a / b },
			func(a, b int64, _ dt) int64 {
				switch b {
				case 0:
					return 0
				case -1: // the smallest integer wraps to itself
					return -a
				}
				return a / b
			},
			func(a, b uint64, _ dt) uint64 {
				if b == 0 {
					return 0
				}
				return a / b
			}),
		Tolerance: spec.Builtin(2.5, 0.5),
		Samples:   sample.Pairs(),
	})
	spec.Register("rem", spec.Spec{
		Call: sample.Two(ops.Rem),
		Reference: reference.Each2(
			math.Mod,
			func(a, b int64, _ dt) int64 {
				if b == 0 || b == -1 {
					return 0
				}
				return a - a/b*b
			},
			func(a, b uint64, _ dt) uint64 {
				if b == 0 {
					return 0
				}
				return a - a/b*b
			}),
		Tolerance: spec.Tolerance{Source: spec.OpenCL + ": fmod is exact"},
		Samples:   sample.Pairs(),
	})
	spec.Register("maximum", spec.Spec{
		Call: sample.Two(ops.Maximum),
		Reference: reference.Each2(
			func(a, b float64) float64 { return extreme(a, b, a > b) },
			func(a, b int64, _ dt) int64 { return max(a, b) },
			func(a, b uint64, _ dt) uint64 { return max(a, b) }),
		Tolerance: spec.Exact,
		Samples:   sample.Pairs(),
	})
	spec.Register("minimum", spec.Spec{
		Call: sample.Two(ops.Minimum),
		Reference: reference.Each2(
			func(a, b float64) float64 { return extreme(a, b, a < b) },
			func(a, b int64, _ dt) int64 { return min(a, b) },
			func(a, b uint64, _ dt) uint64 { return min(a, b) }),
		Tolerance: spec.Exact,
		Samples:   sample.Pairs(),
	})
	spec.Register("pow", spec.Spec{Call: sample.Two(ops.Pow), Reference: reference.Each2(power, nil, nil), Tolerance: spec.Builtin(16, 16),
		Samples: sample.Pairs(0.1, 3)})
	spec.Register("atan2", spec.Spec{Call: sample.Two(ops.Atan2), Reference: reference.Each2(angle, nil, nil), Tolerance: spec.Builtin(6, 6),
		Samples: sample.Pairs()})

	spec.Register("neg", spec.Spec{
		Call: sample.One(ops.Neg),
		Reference: reference.Each1(
			func(x float64) float64 { return -x },
			func(x int64) int64 { return -x },
			func(x uint64) uint64 { return -x }),
		Tolerance: spec.Exact,
		Samples:   sample.Singles(),
	})
	spec.Register("abs", spec.Spec{
		Call: sample.One(ops.Abs),
		Reference: reference.Each1(
			math.Abs,
			func(x int64) int64 { return max(x, -x) },
			func(x uint64) uint64 { return x }),
		Tolerance: spec.Exact,
		Samples:   sample.Singles(),
	})
	spec.Register("sign", spec.Spec{
		Call: sample.One(ops.Sign),
		Reference: reference.Each1(
			func(x float64) float64 {
				switch {
				case x > 0:
					return 1
				case x < 0:
					return -1
				}
				return x // zero or NaN
			},
			func(x int64) int64 { return int64(reference.Truth(x > 0)) - int64(reference.Truth(x < 0)) },
			func(x uint64) uint64 { return reference.Truth(x > 0) }),
		Tolerance: spec.Exact,
		Samples:   sample.Singles(),
	})
	spec.Register("square", spec.Spec{
		Call: sample.One(ops.Square),
		Reference: reference.Each1(
			func(x float64) float64 { return x * x },
			func(x int64) int64 { return x * x },
			func(x uint64) uint64 { return x * x }),
		Tolerance: spec.Rounded,
		Samples:   sample.Singles(),
	})

	spec.Register("and", spec.Spec{
		Call: sample.Two(ops.And),
		Reference: reference.Each2(nil,
			func(a, b int64, _ dt) int64 { return a & b },
			func(a, b uint64, _ dt) uint64 { return a & b }),
		Tolerance: spec.Exact,
		Samples:   sample.Pairs(),
	})
	spec.Register("or", spec.Spec{
		Call: sample.Two(ops.Or),
		Reference: reference.Each2(nil,
			func(a, b int64, _ dt) int64 { return a | b },
			func(a, b uint64, _ dt) uint64 { return a | b }),
		Tolerance: spec.Exact,
		Samples:   sample.Pairs(),
	})
	spec.Register("xor", spec.Spec{
		Call: sample.Two(ops.Xor),
		Reference: reference.Each2(nil,
			func(a, b int64, _ dt) int64 { return a ^ b },
			func(a, b uint64, _ dt) uint64 { return a ^ b }),
		Tolerance: spec.Exact,
		Samples:   sample.Pairs(),
	})
	spec.Register("not", spec.Spec{
		Call: sample.One(ops.Not),
		Reference: func(c spec.Case) spec.Result {
			if c.In[0].DType == tensor.Bool {
				return reference.Each1(nil, nil, func(x uint64) uint64 { return 1 - x })(c)
			}
			return reference.Each1(nil, func(x int64) int64 { return ^x }, func(x uint64) uint64 { return ^x })(c)
		},
		Tolerance: spec.Exact,
		Samples:   sample.Singles(),
	})
	spec.Register("shift_left", spec.Spec{
		Call: sample.Two(ops.ShiftLeft),
		Reference: reference.Each2(nil,
			func(a, b int64, d dt) int64 {
				if outOfWidth(uint64(b), d) {
					return 0
				}
				return a << b
			},
			func(a, b uint64, d dt) uint64 {
				if outOfWidth(b, d) {
					return 0
				}
				return a << b
			}),
		Tolerance: spec.Exact,
		Samples:   sample.Shifts(),
	})
	spec.Register("shift_right", spec.Spec{
		Call: sample.Two(ops.ShiftRight),
		Reference: reference.Each2(nil,
			func(a, b int64, d dt) int64 {
				if outOfWidth(uint64(b), d) {
					return -int64(reference.Truth(a < 0))
				}
				return a >> b
			},
			func(a, b uint64, d dt) uint64 {
				if outOfWidth(b, d) {
					return 0
				}
				return a >> b
			}),
		Tolerance: spec.Exact,
		Samples:   sample.Shifts(),
	})

	spec.Register("equal", spec.Spec{Call: sample.Two(ops.Equal), Reference: reference.Compare(func(_, equal, _ bool) bool { return equal }),
		Tolerance: spec.Exact, Samples: sample.Comparisons()})
	spec.Register("not_equal", spec.Spec{Call: sample.Two(ops.NotEqual),
		Reference: reference.Compare(func(_, equal, _ bool) bool { return !equal }), Tolerance: spec.Exact, Samples: sample.Comparisons()})
	spec.Register("less", spec.Spec{Call: sample.Two(ops.Less), Reference: reference.Compare(func(less, _, _ bool) bool { return less }),
		Tolerance: spec.Exact, Samples: sample.Comparisons()})
	spec.Register("less_equal", spec.Spec{Call: sample.Two(ops.LessEqual),
		Reference: reference.Compare(func(less, equal, _ bool) bool { return less || equal }), Tolerance: spec.Exact,
		Samples: sample.Comparisons()})
	spec.Register("greater", spec.Spec{
		Call:      sample.Two(ops.Greater),
		Reference: reference.Compare(func(less, equal, ordered bool) bool { return ordered && !less && !equal }),
		Tolerance: spec.Exact,
		Samples:   sample.Comparisons(),
	})
	spec.Register("greater_equal", spec.Spec{Call: sample.Two(ops.GreaterEqual),
		Reference: reference.Compare(func(less, _, ordered bool) bool { return ordered && !less }), Tolerance: spec.Exact,
		Samples: sample.Comparisons()})

	spec.Register("is_nan", spec.Spec{Call: sample.One(ops.IsNaN), Reference: reference.Predicate(math.IsNaN), Tolerance: spec.Exact,
		Samples: sample.Singles()})
	spec.Register("is_inf", spec.Spec{Call: sample.One(ops.IsInf),
		Reference: reference.Predicate(func(x float64) bool { return math.IsInf(x, 0) }), Tolerance: spec.Exact, Samples: sample.Singles()})
	spec.Register("is_finite", spec.Spec{Call: sample.One(ops.IsFinite),
		Reference: reference.Predicate(func(x float64) bool { return x-x == 0 }), Tolerance: spec.Exact, Samples: sample.Singles()})
}

// extreme picks a where a wins; a NaN beats every number.
func extreme(a, b float64, wins bool) float64 {
	switch {
	case math.IsNaN(a), wins:
		return a
	default:
		return b
	}
}

// outOfWidth reports whether n, perhaps a negative number, shifts every bit out.
func outOfWidth(n uint64, dt tensor.DType) bool { return n >= uint64(8*dt.Size()) }
