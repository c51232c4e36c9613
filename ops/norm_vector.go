package ops

import (
	"errors"
	"fmt"
	"math"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/tensor"
)

// vectorNorm is the p-norm of x along axes, which stay with extent 1; p may be infinite. Its derivative is 0 where it is 0.
func vectorNorm(x *Node, p float64, axes ...int) *Node {
	if math.IsInf(p, 1) {
		return KeepDims(Max(Abs(x), axes...))
	}
	return rootOf(KeepDims(Sum(powerOf(x, p), axes...)), p)
}

func normChecks(p, eps float64) error {
	if !(p > 0) || !(eps >= 0) || math.IsInf(eps, 1) {
		return fmt.Errorf("the norm is %v and eps %v", p, eps)
	}
	return nil
}

type normalizeAttr struct {
	P    float64 `default:"2" doc:"of the norm; +Inf: the largest magnitude"`
	Axis int     `default:"1" doc:"counted from the end where negative"`
	Eps  float64 `default:"1e-12" doc:"least divisor"`
}

// Normalize returns x with every vector along axis divided by its p-norm:
//
//	y[q, i] = x[q, i] / max(‖x[q]‖_p, eps)
//
// x is a float; p is positive, or infinite for the largest magnitude. Vectors of zeros stay as they are. Errors: dtype not float; the
// axis does not exist; p is not positive; eps is negative.
// Source: PyTorch, torch.nn.functional.normalize; ONNX, operator LpNormalization.
func Normalize(x *Node, p float64, axis int, eps float64) *Node {
	return apply("normalize", normalizeAttr{p, axis, eps}, x)
}

var _ = define(Op{
	Name: "normalize", Category: "normalization", Attributes: AttributesOf[normalizeAttr](), Operands: operandX, DTypes: floats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		a := c.Attr.(normalizeAttr)
		if _, err := shapes.Axis(a.Axis, len(c.shape(0))); err != nil {
			return nil, 0, err
		}
		if err := normChecks(a.P, a.Eps); err != nil {
			return nil, 0, err
		}
		return same(c)
	},
	Compose: func(c *Call) *Node {
		a, x := c.Attr.(normalizeAttr), widen(c.In[0])
		return Cast(Div(x, Maximum(vectorNorm(x, a.P, a.Axis), a.Eps)), c.dt(0))
	},
})

type renormAttr struct {
	P    float64 `default:"2" doc:"of the norm; +Inf: the largest magnitude"`
	Axis int     `default:"0" doc:"of each slice along which the norm is taken"`
	Max  float64 `doc:"largest norm of a slice"`
}

// Renorm returns x with every slice along axis whose p-norm is above max made shorter:
//
//	y[i] = x[i] · max / (‖x[i]‖_p + 1e-7) where ‖x[i]‖_p > max, else x[i]
//
// x is a float of at least one axis. Errors: dtype not float; the axis does not exist; p is not positive; max is negative.
// Source: PyTorch, torch.renorm.
func Renorm(x *Node, p float64, axis int, max float64) *Node {
	return apply("renorm", renormAttr{p, axis, max}, x)
}

var _ = define(Op{
	Name: "renorm", Category: "normalization", Attributes: AttributesOf[renormAttr](), Operands: operandX, DTypes: floats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		a := c.Attr.(renormAttr)
		if _, err := shapes.Axis(a.Axis, len(c.shape(0))); err != nil {
			return nil, 0, err
		}
		if err := normChecks(a.P, a.Max); err != nil {
			return nil, 0, fmt.Errorf("the norm is %v and the largest %v", a.P, a.Max)
		}
		return same(c)
	},
	Compose: func(c *Call) *Node {
		a, x := c.Attr.(renormAttr), widen(c.In[0])
		axis, _ := shapes.Axis(a.Axis, x.Rank())
		rest := shapes.Except(x.Rank(), []int{axis})
		norm := Abs(x)
		if len(rest) > 0 {
			norm = vectorNorm(x, a.P, rest...)
		}
		factor := Where(Greater(norm, a.Max), Div(ScalarLike(norm, a.Max), Add(norm, 1e-7)), ScalarLike(norm, 1))
		return Cast(Mul(x, factor), c.dt(0))
	},
})

// WeightNorm returns v with every slice along axis given the length that g says:
//
//	w[i] = g[i] · v[i] / ‖v[i]‖₂
//
// g has the extents of v in axis and 1 elsewhere, or is of any shape that broadcasts to that. v is a float. A slice of zeros gives NaN.
// Errors: the axis does not exist; shapes; dtypes.
// Source: Salimans and Kingma, Weight Normalization (2016), section 2.
func WeightNorm(v, g *Node, axis int) *Node { return apply("weight_norm", axisAttr{axis}, v, g) }

