package numerics_test

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/dtypes"
	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// complexValues are numbers in all quadrants, on both axes, near 1 and at 0.
func complexValues(n int) []complex128 {
	r := rand.New(rand.NewPCG(7, uint64(n)))
	all := []complex128{0, 1, -1, 1i, -1i, 1 + 1e-4i, 0.9999, -0.5 + 1e-6i, complex(-2, math.Copysign(0, -1)), 3 - 4i}
	for len(all) < n {
		all = append(all, cmplx.Rect(math.Exp(2*r.NormFloat64()), 2*math.Pi*r.Float64()))
	}
	return all[:n]
}

func complexTensor(t testing.TB, dt tensor.DType, v []complex128, shape ...int) *tensor.Tensor {
	t.Helper()
	x, err := tensor.FromSlice(v, shape...)
	require.NoError(t, err)
	x, err = tensor.Cast(x, dt)
	require.NoError(t, err)
	return x
}

// onEngines runs a test on the CPU engine and on the device, if there is one.
func onEngines(t *testing.T, test func(t *testing.T, rt *Runtime)) {
	t.Run("cpu", func(t *testing.T) { test(t, opstest.CPUOnly(t)) })
	t.Run("device", func(t *testing.T) {
		opstest.NumbersOnly(t)
		test(t, opstest.Device(t))
	})
}

// complexRun compiles a graph and runs it once.
func complexRun(t *testing.T, rt *Runtime, g *Graph, feeds Feeds, outs ...*Node) []*tensor.Tensor {
	t.Helper()
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: outs})
	require.NoError(t, err)
	defer exe.Close()
	got, err := exe.Run(t.Context(), feeds)
	require.NoError(t, err)
	return got
}

// exactLog is cmplx.Log without the digits that it loses near |z| = 1.
func exactLog(z complex128) complex128 {
	if x, y := real(z), imag(z); math.Abs(cmplx.Abs(z)-1) < 0.1 {
		x, y = max(math.Abs(x), math.Abs(y)), min(math.Abs(x), math.Abs(y))
		return complex(math.Log1p((x-1)*(x+1)+y*y)/2, cmplx.Phase(z))
	}
	return cmplx.Log(z)
}

func TestComplexFunctionsAgreeWithGo(t *testing.T) {
	t.Parallel()
	one := map[string]struct {
		f    func(x *Node) *Node
		want func(z complex128) complex128
	}{
		"neg":    {Neg, func(z complex128) complex128 { return -z }},
		"square": {Square, func(z complex128) complex128 { return z * z }},
		"exp":    {func(x *Node) *Node { return Exp(Mul(x, 0.25)) }, func(z complex128) complex128 { return cmplx.Exp(z / 4) }},
		"log":    {Log, exactLog},
		"log10":  {Log10, func(z complex128) complex128 { return exactLog(z) / math.Ln10 }},
		"sqrt":   {Sqrt, cmplx.Sqrt},
		"sin":    {func(x *Node) *Node { return Sin(Mul(x, 0.25)) }, func(z complex128) complex128 { return cmplx.Sin(z / 4) }},
		"cos":    {func(x *Node) *Node { return Cos(Mul(x, 0.25)) }, func(z complex128) complex128 { return cmplx.Cos(z / 4) }},
		"tan":    {Tan, cmplx.Tan},
		"sinh":   {func(x *Node) *Node { return Sinh(Mul(x, 0.25)) }, func(z complex128) complex128 { return cmplx.Sinh(z / 4) }},
		"cosh":   {func(x *Node) *Node { return Cosh(Mul(x, 0.25)) }, func(z complex128) complex128 { return cmplx.Cosh(z / 4) }},
		"tanh":   {Tanh, cmplx.Tanh},
		"abs":    {Abs, func(z complex128) complex128 { return complex(cmplx.Abs(z), 0) }},
		"angle":  {Angle, func(z complex128) complex128 { return complex(cmplx.Phase(z), 0) }},
		"conj":   {Conj, cmplx.Conj},
		"real":   {Real, func(z complex128) complex128 { return complex(real(z), 0) }},
		"imag":   {Imag, func(z complex128) complex128 { return complex(imag(z), 0) }},
		"sign": {Sign, func(z complex128) complex128 {
			if z == 0 {
				return 0
			}
			return z / complex(cmplx.Abs(z), 0)
		}},
		"reciprocal": {func(x *Node) *Node { return Reciprocal(Add(x, 0.25)) }, func(z complex128) complex128 { return 1 / (z + 0.25) }},
		"polar":      {func(x *Node) *Node { return Polar(Abs(x), Angle(x)) }, func(z complex128) complex128 { return z }},
	}
	two := map[string]struct {
		f    func(x, y *Node) *Node
		want func(z, w complex128) complex128
	}{
		"add": {func(x, y *Node) *Node { return Add(x, y) }, func(z, w complex128) complex128 { return z + w }},
		"sub": {func(x, y *Node) *Node { return Sub(x, y) }, func(z, w complex128) complex128 { return z - w }},
		"mul": {func(x, y *Node) *Node { return Mul(x, y) }, func(z, w complex128) complex128 { return z * w }},
		"div": {func(x, y *Node) *Node { return Div(x, y) }, func(z, w complex128) complex128 { return z / w }},
		"pow": {func(x, y *Node) *Node { return Pow(x, Mul(y, 0.125)) }, func(z, w complex128) complex128 { return cmplx.Pow(z, w/8) }},
		"where": {func(x, y *Node) *Node { return Where(Greater(Abs(x), 1.5), x, y) }, func(z, w complex128) complex128 {
			if cmplx.Abs(z) > 1.5 {
				return z
			}
			return w
		}},
	}
	const n = 60
	values := complexValues(n)
	others := append(append([]complex128{}, values[n/2:]...), values[:n/2]...)
	others[n/2] = 2 - 1i // in place of 0
	onEngines(t, func(t *testing.T, rt *Runtime) {
		for _, dt := range dtypes.Complex {
			g := NewGraph("functions")
			x, y := g.Input("x", dt, n), g.Input("y", dt, n)
			var names []string
			var outs []*Node
			for name, c := range one {
				names, outs = append(names, name), append(outs, c.f(x))
			}
			for name, c := range two {
				names, outs = append(names, name), append(outs, c.f(x, y))
			}
			a, b := complexTensor(t, dt, values), complexTensor(t, dt, others)
			got := complexRun(t, rt, g, Feeds{x: a, y: b}, outs...)
			u := map[tensor.DType]float64{tensor.Complex64: 0x1p-24, tensor.Complex128: 0x1p-53}[dt]
			for k, name := range names {
				for i := range n {
					z, w := a.Complex128At(i), b.Complex128At(i)
					var want complex128
					if c, ok := one[name]; ok {
						want = c.want(z)
					} else {
						want = two[name].want(z, w)
					}
					v := got[k].Complex128At(i)
					if cmplx.IsInf(want) || cmplx.IsNaN(want) {
						require.False(t, cmplx.Abs(v) < 1e30, "%v %s(%v, %v) = %v, not %v", dt, name, z, w, v, want)
						continue
					}
					require.InDelta(t, 0, cmplx.Abs(v-want), 64*u*max(cmplx.Abs(want), u), "%v %s(%v, %v) = %v, not %v", dt, name, z, w, v, want)
				}
			}
		}
	})
}
