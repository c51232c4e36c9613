package numerics_test

import (
	"fmt"
	"math"
	"math/cmplx"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// Parts of functions are computed with absolute values and copied signs, whose derivatives are undefined on the axes, where the
// functions themselves have one.
func TestComplexFunctionsHaveTheirDerivativesOnTheAxes(t *testing.T) {
	rt := opstest.Device(t)
	points := []complex128{0.7, 2, -4, -0.5, 0.9i, -2i, 0.3i, 1 + 2i, -1 - 0.5i}
	below := math.Copysign(0, -1) // the other side of cuts on the real axis
	for _, x := range []float64{0.7, 2, -4} {
		points = append(points, complex(x, below))
	}
	re, im := make([]float64, len(points)), make([]float64, len(points))
	for i, z := range points {
		re[i], im[i] = real(z), imag(z)
	}
	// along is the quotient of differences along the axis on which z lies: cuts lie there too, and have a side.
	along := func(f func(complex128) complex128) func(z complex128) complex128 {
		return func(z complex128) complex128 {
			h := complex(1e-5, 0)
			if real(z) == 0 {
				h *= 1i
			}
			return (f(z+h) - f(z-h)) / (2 * h)
		}
	}
	for _, c := range []struct {
		name string
		op   func(*Node) *Node
		want func(z complex128) complex128 // the derivative
	}{
		{"exp", Exp, cmplx.Exp},
		{"log", Log, func(z complex128) complex128 { return 1 / z }},
		{"sqrt", Sqrt, func(z complex128) complex128 { return 0.5 / cmplx.Sqrt(z) }},
		{"square", Square, func(z complex128) complex128 { return 2 * z }},
		{"reciprocal", Reciprocal, func(z complex128) complex128 { return -1 / z / z }},
		{"sin", Sin, cmplx.Cos},
		{"cos", Cos, func(z complex128) complex128 { return -cmplx.Sin(z) }},
		{"tan", Tan, func(z complex128) complex128 { return 1 + cmplx.Tan(z)*cmplx.Tan(z) }},
		{"sinh", Sinh, cmplx.Cosh},
		{"cosh", Cosh, cmplx.Sinh},
		{"tanh", Tanh, func(z complex128) complex128 { return 1 - cmplx.Tanh(z)*cmplx.Tanh(z) }},
		{"asin", Asin, along(cmplx.Asin)},
		{"acos", Acos, along(cmplx.Acos)},
		{"atan", Atan, along(cmplx.Atan)},
		{"asinh", Asinh, along(cmplx.Asinh)},
		{"acosh", Acosh, along(cmplx.Acosh)},
		{"atanh", Atanh, along(cmplx.Atanh)},
		{"log2", Log2, along(func(z complex128) complex128 { return cmplx.Log(z) / math.Ln2 })},
	} {
		g := NewGraph(c.name)
		x, y := g.Input("re", tensor.Float64, len(points)), g.Input("im", tensor.Float64, len(points))
		w := c.op(Complex(x, y))
		outs := append(Gradients(Sum(Real(w)), x, y), Gradients(Sum(Imag(w)), x, y)...)
		exe, err := g.Compile(t.Context(), rt, Target{Outputs: outs, Place: OnCPU})
		require.NoError(t, err)
		out, err := exe.Run(t.Context(), Feeds{x: tensor.Must(tensor.FromSlice(re)), y: tensor.Must(tensor.FromSlice(im))})
		require.NoError(t, err)
		for i, z := range points {
			d := c.want(z)
			if imag(z) == 0 && math.Signbit(imag(z)) { // not every function of math/cmplx looks at that sign
				d = cmplx.Conj(c.want(cmplx.Conj(z)))
			}
			for j, want := range []float64{real(d), -imag(d), imag(d), real(d)} {
				at := fmt.Sprintf("%s at %v: derivative %d of re by re, re by im, im by re, im by im", c.name, z, j)
				require.InDelta(t, want, out[j].Float64At(i), 1e-8*(1+cmplx.Abs(d)), at)
			}
		}
		require.NoError(t, exe.Close())
	}
}
