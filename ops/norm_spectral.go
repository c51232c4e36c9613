package ops

import (
	"errors"
	"fmt"

	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/tensor"
)

// spectralEps is the least length that a vector of the power iteration is divided by.
const spectralEps = 1e-12

// SpectralNorm returns w divided by an estimate of its largest singular value, as a matrix W of the slices along axis, and the vector with which the
// next call goes on:
//
//	v = Wᵀu / ‖Wᵀu‖,  u' = Wv / ‖Wv‖    iterations times
//	σ = u'ᵀ W v,  y = w / σ
//
// u has an element for each slice, at first at random; as the estimate is better with each call, u is to be a variable and each step of training
// to assign u' to it, after one iteration as a rule. With 0 iterations u' is u and σ is ‖Wᵀu‖, for evaluation. The derivative takes u' and v
// for constants. w is a float of at least one axis, u of its dtype; 16 bits are computed in float32. Errors: the axis does not exist;
// shapes; dtypes; iterations is negative.
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
