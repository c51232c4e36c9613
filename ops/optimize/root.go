package optimize

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// RootOptions say how [Root] searches. The zero value and nil are right for many.
type RootOptions struct {
	// Tolerance is by how much a root may be off; 0: 4 units in the last place of the larger end.
	Tolerance float64
	// Limit is the most evaluations of the function; 0: 200.
	Limit int
}

// Roots is the result of [Root].
type Roots struct {
	X *ops.Node // a root between each pair of ends; NaN where the function has the same sign at both
	// Evaluations is how often the function was computed, int32.
	Evaluations *ops.Node
	// Converged says which are known to the tolerance, bool.
	Converged *ops.Node
}

// Root finds a root of a function of one variable between each element of low and that of high, at which it has different signs, or is 0.
// f adds the function to the graph, element by element. Ends are of one shape and dtype, float32 or float64. The search interpolates, and
// is never slower than bisection by more than a step. The derivative of a root, by the nodes that f reads, is that of an implicit
// function: -∂f/∂p over ∂f/∂x.
// Errors, of the graph: dtypes; shapes; options below 0.
// Source: Oliveira and Takahashi, An Enhancement of the Bisection Method Average Performance Preserving Minmax Optimality (2020).
func Root(f func(x *ops.Node) *ops.Node, low, high *ops.Node, o *RootOptions) *Roots {
	var s RootOptions
	if o != nil {
		s = *o
	}
	g := low.Graph()
	fail := func(err error) *Roots {
		n := g.Fail("optimize.Root", err, low, high)
		return &Roots{n, n, n}
	}
	unit := 0x1p-21
	switch dt := low.DType(); {
	case dt != tensor.Float32 && dt != tensor.Float64 || high.DType() != dt:
		return fail(fmt.Errorf("ends are %v and %v, not float32 or float64", dt, high.DType()))
	case !tensor.EqualShapes(low.Shape(), high.Shape()):
		return fail(fmt.Errorf("ends are %v and %v", low.Shape(), high.Shape()))
	case s.Limit < 0 || !(s.Tolerance >= 0):
		return fail(fmt.Errorf("a tolerance of %v, a limit of %d", s.Tolerance, s.Limit))
	case dt == tensor.Float64:
		unit = 0x1p-50
	}
	limit := orInt(s.Limit, 200)
	a0, b0 := ops.StopGradient(low), ops.StopGradient(high)
	zero := ops.ScalarLike(a0, 0)
	bound := ops.Add(ops.Mul(ops.Maximum(ops.Abs(a0), ops.Abs(b0)), unit), math.SmallestNonzeroFloat32)
	if s.Tolerance > 0 {
		bound = ops.Maximum(bound, ops.BroadcastTo(ops.ScalarLike(a0, s.Tolerance), a0.Shape()...))
	}
	ya, yb := ops.StopGradient(f(a0)), ops.StopGradient(f(b0))
	if ya.DType() != low.DType() || !tensor.EqualShapes(ya.Shape(), low.Shape()) {
		return fail(fmt.Errorf("the function gives %v%v for %v%v", ya.DType(), ya.Shape(), low.DType(), low.Shape()))
	}
	width := ops.Abs(ops.Sub(b0, a0))
	most := ops.Add(ops.Ceil(ops.Log2(ops.Maximum(ops.Div(width, ops.Mul(bound, 2)), 1))), 1) // steps of bisection, and one
	bracketed := ops.LessEqual(ops.Mul(ops.Sign(ya), ops.Sign(yb)), zero)
	wide := func(a, b *ops.Node) *ops.Node {
		return ops.And(bracketed, ops.Greater(ops.Abs(ops.Sub(b, a)), ops.Mul(bound, 2)))
	}
	out := ops.While([]*ops.Node{a0, b0, ya, yb, g.Const(tensor.Scalar(int32(0)))}, func(v []*ops.Node) *ops.Node {
		return ops.And(ops.Any(wide(v[0], v[1])), ops.Less(v[4], ops.ScalarLike(v[4], float64(limit))))
	}, func(v []*ops.Node) []*ops.Node {
		a, b, ya, yb := v[0], v[1], v[2], v[3]
		middle := ops.Mul(ops.Add(a, b), 0.5)
		length := ops.Abs(ops.Sub(b, a))
		// Interpolate, truncate towards the middle, and project to where bisection would be as far.
		secant := ops.Div(ops.Sub(ops.Mul(yb, a), ops.Mul(ya, b)), ops.Sub(yb, ya))
		side := ops.Sign(ops.Sub(middle, secant))
		cut := ops.Div(ops.Mul(ops.Square(length), 0.2), width)
		near := ops.LessEqual(cut, ops.Abs(ops.Sub(middle, secant)))
		x := ops.Where(near, ops.Add(secant, ops.Mul(side, cut)), middle)
		left := ops.Sub(most, ops.Cast(v[4], a.DType()))
		radius := ops.Sub(ops.Mul(bound, ops.Exp2(left)), ops.Mul(length, 0.5))
		far := ops.Greater(ops.Abs(ops.Sub(x, middle)), radius)
		x = ops.Where(far, ops.Sub(middle, ops.Mul(side, ops.Maximum(radius, zero))), x)
		inside := ops.And(ops.Greater(x, ops.Minimum(a, b)), ops.Less(x, ops.Maximum(a, b)))
		x = ops.Where(inside, x, middle) // NaN, and points that rounding moves to an end
		y := f(x)
		goes := wide(a, b)
		same := ops.And(goes, ops.Equal(ops.Sign(y), ops.Sign(ya)))
		other := ops.And(goes, ops.Not(ops.Equal(ops.Sign(y), ops.Sign(ya))))
		hit := ops.And(goes, ops.Equal(y, zero))
		return []*ops.Node{
			ops.Where(ops.Or(same, hit), x, a), ops.Where(ops.Or(other, hit), x, b),
			ops.Where(ops.Or(same, hit), y, ya), ops.Where(ops.Or(other, hit), y, yb), ops.Add(v[4], 1),
		}
	}, nil)
	// The end with the smaller value, or the one that is a root.
	x := ops.Where(ops.LessEqual(ops.Abs(out[2]), ops.Abs(out[3])), out[0], out[1])
	done := ops.And(bracketed, ops.Or(ops.Not(wide(out[0], out[1])), ops.Equal(ops.Minimum(ops.Abs(out[2]), ops.Abs(out[3])), zero)))
	x = ops.StopGradient(ops.Where(bracketed, x, math.NaN()))
	y := f(x)
	slope := ops.StopGradient(ops.Gradients(ops.Sum(y), x)[0])
	x = ops.Sub(x, ops.Div(ops.Sub(y, ops.StopGradient(y)), ops.Where(ops.Equal(slope, zero), 1, slope)))
	return &Roots{X: x, Evaluations: ops.Add(out[4], 2), Converged: done}
}
