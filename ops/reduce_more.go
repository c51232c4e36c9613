package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/tensor"
)

// composedReduction is a reduction that other ops compute. result is the dtype of its result, or that of x.
func composedReduction(name string, dtypes []tensor.DType, result tensor.DType, compose func(c *Call) *Node) Op {
	return Op{
		Name: name, Category: "reduction", Attributes: AttributesOf[ir.ReduceAttr](), Complete: completeAxes, Operands: operandX, DTypes: dtypes,
		Result: func(c *Call) ([]int, tensor.DType, error) {
			if result != tensor.Invalid {
				return reduced(c), result, nil
			}
			return reduceResult(c)
		},
		Flat:    result != tensor.Invalid,
		Compose: compose,
	}
}

// CountNonzero returns how many elements of x are not 0, over the named axes, which vanish, or over all, as int64. NaN is not 0. x has
// any dtype.
// Errors: an axis does not exist or is named twice.
func CountNonzero(x *Node, axes ...int) *Node { return reduction("count_nonzero", x, axes) }

var _ = define(composedReduction("count_nonzero", every, tensor.Int64, func(c *Call) *Node {
	return reduction("sum", Cast(truthOf(c.In[0]), tensor.Int64), c.axes())
}))

// NanSum returns the sums of the elements of x that are not NaN, over the named axes, which vanish, or over all. x is a float. Otherwise as
// [Sum]. Errors: dtype not float; an axis does not exist or is named twice.
func NanSum(x *Node, axes ...int) *Node { return reduction("nansum", x, axes) }

var _ = define(composedReduction("nansum", floats, tensor.Invalid, func(c *Call) *Node {
	x := c.In[0]
	return reduction("sum", Where(IsNaN(x), ScalarLike(x, 0), x), c.axes())
}))

// NanMean returns the means of the elements of x that are not NaN, over the named axes, which vanish, or over all; NaN where there are
// none. Errors: as [Mean].
func NanMean(x *Node, axes ...int) *Node { return reduction("nanmean", x, axes) }

var _ = define(composedReduction("nanmean", floats, tensor.Invalid, func(c *Call) *Node {
	x := widen(c.In[0])
	there := Not(IsNaN(x))
	sum := reduction("sum", Where(there, x, ScalarLike(x, 0)), c.axes())
	return Cast(Div(sum, reduction("sum", Cast(there, x.dtype), c.axes())), c.dt(0))
}))

// MinMax returns the smallest and the largest elements of x over the named axes, or over all, as [Min] and [Max] do.
func MinMax(x *Node, axes ...int) (smallest, largest *Node) {
	all := picks(reduction("minmax", x, axes), 2)
	return all[0], all[1]
}

var _ = define(Op{
	Name: "minmax", Category: "reduction", Attributes: AttributesOf[ir.ReduceAttr](), Complete: completeAxes, Operands: operandX,
	DTypes:      numbers,
	ResultNames: []string{"smallest", "largest"},
	Results:     func(c *Call) ([]Result, error) { r := Result{c.dt(0), reduced(c)}; return []Result{r, r}, nil },
	ComposeAll: func(c *Call) []*Node {
		return []*Node{reduction("min", c.In[0], c.axes()), reduction("max", c.In[0], c.axes())}
	},
})

// MaxWithIndex returns the largest elements of x along axis, which vanishes, and as int64 where the first of each stands. NaN beats every
// number. The derivative goes to the element at that position. x is any number. Errors: dtype is bool; the axis does not exist or is
// empty.
func MaxWithIndex(x *Node, axis int) (values, positions *Node) {
	all := picks(reduction("max_with_index", x, []int{axis}), 2)
	return all[0], all[1]
}

// MinWithIndex returns the smallest elements of x along axis and their positions. Otherwise as [MaxWithIndex].
func MinWithIndex(x *Node, axis int) (values, positions *Node) {
	all := picks(reduction("min_with_index", x, []int{axis}), 2)
	return all[0], all[1]
}

var _ = define(withIndexOp("max_with_index", "argmax"))

var _ = define(withIndexOp("min_with_index", "argmin"))

func withIndexOp(name, arg string) Op {
	return Op{
		Name: name, Category: "reduction", Attributes: AttributesOf[ir.ReduceAttr](), Operands: operandX, DTypes: numbers,
		Complete: func(c *Call) error {
			if err := completeAxes(c); err != nil || len(c.axes()) <= 1 {
				return err
			}
			return fmt.Errorf("%d axes and not one", len(c.axes()))
		},
		ResultNames: []string{"values", "positions"},
		Results: func(c *Call) ([]Result, error) {
			if len(c.axes()) == 0 { // of a scalar
				return []Result{{c.dt(0), c.shape(0)}, {tensor.Int64, c.shape(0)}}, nil
			}
			shape, _, err := argResult(c)
			return []Result{{c.dt(0), shape}, {tensor.Int64, shape}}, err
		},
		ComposeAll: func(c *Call) []*Node {
			x := c.In[0]
			if len(c.axes()) == 0 {
				return []*Node{x, x.graph.fullInt(0, x.shape)}
			}
			axis := c.axes()[0]
			at := reduction(arg, x, c.axes())
			return []*Node{Squeeze(TakeAlong(x, axis, ExpandDims(at, axis)), axis), at}
		},
	}
}

