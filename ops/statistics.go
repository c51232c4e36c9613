package ops

import (
	"math"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// Mean returns the arithmetic means of the float x over the named axes, which
// vanish, or over all:
//
//	y[p] = 1/n · Σ_q x[p, q]
//
// The mean of nothing is NaN. Errors: dtype not float; an axis does not exist
// or is named twice.
func Mean(x *Node, axes ...int) *Node { return reduction("mean", x, axes) }

var _ = define(Op{
	Name:    "mean",
	Complex: eachPart, Category: "reduction",
	Attributes: AttributesOf[ir.ReduceAttr](), Complete: completeAxes,
	Operands: operandX, DTypes: floats, Result: reduceResult,
	Compose: func(c *Call) *Node {
		s := reduction("sum", widen(c.In[0]), c.axes())
		return Cast(Div(s, countLike(s, foldSize(c))), c.dt(0)) // widened: the size is more than a 16-bit float may hold
	},
})

// axes returns the axes of a reduction. An empty list there means no axis at all: the
// operand is a scalar, and a reduction of it over all its axes is the same.
func (c *Call) axes() []int { return c.Attr.(ir.ReduceAttr).Axes }

// foldSize is how many elements go into one result.
func foldSize(c *Call) int {
	n := 1
	for _, a := range c.axes() {
		n *= c.shape(0)[a]
	}
	return n
}

// Variance returns the population variances of x, floats or complex numbers, over the named
// axes, which vanish, or over all:
//
//	y[p] = 1/n · Σ_q |x[p, q] - mean[p]|²
//
// in two passes, so that a large mean does not cancel. Errors: as [Mean].
func Variance(x *Node, axes ...int) *Node { return reduction("variance", x, axes) }

var _ = define(Op{
	Name: "variance", Category: "reduction",
	Attributes: AttributesOf[ir.ReduceAttr](), Complete: completeAxes,
	Operands: operandX, DTypes: floats,
	Result: func(c *Call) ([]int, tensor.DType, error) { return reduced(c), c.dt(0).Part(), nil },
	Compose: func(c *Call) *Node {
		x := widen(c.In[0])
		d := x
		if len(c.axes()) > 0 {
			d = spread(reduction("mean", x, c.axes()), x, c.axes())
		}
		d = Sub(x, d)
		return Cast(reduction("mean", Mul(d, d), c.axes()), c.dt(0))
	},
	Complex: func(c *Call) *Node { // the mean square of the distance from the mean is a sum of those of both parts
		return Add(reduction("variance", Real(c.In[0]), c.axes()), reduction("variance", Imag(c.In[0]), c.axes()))
	},
})

// LogSumExp returns log Σ exp(x) over the named axes, which vanish, or over all:
//
//	y[p] = m + log Σ_q exp(x[p, q] - m),  m = max_q x[p, q]
//
// which neither overflows nor underflows. The log-sum-exp of nothing is -Inf. The
// derivative is the softmax; of an infinite element it is 1, and of elements
// that are all -Inf NaN.
// Errors: as [Mean].
func LogSumExp(x *Node, axes ...int) *Node { return reduction("log_sum_exp", x, axes) }

var _ = define(Op{
	Name: "log_sum_exp", Category: "reduction",
	Attributes: AttributesOf[ir.ReduceAttr](), Complete: completeAxes,
	Operands: operandX, DTypes: floats, Result: reduceResult,
	Compose: func(c *Call) *Node {
		if len(c.axes()) == 0 {
			return c.In[0]
		}
		x := widen(c.In[0])
		m := reduction("max", x, c.axes())
		sum := reduction("sum", Exp(Sub(x, spread(m, x, c.axes()))), c.axes()) // of NaN where m is infinite
		return Cast(Where(IsInf(m), m, Add(m, Log(sum))), c.dt(0))
	},
	Grad: func(b *Back) {
		axes := b.Attr().(ir.ReduceAttr).Axes
		if len(axes) == 0 {
			b.Add(0, b.Grad())
			return
		}
		x := widen(b.In(0))
		p := apply("shares", ir.ReduceAttr{Axes: axes}, x)
		b.Add(0, Cast(chain(spread(widen(b.Grad()), x, axes), p), b.In(0).dtype))
	},
})

// exponentials are e = exp(x - m) for m = max x, or 0 where that is infinite and Inf - Inf would be
// taken of it, and their sums over axes.
func exponentials(x *Node, axes []int) (e, sum *Node) {
	m := reduction("max", x, axes)
	m = Where(IsFinite(m), m, ScalarLike(m, 0))
	e = Exp(Sub(x, spread(m, x, axes)))
	return e, reduction("sum", e, axes)
}

// shares are the derivatives of LogSumExp: the softmax over several axes, and 1 for an
// infinite element. Through the logarithm they would be 0 · Inf there.
var _ = define(Op{
	Name: "shares", Attributes: AttributesOf[ir.ReduceAttr](), Operands: operandX, hidden: true, Result: same,
	Compose: func(c *Call) *Node {
		x := c.In[0]
		one := ScalarLike(x, 1)
		e, sum := exponentials(x, c.axes())
		p := Mul(e, spread(Div(one, sum), x, c.axes())) // one division a row
		return Where(Equal(x, ScalarLike(x, math.Inf(1))), one, p)
	},
	Grad: func(b *Back) {
		p, d, axes := b.Out(), b.Grad(), b.Attr().(ir.ReduceAttr).Axes
		b.Add(0, chain(Sub(d, spread(reduction("sum", chain(d, p), axes), p, axes)), p))
	},
})

// Any returns whether any element of the bool x is true, over the named axes,
// which vanish, or over all. Errors: dtype not bool; an axis does not exist or
// is named twice.
func Any(x *Node, axes ...int) *Node { return reduction("any", x, axes) }

// All returns whether all elements of the bool x are true. Otherwise as [Any].
func All(x *Node, axes ...int) *Node { return reduction("all", x, axes) }

// Every is [All].
//
// Deprecated: use All.
func Every(x *Node, axes ...int) *Node { return All(x, axes...) }

var _ = define(Op{
	Name: "any", Category: "reduction",
	Attributes: AttributesOf[ir.ReduceAttr](), Complete: completeAxes,
	Operands: operandX, DTypes: bools, Result: reduceResult, Flat: true,
	Compose: func(c *Call) *Node { return countTrue("max", c) },
})

var _ = define(Op{
	Name: "all", Category: "reduction",
	Attributes: AttributesOf[ir.ReduceAttr](), Complete: completeAxes,
	Operands: operandX, DTypes: bools, Result: reduceResult, Flat: true,
	Compose: func(c *Call) *Node { return countTrue("min", c) },
})

// countTrue folds bools as numbers. The identity of the fold over uint8 (0 for
// max, 255 for min) is also the answer for nothing.
func countTrue(fold string, c *Call) *Node {
	return Cast(reduction(fold, Cast(c.In[0], tensor.Uint8), c.axes()), tensor.Bool)
}

// StopGradient returns x and ends every derivative there. It costs nothing.
func StopGradient(x *Node) *Node { return apply("stop_gradient", nil, x) }

var _ = define(Op{
	Name: "stop_gradient", Category: "layout", Traits: Traits(ir.TraitIdentity), Operands: operandX, DTypes: every, Result: same, Flat: true,
	View: identityView,
})

// materialize returns x and makes it a buffer of its own: its readers would otherwise
// compute it many times over. order, if any, says how its axes lie in memory,
// outermost first; without, it lies as its operand.
func materialize(x *Node, order ...int) *Node {
	return apply("materialize", ir.MaterializeAttr{Order: order}, x)
}

var _ = define(Op{
	Name: "materialize", Traits: Traits(ir.TraitMaterialize | ir.TraitRepeats),
	Attributes: AttributesOf[ir.MaterializeAttr](),
	Operands:   operandX, hidden: true, Result: same,
	Grad: func(b *Back) { b.Add(0, b.Grad()) },
	View: identityView,
})

// matchLayout returns x, which lies in memory as the value of guide does: a reader of both
// would otherwise jump through one of them. Where x lies so already it is not
// copied.
func matchLayout(x, guide *Node) *Node { return apply("match_layout", nil, x, guide) }

var _ = define(Op{
	Name: "match_layout", Traits: Traits(ir.TraitMatchLayout),
	Operands: []Operand{{Name: "x"}, {Name: "guide", DTypes: every}}, hidden: true, Result: same,
	Grad: func(b *Back) { b.Add(0, b.Grad()) },
	View: identityView,
})
