package optest

import (
	"math"
	"math/rand/v2"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// cancelling has the ops whose gradients are differences of sums, and by how many
// units of rounding the slope of each operand may be off where these cancel. A
// softmax that is saturated has no slope at all, and the computed one is rounding:
// none of it is in proportion to the exact result, and another order of the sums
// may happen to give zero. A sum of n products is off by n units of the sum of
// their magnitudes at most (Higham, Accuracy and Stability of Numerical Algorithms
// (2002), section 3.1); the bounds take the largest of every operand for all of
// them. slope is the largest slope of the result.
var cancelling = map[string]func(s step, in []*ops.Node, slope *ops.Node) []*ops.Node{
	"tanh": ofResult, "sigmoid": ofResult, "erfcx": ofResult,
	// dx = y ∘ (dy - Σ dy ∘ y), with Σ y = 1
	"softmax": func(s step, in []*ops.Node, slope *ops.Node) []*ops.Node {
		n := extentOf(s, in)
		return []*ops.Node{ops.Mul(slope, number(slope, 2*(n+4)))}
	},
	// dx = dy - y · Σ dy
	"log_softmax": func(s step, in []*ops.Node, slope *ops.Node) []*ops.Node {
		n := extentOf(s, in)
		return []*ops.Node{ops.Mul(slope, number(slope, 2*n*(n+4)))}
	},
	// dx = (g - mean(g) - z · mean(g ∘ z)) / σ, with g = dy ∘ weight, z ≤ √n, σ² ≥ ε; dweight is a sum of dy ∘ z over rows, where
	// z = (x - mean(x)) / σ is rounding in rows that are constant
	"layer_norm": func(s step, in []*ops.Node, slope *ops.Node) []*ops.Node {
		n := in[1].Shape()[0]
		deviation := ops.Sqrt(slope.Graph().Full(slope.DType(), s.attr.(float64)))
		most := ops.Div(ops.Mul(slope, largest(in[1])), deviation)
		off := ops.Div(ops.Mul(slope, largest(in[0])), deviation)
		rows := spec.Count(in[0].Shape()) / max(n, 1)
		return []*ops.Node{
			ops.Mul(most, number(slope, (n+4)*(2+int(math.Sqrt(float64(n)))))),
			ops.Mul(off, number(slope, (n+4)*rows)),
		}
	},
	// The same over all but the channels, axis 1. The statistics of the channels are results of this op, too: the slope of a variance is
	// 2/n · (x - mean(x)) · dy, whose mean is off by n + 2 units, n at least 1; that of a mean is dy/n, which does not cancel.
	"batch_norm_train": func(s step, in []*ops.Node, slope *ops.Node) []*ops.Node {
		epsilon, normalised := s.attr.(float64)
		if !normalised {
			return []*ops.Node{ops.Mul(ops.Mul(slope, largest(in[0])), number(slope, 6))}
		}
		n := spec.Count(in[0].Shape()) / max(in[0].Shape()[1], 1)
		deviation := ops.Sqrt(slope.Graph().Full(slope.DType(), epsilon))
		most := ops.Div(ops.Mul(slope, largest(in[1])), deviation)
		off := ops.Div(ops.Mul(slope, largest(in[0])), deviation)
		return []*ops.Node{
			ops.Mul(most, number(slope, (n+4)*(2+int(math.Sqrt(float64(n)))))),
			ops.Mul(off, number(slope, (n+4)*n)),
		}
	},
	// dq = scale · s·k and dk = scale · sᵀ·q of s = p ∘ (dy·vᵀ - Σ dy ∘ y), where y is a mean of v
	"attention": func(s step, in []*ops.Node, slope *ops.Node) []*ops.Node {
		q, k, v := in[0], in[1], in[2]
		rank := len(q.Shape())
		d, n, e := q.Shape()[rank-1], k.Shape()[len(k.Shape())-2], v.Shape()[len(v.Shape())-1]
		rows := spec.Count(q.Shape()[:rank-1]) // each of which gives the keys a slope
		scale := slope.Graph().Full(slope.DType(), 1/math.Sqrt(float64(d)))
		scores := ops.Mul(ops.Mul(scale, ops.Mul(slope, largest(v))), number(slope, 2*e*(e+n+4)))
		return []*ops.Node{
			ops.Mul(scores, largest(k)),
			ops.Mul(ops.Mul(scores, largest(q)), number(slope, rows)),
		}
	},
}

// ofResult is for functions whose slope is a difference that the result tends to make zero: 1 - y², y - y², 2xy - 2/√π. The
// difference is off by as much as the result is, twice at most, and by its rounding.
func ofResult(s step, _ []*ops.Node, slope *ops.Node) []*ops.Node {
	return []*ops.Node{ops.Mul(slope, number(slope, 2*int(math.Ceil(spec.Of(s.op).Tolerance.ULP))+1))}
}

// extentOf is the extent of the axis that s names.
func extentOf(s step, in []*ops.Node) int {
	shape, axis := in[0].Shape(), s.attr.(int)
	if axis < 0 {
		axis += len(shape)
	}
	return shape[axis]
}

// number is n as a scalar beside x.
func number(x *ops.Node, n int) *ops.Node { return x.Graph().Full(x.DType(), float64(n)) }

// largest is the largest magnitude in x, zero of nothing.
func largest(x *ops.Node) *ops.Node { return ops.Maximum(ops.Max(ops.Abs(x)), number(x, 0)) }

// leftover is a scalar whose gradient with respect to an input is, in units of
// rounding, an example of the error that cancelling leaves in the gradient of loss: slopes
// are linear in one another, so the operands of cancelling ops have errors for
// slopes, of random signs.
func (p *program) leftover(nodes []*ops.Node, loss *ops.Node, rng *rand.Rand) *ops.Node {
	sum := number(loss, 0)
	for i, s := range p.steps {
		bounds := cancelling[s.op]
		if bounds == nil || spec.Count(p.shape(i)) == 0 {
			continue
		}
		in := make([]*ops.Node, len(s.args))
		for k, a := range s.args {
			in[k] = nodes[a]
		}
		slope := largest(ops.Gradients(loss, nodes[i])[0])
		for k, bound := range bounds(s, in, slope) {
			signs := spec.NewArray(tensor.Float64, in[k].Shape()...)
			for j := range signs.F {
				signs.F[j] = float64(1 - 2*rng.IntN(2))
			}
			errors := ops.Mul(loss.Graph().Const(signs.Tensor()), ops.StopGradient(bound))
			sum = ops.Add(sum, ops.Sum(ops.Mul(errors, in[k])))
		}
	}
	return sum
}
