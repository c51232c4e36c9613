package special

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/internal/dtypes"
	"github.com/anycl/anycl/ops"
)

// Airy functions, element by element, of a float x: the solutions of y" = x y. Errors: dtype is not a float. Results for large negative x
// are as good as the angle 2/3 |x|^(3/2) is in x's dtype. Source: DLMF, chapter 9; Corless, Jeffrey and Rasmussen, Numerical Evaluation
// of Airy Functions with Complex Arguments (1992).

// AiryAi returns the Airy function that vanishes for large x: 1/π ∫_0^∞ cos(t³/3 + x t) dt.
func AiryAi(x *ops.Node) *ops.Node { return ops.Apply("special.airy_ai", nil, x) }

// AiryAiPrime returns the derivative of [AiryAi].
func AiryAiPrime(x *ops.Node) *ops.Node { return ops.Apply("special.airy_ai_prime", nil, x) }

// AiryBi returns the Airy function that grows: 1/π ∫_0^∞ (e^(-t³/3 + x t) + sin(t³/3 + x t)) dt.
func AiryBi(x *ops.Node) *ops.Node { return ops.Apply("special.airy_bi", nil, x) }

// AiryBiPrime returns the derivative of [AiryBi].
func AiryBiPrime(x *ops.Node) *ops.Node { return ops.Apply("special.airy_bi_prime", nil, x) }

// airyOp is one of Ai, Ai', Bi and Bi', in this order.
func airyOp(name string, which int, slope func(x *ops.Node) *ops.Node) ops.Op {
	return ops.Op{
		Name: name, Category: "special function", Operands: operandX, DTypes: dtypes.Floats, Result: ops.SameResult,
		Grad:   func(b *ops.Back) { b.Add(0, b.Times(slope(b.In(0)))) },
		Scalar: scalarOf1(fmt.Sprintf("special_airy(%d, a)", which), 120, func(x float64) float64 { return airyOf(which, x) }),
	}
}

var (
	_ = ops.MustDefine(airyOp("special.airy_ai", 0, AiryAiPrime))
	_ = ops.MustDefine(airyOp("special.airy_ai_prime", 1, func(x *ops.Node) *ops.Node { return ops.Mul(x, AiryAi(x)) }))
	_ = ops.MustDefine(airyOp("special.airy_bi", 2, AiryBiPrime))
	_ = ops.MustDefine(airyOp("special.airy_bi_prime", 3, func(x *ops.Node) *ops.Node { return ops.Mul(x, AiryBi(x)) }))
)

// airyOf computes Ai, Bi or a derivative by a Taylor series around the next centre, or by asymptotic expansions.
func airyOf(which int, x float64) float64 {
	slope, second := which&1 == 1, which > 1
	switch {
	case x != x:
		return x
	case math.Abs(x) <= 9.5:
		return airyNear(which, x)
	}
	a := math.Abs(x)
	root := math.Sqrt(a)
	z := 2. / 3 * a * root
	scale := 1 / math.Sqrt(math.Pi)
	if slope {
		scale *= math.Sqrt(root)
	} else {
		scale /= math.Sqrt(root)
	}
	switch {
	case math.IsInf(x, 1) && second:
		return x
	case math.IsInf(x, 1):
		return 0
	case x > 0 && second:
		e := math.Exp(z / 2)
		return scale * airyTerms(slope, 0, 1, 1, z) * e * e
	case x > 0:
		if scale /= 2; slope {
			scale = -scale
		}
		e := math.Exp(-z / 2)
		return scale * airyTerms(slope, 0, 1, -1, z) * e * e
	case math.IsInf(x, -1) && slope:
		return math.NaN()
	case z > 1<<53: // nothing is known of the angle
		return 0
	}
	even, odd := airyTerms(slope, 0, 2, -1, z), airyTerms(slope, 1, 2, -1, z)
	sin, cos := math.Sincos(z - math.Pi/4)
	switch which {
	case 1:
		return scale * (sin*even - cos*odd)
	case 2:
		return scale * (cos*odd - sin*even)
	}
	return scale * (cos*even + sin*odd)
}

func airyNear(which int, x float64) float64 {
	at := math.RoundToEven(2 * x)
	centre := at / 2
	h := x - centre
	known := airyCentres[int(at)+19][which&2:]
	before, own, next := 0.0, known[0], known[1]
	y, slope, power := own+next*h, next, h
	for n := 2.0; n < 22; n++ {
		t := (centre*own + before) / (n * (n - 1))
		slope += n * t * power
		power *= h
		y += t * power
		before, own, next = own, next, t
	}
	if which&1 == 1 {
		return slope
	}
	return y
}

// airyTerms are the sum of u[k] / z^k, or of v[k] / z^k where slope; of every step-th one from first on, with signs.
func airyTerms(slope bool, first, step int, sign, z float64) float64 {
	u, sum, s := 1.0, 0.0, 1.0
	for k := range 26 {
		f := float64(k)
		if k > 0 {
			u *= (6*f - 5) * (6*f - 1) / (72 * f * z)
		}
		if k < first || (k-first)%step != 0 {
			continue
		}
		if slope {
			sum += s * u * (6*f + 1) / (1 - 6*f)
		} else {
			sum += s * u
		}
		s *= sign
	}
	return sum
}
