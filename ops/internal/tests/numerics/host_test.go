package numerics_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// opOf is the op of a name that there is.
func opOf(name string) *Op {
	o, ok := OpNamed(name)
	if !ok {
		panic("there is no op " + name)
	}
	return o
}

// host runs an element-wise op's Go function on operands of dtype dt, given and
// returned as float64 (exact for what these tests use).
func host(op string, dt tensor.DType, args ...[]float64) []float64 {
	in := make([]tensor.DType, len(args))
	blocks := make([]engine.Block, len(args))
	for i, a := range args {
		in[i], blocks[i] = dt, block(dt, a)
	}
	g := NewGraph(op)
	nodes := make([]*Node, len(args))
	for i := range nodes {
		nodes[i] = g.Input("x", dt, len(args[0]))
	}
	_, out, err := opOf(op).Result(&Call{Op: opOf(op), In: nodes})
	if err != nil {
		panic(err)
	}
	dst := block(out, make([]float64, len(args[0])))
	opOf(op).Scalar.Host(out, in, dst, blocks)
	return values(out, dst)
}

func block(dt tensor.DType, v []float64) engine.Block {
	var b engine.Block
	for _, x := range v {
		switch engine.ClassOf(dt) {
		case engine.ClassF32:
			b.F32 = append(b.F32, float32(x))
		case engine.ClassF64:
			b.F64 = append(b.F64, x)
		case engine.ClassI64:
			b.I64 = append(b.I64, int64(x))
		case engine.ClassU64:
			b.U64 = append(b.U64, uint64(x))
		}
	}
	return b
}

func values(dt tensor.DType, b engine.Block) []float64 {
	var out []float64
	for _, x := range b.F32 {
		out = append(out, float64(x))
	}
	out = append(out, b.F64...)
	for _, x := range b.I64 {
		out = append(out, float64(x))
	}
	for _, x := range b.U64 {
		out = append(out, float64(x))
	}
	return out
}

// precise are functions of one number beside their definition in big.Float,
// over a range.
var precise = []struct {
	op     string
	lo, hi float64
	f      func(x *big.Float) *big.Float
}{
	{"sqrt", 0, 9, bigSqrt},
	{"rsqrt", 0.01, 9, func(x *big.Float) *big.Float { return bigDiv(bf(1), bigSqrt(x)) }},
	{"reciprocal", -4, 4, func(x *big.Float) *big.Float { return bigDiv(bf(1), x) }},
	{"square", -4, 4, func(x *big.Float) *big.Float { return bigMul(x, x) }},
	{"exp", -80, 80, bigExp},
	{"exp2", -100, 100, func(x *big.Float) *big.Float { return bigExp(bigMul(x, bigLog(bf(2)))) }},
	{"expm1", -3, 3, func(x *big.Float) *big.Float { return bigSub(bigExp(x), bf(1)) }},
	{"log", 0.001, 1000, bigLog},
	{"log", 0.99, 1.01, bigLog},
	{"log2", 0.001, 1000, func(x *big.Float) *big.Float { return bigDiv(bigLog(x), bigLog(bf(2))) }},
	{"log2", 0.99, 1.01, func(x *big.Float) *big.Float { return bigDiv(bigLog(x), bigLog(bf(2))) }},
	{"log1p", -0.9, 9, func(x *big.Float) *big.Float { return bigLog(bigAdd(bf(1), x)) }},
	{"log1p", -1e-6, 1e-6, func(x *big.Float) *big.Float { return bigLog(bigAdd(bf(1), x)) }},
	{"sin", -20, 20, func(x *big.Float) *big.Float { s, _ := bigSinCos(x); return s }},
	{"cos", -20, 20, func(x *big.Float) *big.Float { _, c := bigSinCos(x); return c }},
	{"tan", -1.5, 1.5, func(x *big.Float) *big.Float { s, c := bigSinCos(x); return bigDiv(s, c) }},
	{"asin", -1, 1, bigAsin},
	{"asin", 0.9999, 1, bigAsin},
	{"acos", -1, 1, bigAcos},
	{"acos", 0.9999, 1, bigAcos},
	{"atan", -50, 50, bigAtan},
	{"sinh", -9, 9, func(x *big.Float) *big.Float { p, m := bigExp(x), bigExp(bigNeg(x)); return bigScale(bigSub(p, m), -1) }},
	{"cosh", -9, 9, func(x *big.Float) *big.Float { p, m := bigExp(x), bigExp(bigNeg(x)); return bigScale(bigAdd(p, m), -1) }},
	{"tanh", -9, 9, func(x *big.Float) *big.Float {
		p := bigExp(bigScale(x, 1))
		return bigDiv(bigSub(p, bf(1)), bigAdd(p, bf(1)))
	}},
	{"erf", -5, 5, bigErf},
	{"sigmoid", -80, 80, func(x *big.Float) *big.Float { return bigDiv(bf(1), bigAdd(bf(1), bigExp(bigNeg(x)))) }},
	{"silu", -80, 80, func(x *big.Float) *big.Float { return bigDiv(x, bigAdd(bf(1), bigExp(bigNeg(x)))) }},
	{"softplus", -30, 30, func(x *big.Float) *big.Float { return bigLog(bigAdd(bf(1), bigExp(x))) }},
	{"gelu", -4, 4, func(x *big.Float) *big.Float {
		cdf := bigAdd(bf(1), bigErf(bigDiv(x, bigSqrt(bf(2)))))
		return bigMul(bigScale(x, -1), cdf)
	}},
	{"gelu_tanh", -4, 4, func(x *big.Float) *big.Float {
		cube := bigMul(bigDiv(bf(44715), bf(1e6)), bigMul(x, bigMul(x, x)))
		twice := bigMul(bigSqrt(bigDiv(bf(8), bigPi())), bigAdd(x, cube))
		return bigDiv(x, bigAdd(bf(1), bigExp(bigNeg(twice))))
	}},
	{"hardswish", -3, 3, func(x *big.Float) *big.Float { return bigDiv(bigMul(x, bigAdd(x, bf(3))), bf(6)) }},
}

