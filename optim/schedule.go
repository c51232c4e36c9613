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

// Cosine falls from 1 to least along half a cosine in the given number of steps, and stays there:
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

// WarmUp rises in a line from near 0 to 1 in the given number of steps, the first of which has 1/steps; then goes on with then, whose
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

// Constant is a factor that stays as it is.
func Constant(factor float64) Schedule {
	return func(step *ops.Node) *ops.Node { return ops.ScalarLike(asFloat(step), factor) }
}

// Steps multiplies by gamma after each period of the given steps: gamma^⌊t/every⌋. PyTorch: StepLR.
func Steps(every int, gamma float64) Schedule {
	return func(step *ops.Node) *ops.Node {
		return power(gamma, asFloat(ops.FloorDivide(step, int64(max(every, 1)))))
	}
}

// MultiStep multiplies by gamma at each of the milestones, which rise. PyTorch: MultiStepLR.
func MultiStep(gamma float64, milestones ...int) Schedule {
	return func(step *ops.Node) *ops.Node {
		n := ops.ScalarLike(asFloat(step), 0)
		for _, m := range milestones {
			n = ops.Add(n, ops.Cast(ops.GreaterEqual(step, int64(m)), tensor.Float32))
		}
		return power(gamma, n)
	}
}

// Exponential is gamma^t. PyTorch: ExponentialLR.
func Exponential(gamma float64) Schedule {
	return func(step *ops.Node) *ops.Node { return power(gamma, asFloat(step)) }
}

// power is base^n for n from 0 on.
func power(base float64, n *ops.Node) *ops.Node {
	if base <= 0 {
		return ops.Where(ops.Equal(n, 0), ops.OnesLike(n), ops.ZerosLike(n))
	}
	return ops.Exp(ops.Mul(n, math.Log(base)))
}

// Polynomial is (1 - t/steps)^degree, and 0 from steps on. PyTorch: PolynomialLR. With a degree of 1 it is a line.
func Polynomial(steps int, degree float64) Schedule {
	return func(step *ops.Node) *ops.Node {
		left := ops.Sub(1, ops.Minimum(ops.Mul(asFloat(step), 1/float64(max(steps, 1))), 1))
		if degree == 1 {
			return left
		}
		return ops.Pow(left, degree)
	}
}

// Linear goes in a line from one factor to another in the given number of steps, and stays there. PyTorch: LinearLR.
func Linear(steps int, from, to float64) Schedule {
	return func(step *ops.Node) *ops.Node {
		x := ops.Minimum(ops.Mul(asFloat(step), 1/float64(max(steps, 1))), 1)
		return ops.Add(ops.Mul(x, to-from), from)
	}
}

// CosineRestarts falls as [Cosine] in the given number of steps, then begins anew with a period that is grow times as long: grow is 1 or
// more, a whole number. PyTorch: CosineAnnealingWarmRestarts. Source: as Cosine.
func CosineRestarts(steps, grow int, least float64) Schedule {
	steps, grow = max(steps, 1), max(grow, 1)
	return func(step *ops.Node) *ops.Node {
		if grow == 1 {
			at := asFloat(ops.Mod(step, int64(steps)))
			return cosine(ops.Mul(at, 1/float64(steps)), 1, least)
		}
		// The beginnings of all periods that steps can reach, from the last back; they are exact, which a logarithm is not.
		at, length := asFloat(step), ops.ScalarLike(asFloat(step), float64(steps))
		for begin, n := int64(steps), int64(steps)*int64(grow); begin < 1<<40 && n > 0; begin, n = begin+n, n*int64(grow) {
			in := ops.GreaterEqual(step, begin)
			at = ops.Where(in, asFloat(ops.Sub(step, begin)), at)
			length = ops.Where(in, ops.ScalarLike(length, float64(n)), length)
		}
		return cosine(ops.Div(at, length), 1, least)
	}
}

// OneCycle rises from 1/start to 1 during the first share of the given steps and falls to 1/(start·end) in the rest, both along half a
// cosine. 0 means a share of 0.3, a start of 25 and an end of 10,000, as PyTorch's OneCycleLR. The rate of the rule is the
// highest. Source: Smith and Topin, Super-Convergence (2019).
func OneCycle(steps int, share, start, end float64) Schedule {
	share, start, end = value(share, 0.3), value(start, 25), value(end, 1e4)
	up := share*float64(steps) - 1
	down := float64(steps) - 1
	return func(step *ops.Node) *ops.Node {
		t := asFloat(step)
		rise := cosine(ops.Clip(ops.Mul(t, 1/max(up, 1e-6)), 0, 1), 1/start, 1)
		fall := cosine(ops.Clip(ops.Mul(ops.Sub(t, up), 1/max(down-up, 1e-6)), 0, 1), 1, 1/(start*end))
		return ops.Where(ops.LessEqual(t, up), rise, fall)
	}
}

// Sequence goes from one schedule to the next at each of the milestones, which rise; a schedule counts steps from its
// own beginning. There is one milestone fewer than schedules; schedules without one are never reached. PyTorch: SequentialLR.
func Sequence(schedules []Schedule, milestones ...int) Schedule {
	return func(step *ops.Node) *ops.Node {
		if len(schedules) == 0 {
			return ops.OnesLike(asFloat(step))
		}
		y := schedules[0](step)
		for i, m := range milestones {
			if i+1 < len(schedules) {
				y = ops.Where(ops.GreaterEqual(step, int64(m)), schedules[i+1](ops.Maximum(ops.Sub(step, int64(m)), int64(0))), y)
			}
		}
		return y
	}
}
