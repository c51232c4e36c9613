package ops

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/tensor"
)

// Maximum returns the larger of a and b, element by element, with NumPy
// broadcasting:
//
//	y = max(a, b)
//
// A NaN in either wins, as in NumPy; of two zeros either may come. The
// derivative goes to the larger, half of it to each where they are equal, as in PyTorch. a and b have the same
// dtype, any number. Errors: as [Add].
func Maximum[A, B NodeOrNumber](a A, b B) *Node { return applyNumbers("maximum", nil, a, b) }

var _ = define(Op{
	Name:     "maximum",
	role:     roleBound,
	Category: "selection",
	Operands: operandsAB,
	DTypes:   numbers,
	Result:   broadcast,
	Grad:     func(b *Back) { chooseGrad(b, Greater(b.In(0), b.In(1))) },
	Scalar:   scalarFor(chosen(">"), 1, number2{largerOf[float32], largerOf[float64], largerOf[int64], largerOf[uint64]}.host),
})

// Minimum returns the smaller of a and b, element by element, with NumPy
// broadcasting:
//
//	y = min(a, b)
//
// The derivative goes to the smaller, half of it to each where they are equal. Otherwise as
// [Maximum].
func Minimum[A, B NodeOrNumber](a A, b B) *Node { return applyNumbers("minimum", nil, a, b) }

var _ = define(Op{
	Name:     "minimum",
	role:     roleBound,
	Category: "selection",
	Operands: operandsAB,
	DTypes:   numbers,
	Result:   broadcast,
	Grad:     func(b *Back) { chooseGrad(b, Less(b.In(0), b.In(1))) },
	Scalar:   scalarFor(chosen("<"), 1, number2{smallerOf[float32], smallerOf[float64], smallerOf[int64], smallerOf[uint64]}.host),
})

// chosen is b where it compares so with a, or is NaN; else a, which may be NaN.
// Of the two it is b that may be a constant, as the limits of a clip are: the
// test is then one instruction, where a test whether a is NaN took eight.
func chosen(comparison string) func(dt tensor.DType) string {
	return func(dt tensor.DType) string {
		if dt.IsFloat() {
			return "((b " + comparison + " a) || isnan(b)) ? b : a"
		}
		return "b " + comparison + " a ? b : a"
	}
}

func largerOf[T register](a, b T) T {
	if b > a || b != b {
		return b
	}
	return a
}

func smallerOf[T register](a, b T) T {
	if b < a || b != b {
		return b
	}
	return a
}

// chooseGrad passes the derivative to operand 0 where first holds, half of it to each where they are equal, and all to operand
// 1 elsewhere.
func chooseGrad(b *Back, first *Node) {
	d := b.Grad()
	equal, half := Equal(b.In(0), b.In(1)), Mul(d, 0.5)
	b.Add(0, Where(first, d, Where(equal, half, 0)))
	b.Add(1, Where(first, 0, Where(equal, half, d)))
}

type clipAttr struct {
	Lo float64 `default:"\"-Inf\"" doc:"smallest value of the result"`
	Hi float64 `default:"\"+Inf\"" doc:"largest value of the result"`
}

// Clip returns x limited to [lo, hi], element by element:
//
//	y = min(max(x, lo), hi)
//
// NaN stays NaN. x is any number; the limits are rounded to its dtype, for
// integers inwards. The derivative is 1 from lo to hi, both included, so that a parameter on a
// limit can leave it, and 0 elsewhere, as in PyTorch. Errors: dtype is bool; a limit is NaN; lo is above hi, or no
// integer lies between them.
func Clip(x *Node, lo, hi float64) *Node { return apply("clip", clipAttr{lo, hi}, x) }

var _ = define(Op{
	Name:       "clip",
	Category:   "selection",
	Attributes: AttributesOf[clipAttr](),
	Operands:   operandX,
	DTypes:     numbers,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		lo, hi := c.limits()
		if !(lo <= hi) {
			a := c.Attr.(clipAttr)
			switch {
			case math.IsNaN(a.Lo) || math.IsNaN(a.Hi):
				return nil, 0, fmt.Errorf("the lower bound is %v, the upper %v: neither may be NaN", a.Lo, a.Hi)
			case a.Lo > a.Hi:
				return nil, 0, fmt.Errorf("the lower bound %v is above the upper bound %v", a.Lo, a.Hi)
			}
			return nil, 0, fmt.Errorf("nothing of dtype %v lies in [%v, %v]", c.dt(0), a.Lo, a.Hi)
		}
		return same(c)
	},
	Compose: func(c *Call) *Node {
		lo, hi := c.limits()
		x := c.In[0]
		return Minimum(Maximum(x, ScalarLike(x, lo)), ScalarLike(x, hi))
	},
	Grad: func(b *Back) {
		x := b.In(0)
		lo, hi := b.node.call().limits()
		inside := And(GreaterEqual(x, ScalarLike(x, lo)), LessEqual(x, ScalarLike(x, hi)))
		b.Add(0, Where(inside, b.Grad(), 0))
	},
})

// limits are the bounds of a clip, made whole for integers.
func (c *Call) limits() (lo, hi float64) {
	a := c.Attr.(clipAttr)
	if c.dt(0).IsInt() {
		return math.Ceil(a.Lo), math.Floor(a.Hi)
	}
	return a.Lo, a.Hi
}
