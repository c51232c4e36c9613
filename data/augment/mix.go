package augment

import (
	"errors"
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// MixUp mixes each example with another of the batch, drawn as a random order of it, and their targets alike:
//
//	x ← λ·x + (1 - λ)·x',  y ← λ·y + (1 - λ)·y',  λ from Beta(alpha, alpha)
//
// x is floats [N, ...] and y floats [N, classes], one-hot for the most part: see [ops.OneHot]. λ is drawn for each example. Errors: shapes,
// dtypes; alpha is not above 0. Source: Zhang, Cisse, Dauphin and Lopez-Paz, mixup: Beyond Empirical Risk Minimization (2018).
func MixUp(x, y *ops.Node, alpha float64) (mixed, targets *ops.Node) {
	if bad := pairs("augment.MixUp", x, y, alpha); bad != nil {
		return bad, bad
	}
	lambda, order := ratios(x, alpha)
	return blend(x, order, spread(lambda, x)), blend(y, order, spread(lambda, y))
}

// CutMix puts a rectangle of another image of the batch, drawn as a random order of it, over each image at the same place, and mixes the
// targets by area:
//
//	a box of √(1 - λ) of the height and of the width, its centre anywhere, cut at the edges;  y ← (1 - a)·y + a·y',  a its part of the image
//
// with λ from Beta(alpha, alpha). x is images and y floats [N, classes]. Errors: as [MixUp].
// Source: Yun et al., CutMix: Regularization Strategy to Train Strong Classifiers with Localizable Features (2019).
func CutMix(x, y *ops.Node, alpha float64) (mixed, targets *ops.Node) {
	if bad := images("augment.CutMix", x, nil); bad != nil {
		return bad, bad
	}
	if bad := pairs("augment.CutMix", x, y, alpha); bad != nil {
		return bad, bad
	}
	lambda, order := ratios(x, alpha)
	side := ops.Sqrt(ops.Sub(1.0, lambda)) // [N]
	inside := func(axis int) (mask, part *ops.Node) {
		size := x.Dim(axis)
		centre := ops.Mul(ops.Reshape(uniform(x, 0, 1), x.Dim(0)), float64(size))
		half := ops.Mul(side, float64(size)/2)
		from := ops.Floor(ops.Clip(ops.Sub(centre, half), 0, float64(size)))
		to := ops.Floor(ops.Clip(ops.Add(centre, half), 0, float64(size)))
		shape := []int{1, 1, 1, 1}
		shape[axis] = size
		at := make([]float32, size)
		for i := range at {
			at[i] = float32(i)
		}
		place := x.Graph().Const(tensor.Must(tensor.FromSlice(at, shape...)))
		mask = ops.LogicalAnd(ops.GreaterEqual(place, spread(from, x)), ops.Less(place, spread(to, x)))
		return mask, ops.Div(ops.Sub(to, from), float64(size))
	}
	rows, high := inside(2)
	columns, wide := inside(3)
	area := ops.Mul(high, wide)
	other := ops.Gather(x, 0, order)
	mixed = ops.Where(ops.LogicalAnd(rows, columns), other, x)
	return mixed, blend(y, order, spread(ops.Sub(1.0, area), y))
}

// pairs checks examples and their targets.
func pairs(name string, x, y *ops.Node, alpha float64) *ops.Node {
	if x == nil || y == nil || x.DType() == tensor.Invalid || y.DType() == tensor.Invalid {
		return ops.Apply("add", nil, x, y) // which fails, and says why
	}
	var wrong error
	switch {
	case !(alpha > 0) || math.IsInf(alpha, 0):
		wrong = errors.New("alpha is not above 0")
	case x.Rank() < 1 || !x.DType().IsFloat() || y.Rank() != 2 || !y.DType().IsFloat() || x.Dim(0) != y.Dim(0):
		wrong = errors.New("examples are floats [N, ...], and targets floats [N, classes]")
	default:
		return nil
	}
	return x.Graph().Fail(name, wrong, x, y)
}

// ratios draws for each example λ, and the number of the other, [N] both.
func ratios(x *ops.Node, alpha float64) (lambda, order *ops.Node) {
	g, n := x.Graph(), x.Dim(0)
	a := ops.BroadcastTo(g.Const(tensor.Must(tensor.FromSlice([]float32{float32(alpha)}))), n)
	return ops.Beta(a, a), g.Permutation(n)
}

// spread makes numbers [N] such that they broadcast over x, still in float32.
func spread(v, x *ops.Node) *ops.Node {
	for range x.Rank() - 1 {
		v = ops.ExpandDims(v, -1)
	}
	return v
}

// blend is lambda·x + (1 - lambda)·x[order].
func blend(x, order, lambda *ops.Node) *ops.Node {
	return ops.Lerp(ops.Gather(x, 0, order), x, ops.Cast(lambda, x.DType()))
}