var _ = define(Op{
	Name: "weight_norm", Category: "normalization", Attributes: AttributesOf[axisAttr](), Operands: []Operand{{Name: "v"}, {Name: "g"}},
	DTypes: floats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		v := c.shape(0)
		axis, err := shapes.Axis(c.Attr.(axisAttr).Axis, len(v))
		if err != nil {
			return nil, 0, err
		}
		lengths := make([]int, len(v))
		for i := range lengths {
			lengths[i] = 1
		}
		lengths[axis] = v[axis]
		if s, err := tensor.Broadcast(c.shape(1), lengths); err != nil || ir.Product(s) != v[axis] || len(s) > len(v) {
			return nil, 0, fmt.Errorf("g is %v, not %v for v of %v", c.shape(1), lengths, v)
		}
		return same(c)
	},
	Compose: func(c *Call) *Node {
		v, g := widen(c.In[0]), widen(c.In[1])
		axis, _ := shapes.Axis(c.Attr.(axisAttr).Axis, v.Rank())
		norm := Abs(v)
		if rest := shapes.Except(v.Rank(), []int{axis}); len(rest) > 0 {
			norm = Sqrt(KeepDims(Sum(Square(v), rest...)))
		}
		return Cast(Mul(v, Div(g, norm)), c.dt(0))
	},
})

// spectralEps is the least length that a vector of the power iteration is divided by.
const spectralEps = 1e-12

// SpectralNorm returns w divided by an estimate of its largest singular value, as a matrix W of the slices along axis, and the vector
// with which the next call goes on:
//
//	v = Wᵀu / ‖Wᵀu‖,  u' = Wv / ‖Wv‖    iterations times
//	σ = u'ᵀ W v,  y = w / σ
//
// u has an element for each slice, at first at random; as the estimate is better with each call, u is to be a variable and each step of
// training to assign u' to it, after one iteration as a rule. With 0 iterations u' is u and σ is ‖Wᵀu‖, for evaluation. The derivative
// takes u' and v for constants. w is a float of at least one axis, u of its dtype; 16 bits are computed in float32. Errors: the axis does
// not exist; shapes; dtypes; iterations is negative.
// Source: Miyato et al., Spectral Normalization for Generative Adversarial Networks (2018), algorithm 1; PyTorch,
// torch.nn.utils.parametrizations.spectral_norm.
func SpectralNorm(w, u *Node, axis, iterations int) (y, next *Node) {
	in := []*Node{w, u}
	g := graphOf(in...)
	fail := func(err error) (y, next *Node) {
		bad := g.fail("spectral_norm", in, err)
		return bad, bad
	}
	if w == nil || u == nil {
		return fail(errNil)
	}
	if err := g.checkValues(g.region, "operand", in); err != nil {
		return fail(err)
	}
	if anyBad(in) { // already reported where it happened
		bad := apply("add", nil, w, u)
		return bad, bad
	}
	a, err := shapes.Axis(axis, len(w.shape))
	switch {
	case err != nil:
		return fail(err)
	case !w.dtype.IsFloat() || u.dtype != w.dtype:
		return fail(fmt.Errorf("w is %v and u is %v, not one float dtype", w.dtype, u.dtype))
	case len(u.shape) != 1 || u.shape[0] != w.shape[a]:
		return fail(fmt.Errorf("u is %s, not [%s], as w is %s", shapeText(u.shape), DimName(w.shape[a]), shapeText(w.shape)))
	case iterations < 0:
		return fail(errors.New("the number of iterations is negative"))
	}
	all := g.sized("spectral_norm", in, 2, func(_ *Graph, in []*Node, _ func(int) int) []*Node {
		y, next := spectralNorm(in[0], in[1], a, iterations)
		return []*Node{y, next}
	})
	return all[0], all[1]
}

// spectralNorm is SpectralNorm where sizes are known.
func spectralNorm(w, u *Node, axis, iterations int) (y, next *Node) {
	wide := widen(w)
	perm := []int{axis}
	for a := range w.shape {
		if a != axis {
			perm = append(perm, a)
		}
	}
	rows := w.shape[axis]
	matrix := Reshape(Transpose(wide, perm...), rows, w.Size()/max(rows, 1))
	unit := func(x *Node) *Node {
		return StopGradient(Div(x, Maximum(Sqrt(Sum(Square(x))), spectralEps)))
	}
	column := Reshape(StopGradient(widen(u)), rows, 1)
	v := unit(MatMul(Transpose(matrix), column))
	for i := range iterations {
		if i > 0 {
			v = unit(MatMul(Transpose(matrix), column))
		}
		column = unit(MatMul(matrix, v))
	}
	sigma := Sum(Mul(column, MatMul(matrix, v)))
	return castTo(Div(wide, sigma), w.dtype), castTo(Reshape(column, rows), u.dtype)
}

// castTo is x in dt, x itself where it is that.
func castTo(x *Node, dt tensor.DType) *Node {
	if x.bad || x.dtype == dt {
		return x
	}
	return Cast(x, dt)
}
