package ops

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// Fmax returns the larger of a and b, element by element, with NumPy broadcasting, and where one of them is NaN the other; [Maximum]
// gives NaN there. The derivative goes to a where a >= b or b is NaN and to b elsewhere. a and b have the same dtype, any number. Errors:
// as [Add].
func Fmax[A, B NodeOrNumber](a A, b B) *Node { return applyNumbers("fmax", nil, a, b) }

// Fmin returns the smaller of a and b. Otherwise as [Fmax].
func Fmin[A, B NodeOrNumber](a A, b B) *Node { return applyNumbers("fmin", nil, a, b) }

var _ = define(numberOrOther("fmax", ">=", number2{numberOf(largerOf[float32]), numberOf(largerOf[float64]), largerOf[int64],
	largerOf[uint64]}))

var _ = define(numberOrOther("fmin", "<=", number2{numberOf(smallerOf[float32]), numberOf(smallerOf[float64]), smallerOf[int64],
	smallerOf[uint64]}))

func numberOrOther(name, comparison string, host number2) Op {
	return Op{
		Name: name, Category: "selection", Operands: operandsAB, DTypes: numbers, Result: broadcast,
		Grad: func(b *Back) {
			first := GreaterEqual(b.In(0), b.In(1))
			if comparison == "<=" {
				first = LessEqual(b.In(0), b.In(1))
			}
			chooseGrad(b, Or(first, IsNaN(b.In(1))))
		},
		Scalar: scalarFor(func(dt tensor.DType) string {
			if dt.IsFloat() {
				return "a " + comparison + " b || isnan(b) ? a : b"
			}
			return "a " + comparison + " b ? a : b"
		}, 2, host.host),
	}
}

// numberOf is f but where an operand is NaN.
func numberOf[T float](f func(a, b T) T) func(a, b T) T {
	return func(a, b T) T {
		switch {
		case b != b:
			return a
		case a != a:
			return b
		}
		return f(a, b)
	}
}

// Clamp returns x limited to the range from lo to hi, element by element, with NumPy broadcasting:
//
//	y = min(max(x, lo), hi)
//
// which is hi where lo > hi; NaN in any of them gives NaN. All have the same dtype, any number. The derivative goes to x where lo <= x <=
// hi, also at both, and otherwise to the limit that is the result. [Clip] takes limits that are numbers. Errors: as [Add].
func Clamp[A, B, C NodeOrNumber](x A, lo B, hi C) *Node { return applyNumbers("clamp", nil, x, lo, hi) }

var _ = define(Op{
	Name:     "clamp",
	Category: "selection",
	Operands: []Operand{{Name: "x"}, {Name: "lo"}, {Name: "hi"}},
	DTypes:   numbers,
	Result:   broadcast,
	Compose:  func(c *Call) *Node { return Minimum(Maximum(c.In[0], c.In[1]), c.In[2]) },
	Grad: func(b *Back) {
		x, lo, hi, d := b.In(0), b.In(1), b.In(2), b.Grad()
		zero := ScalarLike(d, 0)
		low, high := Less(x, lo), Greater(Maximum(x, lo), hi)
		b.Add(0, Where(Or(low, high), zero, d))
		b.Add(1, Where(And(low, Not(high)), d, zero))
		b.Add(2, Where(high, d, zero))
	},
})

// NanToNum returns x with NaN and infinities replaced by numbers, element by element: NaN by nan, +Inf by posInf and -Inf by negInf. A
// posInf that is +Inf stands for the largest finite number of x's dtype, a negInf that is -Inf for the smallest, as NumPy and PyTorch
// have them without arguments:
//
//	ops.NanToNum(x, 0, math.Inf(1), math.Inf(-1))
//
// x is a float. The derivative is 0 where x is replaced. Errors: dtype is not a float.
func NanToNum(x *Node, nan, posInf, negInf float64) *Node {
	return apply("nan_to_num", nanToNumAttr{nan, posInf, negInf}, x)
}

type nanToNumAttr struct {
	NaN    float64 `attr:"nan" default:"0" doc:"what replaces NaN"`
	PosInf float64 `attr:"posinf" default:"\"+Inf\"" doc:"what replaces +Inf; +Inf: the largest finite number"`
	NegInf float64 `attr:"neginf" default:"\"-Inf\"" doc:"what replaces -Inf; -Inf: the smallest finite number"`
}

var _ = define(Op{
	Name: "nan_to_num", Category: "selection", Attributes: AttributesOf[nanToNumAttr](), Operands: operandX, DTypes: floats, Result: same,
	Compose: func(c *Call) *Node {
		a, x := c.Attr.(nanToNumAttr), c.In[0]
		largest := largestOf(x.dtype)
		if a.PosInf > largest {
			a.PosInf = largest
		}
		if a.NegInf < -largest {
			a.NegInf = -largest
		}
		y := Where(IsNaN(x), ScalarLike(x, a.NaN), x)
		y = Where(Equal(x, ScalarLike(x, math.Inf(1))), ScalarLike(x, a.PosInf), y)
		return Where(Equal(x, ScalarLike(x, math.Inf(-1))), ScalarLike(x, a.NegInf), y)
	},
})

// largestOf is the largest finite number of a float dtype.
func largestOf(dt tensor.DType) float64 {
	switch dt {
	case tensor.Float16:
		return 65504
	case tensor.BFloat16:
		return 0x1.fep127
	case tensor.Float32:
		return math.MaxFloat32
	}
	return math.MaxFloat64
}

