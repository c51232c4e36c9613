package linalg

import (
	"errors"
	"fmt"
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/build"
	"github.com/anycl/anycl/tensor"
)

// Refined is a solution by [SolveRefined], all nodes of the graph. No gradient goes through them.
type Refined struct {
	// X is the solution, float64 in the shape of b.
	X *ops.Node
	// Error is the backward error of each matrix, float64: the largest |b - a x| over the largest row sum of |a| times the largest |x|.
	Error *ops.Node
	// Condition is an estimate of the condition number of each matrix in the norm of its column sums, from below, float64. Factors
	// in float32 cannot resolve condition numbers beyond about 1e7: larger ones give whatever estimate the factors yield.
	Condition *ops.Node
	// Iterations is how often the solution was corrected, int32, one number.
	Iterations *ops.Node
	// Converged says that the corrections ended at the error of float64, bool, one number. Otherwise X is by a decomposition in float64.
	Converged *ops.Node
}

const (
	mostRefinements = 30
	estimates       = 4 // of the norm of an inverse
)

// SolveRefined returns the solution x of a x = b in float64 by an LU decomposition in float32, whose solutions are corrected by residuals
// in float64: where a device computes float32 faster, or float64 not at all, most of the work is in float32. It converges for condition
// numbers up to about 1e6; where it does not, all matrices are decomposed in float64, so that the result is as good as that of [Solve]
// anyway. a is float64 [..., n, n], b float64 [..., n, k] with the same batch. Errors: dtypes; shapes.
// Source: Langou et al., Exploiting the Performance of 32 bit Floating Point Arithmetic in Obtaining 64 bit Accuracy (2006); Higham,
// Accuracy and Stability of Numerical Algorithms (2002), algorithm 15.1, for the condition number.
func SolveRefined(a, b *ops.Node) *Refined {
	const name = "linalg.SolveRefined"
	if build.Failed(a) || build.Failed(b) {
		bad := a
		if !build.Failed(a) {
			bad = b
		}
		return &Refined{bad, bad, bad, bad, bad}
	}
	g := a.Graph()
	fail := func(err error) *Refined {
		n := g.Fail(name, err, a, b)
		return &Refined{n, n, n, n, n}
	}
	r := a.Rank()
	switch {
	case a.DType() != tensor.Float64 || b.DType() != tensor.Float64:
		return fail(fmt.Errorf("dtypes are %v and %v, not float64", a.DType(), b.DType()))
	case r < 2 || a.Dim(-1) != a.Dim(-2):
		return fail(fmt.Errorf("a is %v, not a square matrix or a batch of them", a.Shape()))
	case b.Rank() != r || !equalBut(a.Shape(), b.Shape()):
		return fail(fmt.Errorf("b is %v, which does not fit a of %v", b.Shape(), a.Shape()))
	case a.Size() == 0 || b.Size() == 0:
		return fail(errors.New("there are no equations"))
	}
	n := a.Dim(-1)
	f := newNarrow(a)
	rows := ops.Max(ops.Sum(ops.Abs(a), -1), -1) // of each matrix
	tolerance := math.Sqrt(float64(n)) * 0x1p-53
	residual := func(x *ops.Node) *ops.Node { return ops.Sub(b, ops.MatMul(a, x)) }
	largest := func(x *ops.Node) *ops.Node { return ops.Max(ops.Abs(x), -2, -1) }
	backward := func(x, r *ops.Node) *ops.Node {
		top, bottom := largest(r), ops.Mul(rows, largest(x))
		return ops.Where(ops.Equal(top, 0), 0, ops.Div(top, bottom))
	}
	worst := func(e *ops.Node) *ops.Node { // NaN becomes Inf
		m := ops.Max(e)
		return ops.Where(ops.Equal(m, m), m, math.Inf(1))
	}
	x := f.solve(b, false)
	rest := residual(x)
	e := worst(backward(x, rest))
	state := ops.While([]*ops.Node{x, rest, e, g.Full(tensor.Float64, math.Inf(1)), g.Full(tensor.Int32, 0)}, func(v []*ops.Node) *ops.Node {
		going := ops.LogicalAnd(ops.Greater(v[2], tolerance), ops.Less(v[4], mostRefinements))
		return ops.LogicalAnd(going, ops.Less(v[2], ops.Mul(v[3], 0.5)))
	}, func(v []*ops.Node) []*ops.Node {
		x := ops.Add(v[0], f.solve(v[1], false))
		rest := residual(x)
		return []*ops.Node{x, rest, worst(backward(x, rest)), v[2], ops.Add(v[4], 1)}
	}, &ops.LoopOptions{Expect: 3})
	converged := ops.LessEqual(state[2], tolerance)
	final := ops.If(converged, func() []*ops.Node { return []*ops.Node{ops.Add(state[0], 0)} },
		func() []*ops.Node { return []*ops.Node{Solve(a, b, nil)} })
	return &Refined{X: final[0], Error: backward(final[0], residual(final[0])), Condition: f.condition(a), Iterations: state[4],
		Converged: converged}
}

