package maps_test

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/hostmath"
	"github.com/anycl/anycl/internal/ocl"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/tensor"
)

// doubleUlps is how many steps of float64 y is away from want.
func doubleUlps(y, want float64) float64 {
	switch {
	case y != y || want != want:
		if (y != y) == (want != want) {
			return 0
		}
		return math.Inf(1)
	case y == want && (y != 0 || math.Signbit(y) == math.Signbit(want)):
		return 0
	case math.IsInf(want, 0) && math.Abs(y) > 1.797e308 || math.IsInf(y, 0) && math.Abs(want) > 1.797e308:
		return 1
	case math.IsInf(want, 0) || math.IsInf(y, 0):
		return math.Inf(1)
	}
	_, exp := math.Frexp(want)
	return math.Abs(y-want) / math.Ldexp(1, max(exp, -1021)-53)
}

// everyDouble are float64 of all magnitudes, and those that functions treat apart.
func everyDouble() []float64 {
	xs := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 2, 709.7, 709.8, -709, -745.1, -746, 1024, -1074, -1080, 1e-310, -1e-310,
		26.5, 27.3, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64}
	r := rand.New(rand.NewPCG(7, 8))
	for len(xs) < 1<<12 {
		u := r.Uint64()
		xs = append(xs, math.Float64frombits(u), float64(int64(u))*0x1p-60, float64(int64(u))*0x1p-63, float64(int64(u))*0x1p-56,
			1+float64(int64(u))*0x1p-66)
	}
	return xs
}

// The references are those of package math, to within a step or two, where it has
// no cancellation. Devices that compute in double keep subnormal numbers.
func TestFunctionsOfDoublesMeetTheirErrorEverywhere(t *testing.T) {
	ocltest.NumbersOnly(t)
	e := doubleDevice(t)
	// On some processors package math gets logarithms of subnormal numbers wrong, and
	// exponentials overflow before they have to.
	log := func(x float64) float64 {
		if x > 0 && x < 0x1p-1000 {
			return math.Log(x*0x1p200) - 200*math.Ln2
		}
		return math.Log(x)
	}
	exp := func(x float64) float64 {
		if x > 700 {
			return math.Exp(x-64) * math.Exp(64)
		}
		return math.Exp(x)
	}
	sinh := func(x float64) float64 {
		if math.Abs(x) > 40 {
			return math.Copysign(exp(math.Abs(x)-1)*(math.E/2), x)
		}
		return math.Sinh(x)
	}
	cosh := func(x float64) float64 {
		if math.Abs(x) > 40 {
			return math.Abs(sinh(x))
		}
		return math.Cosh(x)
	}
	beside := func(x float64) float64 { return math.Sqrt((1 - x) * (1 + x)) }
	var in []byte
	xs := everyDouble()
	for _, x := range xs {
		in = binary.NativeEndian.AppendUint64(in, math.Float64bits(x))
	}
	for _, c := range []struct {
		name string
		f    func(float64) float64
		ulp  float64
	}{
		{"exp", exp, 3}, {"exp2", math.Exp2, 3}, {"expm1", math.Expm1, 3}, {"log", log, 3}, {"log1p", math.Log1p, 2},
		{"log2", func(x float64) float64 { return log(x) / math.Ln2 }, 3},
		{"sinh", sinh, 4}, {"cosh", cosh, 4}, {"tanh", math.Tanh, 5}, {"erf", math.Erf, 16}, {"erfc", math.Erfc, 16}, {"atan", math.Atan, 5},
		{"asin", func(x float64) float64 { return math.Atan2(x, beside(x)) }, 4},
		{"acos", func(x float64) float64 { return math.Atan2(beside(x), x) }, 4},
		{"asinh", math.Asinh, 4}, {"acosh", math.Acosh, 4}, {"atanh", math.Atanh, 5}, {"cospi", hostmath.CosPi, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := applyDouble(t, e, &engine.Scalar{Name: c.name, Arity: 1, OpenCL: c.name + "(a)"}, in)
			for i, x := range xs {
				want := c.f(x)
				require.LessOrEqual(t, doubleUlps(got[i], want), c.ulp, "%s(%g) is %g, not %g", c.name, x, got[i], want)
			}
		})
	}
}

