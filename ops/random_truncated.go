package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/tensor"
)

// TruncatedNormal draws from a normal distribution of which only what lies in [low, high] is kept, independent for each element and anew at every Run:
//
//	density e^(-(y - mean)² / (2 deviation²)) / c,  low <= y <= high
//
// as mean + deviation · NDTRI(Φ(α) + u (Φ(β) - Φ(α))) of a uniform u, where α and β are the bounds in deviations from the mean and Φ is [NDTR]; of the two tails the
// lighter one is used, so that no digits are lost in the upper one. Every result is in [low, high], also after rounding to dt, a float. The bounds may be infinite. Otherwise as
// [Graph.Uniform]. Errors: dt is not a float; the deviation is not positive; high is not above low, or no number of dt is between them; the interval has a probability below 1e-30, in
// float64 1e-290.
// Source: Devroye, Non-Uniform Random Variate Generation (1986), section II.2.1; PyTorch, torch.nn.init.trunc_normal_.
func (g *Graph) TruncatedNormal(dt tensor.DType, mean, deviation, low, high float64, shape ...int) *Node {
	if g == nil || !slices.Contains(floats, dt) {
		return g.random("uniform", dt, shape)
	}
	alpha, beta := (low-mean)/deviation, (high-mean)/deviation
	least, most := roundTo(dt, low, true), roundTo(dt, high, false)
	tail := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 } // Φ
	// The mass between, as a difference of the tails that are light.
	mass := tail(beta) - tail(alpha)
	if alpha > 0 {
		mass = tail(-alpha) - tail(-beta)
	}
	weight := 1e-30
	if dt == tensor.Float64 {
		weight = 1e-290
	}
	switch {
	case math.IsNaN(mean) || math.IsInf(mean, 0) || !(deviation > 0) || math.IsInf(deviation, 0):
		return g.fail("truncated_normal", nil, fmt.Errorf("the mean is %v and the deviation %v", mean, deviation))
	case !(low < high) || !(least <= most):
		return g.fail("truncated_normal", nil, fmt.Errorf("no %v lies between %v and %v", dt, low, high))
	case !(mass > weight):
		return g.fail("truncated_normal", nil, fmt.Errorf("the probability from %v to %v is %v, which is too small", low, high, mass))
	}
	y := g.wide("uniform", dt, shape, func(u *Node) *Node {
		half := math.Ldexp(1, -25) // a u of 0 counts as half a step
		if u.dtype == tensor.Float64 {
			half = math.Ldexp(1, -54)
		}
		below := Add(Mul(Maximum(u, half), mass), tail(alpha))   // what lies below
		above := Add(Mul(Sub(float64(1), u), mass), tail(-beta)) // and above
		lower := LessEqual(below, above)
		z := NDTRI(Where(lower, below, above))
		return Add(Mul(Where(lower, z, Neg(z)), deviation), mean)
	})
	if y.bad {
		return y
	}
	return Maximum(Minimum(y, most), least)
}

// roundTo is v, or the next number of dt above or below it.
func roundTo(dt tensor.DType, v float64, up bool) float64 {
	if math.IsInf(v, 0) || dt == tensor.Float64 {
		return v
	}
	near := func(v float64) float64 {
		return tensor.Must(tensor.Cast(tensor.Scalar(v), dt)).Float64At(0)
	}
	y := near(v)
	if y == v || math.IsNaN(v) || up == (y > v) {
		return y
	}
	// A step of dt, and half of one so that rounding goes on to the next.
	toward := math.Inf(-1)
	if up {
		toward = math.Inf(1)
	}
	for step := math.Nextafter(v, toward) - v; ; step *= 2 {
		if next := near(v + step); next != y {
			return next
		}
	}
}