// Var returns the variances of x over the named axes, which vanish, or over all:
//
//	y[p] = Σ_q (x[p, q] - mean[p])² / (n - correction)
//
// in two passes, so that a large mean does not cancel. Squares that x's dtype cannot hold are infinite, from about 1e19 on in float32,
// as in NumPy; PyTorch's standard deviation there is finite. The correction is 1 for the variance of a sample, 0 for that of a
// population, which is [Variance]. Where n is not above it, the divisor is 0. Errors: as [Mean].
func Var(x *Node, correction float64, axes ...int) *Node {
	_, v := VarMean(x, correction, axes...)
	return v
}

// VarMean returns the means of x and the variances as [Var] does.
func VarMean(x *Node, correction float64, axes ...int) (mean, variance *Node) {
	all := picks(apply("var_mean", varAttr{axes, correction}, x), 2)
	return all[1], all[0]
}

// Std returns the square roots of the variances of [Var]. The derivative where a variance is 0 is 0.
func Std(x *Node, correction float64, axes ...int) *Node {
	_, s := StdMean(x, correction, axes...)
	return s
}

// StdMean returns the means of x and the standard deviations as [Std] does.
func StdMean(x *Node, correction float64, axes ...int) (mean, deviation *Node) {
	all := picks(apply("std_mean", varAttr{axes, correction}, x), 2)
	return all[1], all[0]
}

type varAttr struct {
	Axes       []int   `default:"" doc:"that are folded, counted from the end where negative; none: all"`
	Correction float64 `default:"1" doc:"what is taken off the number of elements"`
}

// ReducedAxes are the axes that are folded.
func (a varAttr) ReducedAxes() []int { return a.Axes }

func spreadOp(name string, compose func(c *Call, mean, variance *Node) *Node) Op {
	return Op{
		Name: name, Category: "reduction", Attributes: AttributesOf[varAttr](), Operands: operandX, DTypes: floats,
		Complete: func(c *Call) (err error) {
			a := c.Attr.(varAttr)
			a.Axes, err = shapes.Axes(a.Axes, len(c.shape(0)))
			c.Attr = a
			return err
		},
		ResultNames: []string{name[:3], "mean"},
		Results: func(c *Call) ([]Result, error) {
			r := Result{c.dt(0), withoutAxes(c.shape(0), c.Attr.(varAttr).Axes)}
			return []Result{r, r}, nil
		},
		ComposeAll: func(c *Call) []*Node {
			a, x := c.Attr.(varAttr), widen(c.In[0])
			n := 1
			for _, axis := range a.Axes {
				n *= x.shape[axis]
			}
			mean := reduction("mean", x, a.Axes)
			d := Square(Sub(x, spreadBack(mean, x, a.Axes)))
			v := Div(reduction("sum", d, a.Axes), ScalarLike(x, math.Max(float64(n)-a.Correction, 0)))
			return []*Node{Cast(compose(c, mean, v), c.dt(0)), Cast(mean, c.dt(0))}
		},
	}
}

// spreadBack is y, a reduction of like over axes that may be none, repeated to its shape.
func spreadBack(y, like *Node, axes []int) *Node {
	if len(axes) == 0 {
		return y
	}
	return spread(y, like, axes)
}

// withoutAxes is a shape without the given axes.
func withoutAxes(shape, axes []int) []int {
	left := []int{}
	for a, n := range shape {
		if !slices.Contains(axes, a) {
			left = append(left, n)
		}
	}
	return left
}

var _ = define(spreadOp("var_mean", func(_ *Call, _, variance *Node) *Node { return variance }))

var _ = define(spreadOp("std_mean", func(_ *Call, _, variance *Node) *Node { return apply("root_or_flat", nil, variance) }))

// root_or_flat is √x with the derivative 0 at 0.
var _ = define(Op{
	Name: "root_or_flat", Operands: operandX, hidden: true, Result: same,
	Compose: func(c *Call) *Node { return Sqrt(c.In[0]) },
	Grad: func(b *Back) {
		y := b.Out()
		flat := Equal(y, ScalarLike(y, 0))
		slope := Div(ScalarLike(y, 0.5), Where(flat, ScalarLike(y, 1), y))
		b.Add(0, Mul(b.Grad(), Where(flat, ScalarLike(y, 0), slope)))
	},
})

// VectorNorm returns the norms of the vectors in x along the named axes, which vanish, or of all of x:
//
//	y[p] = (Σ_q |x[p, q]|^ord)^(1/ord)
//
// An ord of +Inf gives the largest |x|, -Inf the smallest, 0 how many elements are not 0. The derivative of the zero vector is 0, as is
// that of an element that is 0, and of the largest and smallest shared by all that reach it. x is a float or complex. Errors: dtype; an
// axis does not exist or is named twice; ord is NaN.
// Source: NumPy, function linalg.vector_norm.
func VectorNorm(x *Node, ord float64, axes ...int) *Node {
	return apply("vector_norm", vectorNormAttr{axes, ord}, x)
}

