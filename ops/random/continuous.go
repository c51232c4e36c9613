package random

import (
	"errors"
	"fmt"
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/build"
	"github.com/anycl/anycl/tensor"
)

// from draws with parameters of one shape, which f is given.
func from(name string, f func(p []*ops.Node) *ops.Node, p ...*ops.Node) *ops.Node {
	wide, y := broadcast(name, p, func(_ int, dt tensor.DType) error {
		if dt != p[0].DType() || dt != tensor.Float32 && dt != tensor.Float64 {
			return fmt.Errorf("a parameter is %v, and not float32 or float64 as the first, %v", dt, p[0].DType())
		}
		return nil
	})
	if y == nil {
		p[0].Graph().Named(name, func() { y = f(wide) })
	}
	return y
}

// broadcast are operands of the dtypes that check allows, in the shape that they have together. bad is the result where there is none.
func broadcast(name string, p []*ops.Node, check func(i int, dt tensor.DType) error) (wide []*ops.Node, bad *ops.Node) {
	for _, n := range p {
		if n == nil {
			return nil, ops.Add(n, n) // which says so
		}
		if build.Failed(n) {
			return nil, n
		}
	}
	for i, n := range p {
		if err := check(i, n.DType()); err != nil {
			return nil, n.Graph().Fail(name, err, p...)
		}
	}
	all := p[0]
	for _, n := range p[1:] {
		if all = ops.Add(all, n); build.Failed(all) {
			return nil, all
		}
	}
	wide = make([]*ops.Node, len(p))
	for i, n := range p {
		wide[i] = ops.BroadcastTo(n, all.Shape()...)
	}
	return wide, nil
}

// within is y where c holds, else NaN.
func within(c, y *ops.Node) *ops.Node { return ops.Where(c, y, math.NaN()) }

func positive(all ...*ops.Node) *ops.Node {
	c := ops.Greater(all[0], 0.0)
	for _, n := range all[1:] {
		c = ops.And(c, ops.Greater(n, 0.0))
	}
	return c
}

// uniform is in (0, 1), as x in shape and dtype: the middles of the steps of [ops.Graph.Uniform]. The largest of them may be rounded to 1.
func uniform(x *ops.Node) *ops.Node {
	half := 0x1p-25
	if x.DType() == tensor.Float64 {
		half = 0x1p-54
	}
	return ops.Add(x.Graph().Uniform(x.DType(), x.Shape()...), half)
}

func normal(x *ops.Node) *ops.Node { return x.Graph().Normal(x.DType(), x.Shape()...) }

// Laplace draws with the density e^(-|y - loc|/scale) / (2 scale).
func Laplace(loc, scale *ops.Node) *ops.Node {
	return from("random.Laplace", func(p []*ops.Node) *ops.Node {
		u := ops.Sub(uniform(p[0]), 0.5)
		tail := ops.Log1p(ops.Mul(-2, ops.Minimum(ops.Abs(u), 0.5-0x1p-25)))
		return within(positive(p[1]), ops.Sub(p[0], ops.Mul(p[1], ops.Mul(ops.Sign(u), tail))))
	}, loc, scale)
}

// Logistic draws with the distribution 1/(1 + e^(-(y - loc)/scale)).
func Logistic(loc, scale *ops.Node) *ops.Node {
	return from("random.Logistic", func(p []*ops.Node) *ops.Node {
		u := ops.Minimum(uniform(p[0]), 1-0x1p-24)
		return within(positive(p[1]), ops.Add(p[0], ops.Mul(p[1], ops.Sub(ops.Log(u), ops.Log1p(ops.Neg(u))))))
	}, loc, scale)
}

// Cauchy draws with the density 1/(π scale (1 + ((y - loc)/scale)²)).
func Cauchy(loc, scale *ops.Node) *ops.Node {
	return from("random.Cauchy", func(p []*ops.Node) *ops.Node {
		return within(positive(p[1]), ops.Add(p[0], ops.Mul(p[1], ops.Tan(ops.Mul(math.Pi, ops.Sub(uniform(p[0]), 0.5))))))
	}, loc, scale)
}

// Weibull draws with the distribution 1 - e^(-y^a), y ≥ 0.
func Weibull(a *ops.Node) *ops.Node {
	return from("random.Weibull", func(p []*ops.Node) *ops.Node {
		return within(positive(p[0]), ops.Pow(ops.Neg(ops.Log(uniform(p[0]))), ops.Reciprocal(p[0])))
	}, a)
}

// Pareto draws with the density a/(1 + y)^(a+1), y ≥ 0: the Lomax distribution, as NumPy's function does.
func Pareto(a *ops.Node) *ops.Node {
	return from("random.Pareto", func(p []*ops.Node) *ops.Node {
		return within(positive(p[0]), ops.Expm1(ops.Div(ops.Neg(ops.Log(uniform(p[0]))), p[0])))
	}, a)
}

// Power draws with the density a·y^(a-1), 0 < y ≤ 1.
func Power(a *ops.Node) *ops.Node {
	return from("random.Power", func(p []*ops.Node) *ops.Node {
		return within(positive(p[0]), ops.Exp(ops.Div(ops.Log(uniform(p[0])), p[0])))
	}, a)
}

