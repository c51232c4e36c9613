package optest

import (
	"math"

	"github.com/anycl/anycl/tensor"
)

// Arithmetic, bits and comparisons. Integers wrap; a division by the integer
// zero gives zero.

func init() {
	type dt = tensor.DType
	reference("add", each2(
		func(a, b float64) float64 { return a + b },
		func(a, b int64, _ dt) int64 { return a + b },
		func(a, b uint64, _ dt) uint64 { return a + b }))
	reference("sub", each2(
		func(a, b float64) float64 { return a - b },
		func(a, b int64, _ dt) int64 { return a - b },
		func(a, b uint64, _ dt) uint64 { return a - b }))
	reference("mul", each2(
		func(a, b float64) float64 { return a * b },
		func(a, b int64, _ dt) int64 { return a * b },
		func(a, b uint64, _ dt) uint64 { return a * b }))
	reference("div", each2(
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
		}))
	reference("rem", each2(
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
		}))
	reference("maximum", each2(
		func(a, b float64) float64 { return extreme(a, b, a > b) },
		func(a, b int64, _ dt) int64 { return max(a, b) },
		func(a, b uint64, _ dt) uint64 { return max(a, b) }))
	reference("minimum", each2(
		func(a, b float64) float64 { return extreme(a, b, a < b) },
		func(a, b int64, _ dt) int64 { return min(a, b) },
		func(a, b uint64, _ dt) uint64 { return min(a, b) }))
	reference("pow", each2(power, nil, nil))
	reference("atan2", each2(angle, nil, nil))

	reference("neg", each1(
		func(x float64) float64 { return -x },
		func(x int64) int64 { return -x },
		func(x uint64) uint64 { return -x }))
	reference("abs", each1(
		math.Abs,
		func(x int64) int64 { return max(x, -x) },
		func(x uint64) uint64 { return x }))
	reference("sign", each1(
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
		func(x uint64) uint64 { return truth(x > 0) }))
	reference("square", each1(
		func(x float64) float64 { return x * x },
		func(x int64) int64 { return x * x },
		func(x uint64) uint64 { return x * x }))

	reference("and", each2(nil,
		func(a, b int64, _ dt) int64 { return a & b },
		func(a, b uint64, _ dt) uint64 { return a & b }))
	reference("or", each2(nil,
		func(a, b int64, _ dt) int64 { return a | b },
		func(a, b uint64, _ dt) uint64 { return a | b }))
	reference("xor", each2(nil,
		func(a, b int64, _ dt) int64 { return a ^ b },
		func(a, b uint64, _ dt) uint64 { return a ^ b }))
	reference("not", func(c Case) Result {
		if c.In[0].DType == tensor.Bool {
			return each1(nil, nil, func(x uint64) uint64 { return 1 - x })(c)
		}
		return each1(nil, func(x int64) int64 { return ^x }, func(x uint64) uint64 { return ^x })(c)
	})
	reference("shift_left", each2(nil,
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
		}))
	reference("shift_right", each2(nil,
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
		}))

	reference("equal", compare(func(_, equal, _ bool) bool { return equal }))
	reference("not_equal", compare(func(_, equal, _ bool) bool { return !equal }))
	reference("less", compare(func(less, _, _ bool) bool { return less }))
	reference("less_equal", compare(func(less, equal, _ bool) bool { return less || equal }))
	reference("greater", compare(func(less, equal, ordered bool) bool { return ordered && !less && !equal }))
	reference("greater_equal", compare(func(less, _, ordered bool) bool { return ordered && !less }))

	reference("is_nan", test(math.IsNaN))
	reference("is_inf", test(func(x float64) bool { return math.IsInf(x, 0) }))
	reference("is_finite", test(func(x float64) bool { return x-x == 0 }))
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
