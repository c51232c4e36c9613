package linalg

import (
	"math"
	"slices"

	"github.com/anycl/anycl/internal/dtypes"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/build"
	"github.com/anycl/anycl/tensor"
)

// MatrixExp returns the exponentials of square matrices:
//
//	y = Σ_k aᵏ / k!
//
// a is [..., n, n], float32 or float64. Each is divided by a power of two until a Padé approximant is as exact as its dtype, which is then
// squared as often: products of matrices and one system of equations, on any engine. A matrix with an element that is not finite gives
// NaN. Errors: dtype; matrices are not square.
// Source: Higham, The Scaling and Squaring Method for the Matrix Exponential Revisited (2005), algorithm 2.3; its derivative: Al-Mohy and
// Higham, Computing the Fréchet Derivative of the Matrix Exponential (2009), equation 1.7.
func MatrixExp(a *ops.Node) *ops.Node { return ops.Apply("linalg.matrix_exp", nil, a) }

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.matrix_exp", Category: "linear algebra",
	Operands: operandA, DTypes: dtypes.Wide, Result: squareResult,
	Compose: func(c *ops.Call) *ops.Node { return scaledAndSquared(c.In[0]) },
	// exp [aᵀ d; 0 aᵀ] has the derivative in its upper right quarter.
	Grad: func(b *ops.Back) {
		a, d := build.SwapLast(b.In(0)), b.Grad()
		n := rowsOf(a)
		block := ops.Concat(-2, ops.Concat(-1, a, d), ops.Concat(-1, ops.ZerosLike(a), a))
		b.Add(0, build.Cut(build.Cut(MatrixExp(block), -2, 0, n), -1, n, 2*n))
	},
})

// padé is an approximant of exp, and the largest norm for which it is as exact as a dtype. Source: Higham (2005), tables 2.3 and section 3.
type padé struct {
	norm         float64
	coefficients []float64
}

var approximants = map[tensor.DType]padé{
	tensor.Float32: {3.925724783138660, []float64{17297280, 8648640, 1995840, 277200, 25200, 1512, 56, 1}},
	tensor.Float64: {5.371920351148152, []float64{
		64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000, 10559470521600, 670442572800,
		33522128640, 1323241920, 40840800, 960960, 16380, 182, 1,
	}},
}

func scaledAndSquared(a *ops.Node) *ops.Node {
	if a.Size() == 0 {
		return a
	}
	g, p := a.Graph(), approximants[a.DType()]
	norm := ops.Max(ops.Sum(ops.Abs(a), -2), -1)
	finite := ops.IsFinite(norm)
	times := ops.Maximum(ops.Ceil(ops.Log2(ops.Div(norm, p.norm))), 0)
	times = ops.ExpandDims(ops.Cast(ops.Where(finite, times, 0), tensor.Int32), -1, -2)
	y := p.of(ops.Ldexp(a, ops.Neg(times)))
	most := ops.Reshape(ops.Max(times))
	state := ops.While([]*ops.Node{g.Full(tensor.Int32, 0), y}, func(v []*ops.Node) *ops.Node {
		return ops.Less(v[0], most)
	}, func(v []*ops.Node) []*ops.Node {
		return []*ops.Node{ops.Add(v[0], 1), ops.Where(ops.Less(v[0], times), ops.MatMul(v[1], v[1]), v[1])}
	}, &ops.LoopOptions{Expect: 3})
	return ops.Where(ops.ExpandDims(finite, -1, -2), state[1], math.NaN())
}

// of is q(-a)⁻¹ q(a), for the polynomial q of the coefficients, even and odd powers apart.
func (p padé) of(a *ops.Node) *ops.Node {
	n := rowsOf(a)
	one := identity(a, n, n)
	powers := []*ops.Node{one, ops.MatMul(a, a)} // of a²
	for len(powers) < 4 {
		powers = append(powers, ops.MatMul(powers[len(powers)-1], powers[1]))
	}
	// sum is Σ c[i] a^(2i), the highest powers as a product with a⁶.
	var sum func(c []float64) *ops.Node
	sum = func(c []float64) *ops.Node {
		var s *ops.Node
		for i, v := range c[:min(len(c), 4)] {
			term := ops.Mul(powers[i], v/p.coefficients[0])
			if s == nil {
				s = term
			} else {
				s = ops.Add(s, term)
			}
		}
		if len(c) > 4 { // a⁶ (c[4] a² + c[5] a⁴ + c[6] a⁶)
			s = ops.Add(s, ops.MatMul(powers[3], sum(slices.Concat([]float64{0}, c[4:]))))
		}
		return s
	}
	var even, odd []float64
	for i, v := range p.coefficients {
		if i%2 == 0 {
			even = append(even, v)
		} else {
			odd = append(odd, v)
		}
	}
	u, v := ops.MatMul(a, sum(odd)), sum(even)
	return Solve(ops.Sub(v, u), ops.Add(v, u), nil)
}
