package numerics_test

import (
	"fmt"
	"math"
	"math/cmplx"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/dtypes"
	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

var inverses = []struct {
	name  string
	f     func(x *Node) *Node
	want  func(z complex128) complex128
	again func(z complex128) complex128 // the function of which it is the inverse
}{
	{"asin", Asin, cmplx.Asin, cmplx.Sin}, {"acos", Acos, cmplx.Acos, cmplx.Cos}, {"atan", Atan, cmplx.Atan, cmplx.Tan},
	{"asinh", Asinh, cmplx.Asinh, cmplx.Sinh}, {"acosh", Acosh, cmplx.Acosh, cmplx.Cosh}, {"atanh", Atanh, cmplx.Atanh, cmplx.Tanh},
}

// Everywhere in the plane, on the axes, near ±1 and ±i, large and small: against Go, which errs by a few units of 1, and by the function itself.
func TestInverseFunctionsOfComplexNumbers(t *testing.T) {
	t.Parallel()
	var zs []complex128
	for _, r := range []float64{1e-6, 0.3, 0.999, 1.001, 1.7, 12, 1e6} {
		for k := range 16 {
			zs = append(zs, cmplx.Rect(r, 0.1+2*math.Pi*float64(k)/16))
		}
		zs = append(zs, complex(r, 0.25), complex(-r, -1e-4))
	}
	for _, x := range []float64{0.5, -0.5} { // inside, axes belong to no cut of the inverse sine and cosine
		zs = append(zs, complex(x, 0), complex(0, x))
	}
	onEngines(t, func(t *testing.T, rt *Runtime) {
		for _, dt := range dtypes.Complex {
			g := NewGraph("inverse")
			x := g.Input("x", dt, len(zs))
			var outs []*Node
			for _, c := range inverses {
				outs = append(outs, c.f(x))
			}
			in := complexTensor(t, dt, zs)
			got := complexRun(t, rt, g, Feeds{x: in}, outs...)
			tol := map[tensor.DType]float64{tensor.Complex64: 0x1p-18, tensor.Complex128: 1e-12}[dt]
			for k, c := range inverses {
				for i := range zs {
					z, v := in.Complex128At(i), got[k].Complex128At(i)
					where := fmt.Sprintf("%v %s(%v) = %v", dt, c.name, z, v)
					// Far out, tangents are near their poles, and Go's inverse sines lose digits.
					far, tangent := cmplx.Abs(z) > 100, c.name == "atan" || c.name == "atanh"
					if !far || !tangent {
						back := c.again(v)
						slope := cmplx.Abs(c.again(v*(1+1e-6))-back) / (cmplx.Abs(v)*1e-6 + 1e-300) // how much an error of v counts
						require.InDelta(t, 0, cmplx.Abs(back-z), tol*(cmplx.Abs(z)+slope*(1+cmplx.Abs(v))), where)
					}
					want := c.want(z)
					switch {
					case far && c.name == "atan":
						want = complex(math.Copysign(math.Pi/2, real(z)), 0) - 1/z
					case far && tangent:
						want = complex(0, math.Copysign(math.Pi/2, imag(z))) + 1/z
					case far:
						continue
					}
					require.InDelta(t, 0, cmplx.Abs(v-want), max(tol, 1e-9)*(1+cmplx.Abs(v))*10, "%s, not %v", where, want)
				}
			}
		}
	})
}

// Signs of zeros say on which side of a cut a number is.
func TestCutsOfInverseFunctions(t *testing.T) {
	t.Parallel()
	g := NewGraph("cuts")
	zero := math.Copysign(0, -1)
	x := g.Const(tensor.Must(tensor.FromSlice([]complex128{complex(2, 0), complex(2, zero), complex(-2, 0), complex(0, 2), complex(zero, 2)})))
	onEngines(t, func(t *testing.T, rt *Runtime) {
		got := complexRun(t, rt, g, nil, Asin(x), Acos(x), Acosh(x), Atanh(x), Atan(x))
		l, half := math.Log(2+math.Sqrt(3)), math.Pi/2
		for k, want := range [][]complex128{
			{complex(half, l), complex(half, -l), complex(-half, l)}, {complex(0, -l), complex(0, l), complex(math.Pi, -l)}, {complex(l, 0), complex(l, zero), complex(l, math.Pi)},
			{complex(math.Log(3)/2, half), complex(math.Log(3)/2, -half), complex(-math.Log(3)/2, half)},
		} {
			for i, w := range want {
				require.InDelta(t, 0, cmplx.Abs(got[k].Complex128At(i)-w), 1e-14, "%d %d: %v, not %v", k, i, got[k].Complex128At(i), w)
			}
		}
		require.InDelta(t, half, real(got[4].Complex128At(3)), 1e-14)
		require.InDelta(t, -half, real(got[4].Complex128At(4)), 1e-14)
	})
}

func TestDerivativesOfInverseFunctionsAndNorms(t *testing.T) {
	t.Parallel()
	base := []complex128{0.3 + 0.4i, -0.6, 2 - 1i, 0.2i, -1.5 + 0.7i} // the real axis too
	build := func(v []complex128) (*Graph, *Node, *Node) {
		g := NewGraph("slopes")
		x := g.Const(tensor.Must(tensor.FromSlice(v)))
		loss := Add(Variance(x), VectorNorm(x, 3))
		for _, c := range inverses {
			y := c.f(x)
			loss = Add(loss, Sum(Add(Sin(Real(y)), Mul(0.5, Cos(Imag(y))))))
		}
		return g, loss, Gradients(loss, x)[0]
	}
	rt := opstest.CPUOnly(t)
	g, _, d := build(base)
	slopes := complexRun(t, rt, g, nil, d)[0]
	value := func(i int, by complex128) float64 {
		v := append([]complex128(nil), base...)
		v[i] += by
		g, loss, _ := build(v)
		return complexRun(t, rt, g, nil, loss)[0].Float64At(0)
	}
	const h = 1e-6
	for i := range base {
		re, im := (value(i, h)-value(i, -h))/(2*h), (value(i, 1i*h)-value(i, -1i*h))/(2*h)
		if base[i] == -0.6 { // acosh has a cut there
			im = imag(slopes.Complex128At(i))
		}
		require.InDelta(t, re, real(slopes.Complex128At(i)), 1e-7*(1+math.Abs(re)), "%v", base[i])
		require.InDelta(t, im, imag(slopes.Complex128At(i)), 1e-7*(1+math.Abs(im)), "%v", base[i])
	}
	out := complexRun(t, rt, g, nil, Variance(g.Const(tensor.Must(tensor.FromSlice([]complex64{1 + 1i, 3 - 1i})))), VectorNorm(g.Const(tensor.Must(tensor.FromSlice([]complex64{3 + 4i, 12}))), 2))
	require.Equal(t, []float64{2, 13}, []float64{out[0].Float64At(0), out[1].Float64At(0)})
}
