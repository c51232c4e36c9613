package ops

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/tensor"
)

// VJP adds the products of vectors with Jacobian matrices, by reverse-mode differentiation:
//
//	d[i] = Σ_j cotangents[j] · ∂ys[j] / ∂xs[i]
//
// [Gradients] is VJP of one scalar with the cotangent 1. A cotangent has the shape and dtype of its y, which may have any shape, and a
// result those of its x: zeros where no y depends on it. Errors: ys or xs are not floats or of several graphs; as many cotangents as ys
// are not given, or they have other shapes or dtypes; an op on the way is not differentiable.
// Source: Griewank and Walther, Evaluating Derivatives (2008), chapter 3; JAX, jax.vjp.
func VJP(ys, xs, cotangents []*Node) []*Node {
	return differentiate("vjp", ys, xs, cotangents, ofYs, ofXs, func(_ *Graph, ys, xs, vs []*Node) []*Node { return pullBack(ys, vs, xs) })
}

// JVP adds the products of Jacobian matrices with vectors, the derivatives of ys where xs move along tangents:
//
//	d[j] = Σ_i ∂ys[j] / ∂xs[i] · tangents[i]
//
// A tangent has the shape and dtype of its x, and a result those of its y: zeros where it depends on no x.
//
// It is the derivative of [VJP] with respect to its cotangents, in which VJP is linear: nodes of the reverse pass alone are not
// computed, and the rest is forward-mode differentiation, for every op with second derivatives. Only loops keep the values that
// their gradients keep. Errors: as of VJP.
// Source: Townsend, A new trick for calculating Jacobian vector products (2017); JAX, jax.jvp.
func JVP(ys, xs, tangents []*Node) []*Node {
	return differentiate("jvp", ys, xs, tangents, ofXs, ofYs, func(_ *Graph, ys, xs, vs []*Node) []*Node { return pushForward(ys, xs, vs) })
}

// HVP adds the product of the Hessian matrix of the scalar y with a vector, which has a part for each of xs:
//
//	d[i] = Σ_k ∂²y / ∂xs[i] ∂xs[k] · vectors[k]
//
// A vector has the shape and dtype of its x, as has a result: zeros where the gradient does not depend on it. It takes the time of a few
// gradients, whatever the size of xs: it is [JVP] of the gradient, which computes and keeps less than a gradient of the gradient. Errors:
// y is not a scalar float; otherwise as of [VJP].
// Source: Pearlmutter, Fast Exact Multiplication by the Hessian (1994).
func HVP(y *Node, xs, vectors []*Node) []*Node {
	if y != nil && !y.bad && len(y.shape) != 0 {
		return failures(max(1, len(xs)), y.graph.fail("hvp", []*Node{y}, notScalar(y)))
	}
	return differentiate("hvp", []*Node{y}, xs, vectors, ofXs, ofXs, func(g *Graph, ys, xs, vs []*Node) []*Node {
		return pushForward(orZeros(pullBack(ys, []*Node{scalarConst(g, ys[0].dtype, 1)}, xs), xs), xs, vs)
	})
}

func notScalar(y *Node) error {
	return fmt.Errorf("y must be a scalar float, not %v%s (sum it first)", y.dtype, shapeText(y.shape))
}

func failures(n int, bad *Node) []*Node { return slices.Repeat([]*Node{bad}, n) }

// pushForward gives for each of ys its derivative where xs move along vs; nil where there is none. It differentiates pullBack with
// respect to the derivatives of ys. pullBack is linear in these, so their values do not matter.
func pushForward(ys, xs, vs []*Node) []*Node {
	us := make([]*Node, len(ys))
	for i, y := range ys {
		us[i] = gradientPlaceholder(zerosLike(y))
	}
	var back, along []*Node
	for i, d := range pullBack(ys, us, xs) {
		if d != nil {
			back, along = append(back, d), append(along, vs[i])
		}
	}
	return pullBack(back, along, us)
}

// side is one of the two lists of nodes that a derivative is about.
type side bool

const (
	ofYs side = false
	ofXs side = true
)

func (s side) of(ys, xs []*Node) []*Node {
	if s == ofXs {
		return xs
	}
	return ys
}

