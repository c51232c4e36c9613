package maps_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/tensor"
)

// ulpsOf is how many steps of float32 y is away from want.
func ulpsOf(y float32, want float64) float64 {
	r := float32(want)
	switch {
	case r != r || y != y:
		if (r != r) == (y != y) {
			return 0
		}
		return math.Inf(1)
	case r == y && (r != 0 || math.Signbit(want) == math.Signbit(float64(y))):
		return 0
	case math.IsInf(float64(r), 0) && math.Abs(float64(y)) > 3.4e38:
		return 1
	}
	_, exp := math.Frexp(want)
	return math.Abs(float64(y)-want) / math.Ldexp(1, max(exp, -125)-24)
}

// everywhere are float32 of all magnitudes, and those that functions treat apart.
func everywhere() []float32 {
	xs := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0.5, -0.5, 2, 88.7, 89.2, -89.2, -103.9, 128, -149, 1e-40, -1e-40,
		float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32,
		16367173 * 0x1p72} // closer to a multiple of pi/2 than any other
	for u := uint32(12345); len(xs) < 1<<15; u += 0x9E3779B9 {
		xs = append(xs, math.Float32frombits(u), float32(int32(u))*0x1p-28, float32(int32(u))*0x1p-31)
	}
	return xs
}

func TestFunctionsOfMathMeetTheirErrorEverywhere(t *testing.T) {
	ocltest.NumbersOnly(t)
	e := device(t, "", nil)
	inverse := func(f func(float64) float64) func(float64) float64 {
		return func(x float64) float64 {
			if math.Abs(x) > 1 {
				return math.NaN()
			}
			return f(x)
		}
	}
	xs := everywhere()
	in := make([]byte, 4*len(xs))
	for i, x := range xs {
		binary.NativeEndian.PutUint32(in[4*i:], math.Float32bits(x))
	}
	for _, c := range []struct {
		name string
		f    func(float64) float64
		ulp  float64
	}{
		{"exp", math.Exp, 3}, {"log", math.Log, 3}, {"log2", math.Log2, 3}, {"log1p", math.Log1p, 2}, {"exp2", math.Exp2, 3},
		{"expm1", math.Expm1, 3},
		{"sinh", math.Sinh, 4}, {"cosh", math.Cosh, 4}, {"tanh", math.Tanh, 5}, {"erf", math.Erf, 16}, {"erfc", math.Erfc, 16},
		{"sin", math.Sin, 4}, {"cos", math.Cos, 4}, {"tan", math.Tan, 5}, {"atan", math.Atan, 5},
		{"asin", inverse(math.Asin), 4}, {"acos", inverse(math.Acos), 4}, {"asinh", math.Asinh, 4}, {"acosh", math.Acosh, 4},
		{"atanh", math.Atanh, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			dom := engine.Domain{len(xs)}
			fn := &engine.Scalar{Name: c.name, Arity: 1, OpenCL: c.name + "(a)"}
			x := engine.Load(0, tensor.Float32, engine.AxisIndex(0), nil)
			outs, plan := ocltest.Execute(t, e, sample.Map(dom, engine.Apply(fn, tensor.Float32, x),
				engine.Operand{DType: tensor.Float32, Len: dom.Size()}), [][]byte{in}, 0)
			for i, x := range xs {
				y, want := math.Float32frombits(binary.NativeEndian.Uint32(outs[0][4*i:])), c.f(float64(x))
				tiny := math.Abs(want) < 0x1p-126 && y == 0 // a device may flush subnormals
				require.True(t, tiny || ulpsOf(y, want) <= c.ulp, "%s(%g = %b) is %g, not %g: %s", c.name, x, x, y, want, plan.Variant)
			}
		})
	}
}

func TestExpOfWhatIsBelowItsMaximum(t *testing.T) {
	ocltest.NumbersOnly(t)
	e := device(t, "", nil)
	var xs []float32
	var in []byte
	for _, x := range append(everywhere(), -87.3365, -87.33655, -87.6, -103.9, float32(math.Inf(-1))) {
		if !(x > 0) {
			xs, in = append(xs, x), binary.NativeEndian.AppendUint32(in, math.Float32bits(x))
		}
	}
	allowed := 1.0
	if !e.Facts().CPU {
		allowed = 3 // the driver's own exp, with the error that OpenCL allows it
	}
	dom := engine.Domain{len(xs)}
	x := engine.Load(0, tensor.Float32, engine.AxisIndex(0), nil)
	outs, plan := ocltest.Execute(t, e, sample.Map(dom, engine.Apply(codegen.ExpBelow, tensor.Float32, x),
		engine.Operand{DType: tensor.Float32, Len: dom.Size()}), [][]byte{in}, 0)
	for i, x := range xs {
		y, want := math.Float32frombits(binary.NativeEndian.Uint32(outs[0][4*i:])), math.Exp(float64(x))
		tiny := want < 0x1p-126 && y == 0
		require.True(t, tiny || ulpsOf(y, want) <= allowed, "%g = %b gives %g, not %g: %s", x, x, y, want, plan.Variant)
	}
}

func TestFunctionsOfTwoOperandsKeepTheSpecialCasesOfC(t *testing.T) {
	ocltest.NumbersOnly(t)
	e := device(t, "", nil)
	inf, nan := math.Inf(1), math.NaN()
	ends := []float64{0, math.Copysign(0, -1), 1, -1, 2, -2, 3, -3, 0.5, -0.5, 0.3, -7.25, 1e30, -1e30, 1e-30, -1e-30, 1e-42, 3e38, inf, -inf,
		nan, 16777215, -16777216, 123456.789, -7.3e-20, 9.87e24, 0.1}
	var a, b []byte
	for _, x := range ends {
		for _, y := range ends {
			a = binary.NativeEndian.AppendUint32(a, math.Float32bits(float32(x)))
			b = binary.NativeEndian.AppendUint32(b, math.Float32bits(float32(y)))
		}
	}
	dom := engine.Domain{len(ends) * len(ends)}
	o := engine.Operand{DType: tensor.Float32, Len: dom.Size()}
	for _, c := range []struct {
		name string
		f    func(x, y float64) float64
		ulp  float64
	}{{"pow", math.Pow, 16}, {"atan2", math.Atan2, 6}, {"hypot", math.Hypot, 4}, {"fmod", math.Mod, 0}} {
		t.Run(c.name, func(t *testing.T) {
			fn := &engine.Scalar{Name: c.name, Arity: 2, OpenCL: c.name + "(a, b)"}
			x, y := engine.Load(0, tensor.Float32, engine.AxisIndex(0), nil), engine.Load(1, tensor.Float32, engine.AxisIndex(0), nil)
			outs, _ := ocltest.Execute(t, e, sample.Map(dom, engine.Apply(fn, tensor.Float32, x, y), o, o), [][]byte{a, b}, 0)
			for i := range dom[0] {
				x, y := math.Float32frombits(binary.NativeEndian.Uint32(a[4*i:])), math.Float32frombits(binary.NativeEndian.Uint32(b[4*i:]))
				got, want := math.Float32frombits(binary.NativeEndian.Uint32(outs[0][4*i:])), c.f(float64(x), float64(y))
				tiny := math.Abs(want) < 0x1p-126 && got == 0
				require.True(t, tiny || ulpsOf(got, want) <= c.ulp, "%s(%g, %g) is %g, not %g", c.name, x, y, got, want)
			}
		})
	}
}