// Dist returns the norm of a - b, which broadcast, as [VectorNorm] of all elements.
func Dist[A, B NodeOrNumber](a A, b B, ord float64) *Node { return VectorNorm(Sub(a, b), ord) }

type vectorNormAttr struct {
	Axes []int   `default:"" doc:"that are folded, counted from the end where negative; none: all"`
	Ord  float64 `default:"2" doc:"the exponent; \"+Inf\": the largest magnitude, \"-Inf\": the smallest, 0: how many are not 0"`
}

// ReducedAxes are the axes that are folded.
func (a vectorNormAttr) ReducedAxes() []int { return a.Axes }

var _ = define(Op{
	Name: "vector_norm", Category: "reduction", Attributes: AttributesOf[vectorNormAttr](), Operands: operandX, DTypes: floats,
	Complete: func(c *Call) (err error) {
		a := c.Attr.(vectorNormAttr)
		a.Axes, err = shapes.Axes(a.Axes, len(c.shape(0)))
		c.Attr = a
		return err
	},
	Result: func(c *Call) ([]int, tensor.DType, error) {
		a := c.Attr.(vectorNormAttr)
		if a.Ord != a.Ord {
			return nil, 0, fmt.Errorf("ord is %v", a.Ord)
		}
		return withoutAxes(c.shape(0), a.Axes), c.dt(0).Part(), nil
	},
	Compose: func(c *Call) *Node {
		a, x := c.Attr.(vectorNormAttr), widen(c.In[0])
		var y *Node
		switch {
		case a.Ord == 2:
			y = Sqrt(reduction("sum", Square(x), a.Axes))
		case a.Ord == 1:
			y = reduction("sum", Abs(x), a.Axes)
		case a.Ord == 0:
			y = reduction("sum", Cast(NotEqual(x, ScalarLike(x, 0)), x.dtype), a.Axes)
		case math.IsInf(a.Ord, 1):
			y = Maximum(reduction("max", Abs(x), a.Axes), ScalarLike(x, 0)) // of nothing: 0
		case math.IsInf(a.Ord, -1):
			y = reduction("min", Abs(x), a.Axes)
		default:
			y = Pow(reduction("sum", Pow(Abs(x), ScalarLike(x, a.Ord)), a.Axes), ScalarLike(x, 1/a.Ord))
		}
		return Cast(y, c.dt(0))
	},
	Complex: func(c *Call) *Node {
		a := c.Attr.(vectorNormAttr)
		return apply("vector_norm", a, Abs(c.In[0]))
	},
	Grad: func(b *Back) {
		a, x := b.Attr().(vectorNormAttr), widen(b.In(0))
		y, d := spreadBack(widen(b.Out()), x, a.Axes), spreadBack(widen(b.Grad()), x, a.Axes)
		zero, one := ScalarLike(x, 0), ScalarLike(x, 1)
		flat := Equal(y, zero)
		divisor := Where(flat, one, y)
		var slope *Node
		switch {
		case a.Ord == 2:
			slope = Div(x, divisor)
		case a.Ord == 1:
			slope = Sign(x)
		case a.Ord == 0:
			slope = zero
		case math.IsInf(a.Ord, 0):
			hit := Cast(Equal(Abs(x), y), x.dtype)
			share := spreadBack(reduction("sum", hit, a.Axes), x, a.Axes)
			slope = Mul(Sign(x), Div(hit, share))
		default:
			none := Or(flat, Equal(x, zero))
			ratio := Where(none, one, Div(Abs(x), divisor))
			slope = Where(none, zero, Mul(Sign(x), Pow(ratio, ScalarLike(x, a.Ord-1))))
		}
		b.Add(0, Cast(Mul(d, slope), b.In(0).dtype))
	},
})

// Trace returns the sums of the diagonals of the matrices in the last two axes of x, which vanish:
//
//	y[p] = Σ_i x[p, i, i]
//
// x is any number; integers wrap. Only diagonals are read. Errors: dtype is bool; x has less than two axes.
func Trace(x *Node) *Node { return apply("trace", nil, x) }

var _ = define(Op{
	Name:    "trace",
	Complex: composed, Category: "reduction", Operands: operandX, DTypes: numbers,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		s := c.shape(0)
		if len(s) < 2 {
			return nil, 0, fmt.Errorf("%v has no matrices", s)
		}
		return s[:len(s)-2], c.dt(0), nil
	},
	Compose: func(c *Call) *Node {
		x := c.In[0]
		lead := x.shape[:x.Rank()-2]
		n, m := x.shape[x.Rank()-2], x.shape[x.Rank()-1]
		rows := Reshape(x, append(slices.Clone(lead), n*m)...)
		a := allOf(rows)
		a.Shape[len(lead)], a.Step[len(lead)] = min(n, m), m+1
		if min(n, m) <= 1 {
			a.Step[len(lead)] = 1
		}
		return reduction("sum", apply("slice", a, rows), []int{len(lead)})
	},
})