// Lerp returns numbers between a and b, element by element, with NumPy broadcasting:
//
//	y = a + w · (b - a),  for |w| >= 1/2 computed as b - (1 - w) · (b - a)
//
// so that w = 1 gives b. All have the same float dtype. Errors: dtypes differ or are no floats; shapes do not broadcast.
func Lerp[A, B, C NodeOrNumber](a A, b B, w C) *Node { return applyNumbers("lerp", nil, a, b, w) }

var _ = define(Op{
	Name:     "lerp",
	Category: "arithmetic",
	Operands: []Operand{{Name: "a"}, {Name: "b"}, {Name: "w"}},
	DTypes:   floats,
	Result:   broadcast,
	Grad: func(b *Back) {
		w := b.In(2)
		b.Add(0, b.Times(Sub(ScalarLike(w, 1), w)))
		b.Add(1, b.Times(w))
		if b.Wants(2) {
			b.Add(2, b.Times(Sub(b.In(1), b.In(0))))
		}
	},
	Scalar: scalarOf("fabs(c) < 0.5f ? a + c * (b - a) : b - (b - a) * (1.0f - c)", 5,
		func(out tensor.DType, _ []tensor.DType, dst engine.Block, args []engine.Block) {
			if engine.ClassOf(out) == engine.ClassF64 {
				lerpTo(dst.F64, args[0].F64, args[1].F64, args[2].F64)
			} else {
				lerpTo(dst.F32, args[0].F32, args[1].F32, args[2].F32)
			}
		}),
})

func lerpTo[T float](dst, a, b, w []T) {
	for i := range dst {
		if d := b[i] - a[i]; math.Abs(float64(w[i])) < 0.5 {
			dst[i] = a[i] + w[i]*d
		} else {
			dst[i] = b[i] - d*(1-w[i])
		}
	}
}

// Heaviside returns the step function of x, element by element, with NumPy broadcasting:
//
//	y = 0 where x < 0, at0 where x = 0, 1 where x > 0
//
// NaN gives NaN, as in NumPy. x and at0 have the same dtype, any number. The derivative is 0. Errors: as [Add].
func Heaviside[A, B NodeOrNumber](x A, at0 B) *Node { return applyNumbers("heaviside", nil, x, at0) }

var _ = define(Op{
	Name:     "heaviside",
	Category: "selection",
	Operands: []Operand{{Name: "x"}, {Name: "at0"}},
	DTypes:   numbers,
	Result:   broadcast,
	Flat:     true,
	Scalar: scalarFor(func(dt tensor.DType) string {
		if dt.IsFloat() {
			return "isnan(a) ? a : a == 0.0f ? b : a > 0.0f ? 1.0f : 0.0f"
		}
		return "a == 0 ? b : a > 0 ? 1 : 0"
	}, 2, number2{heavisideOf[float32], heavisideOf[float64], heavisideOf[int64], heavisideOf[uint64]}.host),
})

func heavisideOf[T register](a, b T) T {
	switch {
	case a != a:
		return a
	case a == 0:
		return b
	case a > 0:
		return 1
	}
	return 0
}

// RoundDecimals returns x rounded to that many decimal places, ties to even, element by element:
//
//	y = Round(x · 10^decimals) / 10^decimals
//
// A negative number of decimals rounds to tens, hundreds and so on. x is a float. The derivative is 0. Errors: dtype is not a float;
// decimals are beyond ±300.
func RoundDecimals(x *Node, decimals int) *Node {
	return apply("round_decimals", decimalsAttr{decimals}, x)
}

type decimalsAttr struct {
	Decimals int `default:"0" doc:"that are left; negative: zeros before the point"`
}

var _ = define(Op{
	Name: "round_decimals", Category: "rounding", Attributes: AttributesOf[decimalsAttr](), Operands: operandX, DTypes: floats, Flat: true,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		if d := c.Attr.(decimalsAttr).Decimals; d < -300 || d > 300 {
			return nil, 0, fmt.Errorf("%d decimals are beyond ±300", d)
		}
		return same(c)
	},
	Compose: func(c *Call) *Node {
		d, x := c.Attr.(decimalsAttr).Decimals, c.In[0]
		switch wide := widen(x); {
		case d == 0:
			return Round(x)
		case d > 0:
			ten := ScalarLike(wide, math.Pow10(d))
			return Cast(Div(Round(Mul(wide, ten)), ten), x.dtype)
		default:
			ten := ScalarLike(wide, math.Pow10(-d))
			return Cast(Mul(Round(Div(wide, ten)), ten), x.dtype)
		}
	},
})

// AddCMul returns x + value · a · b, element by element, with NumPy broadcasting. All have the same dtype, any number. Errors: as [Add].
func AddCMul(x, a, b *Node, value float64) *Node {
	return Add(x, Mul(scaled(a, value), b))
}

// AddCDiv returns x + value · a / b, element by element, with NumPy broadcasting. All have the same float dtype. Errors: as [Add].
func AddCDiv(x, a, b *Node, value float64) *Node {
	return Add(x, Div(scaled(a, value), b))
}

func scaled(x *Node, factor float64) *Node {
	if factor == 1 {
		return x
	}
	return Mul(x, ScalarLike(x, factor))
}
