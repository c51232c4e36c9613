package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/philox"
	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/tensor"
)

// Bits draws independent random words, uint32 or uint64, anew at every Run. Otherwise as [Graph.Uniform]. Errors: another dtype; a
// negative extent.
func (g *Graph) Bits(dt tensor.DType, shape ...int) *Node {
	if g != nil && dt != tensor.Uint32 && dt != tensor.Uint64 {
		return g.fail("random_bits", nil, dtypeError(dt, []tensor.DType{tensor.Uint32, tensor.Uint64}))
	}
	return g.random("random_bits", dt, shape)
}

var _ = define(Op{
	Name: "random_bits", builtBy: "Graph.Bits", Category: "random", DTypes: []tensor.DType{tensor.Uint32, tensor.Uint64}, Flat: true,
	kind: ir.KindRandom,
	Scalar: &engine.Scalar{
		Arity: 4,
		Flops: 60,
		OpenCLFor: func(out tensor.DType, _ []tensor.DType) string {
			if out == tensor.Uint32 {
				return "philox(a, b, c, d).x"
			}
			return "philox_bits(a, b, c, d)"
		},
		Host: func(out tensor.DType, _ []tensor.DType, dst engine.Block, args []engine.Block) {
			at, run, stream, seed := args[0].U64, args[1].U64, args[2].U64, args[3].U64
			for i := range dst.U64 {
				w := philox.Words(at[i], uint32(run[i]), uint32(stream[i]), seed[i])
				if dst.U64[i] = uint64(w[0]); out == tensor.Uint64 {
					dst.U64[i] = uint64(w[0])<<32 | uint64(w[1])
				}
			}
		},
	},
})

// drawOp is an element-wise draw by trials, from a parameter and a random seed for each element.
func drawOp(name, c string, draw func(d philox.Draws, p float64, seed uint64) float64) Op {
	return Op{
		Name: name, hidden: true, DTypes: []tensor.DType{tensor.Float32, tensor.Float64}, Flat: true,
		Operands: []Operand{{Name: "p"}, {Name: "seed", DTypes: []tensor.DType{tensor.Uint64}}},
		Result:   same,
		Scalar: &engine.Scalar{
			Flops: 400,
			OpenCLFor: func(out tensor.DType, _ []tensor.DType) string {
				if out == tensor.Float64 {
					return c + "_double(a, b)"
				}
				return c + "(a, b)"
			},
			Host: func(out tensor.DType, _ []tensor.DType, dst engine.Block, args []engine.Block) {
				if engine.ClassOf(out) == engine.ClassF64 {
					for i, p := range args[0].F64 {
						dst.F64[i] = draw(philox.Draws{Wide: true}, p, args[1].U64[i])
					}
					return
				}
				for i, p := range args[0].F32 {
					dst.F32[i] = float32(draw(philox.Draws{}, float64(p), args[1].U64[i]))
				}
			},
		},
	}
}

var (
	_ = define(drawOp("draw_log_gamma", "philox_log_gamma", philox.Draws.LogGamma))
	_ = define(drawOp("draw_poisson", "philox_poisson", philox.Draws.Poisson))
)

// drawOf calls a draw for each element of p, a float, in the dtype of its registers.
func drawOf(name string, p *Node) *Node {
	if p == nil || p.bad {
		return apply(name, nil, p, p)
	}
	if !p.dtype.IsFloat() {
		return p.graph.fail(name, []*Node{p}, dtypeError(p.dtype, floats))
	}
	return apply(name, nil, Cast(p, widened(p.dtype)), p.graph.Bits(tensor.Uint64, p.shape...))
}

// like casts a draw back to the dtype of its parameter.
func like(y, p *Node) *Node {
	if y.bad {
		return y
	}
	return Cast(y, p.dtype)
}

// Gamma draws from the gamma distribution with the shape alpha, a float, and scale 1, for each element of alpha, anew at every Run:
//
//	density y^(alpha-1) e^-y / Γ(alpha),  y > 0
//
// Every engine draws the same for a seed but for rounding, which on some devices decides of one trial in a million. An alpha
// below 0 gives NaN. Gradients by alpha are not available. Errors: alpha is not a float.
// Source: Marsaglia and Tsang, A simple method for generating gamma variables (2000).
func Gamma(alpha *Node) *Node { return like(expOf(drawOf("draw_log_gamma", alpha)), alpha) }

func expOf(n *Node) *Node {
	if n.bad {
		return n
	}
	return Exp(n)
}

