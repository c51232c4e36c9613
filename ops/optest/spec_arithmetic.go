package optest

import (
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Arithmetic, bits and comparisons. Integers wrap; a division by the integer
// zero gives zero.

func init() {
	type dt = tensor.DType
	Register("add", Spec{
		Call: two(ops.Add),
		Reference: each2(
			func(a, b float64) float64 { return a + b },
			func(a, b int64, _ dt) int64 { return a + b },
			func(a, b uint64, _ dt) uint64 { return a + b }),
		Tolerance: rounded,
		Samples:   pairs(),
	})
	Register("sub", Spec{
		Call: two(ops.Sub),
		Reference: each2(
			func(a, b float64) float64 { return a - b },
			func(a, b int64, _ dt) int64 { return a - b },
			func(a, b uint64, _ dt) uint64 { return a - b }),
		Tolerance: rounded,
		Samples:   pairs(),
	})
	Register("mul", Spec{
		Call: two(ops.Mul),
		Reference: each2(
			func(a, b float64) float64 { return a * b },
			func(a, b int64, _ dt) int64 { return a * b },
			func(a, b uint64, _ dt) uint64 { return a * b }),
		Tolerance: rounded,
		Samples:   pairs(),
	})
	Register("div", Spec{
		Call: two(ops.Div),
		Reference: each2(
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
		Tolerance: builtin(2.5, 0.5),
		Samples:   pairs(),
	})
	Register("rem", Spec{
		Call: two(ops.Rem),
		Reference: each2(
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
		Tolerance: Tolerance{Source: spec + ": fmod is exact"},
		Samples:   pairs(),
	})
	Register("maximum", Spec{
		Call: two(ops.Maximum),
		Reference: each2(
			func(a, b float64) float64 { return extreme(a, b, a > b) },
			func(a, b int64, _ dt) int64 { return max(a, b) },
			func(a, b uint64, _ dt) uint64 { return max(a, b) }),
		Tolerance: exact,
		Samples:   pairs(),
	})
	Register("minimum", Spec{
		Call: two(ops.Minimum),
		Reference: each2(
			func(a, b float64) float64 { return extreme(a, b, a < b) },
			func(a, b int64, _ dt) int64 { return min(a, b) },
			func(a, b uint64, _ dt) uint64 { return min(a, b) }),
		Tolerance: exact,
		Samples:   pairs(),
	})
	Register("pow", Spec{two(ops.Pow), each2(power, nil, nil), builtin(16, 16), pairs(0.1, 3)})
	Register("atan2", Spec{two(ops.Atan2), each2(angle, nil, nil), builtin(6, 6), pairs()})

	Register("neg", Spec{
		Call: one(ops.Neg),
		Reference: each1(
			func(x float64) float64 { return -x },
			func(x int64) int64 { return -x },
			func(x uint64) uint64 { return -x }),
		Tolerance: exact,
		Samples:   singles(),
	})
	Register("abs", Spec{
		Call: one(ops.Abs),
		Reference: each1(
			math.Abs,
			func(x int64) int64 { return max(x, -x) },
			func(x uint64) uint64 { return x }),
		Tolerance: exact,
		Samples:   singles(),
	})
	Register("sign", Spec{
		Call: one(ops.Sign),
		Reference: each1(
			func(x float64) float64 {
				switch {
				case x > 0:
					return 1
				case x < 0:
					return -1
				}
				return x // zero or NaN
			},
			func(x int64) int64 { return int64(truth(x > 0)) - int64(truth(x < 0)) },
			func(x uint64) uint64 { return truth(x > 0) }),
		Tolerance: exact,
		Samples:   singles(),
	})
	Register("square", Spec{
		Call: one(ops.Square),
		Reference: each1(
			func(x float64) float64 { return x * x },
			func(x int64) int64 { return x * x },
			func(x uint64) uint64 { return x * x }),
		Tolerance: rounded,
		Samples:   singles(),
	})

	Register("and", Spec{
		Call: two(ops.And),
		Reference: each2(nil,
			func(a, b int64, _ dt) int64 { return a & b },
			func(a, b uint64, _ dt) uint64 { return a & b }),
		Tolerance: exact,
		Samples:   pairs(),
	})
	Register("or", Spec{
		Call: two(ops.Or),
		Reference: each2(nil,
			func(a, b int64, _ dt) int64 { return a | b },
			func(a, b uint64, _ dt) uint64 { return a | b }),
		Tolerance: exact,
		Samples:   pairs(),
	})
	Register("xor", Spec{
		Call: two(ops.Xor),
		Reference: each2(nil,
			func(a, b int64, _ dt) int64 { return a ^ b },
			func(a, b uint64, _ dt) uint64 { return a ^ b }),
		Tolerance: exact,
		Samples:   pairs(),
	})
	Register("not", Spec{
		Call: one(ops.Not),
		Reference: func(c Case) Result {
			if c.In[0].DType == tensor.Bool {
				return each1(nil, nil, func(x uint64) uint64 { return 1 - x })(c)
			}
			return each1(nil, func(x int64) int64 { return ^x }, func(x uint64) uint64 { return ^x })(c)
		},
		Tolerance: exact,
		Samples:   singles(),
	})
	Register("shift_left", Spec{
		Call: two(ops.ShiftLeft),
		Reference: each2(nil,
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
		Tolerance: exact,
		Samples:   shifts(),
	})
	Register("shift_right", Spec{
		Call: two(ops.ShiftRight),
		Reference: each2(nil,
			func(a, b int64, d dt) int64 {
				if outOfWidth(uint64(b), d) {
					return -int64(truth(a < 0))
				}
				return a >> b
			},
			func(a, b uint64, d dt) uint64 {
				if outOfWidth(b, d) {
					return 0
				}
				return a >> b
			}),
		Tolerance: exact,
		Samples:   shifts(),
	})

	Register("equal", Spec{two(ops.Equal), compare(func(_, equal, _ bool) bool { return equal }), exact, comparisons()})
	Register("not_equal", Spec{two(ops.NotEqual), compare(func(_, equal, _ bool) bool { return !equal }), exact, comparisons()})
	Register("less", Spec{two(ops.Less), compare(func(less, _, _ bool) bool { return less }), exact, comparisons()})
	Register("less_equal", Spec{two(ops.LessEqual), compare(func(less, equal, _ bool) bool { return less || equal }), exact, comparisons()})
	Register("greater", Spec{
		Call:      two(ops.Greater),
		Reference: compare(func(less, equal, ordered bool) bool { return ordered && !less && !equal }),
		Tolerance: exact,
		Samples:   comparisons(),
	})
	Register("greater_equal", Spec{two(ops.GreaterEqual), compare(func(less, _, ordered bool) bool { return ordered && !less }), exact, comparisons()})

	Register("is_nan", Spec{one(ops.IsNaN), test(math.IsNaN), exact, singles()})
	Register("is_inf", Spec{one(ops.IsInf), test(func(x float64) bool { return math.IsInf(x, 0) }), exact, singles()})
	Register("is_finite", Spec{one(ops.IsFinite), test(func(x float64) bool { return x-x == 0 }), exact, singles()})
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