func bigNeg(x *big.Float) *big.Float { return bigSub(bf(0), x) }

func bigAsin(x *big.Float) *big.Float {
	return bigAtan(bigDiv(x, bigSqrt(bigSub(bf(1), bigMul(x, x)))))
}

func bigAcos(x *big.Float) *big.Float { return bigSub(bigScale(bigPi(), -1), bigAsin(x)) }

// amplified bounds the errors in float64 of functions that make the rounding of an
// intermediate value larger.
var amplified = map[string]float64{"gelu": 34, "gelu_tanh": 28, "pow": 16, "atan2": 6}

func TestHostFunctionsOfOneNumberAreRight(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range precise {
		x := make([]float64, 24)
		for i := range x {
			x[i] = float64(float32(c.lo + (c.hi-c.lo)*r.Float64()))
		}
		f32, f64 := host(c.op, tensor.Float32, x), host(c.op, tensor.Float64, x)
		for i := range x {
			if x[i] == 1 || x[i] == 0 {
				continue // the special values have their own test
			}
			want := c.f(bf(x[i]))
			// Computed in float64 and rounded once, a float32 is the nearest but for rare ties.
			require.Less(t, ulps(f32[i], want, 24, -126), 0.5001, "%s(%v) in float32", c.op, x[i])
			require.Less(t, ulps(f64[i], want, 53, -1022), max(4, amplified[c.op]), "%s(%v) in float64", c.op, x[i])
		}
	}
}

func TestHostFunctionsOfTwoNumbersAreRight(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	draw := func(lo, hi float64) float64 { return float64(float32(lo + (hi-lo)*r.Float64())) }
	for range 24 {
		a, b := draw(-9, 9), draw(-9, 9)
		p, q := draw(0.1, 9), draw(-9, 9)
		for _, c := range []struct {
			op   string
			a, b float64
			want *big.Float
		}{
			{"add", a, b, bigAdd(bf(a), bf(b))},
			{"sub", a, b, bigSub(bf(a), bf(b))},
			{"mul", a, b, bigMul(bf(a), bf(b))},
			{"div", a, b, bigDiv(bf(a), bf(b))},
			{"rem", a, b, bigRem(bf(a), bf(b))},
			{"pow", p, q, bigExp(bigMul(bf(q), bigLog(bf(p))))},
			{"atan2", a, b, bigAtan2(bf(a), bf(b))},
		} {
			f32 := host(c.op, tensor.Float32, []float64{c.a}, []float64{c.b})[0]
			f64 := host(c.op, tensor.Float64, []float64{c.a}, []float64{c.b})[0]
			require.Less(t, ulps(f32, c.want, 24, -126), 0.5001, "%s(%v, %v) in float32", c.op, c.a, c.b)
			require.Less(t, ulps(f64, c.want, 53, -1022), max(1, amplified[c.op]), "%s(%v, %v) in float64", c.op, c.a, c.b)
		}
	}
}

// bigRem is a - b·trunc(a/b).
func bigRem(a, b *big.Float) *big.Float {
	q, _ := bigDiv(a, b).Int(nil)
	return bigSub(a, bigMul(b, new(big.Float).SetPrec(bigPrec).SetInt(q)))
}