// Beta draws from the beta distribution, for each pair of elements of a and b, which broadcast:
//
//	density y^(a-1) (1-y)^(b-1) / B(a, b),  0 < y < 1
//
// See [Gamma], of two of which it is made. Errors: dtypes; shapes do not broadcast.
func Beta(a, b *Node) *Node {
	both := Add(a, b)
	if both.bad {
		return both
	}
	x := drawOf("draw_log_gamma", BroadcastTo(a, both.shape...))
	y := drawOf("draw_log_gamma", BroadcastTo(b, both.shape...))
	if x.bad || y.bad {
		return Sub(x, y)
	}
	return like(Sigmoid(Sub(x, y)), a)
}

// Dirichlet draws points whose coordinates, along the last axis, are positive and have the sum 1, with the concentrations alpha:
// gamma variates divided by their sum. See [Gamma]. Errors: alpha is not a float, or a scalar.
func Dirichlet(alpha *Node) *Node {
	n := drawOf("draw_log_gamma", alpha)
	if n.bad {
		return n
	}
	return like(Softmax(n, -1), alpha)
}

// Poisson draws counts with the expectation rate, a float, for each element of rate, in its dtype, anew at every Run:
//
//	P(k) = rate^k e^-rate / k!
//
// A negative rate gives NaN. Every engine draws the same for a seed but for rounding, which on some devices decides of one trial in a
// million. Errors: rate is not a float.
// Source: Hörmann, The transformed rejection method for generating Poisson random variables (1993).
func Poisson(rate *Node) *Node { return like(drawOf("draw_poisson", rate), rate) }

// Bernoulli draws 1 with the probability p, a float, for each element of p, and 0 otherwise, in its dtype, anew at every Run. Errors: p
// is not a float.
// Source: PyTorch, bernoulli.
func Bernoulli(p *Node) *Node {
	if p == nil || p.bad {
		return apply("less", nil, p, p)
	}
	if !p.dtype.IsFloat() {
		return p.graph.fail("bernoulli", []*Node{p}, dtypeError(p.dtype, floats))
	}
	w := Cast(p, widened(p.dtype))
	return Cast(Less(p.graph.Uniform(w.dtype, p.shape...), w), p.dtype)
}

// wide draws numbers of dtype dt in the dtype of its registers, and rounds the result of f.
func (g *Graph) wide(name string, dt tensor.DType, shape []int, f func(u *Node) *Node) *Node {
	if g == nil || !slices.Contains(floats, dt) {
		return g.random(name, dt, shape)
	}
	u := g.Uniform(widened(dt), shape...)
	if u.bad {
		return u
	}
	return Cast(f(u), dt)
}

// Exponential draws waiting times with that rate: y = -ln(1 - u) / rate, u uniform in [0, 1). Otherwise as [Graph.Uniform].
func (g *Graph) Exponential(dt tensor.DType, rate float64, shape ...int) *Node {
	return g.wide("uniform", dt, shape, func(u *Node) *Node { return Mul(Log1p(Neg(u)), -1/rate) })
}

// Gumbel draws from the Gumbel distribution: y = -ln(-ln(1 - u)), u uniform in [0, 1), with an u of 0 as half a step. Otherwise as
// [Graph.Uniform].
func (g *Graph) Gumbel(dt tensor.DType, shape ...int) *Node {
	return g.wide("uniform", dt, shape, gumbel)
}

// gumbel makes uniform numbers into those of the Gumbel distribution.
func gumbel(u *Node) *Node {
	half := math.Ldexp(1, -25)
	if u.dtype == tensor.Float64 {
		half = math.Ldexp(1, -54)
	}
	return Neg(Log(Neg(Log1p(Neg(Maximum(u, half))))))
}

// LogNormal draws e^(mean + deviation·z), z from [Graph.Normal].
func (g *Graph) LogNormal(dt tensor.DType, mean, deviation float64, shape ...int) *Node {
	if g == nil || !slices.Contains(floats, dt) {
		return g.random("normal", dt, shape)
	}
	z := g.Normal(widened(dt), shape...)
	if z.bad {
		return z
	}
	return Cast(Exp(Add(Mul(z, deviation), mean)), dt)
}

// RandomInts draws integers from [low, high), all equally likely but for at most (high - low) / 2^64, in an integer dtype. Otherwise as
// [Graph.Uniform]. Errors: dtype is not an integer; high is not above low.
// Source: PyTorch, randint.
func (g *Graph) RandomInts(dt tensor.DType, low, high int64, shape ...int) *Node {
	switch {
	case g == nil:
		return g.fail("random_ints", nil, errNoGraph)
	case !slices.Contains(ints, dt):
		return g.fail("random_ints", nil, dtypeError(dt, ints))
	case high <= low:
		return g.fail("random_ints", nil, fmt.Errorf("from %d up to %d there is no integer", low, high))
	}
	n := uint64(high) - uint64(low)
	b := g.Bits(tensor.Uint64, shape...)
	if b.bad {
		return b
	}
	var y *Node
	if n <= 1<<32 { // the upper 64 bits of a product of 96
		up, down := ShiftRight(b, uint64(32)), And(b, uint64(1<<32-1))
		y = ShiftRight(Add(Mul(up, n), ShiftRight(Mul(down, n), uint64(32))), uint64(32))
	} else {
		y = Rem(b, n)
	}
	return Cast(Add(y, uint64(low)), dt)
}

