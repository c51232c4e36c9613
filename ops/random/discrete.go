package random

import (
	"fmt"
	"github.com/anycl/anycl/tensor"

	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/build"
)

// Geometric draws the number of trials until the first success, each with the probability p in (0, 1].
func Geometric(p *ops.Node) *ops.Node {
	return from("random.Geometric", func(q []*ops.Node) *ops.Node {
		n := ops.Ceil(ops.Div(ops.Log(uniform(q[0])), ops.Log1p(ops.Neg(q[0]))))
		return within(probability(q[0]), ops.Maximum(n, 1.0))
	}, p)
}

func probability(p *ops.Node) *ops.Node { return ops.And(ops.Greater(p, 0.0), ops.LessEqual(p, 1.0)) }

// NegativeBinomial draws the number of failures before n successes, each with the probability p in (0, 1]: a Poisson variate whose
// expectation is one of the gamma distribution. n need not be whole.
func NegativeBinomial(n, p *ops.Node) *ops.Node {
	return from("random.NegativeBinomial", func(q []*ops.Node) *ops.Node {
		rate := ops.Mul(ops.Gamma(q[0]), ops.Div(ops.Sub(1, q[1]), q[1]))
		return within(ops.And(positive(q[0]), probability(q[1])), ops.Poisson(rate))
	}, n, p)
}

// LogSeries draws with P(k) = -p^k / (k ln(1 - p)), k ≥ 1, 0 < p < 1.
// Source: Kemp, Efficient generation of logarithmically distributed pseudo-random variables (1981), algorithm LS.
func LogSeries(p *ops.Node) *ops.Node {
	return from("random.LogSeries", func(q []*ops.Node) *ops.Node {
		r := ops.Log1p(ops.Neg(q[0]))
		below := ops.Neg(ops.Expm1(ops.Mul(r, uniform(r)))) // 1 - (1 - p)^u
		k := ops.Floor(ops.Add(1, ops.Div(ops.Log(uniform(r)), ops.Log(below))))
		return within(ops.And(positive(q[0]), ops.Less(q[0], 1.0)), ops.Maximum(k, 1.0))
	}, p)
}

// few is the number of trials that are made one by one.
const few = 8

// Binomial draws the number of successes in n trials, each with the probability p in [0, 1], for each element of p. Trials are halved by
// the order statistic in the middle of as many uniform numbers, which has a beta distribution, until few are left. Errors: n is not from
// 0 to 2^24.
// Source: Relles, A simple algorithm for generating binomial random variables when N is large (1972).
func Binomial(n int, p *ops.Node) *ops.Node {
	const name = "random.Binomial"
	if (n < 0 || n > 1<<24) && p != nil {
		return p.Graph().Fail(name, fmt.Errorf("%d trials", n), p)
	}
	return from(name, func(q []*ops.Node) *ops.Node {
		inside := ops.And(ops.GreaterEqual(q[0], 0.0), ops.LessEqual(q[0], 1.0))
		return within(inside, binomial(n, ops.FullLike(q[0], float64(n)), ops.Clamp(q[0], 0.0, 1.0)))
	}, p)
}

// binomial draws with left trials, whole numbers of at most n.
func binomial(n int, left, p *ops.Node) *ops.Node {
	count := ops.ZerosLike(p)
	for ; n > few; n = n / 2 {
		many := ops.Greater(left, float64(few))
		m := ops.Add(1, ops.Floor(ops.Mul(0.5, left))) // the m-th smallest of left uniform numbers
		b := ops.Beta(m, ops.Sub(ops.Add(left, 1), m))
		below := ops.LessEqual(b, p)
		hit := ops.And(many, below)
		count = ops.Add(count, ops.Where(hit, m, 0.0))
		rest := ops.Clamp(ops.Where(below, ops.Div(ops.Sub(p, b), ops.Sub(1, b)), ops.Div(p, b)), 0.0, 1.0)
		left = ops.Where(many, ops.Where(below, ops.Sub(left, m), ops.Sub(m, 1)), left)
		p = ops.Where(many, ops.Where(ops.IsFinite(rest), rest, 0.0), p)
	}
	for i := range min(n, few) {
		hit := ops.And(ops.Greater(left, float64(i)), ops.Less(p.Graph().Uniform(p.DType(), p.Shape()...), p))
		count = ops.Add(count, ops.Cast(hit, p.DType()))
	}
	return count
}

// MultinomialCounts draws how often each class comes in n trials, with probabilities p along the last axis, which add up to 1: a binomial
// variate for each class among the trials that are left. Errors: p is a scalar or has no classes; n is not from 0 to 2^24.
func MultinomialCounts(n int, p *ops.Node) *ops.Node {
	const name = "random.MultinomialCounts"
	if p != nil && !build.Failed(p) && (p.Rank() == 0 || p.Dim(-1) == 0 || n < 0 || n > 1<<24) {
		return p.Graph().Fail(name, fmt.Errorf("%d trials among the classes of %v", n, p.Shape()), p)
	}
	return from(name, func(q []*ops.Node) *ops.Node {
		p, classes := q[0], q[0].Dim(-1)
		var counts []*ops.Node
		left := ops.FullLike(build.Cut(p, -1, 0, 1), float64(n))
		for c := range classes {
			if c == classes-1 {
				counts = append(counts, left)
				break
			}
			mass := ops.Reshape(ops.Sum(build.Cut(p, -1, c, classes), -1), left.Shape()...)
			share := ops.Div(build.Cut(p, -1, c, c+1), mass)
			k := binomial(n, left, ops.Clamp(ops.Where(ops.IsFinite(share), share, 0.0), 0.0, 1.0))
			counts, left = append(counts, k), ops.Sub(left, k)
		}
		return ops.Concat(-1, counts...)
	}, p)
}

// Choice draws n slices of x along axis, all equally likely, with replacement or none twice. Errors: the axis does not exist; n is
// negative, or above the number of slices without replacement; there are no slices.
func Choice(x *ops.Node, axis, n int, replacement bool) *ops.Node {
	const name = "random.Choice"
	if x == nil {
		return ops.Add(x, x)
	}
	if build.Failed(x) {
		return x
	}
	a, err := shapes.Axis(axis, x.Rank())
	if err != nil {
		return x.Graph().Fail(name, err, x)
	}
	g, have := x.Graph(), x.Dim(a)
	switch {
	case n < 0 || !replacement && n > have:
		return g.Fail(name, fmt.Errorf("%d of %d", n, have), x)
	case have == 0 && n > 0:
		return g.Fail(name, errNone, x)
	case !replacement:
		return ops.Gather(x, a, build.Cut(g.Permutation(have), 0, 0, n))
	}
	return ops.Gather(x, a, g.RandomInts(i64, 0, int64(max(have, 1)), n))
}

const i64 = tensor.Int64