func TestHostFunctionsKeepSpecialValues(t *testing.T) {
	t.Parallel()
	nan, inf, neg0 := math.NaN(), math.Inf(1), math.Copysign(0, -1)
	for op, pairs := range map[string][][2]float64{
		"neg":        {{0, neg0}, {inf, -inf}, {nan, nan}},
		"abs":        {{neg0, 0}, {-inf, inf}, {nan, nan}, {-3, 3}},
		"sign":       {{nan, nan}, {0, 0}, {neg0, neg0}, {-inf, -1}, {inf, 1}, {1e-40, 1}},
		"sqrt":       {{neg0, neg0}, {-1, nan}, {inf, inf}},
		"rsqrt":      {{0, inf}, {neg0, -inf}, {inf, 0}, {-1, nan}},
		"reciprocal": {{0, inf}, {neg0, -inf}, {-inf, neg0}},
		"exp":        {{0, 1}, {-inf, 0}, {inf, inf}, {nan, nan}, {1000, inf}, {-1000, 0}},
		"acosh":      {{1, 0}, {0.5, nan}, {-1e10, nan}, {-1e30, nan}, {inf, inf}, {nan, nan}},
		"exp2":       {{3, 8}, {-inf, 0}, {inf, inf}, {-2, 0.25}},
		"expm1":      {{0, 0}, {neg0, neg0}, {-inf, -1}, {inf, inf}},
		"log":        {{0, -inf}, {neg0, -inf}, {-1, nan}, {1, 0}, {inf, inf}},
		"log2":       {{0, -inf}, {8, 3}, {0.5, -1}, {1, 0}, {-1, nan}, {inf, inf}, {2, 1}},
		"log1p":      {{0, 0}, {-1, -inf}, {-2, nan}, {inf, inf}, {neg0, neg0}},
		"sin":        {{0, 0}, {neg0, neg0}, {inf, nan}},
		"cos":        {{0, 1}, {-inf, nan}},
		"tan":        {{0, 0}, {inf, nan}},
		"asin":       {{1, math.Pi / 2}, {-1, -math.Pi / 2}, {2, nan}, {neg0, neg0}, {-inf, nan}},
		"acos":       {{1, 0}, {-1, math.Pi}, {2, nan}, {0, math.Pi / 2}},
		"atan":       {{inf, math.Pi / 2}, {neg0, neg0}, {nan, nan}},
		"sinh":       {{-inf, -inf}, {neg0, neg0}},
		"cosh":       {{-inf, inf}, {0, 1}},
		"tanh":       {{-inf, -1}, {inf, 1}, {neg0, neg0}, {nan, nan}},
		"erf":        {{-inf, -1}, {inf, 1}, {0, 0}},
		"sigmoid":    {{-inf, 0}, {inf, 1}, {0, 0.5}, {-1000, 0}, {1000, 1}, {nan, nan}},
		"silu":       {{0, 0}, {inf, inf}, {-inf, nan}, {-1000, neg0}},
		"relu":       {{-1, 0}, {nan, nan}, {-inf, 0}, {inf, inf}, {2, 2}},
		"gelu":       {{0, 0}, {inf, inf}, {-inf, nan}, {-100, neg0}, {100, 100}},
		"gelu_tanh":  {{0, 0}, {neg0, neg0}, {inf, inf}, {-inf, nan}, {-100, neg0}, {-1e30, neg0}, {100, 100}, {nan, nan}},
		"softplus":   {{-inf, 0}, {inf, inf}, {0, math.Ln2}, {nan, nan}, {1000, 1000}},
		"hardswish":  {{-3, neg0}, {3, 3}, {-4, neg0}, {1e30, 1e30}, {inf, inf}, {-inf, nan}, {nan, nan}},
		"floor":      {{-0.5, -1}, {neg0, neg0}, {inf, inf}, {nan, nan}, {1e30, 1e30}},
		"ceil":       {{-0.5, neg0}, {1.5, 2}, {-inf, -inf}},
		"round":      {{0.5, 0}, {1.5, 2}, {2.5, 2}, {-0.5, neg0}, {-1.5, -2}, {8388609, 8388609}, {nan, nan}},
		"trunc":      {{-1.9, -1}, {1.9, 1}, {-0.5, neg0}, {nan, nan}},
		"is_nan":     {{nan, 1}, {inf, 0}, {0, 0}},
		"is_inf":     {{nan, 0}, {inf, 1}, {-inf, 1}, {math.MaxFloat32, 0}},
		"is_finite":  {{nan, 0}, {inf, 0}, {-inf, 0}, {math.MaxFloat32, 1}, {neg0, 1}},
	} {
		for _, p := range pairs {
			for _, dt := range []tensor.DType{tensor.Float32, tensor.Float64} {
				x, want := p[0], p[1]
				if dt == tensor.Float32 {
					x, want = float64(float32(x)), float64(float32(want))
				}
				requireIdentical(t, want, host(op, dt, []float64{x})[0], "%s(%v) in %v", op, x, dt)
			}
		}
	}
}