// Permutation draws an order of the integers from 0 to n - 1, int64: the order that sorts random words. Otherwise as
// [Graph.Uniform]. Errors: n is negative.
// Source: PyTorch, randperm.
func (g *Graph) Permutation(n int) *Node {
	b := g.Bits(tensor.Uint64, n)
	if b.bad {
		return b
	}
	return ArgSort(b, 0, nil)
}

// Shuffle returns x with its slices along axis in an order drawn anew at every Run. Errors: the axis does not exist.
func Shuffle(x *Node, axis int) *Node {
	if x == nil || x.bad {
		return apply("gather", nil, x, x)
	}
	a, err := shapes.Axis(axis, x.Rank())
	if err != nil {
		return x.graph.fail("shuffle", []*Node{x}, err)
	}
	return Gather(x, a, x.graph.Permutation(x.shape[a]))
}

// Categorical draws classes, int64, with probabilities proportional to e^logits along the last axis of logits, a float: n of them,
// independent, for each row, as a last axis of the result:
//
//	y = argmax_c (logits[c] + g[c]),  g from the Gumbel distribution
//
// A logit of -Inf is never drawn beside others. Errors: logits is not a float, or a scalar; n is negative; there are no classes.
// Source: Maddison, Tarlow and Minka, A* sampling (2014), section 2.
func Categorical(logits *Node, n int) *Node {
	w, err := logitRows(logits, n)
	if w.bad || err != nil {
		return w
	}
	shape := slices.Insert(slices.Clone(w.shape), len(w.shape)-1, n)
	return ArgMax(Add(ExpandDims(w, -2), w.graph.Gumbel(w.dtype, shape...)), -1)
}

// CategoricalDistinct draws n classes for each row like [Categorical], but none twice: one after the other, each in proportion among
// those that are left. Errors: as there; n is above the number of classes.
// Source: Kool, van Hoof and Welling, Stochastic beams and where to find them (2019): the n largest.
func CategoricalDistinct(logits *Node, n int) *Node {
	w, err := logitRows(logits, n)
	if w.bad || err != nil {
		return w
	}
	_, positions := TopK(Add(w, w.graph.Gumbel(w.dtype, w.shape...)), n, -1, nil)
	return positions
}

// Multinomial is [Categorical], or without replacement [CategoricalDistinct], by PyTorch's name, of weights, which are not negative and
// need not add up to 1.
func Multinomial(weights *Node, n int, replacement bool) *Node {
	if weights == nil || weights.bad {
		return apply("log", nil, weights)
	}
	if replacement {
		return Categorical(Log(weights), n)
	}
	return CategoricalDistinct(Log(weights), n)
}

// logitRows are logits in the dtype in which draws are made.
func logitRows(logits *Node, n int) (*Node, error) {
	if logits == nil || logits.bad {
		return apply("add", nil, logits, logits), nil
	}
	var err error
	switch {
	case !logits.dtype.IsFloat():
		err = dtypeError(logits.dtype, floats)
	case logits.Rank() == 0 || n < 0 || logits.Dim(-1) == 0:
		err = fmt.Errorf("%d draws from %v classes", n, logits.shape)
	}
	if err != nil {
		return logits.graph.fail("categorical", []*Node{logits}, err), err
	}
	return Cast(logits, widened(logits.dtype)), nil
}

// TruncatedNormal draws from a normal distribution that is truncated to [low, high], independent for each element and anew at every Run:
//
//	density e^(-(y - mean)² / (2 deviation²)) / c,  low <= y <= high
//
// as mean + deviation · NDTRI(Φ(α) + u (Φ(β) - Φ(α))) of a uniform u, where α and β are the bounds in deviations from the mean and Φ is
// [NDTR]; of the two tails the lighter one is used, so that no digits are lost in the upper one. Every result is in [low, high], also
// after rounding to dt, a float. The bounds may be infinite. Otherwise as [Graph.Uniform]. Errors: dt is not a float; the deviation is
// not positive; high is not above low, or no number of dt is between them; the interval has a probability below 1e-30, in float64 1e-290.
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
		below := Add(Mul(Maximum(u, half), mass), tail(alpha))   // the probability below
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
