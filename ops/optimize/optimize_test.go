package optimize_test

import (
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/testcache"
	"github.com/anycl/anycl/internal/testdevices"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optimize"
	"github.com/anycl/anycl/tensor"
)

func TestMain(m *testing.M) { os.Exit(testcache.Run(m, testdevices.Hold)) }

// each runs a graph on the device, if there is one, and on the CPU engine.
func each(t *testing.T, g *ops.Graph, check func(t *testing.T, out []*tensor.Tensor), outs ...*ops.Node) {
	t.Helper()
	require.NoError(t, g.Err())
	for _, device := range []string{"", "none"} {
		t.Run("device "+device, func(t *testing.T) {
			rt, err := ops.Open(t.Context(), &ops.Options{Device: device})
			require.NoError(t, err)
			defer rt.Close()
			exe, err := g.Compile(t.Context(), rt, ops.Target{Outputs: outs})
			require.NoError(t, err)
			defer exe.Close()
			out, err := exe.Run(t.Context(), nil)
			require.NoError(t, err)
			check(t, out)
		})
	}
}

func vector(g *ops.Graph, v ...float64) *ops.Node { return g.Const(tensor.Must(tensor.FromSlice(v))) }

// Rosenbrock's valley in six dimensions, from where it is usually begun, and a function that is not defined everywhere.
func TestMinimaOfCurvedValleysAreFound(t *testing.T) {
	g := ops.NewGraph("minima")
	rosenbrock := func(x *ops.Node) *ops.Node {
		n := x.Size()
		a, b := ops.Narrow(x, 0, 0, n-1), ops.Narrow(x, 0, 1, n-1)
		return ops.Sum(ops.Add(ops.Mul(100, ops.Square(ops.Sub(b, ops.Square(a)))), ops.Square(ops.Sub(1, a))))
	}
	r := optimize.LBFGS(rosenbrock, vector(g, -1.2, 1, -1.2, 1, -1.2, 1), nil)
	// x - log x, whose first step of full length leaves where it is defined.
	l := optimize.LBFGS(func(x *ops.Node) *ops.Node { return ops.Sum(ops.Sub(x, ops.Log(x))) }, vector(g, 0.01, 30), nil)
	short := optimize.LBFGS(rosenbrock, vector(g, -1.2, 1), &optimize.Options{Limit: 5})
	there := optimize.LBFGS(rosenbrock, vector(g, 1, 1), nil)
	each(t, g, func(t *testing.T, out []*tensor.Tensor) {
		for i := range 6 {
			require.InDelta(t, 1, out[0].Float64At(i), 1e-5)
		}
		require.Less(t, out[1].Float64At(0), 1e-10)
		require.Equal(t, 1.0, out[2].Float64At(0))
		require.Less(t, out[3].Float64At(0), 200.0, "evaluations")
		require.InDeltaSlice(t, []float64{1, 1}, tensor.MustSlice[float64](out[4]), 1e-4)
		require.Equal(t, []float64{0, 5, 1, 1}, []float64{out[5].Float64At(0), out[6].Float64At(0), out[7].Float64At(0), out[8].Float64At(0)})
	}, r.X, r.Value, r.Converged, r.Evaluations, l.X, short.Converged, short.Evaluations, there.Converged, there.Evaluations)
}

func TestRootsAreFoundWithTheirDerivatives(t *testing.T) {
	g := ops.NewGraph("roots")
	p := vector(g, 2, 9, 1, 0, -1)
	cube := func(x *ops.Node) *ops.Node { return ops.Sub(ops.Mul(x, ops.Mul(x, x)), p) } // x³ = p
	r := optimize.Root(cube, vector(g, 0, 0, 1, -3, 0), vector(g, 2, 100, 7, 1, 5), nil)
	d := ops.Gradients(ops.Sum(ops.Narrow(r.X, 0, 0, 2)), p)[0]
	// Hard for interpolation alone: flat, and a jump.
	flat := optimize.Root(func(x *ops.Node) *ops.Node { return ops.Sub(ops.Pow(x, 9), 1e-9) }, vector(g, -1), vector(g, 10), &optimize.RootOptions{Tolerance: 1e-9})
	jump := optimize.Root(func(x *ops.Node) *ops.Node { return ops.Sub(ops.Cast(ops.Greater(x, 0.3), tensor.Float64), 0.5) }, vector(g, 0), vector(g, 1), nil)
	each(t, g, func(t *testing.T, out []*tensor.Tensor) {
		x := tensor.MustSlice[float64](out[0])
		require.InDeltaSlice(t, []float64{math.Cbrt(2), math.Cbrt(9), 1, 0}, x[:4], 1e-13)
		require.True(t, math.IsNaN(x[4]), "there is none between")
		require.Equal(t, []bool{true, true, true, true, false}, tensor.MustSlice[bool](out[1]))
		require.InDelta(t, 1/(3*math.Pow(2, 2.0/3)), out[2].Float64At(0), 1e-12)
		require.InDelta(t, 1/(3*math.Pow(9, 2.0/3)), out[2].Float64At(1), 1e-12)
		require.Less(t, out[3].Float64At(0), 62.0, "bisection takes 56 steps")
		require.InDelta(t, 0.1, out[4].Float64At(0), 1e-8)
		require.InDelta(t, 0.3, out[5].Float64At(0), 1e-13)
	}, r.X, r.Converged, d, r.Evaluations, flat.X, jump.X)
}

func TestMistakesAreErrors(t *testing.T) {
	g := ops.NewGraph("mistakes")
	x := vector(g, 1, 2)
	optimize.LBFGS(func(x *ops.Node) *ops.Node { return x }, x, nil)
	require.ErrorContains(t, g.Err(), "does not give a number")
	g = ops.NewGraph("mistakes")
	optimize.Root(func(x *ops.Node) *ops.Node { return x }, vector(g, 1), vector(g, 1, 2), nil)
	require.ErrorContains(t, g.Err(), "ends are [1] and [2]")
	require.ErrorContains(t, g.Err(), "optimize_test.go")
	g = ops.NewGraph("mistakes")
	optimize.LBFGS(func(x *ops.Node) *ops.Node { return ops.Sum(x) }, vector(g, 1), &optimize.Options{Limit: -1})
	require.ErrorContains(t, g.Err(), "a limit of -1")
}