// Rayleigh draws with the density y/scale² · e^(-y²/(2 scale²)), y ≥ 0.
func Rayleigh(scale *ops.Node) *ops.Node {
	return from("random.Rayleigh", func(p []*ops.Node) *ops.Node {
		return within(positive(p[0]), ops.Mul(p[0], ops.Sqrt(ops.Mul(-2, ops.Log(uniform(p[0]))))))
	}, scale)
}

// Triangular draws with a density that rises from left to mode and falls to right, left < right.
func Triangular(left, mode, right *ops.Node) *ops.Node {
	return from("random.Triangular", func(p []*ops.Node) *ops.Node {
		u, width := uniform(p[0]), ops.Sub(p[2], p[0])
		rise := ops.Sub(p[1], p[0])
		up := ops.Add(p[0], ops.Sqrt(ops.Mul(u, ops.Mul(width, rise))))
		down := ops.Sub(p[2], ops.Sqrt(ops.Mul(ops.Maximum(ops.Sub(1, u), 0.0), ops.Mul(width, ops.Sub(p[2], p[1])))))
		inside := ops.And(ops.Greater(width, 0.0), ops.And(ops.GreaterEqual(rise, 0.0), ops.GreaterEqual(p[2], p[1])))
		return within(inside, ops.Where(ops.Less(ops.Mul(u, width), rise), up, down))
	}, left, mode, right)
}

// ChiSquare draws the sum of the squares of k normal numbers; k need not be whole.
func ChiSquare(k *ops.Node) *ops.Node {
	return from("random.ChiSquare", func(p []*ops.Node) *ops.Node { return within(positive(p[0]), chiSquare(p[0])) }, k)
}

func chiSquare(k *ops.Node) *ops.Node { return ops.Mul(2, ops.Gamma(ops.Mul(0.5, k))) }

// NoncentralChiSquare draws the sum of the squares of k normal numbers whose expectations have the sum of squares lambda ≥ 0: a chi-square
// variate with k + 2n degrees, n from a Poisson distribution.
func NoncentralChiSquare(k, lambda *ops.Node) *ops.Node {
	return from("random.NoncentralChiSquare", func(p []*ops.Node) *ops.Node {
		return within(ops.And(positive(p[0]), ops.GreaterEqual(p[1], 0.0)), noncentral(p[0], p[1]))
	}, k, lambda)
}

func noncentral(k, lambda *ops.Node) *ops.Node {
	return chiSquare(ops.Add(k, ops.Mul(2, ops.Poisson(ops.Mul(0.5, lambda)))))
}

// F draws the ratio of two chi-square variates, each divided by its degrees.
func F(numerator, denominator *ops.Node) *ops.Node {
	return from("random.F", func(p []*ops.Node) *ops.Node {
		return within(positive(p...), ops.Div(ops.Div(chiSquare(p[0]), p[0]), ops.Div(chiSquare(p[1]), p[1])))
	}, numerator, denominator)
}

// NoncentralF is [F] with a noncentral numerator.
func NoncentralF(numerator, denominator, lambda *ops.Node) *ops.Node {
	return from("random.NoncentralF", func(p []*ops.Node) *ops.Node {
		y := ops.Div(ops.Div(noncentral(p[0], p[2]), p[0]), ops.Div(chiSquare(p[1]), p[1]))
		return within(ops.And(positive(p[:2]...), ops.GreaterEqual(p[2], 0.0)), y)
	}, numerator, denominator, lambda)
}

// StudentT draws a normal number divided by the root of a chi-square variate over its degrees, df.
func StudentT(df *ops.Node) *ops.Node {
	return from("random.StudentT", func(p []*ops.Node) *ops.Node {
		return within(positive(p[0]), ops.Mul(normal(p[0]), ops.Sqrt(ops.Div(p[0], chiSquare(p[0])))))
	}, df)
}

// Wald draws with the density √(scale/(2π y³)) · e^(-scale (y - mean)²/(2 mean² y)), y > 0: the inverse Gaussian distribution.
// Source: Michael, Schucany and Haas, Generating random variates using transformations with multiple roots (1976).
func Wald(mean, scale *ops.Node) *ops.Node {
	return from("random.Wald", func(p []*ops.Node) *ops.Node {
		mean := p[0]
		y := ops.Mul(mean, ops.Square(normal(mean)))
		// The smaller root, mean + half (y - √(4 scale y + y²)), without a difference of like numbers.
		root := ops.Sqrt(ops.Add(ops.Mul(ops.Mul(4, p[1]), y), ops.Square(y)))
		x := ops.Div(ops.Mul(mean, ops.Mul(2, p[1])), ops.Add(ops.Mul(2, p[1]), ops.Add(y, root)))
		return within(positive(p...), ops.Where(ops.LessEqual(ops.Mul(uniform(mean), ops.Add(mean, x)), mean), x, ops.Div(ops.Square(mean), x)))
	}, mean, scale)
}

var errNone = errors.New("there is nothing to choose from")
