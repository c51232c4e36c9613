package ops

import (
	"math"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// Copysign returns a with the sign of b, element by element, with NumPy broadcasting:
//
//	y = |a| where the sign of b is +, else -|a|
//
// The zeros have signs, and so has NaN. The derivative by a is the sign that changes, 0 at a = 0; by b it is 0. a and b have
// the same float dtype. Errors: dtypes differ or are no floats; shapes do not broadcast.
func Copysign[A, B NodeOrNumber](a A, b B) *Node { return applyNumbers("copysign", nil, a, b) }

var _ = define(Op{
	Name:     "copysign",
	Category: "arithmetic",
	Operands: operandsAB,
	DTypes:   floats,
	Result:   broadcast,
	Grad: func(b *Back) {
		b.Add(0, b.Times(Mul(Sign(b.In(0)), Copysign(ScalarLike(b.In(1), 1), b.In(1)))))
	},
	Scalar: scalarOf("copysign(a, b)", 1, real2(math.Copysign)),
})

// Signbit returns whether the sign of x is -, element by element, also that of a zero or NaN. x is any number. Errors: dtype is bool.
func Signbit(x *Node) *Node { return apply("signbit", nil, x) }

var _ = define(Op{
	Name:     "signbit",
	Category: "comparison",
	Operands: operandX,
	DTypes:   numbers,
	Result:   sameBool,
	Flat:     true,
	Scalar: scalarFor(func(dt tensor.DType) string {
		if dt.IsFloat() {
			return "signbit(a)"
		}
		return "a < 0"
	}, 1, func(_ tensor.DType, in []tensor.DType, dst engine.Block, args []engine.Block) {
		switch engine.ClassOf(in[0]) {
		case engine.ClassF32:
			holds1(dst.U64, args[0].F32, func(a float32) bool { return math.Signbit(float64(a)) })
		case engine.ClassF64:
			holds1(dst.U64, args[0].F64, math.Signbit)
		case engine.ClassI64:
			holds1(dst.U64, args[0].I64, func(a int64) bool { return a < 0 })
		case engine.ClassU64:
			clear(dst.U64)
		}
	}),
})

// NextAfter returns the number next to a in the direction of b, element by element, with NumPy broadcasting, b where they are
// equal. a and b are both float32 or both float64, which have the same neighbours on every device. The derivative by a is 1, by b 0.
// Errors: dtypes differ, or are others; shapes do not broadcast.
// Source: ISO/IEC 9899:1999, section 7.12.11.3.
func NextAfter[A, B NodeOrNumber](a A, b B) *Node { return applyNumbers("nextafter", nil, a, b) }

var _ = define(Op{
	Name:     "nextafter",
	Category: "arithmetic",
	Operands: operandsAB,
	DTypes:   []tensor.DType{tensor.Float32, tensor.Float64},
	Result:   broadcast,
	Grad:     func(b *Back) { b.Add(0, Where(b.takesPart(), b.Grad(), ScalarLike(b.Grad(), 0))) },
	Scalar: scalarOf("nextafter(a, b)", 4, number2{
		f32: math.Nextafter32,
		f64: math.Nextafter,
	}.host),
})

// takesPart is true everywhere in the shape of the result.
func (b *Back) takesPart() *Node { return Equal(b.Out(), b.Out()) }

// Ldexp returns x times 2 to the power of exponent, element by element, with NumPy broadcasting:
//
//	y = x · 2^exponent
//
// x is a float, exponent an integer or a float of any dtype. Errors: dtypes; shapes do not broadcast.
func Ldexp(x, exponent *Node) *Node { return apply("ldexp", nil, x, exponent) }

var _ = define(Op{
	Name:     "ldexp",
	Category: "arithmetic",
	Operands: []Operand{{Name: "x"}, {Name: "exponent", DTypes: numbers}},
	DTypes:   floats,
	Result:   broadcast,
	Compose: func(c *Call) *Node {
		x, e := c.In[0], c.In[1]
		if e.dtype.IsFloat() {
			wide := widen(x)
			return Cast(Mul(wide, Exp2(Cast(e, wide.dtype))), x.dtype)
		}
		// In halves, each of which is a number: 2^-149 is one, and 1 / 2^-149 is not.
		if e.dtype != tensor.Int32 {
			e = Cast(Minimum(Maximum(Cast(e, tensor.Int64), scalarConst(x.graph, tensor.Int64, -5000)), scalarConst(x.graph, tensor.Int64, 5000)),
				tensor.Int32)
		}
		return apply("scale_by_power", nil, x, e)
	},
})

// scale_by_power is x · 2^e for an int32 e, rounded once.
var _ = define(Op{
	Name: "scale_by_power", Operands: []Operand{{Name: "x"}, {Name: "e", DTypes: []tensor.DType{tensor.Int32}}}, DTypes: floats, hidden: true,
	Result: broadcast,
	Grad:   func(b *Back) { b.Add(0, apply("scale_by_power", nil, b.Grad(), b.In(1))) },
	Scalar: scalarOf("ldexp(a, b)", 4, func(out tensor.DType, _ []tensor.DType, dst engine.Block, args []engine.Block) {
		e := args[1].I64
		if engine.ClassOf(out) == engine.ClassF64 {
			for i, x := range args[0].F64[:len(dst.F64)] {
				dst.F64[i] = math.Ldexp(x, int(e[i]))
			}
			return
		}
		for i, x := range args[0].F32[:len(dst.F32)] {
			dst.F32[i] = float32(math.Ldexp(float64(x), int(e[i])))
		}
	}),
})

// Frexp takes x apart into a fraction and an exponent, element by element:
//
//	x = mantissa · 2^exponent,  1/2 <= |mantissa| < 1
//
// exponent is int32; for zeros, infinities and NaN it is 0, and mantissa is x. x is a float. Errors: dtype is not a float.
// Source: ISO/IEC 9899:1999, section 7.12.6.4.
func Frexp(x *Node) (mantissa, exponent *Node) {
	all := picks(apply("frexp", nil, x), 2)
	return all[0], all[1]
}

var _ = define(Op{
	Name: "frexp", Category: "arithmetic", Operands: operandX, DTypes: floats,
	ResultNames: []string{"mantissa", "exponent"},
	Results: func(c *Call) ([]Result, error) {
		return []Result{{c.dt(0), c.shape(0)}, {tensor.Int32, c.shape(0)}}, nil
	},
	ComposeAll: func(c *Call) []*Node {
		e := apply("exponent_of", nil, c.In[0])
		return []*Node{apply("scale_by_power", nil, c.In[0], Neg(e)), e}
	},
})

// exponent_of is the exponent of Frexp.
var _ = define(Op{
	Name: "exponent_of", Operands: operandX, DTypes: floats, hidden: true, Flat: true,
	Result: func(c *Call) ([]int, tensor.DType, error) { return c.shape(0), tensor.Int32, nil },
	Scalar: scalarOf("a == 0.0f || isnan(a) || isinf(a) ? 0 : ilogb(a) + 1", 4,
		func(_ tensor.DType, in []tensor.DType, dst engine.Block, args []engine.Block) {
			if engine.ClassOf(in[0]) == engine.ClassF64 {
				for i, x := range args[0].F64[:len(dst.I64)] {
					dst.I64[i] = exponentOf(x)
				}
				return
			}
			for i, x := range args[0].F32[:len(dst.I64)] {
				dst.I64[i] = exponentOf(float64(x))
			}
		}),
})

func exponentOf(x float64) int64 {
	if x-x != 0 {
		return 0
	}
	_, e := math.Frexp(x)
	return int64(e)
}