// equalBut reports whether shapes are the same but for the last extent.
func equalBut(a, b []int) bool {
	for i := range a[:len(a)-1] {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// narrow is a decomposition in float32 of float64 matrices that were scaled by powers of two.
type narrow struct {
	lu    luFactors
	scale *ops.Node // exponents, [..., 1, 1]
}

func newNarrow(a *ops.Node) *narrow {
	e := exponent(ops.Max(ops.Abs(a), -2, -1))
	n := &narrow{scale: ops.ExpandDims(e, -1, -2)}
	n.lu = factorLU(ops.Cast(ops.Ldexp(a, ops.Neg(n.scale)), tensor.Float32))
	return n
}

// exponent is the exponent of the least power of two at or above x, 0 where that is not finite.
func exponent(x *ops.Node) *ops.Node {
	e := ops.Ceil(ops.Log2(x))
	return ops.Cast(ops.Where(ops.IsFinite(e), e, 0), tensor.Int32)
}

// solve is a⁻¹ b in float64, or a⁻ᵀ b, as exact as float32. Columns are scaled, so that small ones do not vanish.
func (n *narrow) solve(b *ops.Node, transposed bool) *ops.Node {
	e := ops.ExpandDims(exponent(ops.Max(ops.Abs(b), -2)), -2)
	x := n.lu.solve(ops.Cast(ops.Ldexp(b, ops.Neg(e)), tensor.Float32), transposed)
	return ops.Ldexp(ops.Cast(x, tensor.Float64), ops.Sub(e, n.scale))
}

// condition estimates the condition number of a in the norm of column sums: a⁻¹ is applied to vectors that an ascent along its
// norm finds.
func (n *narrow) condition(a *ops.Node) *ops.Node {
	m := a.Dim(-1)
	shape := a.Shape()
	shape[len(shape)-1] = 1
	x := ops.BroadcastTo(ops.ScalarLike(a, 1/float64(m)), shape...)
	var most *ops.Node
	for i := range estimates {
		y := n.solve(x, false)
		norm := ops.Sum(ops.Abs(y), -2, -1)
		if most == nil {
			most = norm
		} else {
			most = ops.Maximum(most, norm)
		}
		if i == estimates-1 {
			break
		}
		z := n.solve(ops.Where(ops.Less(y, 0), -1.0, ops.OnesLike(y)), true)
		at := ops.ExpandDims(ops.ArgMax(ops.Abs(ops.Squeeze(z, -1)), -1), -1)
		own := a.Graph().Iota(at.DType(), 0, m)
		x = ops.ExpandDims(ops.Cast(ops.Equal(own, at), tensor.Float64), -1)
	}
	return ops.Mul(most, ops.Max(ops.Sum(ops.Abs(a), -2), -1))
}