// differentiate adds the derivatives that build makes, zeros where it makes none. There is one for each node on the side results, of its
// type. vs are vectors, one for each node on the side vectors.
func differentiate(name string, ys, xs, vs []*Node, vectors, results side, build func(g *Graph, ys, xs, vs []*Node) []*Node) []*Node {
	all := slices.Concat(ys, xs, vs)
	g, like, count := graphOf(all...), vectors.of(ys, xs), len(results.of(ys, xs))
	fail := func(err error) []*Node { return failures(max(1, count), g.fail(name, all, err)) }
	switch {
	case len(vs) != len(like):
		return fail(fmt.Errorf("%d vectors for %d nodes", len(vs), len(like)))
	case slices.Contains(all, nil):
		return fail(errNil)
	case len(ys) == 0 || len(xs) == 0:
		return fail(errors.New("there must be at least one node to differentiate, and one to differentiate it for"))
	}
	if err := g.checkValues(g.region, "operand", all); err != nil {
		return fail(err)
	}
	if i := slices.IndexFunc(all, func(n *Node) bool { return n.bad }); i >= 0 { // already reported where it happened
		return failures(count, all[i])
	}
	for _, n := range slices.Concat(ys, xs) {
		if !hasDerivative(n.dtype) {
			return fail(fmt.Errorf("%s is %v, and only floats have derivatives", n.label(), n.dtype))
		}
	}
	for i, v := range vs {
		if !sameType(v, like[i]) {
			return fail(fmt.Errorf("vector %d is %v%s, not %v%s", i, v.dtype, shapeText(v.shape), like[i].dtype, shapeText(like[i].shape)))
		}
	}
	ny, nx := len(ys), len(xs)
	return g.sized(name, all, count, func(g *Graph, in []*Node, _ func(int) int) []*Node {
		ys, xs, vs := in[:ny], in[ny:ny+nx], in[ny+nx:]
		return orZeros(build(g, ys, xs, vs), results.of(ys, xs))
	})
}

// Jacobian adds the matrix of all derivatives of y with respect to x, in the dtype of y, whose shape is that of y followed by that of x:
//
//	J[i.., k..] = ∂y[i..] / ∂x[k..]
//
// It goes row by row, or column by column where these are fewer, in a loop around one [VJP] or [JVP], so that the kernels are few
// whatever the sizes are; nodes that are the same for all rows are computed once. It is for matrices of which all is
// wanted: products with one take a row's time. Errors: y or x is not a float, or they are of two graphs; an op on the way is not
// differentiable.
func Jacobian(y, x *Node) *Node {
	return everyDerivative("jacobian", y, x, func(_ *Graph, y, _ *Node) *Node { return y })
}

// Hessian adds the matrix of the second derivatives of the scalar y with respect to x, whose shape is twice that of x:
//
//	H[i.., k..] = ∂²y / ∂x[i..] ∂x[k..]
//
// It is the [Jacobian] of the gradient. For products with a vector, [HVP] needs no matrix. Errors: y is not a scalar float; otherwise as
// of Jacobian.
func Hessian(y, x *Node) *Node {
	if y != nil && !y.bad && len(y.shape) != 0 {
		return y.graph.fail("hessian", []*Node{y}, notScalar(y))
	}
	return everyDerivative("hessian", y, x, func(_ *Graph, y, x *Node) *Node { return Gradients(y, x)[0] })
}

// everyDerivative adds the Jacobian matrix of the node that the function of returns for y and x, with respect to x.
func everyDerivative(name string, y, x *Node, of func(g *Graph, y, x *Node) *Node) *Node {
	in := []*Node{y, x}
	g := graphOf(in...)
	if y == nil || x == nil {
		return g.fail(name, in, errNil)
	}
	if err := g.checkValues(g.region, "operand", in); err != nil {
		return g.fail(name, in, err)
	}
	for _, n := range in {
		switch {
		case n.bad: // already reported where it happened
			return n
		case !n.dtype.IsFloat():
			return g.fail(name, in, fmt.Errorf("%s is %v, and only floats have derivatives", n.label(), n.dtype))
		}
	}
	return g.sized(name, in, 1, func(g *Graph, in []*Node, _ func(int) int) []*Node {
		return []*Node{jacobian(g, of(g, in[0], in[1]), in[1])}
	})[0]
}

// jacobian is Jacobian where sizes are known.
func jacobian(g *Graph, y, x *Node) *Node {
	if y.bad {
		return y
	}
	shape := slices.Concat(y.shape, x.shape)
	m, n := y.Size(), x.Size()
	if m == 0 || n == 0 || !newTape([]*Node{y}, []*Node{x}).wanted[y] {
		return zerosIn(g, y.dtype, shape)
	}
	one := func(of *Node, d func(e *Node) []*Node, like *Node) *Node { // row i of a unit matrix is that of one column
		rows := of.Size()
		row := func(e *Node) *Node { return orZeros(d(e), []*Node{like})[0] }
		if rows == 1 {
			return row(g.Full(of.dtype, 1, of.shape...))
		}
		_, all := Scan(nil, []*Node{g.Iota(tensor.Int64, 0, rows)}, func(_ *Node, _, at []*Node) (_, y []*Node) {
			return nil, []*Node{row(Reshape(OneHot(at[0], rows, of.dtype), of.shape...))}
		}, nil)
		return all[0]
	}
	if m <= n {
		rows := one(y, func(e *Node) []*Node { return pullBack([]*Node{y}, []*Node{e}, []*Node{x}) }, x)
		return Cast(Reshape(rows, shape...), y.dtype)
	}
	columns := one(x, func(e *Node) []*Node { return pushForward([]*Node{y}, []*Node{x}, []*Node{e}) }, y)
	return Reshape(Transpose(Reshape(columns, n, m)), shape...)
}
