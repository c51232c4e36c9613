package optim

import (
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Schedule is a factor of the learning rate, a float32 scalar, of the number of steps that were made before, an int64 scalar. What
// it is made of belongs to the graph, so that a step computes its own rate.
type Schedule func(step *ops.Node) *ops.Node

func asFloat(step *ops.Node) *ops.Node { return ops.Cast(step, tensor.Float32) }

// Cosine falls from 1 to least along half a cosine in so many steps, and stays there:
//
//	least + (1 - least)·(1 + cos(π·t/steps))/2
//
// Source: Loshchilov and Hutter, SGDR: Stochastic Gradient Descent with Warm Restarts (2017).
func Cosine(steps int, least float64) Schedule {
	return func(step *ops.Node) *ops.Node {
		return cosine(ops.Minimum(ops.Mul(asFloat(step), 1/float64(max(steps, 1))), 1), 1, least)
	}
}

// cosine falls from high to low while x goes from 0 to 1.
func cosine(x *ops.Node, high, low float64) *ops.Node {
	return ops.Add(ops.Mul(ops.Add(ops.Cos(ops.Mul(x, math.Pi)), 1), (high-low)/2), low)
}

// WarmUp rises in a line from near 0 to 1 in so many steps, the first of which has 1/steps; then goes on with then, whose
// first step is the one after, or stays at 1 where then is nil.
func WarmUp(steps int, then Schedule) Schedule {
	return func(step *ops.Node) *ops.Node {
		if steps < 1 {
			steps = 1
		}
		up := ops.Mul(ops.Add(asFloat(step), 1), 1/float64(steps))
		after := ops.OnesLike(up)
		if then != nil {
			after = then(ops.Maximum(ops.Sub(step, int64(steps)), int64(0)))
		}
		return ops.Where(ops.Less(step, int64(steps)), up, after)
	}
}