// Next to the largest and the smallest numbers of float64 the functions of package math go wrong on some machines.
func TestHostFunctionsAreRightAtTheEndsOfFloat64(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		op      string
		x, want float64
	}{
		{"exp", 709.5, 1.3549863193146328e308}, {"exp", 709.782712893384, 1.797693134862273e308}, {"exp", 709.7827128933841, math.Inf(1)},
		{"sinh", -709.5, -6.774931596573164e307}, {"cosh", 710.4, 1.6663642832806496e308}, {"cosh", 711, math.Inf(1)},
		{"erfcx", 1e308, 5.641895835477563e-309},
	} {
		got := host(c.op, tensor.Float64, []float64{c.x})[0]
		if math.IsInf(c.want, 0) {
			require.Equal(t, c.want, got, "%s(%v)", c.op, c.x)
			continue
		}
		require.InEpsilon(t, c.want, got, 2e-15, "%s(%v)", c.op, c.x)
	}
}

// requireIdentical demands the same number with the same sign of zero, or NaN.
func requireIdentical(t *testing.T, want, got float64, format string, args ...any) {
	t.Helper()
	name := fmt.Sprintf(format, args...)
	if math.IsNaN(want) {
		require.True(t, math.IsNaN(got), "%s = %v, not NaN", name, got)
		return
	}
	require.Equal(t, want, got, name)
	require.Equal(t, math.Signbit(want), math.Signbit(got), "%s: sign", name)
}

func TestHostFunctionsOfTwoKeepSpecialValues(t *testing.T) {
	t.Parallel()
	nan, inf, neg0 := math.NaN(), math.Inf(1), math.Copysign(0, -1)
	for _, c := range []struct {
		op      string
		a, b, y float64
	}{
		{"maximum", nan, 1, nan}, {"maximum", 1, nan, nan}, {"maximum", -inf, inf, inf}, {"maximum", 2, 2, 2},
		{"minimum", nan, 1, nan}, {"minimum", 1, nan, nan}, {"minimum", -inf, inf, -inf},
		{"rem", 7.5, 2, 1.5}, {"rem", -7.5, 2, -1.5}, {"rem", 7.5, -2, 1.5}, {"rem", 1, 0, nan}, {"rem", inf, 2, nan},
		{"rem", 3, inf, 3}, {"rem", -4, 2, neg0}, {"rem", neg0, 2, neg0}, {"rem", 1e30, 7, math.Mod(float64(float32(1e30)), 7)},
		{"pow", nan, 0, 1}, {"pow", 1, nan, 1}, {"pow", 0, 0, 1}, {"pow", -2, 3, -8}, {"pow", -2, 0.5, nan}, {"pow", 0, -1, inf},
		{"pow", neg0, -1, -inf}, {"pow", -1, inf, 1}, {"pow", 2, -inf, 0}, {"pow", -8, 1, -8}, {"pow", inf, -1, 0},
		{"atan2", 0, 0, 0}, {"atan2", 0, neg0, math.Pi}, {"atan2", neg0, neg0, -math.Pi}, {"atan2", 1, 0, math.Pi / 2},
		{"atan2", inf, inf, math.Pi / 4}, {"atan2", inf, -inf, 3 * math.Pi / 4}, {"atan2", nan, 1, nan}, {"atan2", 0, -1, math.Pi},
		{"div", 1, 0, inf}, {"div", 0, 0, nan}, {"div", -1, inf, neg0},
		{"equal", nan, nan, 0}, {"equal", 0, neg0, 1}, {"not_equal", nan, nan, 1}, {"not_equal", 0, neg0, 0},
		{"less", nan, 1, 0}, {"less", 1, nan, 0}, {"less", -inf, inf, 1}, {"less_equal", nan, nan, 0}, {"less_equal", 2, 2, 1},
		{"greater", nan, 1, 0}, {"greater", inf, 1, 1}, {"greater_equal", nan, nan, 0}, {"greater_equal", 2, 2, 1},
	} {
		requireIdentical(t, float64(float32(c.y)), float64(float32(host(c.op, tensor.Float32, []float64{c.a}, []float64{c.b})[0])), "%s(%v, %v)", c.op, c.a, c.b)
	}
	assert.Equal(t, []float64{1, 5}, values(tensor.Float32, whereBlock([]uint64{1, 0}, []float32{1, float32(nan)}, []float32{float32(nan), 5})))
}

func whereBlock(c []uint64, a, b []float32) engine.Block {
	dst := engine.Block{F32: make([]float32, len(c))}
	opOf("where").Scalar.Host(tensor.Float32, []tensor.DType{tensor.Bool, tensor.Float32, tensor.Float32}, dst,
		[]engine.Block{{U64: c}, {F32: a}, {F32: b}})
	return dst
}
