// Package optimize finds minima and roots in loops of the graph, which stay on the device.
package optimize

import (
	"errors"
	"fmt"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

func init() { ops.Helper() }

// Options say how [LBFGS] searches. The zero value and nil are right for many.
type Options struct {
	// Memory is how many steps the curvature is taken from; 0: 10.
	Memory int
	// Tolerance is the largest element of the gradient at which the search ends; 0: 1e-5.
	Tolerance float64
	// Limit is the most evaluations of the function; 0: 1000.
	Limit int
}

// checked is o with defaults, for a function of that dtype.
func (o *Options) checked(dt tensor.DType) (s Options, err error) {
	s = Options{Memory: 10, Tolerance: 1e-5, Limit: 1000}
	if o != nil {
		if min(o.Memory, o.Limit) < 0 || !(o.Tolerance >= 0) {
			return s, fmt.Errorf("a memory of %d, a tolerance of %v, a limit of %d", o.Memory, o.Tolerance, o.Limit)
		}
		s = Options{orInt(o.Memory, s.Memory), orFloat(o.Tolerance, s.Tolerance), orInt(o.Limit, s.Limit)}
	}
	if dt != tensor.Float32 && dt != tensor.Float64 {
		return s, fmt.Errorf("x0 is %v, not float32 or float64", dt)
	}
	return s, nil
}

// Minimum is the result of [LBFGS].
type Minimum struct {
	X        *ops.Node // where, of the shape of x0
	Value    *ops.Node // of the function there
	Gradient *ops.Node // its largest element there, in magnitude
	// Evaluations is how often the function was computed, int32.
	Evaluations *ops.Node
	// Converged: the gradient is small enough, bool. Else the limit was met, or no step lessens the function.
	Converged *ops.Node
}

// LBFGS minimises a function from x0 on by the limited-memory method of Broyden, Fletcher, Goldfarb and Shanno. f adds the function to
// the graph: its result is a number of the dtype of x0, float32 or float64, and has a derivative. A step is tried at full length, and
// shortened by interpolation until the function decreases by a ten-thousandth of the decrease that its slope predicts; one that gives NaN
// is shortened too. The results have no derivatives. Errors, of the graph: dtype; f returns no number; options below 0.
// Source: Nocedal and Wright, Numerical Optimization (2006), algorithms 3.1 and 7.5.
func LBFGS(f func(x *ops.Node) *ops.Node, x0 *ops.Node, o *Options) *Minimum {
	g := x0.Graph()
	fail := func(err error) *Minimum {
		n := g.Fail("optimize.LBFGS", err, x0)
		return &Minimum{n, n, n, n, n}
	}
	s, err := o.checked(x0.DType())
	if err != nil {
		return fail(err)
	}
	shape, n := x0.Shape(), x0.Size()
	number := func(v float64) *ops.Node { return ops.ScalarLike(x0, v) }
	at := func(x *ops.Node) (value, slope *ops.Node, ok bool) {
		value = f(ops.Reshape(x, shape...))
		if value == nil || value.DType() != x0.DType() || value.Rank() != 0 {
			return value, x, false
		}
		return value, ops.Gradients(value, x)[0], true
	}
	x := ops.Reshape(ops.StopGradient(x0), n)
	value, slope, ok := at(x)
	if !ok {
		if value != nil && value.DType() == tensor.Invalid {
			return &Minimum{value, value, value, value, value} // told already
		}
		return fail(errors.New("the function does not give a number of the dtype of x0"))
	}
	first := ops.Minimum(number(1), ops.Reciprocal(ops.Sum(ops.Abs(slope))))
	state := []*ops.Node{
		x, value, slope, ops.Neg(slope), first,
		g.Zeros(x0.DType(), s.Memory, n), g.Zeros(x0.DType(), s.Memory, n), g.Zeros(x0.DType(), s.Memory),
		g.Const(tensor.Scalar(int32(1))),
	}
	steep := func(slope *ops.Node) *ops.Node {
		if n == 0 {
			return number(0)
		}
		return ops.Max(ops.Abs(slope))
	}
	small := func(slope *ops.Node) *ops.Node { return ops.LessEqual(steep(slope), number(s.Tolerance)) }
	out := ops.While(state, func(v []*ops.Node) *ops.Node {
		more := ops.And(ops.Less(v[iCount], ops.ScalarLike(v[iCount], float64(s.Limit))), ops.Greater(v[iStep], number(1e-20)))
		return ops.And(more, ops.Not(small(v[iSlope])))
	}, func(v []*ops.Node) []*ops.Node {
		x := ops.Add(v[iX], ops.Mul(v[iStep], v[iDirection]))
		value, slope, _ := at(x)
		return iterate(v, x, value, slope, s.Memory)
	}, nil)
	return &Minimum{
		X: ops.StopGradient(ops.Reshape(out[iX], shape...)), Value: ops.StopGradient(out[iValue]), Gradient: ops.StopGradient(steep(out[iSlope])),
		Evaluations: out[iCount], Converged: small(out[iSlope]),
	}
}

// The state of the loop: the best point so far with its value and slope, the direction and length of the next step, and the last steps that
// were taken, with the changes of the slope and one over the curvature along them.
const (
	iX = iota
	iValue
	iSlope
	iDirection
	iStep
	iSteps
	iChanges
	iWeights
	iCount
)

// iterate is the state after v, in which the function has a value and a slope at x, a step away from the point of v.
func iterate(v []*ops.Node, x, value, slope *ops.Node, memory int) []*ops.Node {
	number := func(c float64) *ops.Node { return ops.ScalarLike(value, c) }
	down := ops.Sum(ops.Mul(v[iSlope], v[iDirection]))
	good := ops.LessEqual(value, ops.Add(v[iValue], ops.Mul(ops.Mul(down, v[iStep]), 1e-4)))
	// Shorter: the minimum of the parabola through the known values, within bounds.
	parabola := ops.Div(ops.Mul(ops.Mul(down, -0.5), ops.Square(v[iStep])), ops.Sub(ops.Sub(value, v[iValue]), ops.Mul(down, v[iStep])))
	shorter := ops.Clamp(parabola, ops.Mul(v[iStep], 0.1), ops.Mul(v[iStep], 0.5))
	shorter = ops.Where(ops.IsNaN(shorter), ops.Mul(v[iStep], 0.1), shorter)
	// The curvature along the step, which is kept where it is positive.
	ds, dy := ops.Sub(x, v[iX]), ops.Sub(slope, v[iSlope])
	curve := ops.Sum(ops.Mul(ds, dy))
	kept := ops.And(good, ops.Greater(curve, ops.Mul(1e-10, ops.Sum(ops.Square(dy)))))
	push := func(old, row *ops.Node) *ops.Node {
		next := ops.Concat(0, ops.Narrow(old, 0, 1, memory-1), ops.ExpandDims(row, 0))
		return ops.Where(kept, next, old)
	}
	steps, changes, weights := push(v[iSteps], ds), push(v[iChanges], dy), push(v[iWeights], ops.Reciprocal(curve))
	d := direction(slope, steps, changes, weights, memory)
	d = ops.Where(ops.Less(ops.Sum(ops.Mul(d, slope)), number(0)), d, ops.Neg(slope))
	pick := func(a, b *ops.Node) *ops.Node { return ops.Where(good, a, b) }
	return []*ops.Node{
		pick(x, v[iX]), pick(value, v[iValue]), pick(slope, v[iSlope]), pick(d, v[iDirection]), pick(number(1), shorter),
		steps, changes, weights, ops.Add(v[iCount], 1),
	}
}

// direction is minus the slope times the approximation, from the last steps, of the inverse of the matrix of second derivatives.
func direction(slope, steps, changes, weights *ops.Node, memory int) *ops.Node {
	row := func(x *ops.Node, i int) *ops.Node { return ops.Squeeze(ops.Narrow(x, 0, i, 1), 0) }
	q, alpha := slope, make([]*ops.Node, memory)
	for i := memory - 1; i >= 0; i-- {
		alpha[i] = ops.Mul(row(weights, i), ops.Sum(ops.Mul(row(steps, i), q)))
		q = ops.Sub(q, ops.Mul(alpha[i], row(changes, i)))
	}
	last := row(changes, memory-1)
	square, weight := ops.Sum(ops.Square(last)), row(weights, memory-1)
	known := ops.Greater(square, ops.ScalarLike(square, 0))
	q = ops.Mul(q, ops.Where(known, ops.Reciprocal(ops.Mul(weight, ops.Where(known, square, 1))), 1))
	for i := range memory {
		beta := ops.Mul(row(weights, i), ops.Sum(ops.Mul(row(changes, i), q)))
		q = ops.Add(q, ops.Mul(row(steps, i), ops.Sub(alpha[i], beta)))
	}
	return ops.Neg(q)
}

func orInt(v, other int) int {
	if v == 0 {
		return other
	}
	return v
}

func orFloat(v, other float64) float64 {
	if v == 0 {
		return other
	}
	return v
}
