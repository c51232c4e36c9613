package elementwise

import (
	"math"
	"math/big"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/sample"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/ops/special"
)

// Airy functions by their power series in 300 bits, and families of polynomials by explicit sums.

func init() {
	near := spec.Tolerance{ULP: 16, ULP64: 16, Terms: 1, Source: spec.Composition}
	for i, a := range []struct {
		name string
		call func(x *ops.Node) *ops.Node
	}{
		{"special.airy_ai", special.AiryAi}, {"special.airy_ai_prime", special.AiryAiPrime}, {"special.airy_bi", special.AiryBi},
		{"special.airy_bi_prime", special.AiryBiPrime},
	} {
		samples := sample.Few1(-14, 12)
		spec.Register(a.name, spec.Spec{Call: sample.One(a.call),
			Reference: reference.Terms1(16, func(x float64) (float64, float64) { return airy(i, x) }), Tolerance: near, Samples: samples})
	}
	family := func(call func(in []*ops.Node) *ops.Node, f func(n int, alpha, x float64) (y, terms float64)) spec.Spec {
		return spec.Spec{
			Call: func(in []*ops.Node) *ops.Node { return call([]*ops.Node{in[0], ops.Round(in[1]), in[2]}) },
			Reference: func(c spec.Case) spec.Result {
				shape := []int{5, 7}
				r := spec.Result{Array: spec.NewArray(c.In[0].DType, shape...), Terms: make([]float64, 35), N: 24}
				for p, at := range reference.Coordinates(shape) {
					r.F[p], r.Terms[p] = f(int(math.RoundToEven(c.In[1].F[at[1]])), c.In[2].F[0], c.In[0].F[at[0]])
				}
				return r
			},
			Tolerance: near,
			Samples: []spec.Sample{{Label: "outer", Operands: []spec.Operand{
				{Shape: []int{5, 1}, Lo: -1.5, Hi: 1.5}, {Shape: []int{1, 7}, Lo: 0, Hi: 7, Fixed: true}, {Shape: []int{}, Lo: 0.5, Hi: 3, Fixed: true},
			}}},
		}
	}
	spec.Register("special.gegenbauer", family(sample.Three(special.Gegenbauer[*ops.Node, *ops.Node, *ops.Node]),
		func(n int, alpha, x float64) (y, terms float64) {
			for l := 0; 2*l <= n; l++ { // (-1)^l (α)_{n-l} / (l! (n-2l)!) (2x)^(n-2l)
				t := math.Pow(-1, float64(l)) * rising(alpha, n-l) / rising(1, l) / rising(1, n-2*l) * math.Pow(2*x, float64(n-2*l))
				y, terms = y+t, terms+math.Abs(t)
			}
			return y, terms
		}))
	spec.Register("special.generalized_laguerre", family(sample.Three(special.GeneralizedLaguerre[*ops.Node, *ops.Node, *ops.Node]),
		func(n int, alpha, x float64) (y, terms float64) {
			for k := range n + 1 { // (α+k+1)_{n-k} / ((n-k)! k!) (-x)^k
				t := rising(alpha+float64(k)+1, n-k) / rising(1, n-k) / rising(1, k) * math.Pow(-x, float64(k))
				y, terms = y+t, terms+math.Abs(t)
			}
			return y, terms
		}))
}

// rising is a (a+1) ... (a+n-1).
func rising(a float64, n int) float64 {
	p := 1.0
	for k := range n {
		p *= a + float64(k)
	}
	return p
}

// Ai(0) and -Ai'(0).
const (
	airyAt0    = "0.35502805388781723926006318600418317639797917419917724058332651030081004245012671"
	airySlope0 = "0.25881940379280679840518356018920396347909113835493458221000181385610277267679028"
)

// airy is Ai, Ai', Bi or Bi', and how large an error may be relative to: an exponential or an angle of 2/3 |x|^(3/2), which is rounded.
func airy(which int, x float64) (y, terms float64) {
	slope, second := which&1 == 1, which > 1
	angle := math.Min(2./3*math.Pow(math.Abs(x), 1.5), 1e100)
	amplitude := math.Pow(1+math.Abs(x), -0.25)
	if slope {
		amplitude = 1 / amplitude
	}
	switch {
	case math.IsNaN(x):
		return x, 1
	case math.IsInf(x, -1) && slope:
		return math.NaN(), 1
	case x < -1000: // so many angles that digits are lost, or all
		if math.IsInf(x, -1) {
			return 0, 0
		}
		return 0, math.Min(amplitude*(1+angle), 1e300)
	case x > 1000 && second:
		return math.Inf(1), 1
	case x > 1000:
		return 0, 0
	}
	const bits = 600
	num := func(v float64) *big.Float { return new(big.Float).SetPrec(bits).SetFloat64(v) }
	var c [2]*big.Float
	for i, s := range []string{airyAt0, airySlope0} {
		c[i], _, _ = big.ParseFloat(s, 10, bits, big.ToNearestEven)
	}
	// f = Σ 1·4·...·(3k-2) x^3k / (3k)!, g = Σ 2·5·...·(3k-1) x^(3k+1) / (3k+1)!
	cube := num(x)
	cube.Mul(cube, num(x)).Mul(cube, num(x))
	var sums [2]*big.Float
	for i := range sums {
		t, sum, largest := num(1), num(0), -bits
		if i == 1 && !slope {
			t = num(x)
		}
		if i == 0 && slope { // without a first term
			t = new(big.Float).Mul(num(x), num(x))
			t.Quo(t, num(2))
		}
		for k := 1.0; k < 400; k++ {
			sum.Add(sum, t)
			if largest = max(largest, t.MantExp(nil)); t.Sign() == 0 || t.MantExp(nil) < largest-bits {
				break // below the last bit of a larger term, as are all that follow: terms grow first, and then only fall
			}
			// f: 1/(3k (3k-1)), g: 1/((3k+1) 3k); of derivatives the power that comes down: both are products of two factors.
			var d float64
			switch {
			case i == 0 && !slope:
				d = 3 * k * (3*k - 1)
			case i == 1 && !slope:
				d = (3*k + 1) * 3 * k
			case i == 0: // x^(3k-1) → x^(3k+2)
				d = 3 * k * (3*k + 2)
			default: // x^(3k-3) → x^3k
				d = 3 * k * (3*k - 2)
			}
			t.Mul(t, cube)
			t.Quo(t, num(d))
		}
		sums[i] = sum
	}
	sums[0].Mul(sums[0], c[0])
	sums[1].Mul(sums[1], c[1])
	if second {
		sums[0].Add(sums[0], sums[1])
		root := num(3)
		root.Sqrt(root)
		sums[0].Mul(sums[0], root)
	} else {
		sums[0].Sub(sums[0], sums[1])
	}
	y, _ = sums[0].Float64()
	if x > 0 {
		amplitude = math.Abs(y)
	}
	return y, amplitude * (1 + angle)
}