func doubleDevice(t *testing.T) *ocl.Engine {
	e := device(t, "", nil)
	if !e.Facts().FP64 {
		t.Skip("no double")
	}
	return e
}

// applyDouble applies fn to columns of doubles.
func applyDouble(t *testing.T, e *ocl.Engine, fn *engine.Scalar, ins ...[]byte) []float64 {
	t.Helper()
	dom := engine.Domain{len(ins[0]) / 8}
	var args []*engine.Expr
	var operands []engine.Operand
	for i := range ins {
		args = append(args, engine.Load(i, tensor.Float64, engine.AxisIndex(0), nil))
		operands = append(operands, engine.Operand{DType: tensor.Float64, Len: dom.Size()})
	}
	outs, _ := ocltest.Execute(t, e, sample.Map(dom, engine.Apply(fn, tensor.Float64, args...), operands...), ins, 0)
	got := make([]float64, dom[0])
	for i := range got {
		got[i] = math.Float64frombits(binary.NativeEndian.Uint64(outs[0][8*i:]))
	}
	return got
}

func TestFunctionsOfTwoDoublesKeepTheSpecialCasesOfC(t *testing.T) {
	ocltest.NumbersOnly(t)
	e := doubleDevice(t)
	inf := math.Inf(1)
	ends := []float64{0, math.Copysign(0, -1), 1, -1, 2, -2, 3, -3, 0.5, -0.5, 0.3, -7.25, 1e300, -1e300, 1e-300, -1e-300, inf, -inf,
		math.NaN(),
		4503599627370497, -4503599627370497, 9007199254740991, 9007199254740992, 1e17, 123456.789}
	var a, b []byte
	for _, x := range ends {
		for _, y := range ends {
			a = binary.NativeEndian.AppendUint64(a, math.Float64bits(x))
			b = binary.NativeEndian.AppendUint64(b, math.Float64bits(y))
		}
	}
	for _, c := range []struct {
		name string
		f    func(x, y float64) float64
		ulp  float64
	}{{"pow", math.Pow, 16}, {"hypot", math.Hypot, 4}, {"atan2", func(y, x float64) float64 { return math.Copysign(math.Atan2(y, x), y) },
		6}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := applyDouble(t, e, &engine.Scalar{Name: c.name, Arity: 2, OpenCL: c.name + "(a, b)"}, a, b)
			for i, y := range got {
				x, z := ends[i/len(ends)], ends[i%len(ends)]
				require.LessOrEqual(t, doubleUlps(y, c.f(x, z)), c.ulp, "%s(%g, %g) is %g, not %g", c.name, x, z, y, c.f(x, z))
			}
		})
	}
}

// Powers of quarters, which products and roots of 300 bits give.
func TestPowersOfDoublesAreExactToSixteenSteps(t *testing.T) {
	e := doubleDevice(t)
	r := rand.New(rand.NewPCG(9, 10))
	var a, b []byte
	var xs []float64
	var quarters []int
	for i := range 1 << 12 {
		x := 1e-310
		if i%64 > 0 {
			x = math.Exp(8 * r.NormFloat64() * r.Float64() * r.Float64() * r.Float64())
		}
		n := int(4 * 740 / (math.Abs(math.Log(x)) + 1e-3) * (2*r.Float64() - 1))
		xs, quarters = append(xs, x), append(quarters, n)
		a = binary.NativeEndian.AppendUint64(a, math.Float64bits(x))
		b = binary.NativeEndian.AppendUint64(b, math.Float64bits(float64(n)/4))
	}
	got := applyDouble(t, e, &engine.Scalar{Name: "pow", Arity: 2, OpenCL: "pow(a, b)"}, a, b)
	for i, x := range xs {
		n := quarters[i]
		want, square := big.NewFloat(1).SetPrec(300), big.NewFloat(x).SetPrec(300)
		for k := max(n, -n); k > 0; k >>= 1 {
			if k&1 == 1 {
				want.Mul(want, square)
			}
			square.Mul(square, square)
		}
		if n < 0 {
			want.Quo(big.NewFloat(1).SetPrec(300), want)
		}
		f, _ := want.Sqrt(want).Sqrt(want).Float64()
		require.LessOrEqual(t, doubleUlps(got[i], f), 16.0, "pow(%v, %v) is %v, not %v", x, float64(n)/4, got[i], f)
	}
}
