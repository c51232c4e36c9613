package interp_test

import (
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/interp"

	"github.com/anycl/anycl/internal/testcache"
	"github.com/anycl/anycl/internal/testdevices"
	"github.com/anycl/anycl/ops"
	ours "github.com/anycl/anycl/ops/interp"
	"github.com/anycl/anycl/tensor"
)

func TestMain(m *testing.M) { os.Exit(testcache.Run(m, testdevices.Hold)) }

func run(t *testing.T, device string, g *ops.Graph, outs ...*ops.Node) [][]float64 {
	t.Helper()
	require.NoError(t, g.Err())
	rt, err := ops.Open(t.Context(), &ops.Options{Device: device})
	require.NoError(t, err)
	defer rt.Close()
	exe, err := g.Compile(t.Context(), rt, ops.Target{Outputs: outs})
	require.NoError(t, err)
	defer exe.Close()
	out, err := exe.Run(t.Context(), nil)
	require.NoError(t, err)
	var all [][]float64
	for _, o := range out {
		all = append(all, tensor.MustSlice[float64](o))
	}
	return all
}

func vector(g *ops.Graph, v ...float64) *ops.Node { return g.Const(tensor.Must(tensor.FromSlice(v))) }

var (
	xs = []float64{-1, 0, 0.5, 2, 3, 7}
	ys = []float64{4, -2, 1, 0.25, 3, 2}
	at = []float64{-1, -0.3, 0, 0.1, 0.5, 1.7, 2.9, 3, 6.5, 7}
)

// gonum's, point by point, inside; and the documented values outside.
func TestValuesAreThoseOfGonum(t *testing.T) {
	g := ops.NewGraph("interp")
	x, y, a := vector(g, xs...), vector(g, ys...), vector(g, at...)
	outside := vector(g, -3, 8, math.NaN())
	outs := []*ops.Node{
		ours.Linear(x, y, a, ours.Extend), ours.Spline(xs, y, a, ours.NotAKnot, 0, ours.Extend), ours.Spline(xs, y, a, ours.Natural, 0, ours.Hold),
		ours.Spline(xs, y, a, ours.Clamped, 0, ours.Undefined), ours.Spline(xs, y, a, ours.Natural, 1, ours.Extend),
		ours.Linear(x, y, outside, ours.Extend), ours.Linear(x, y, outside, ours.Hold), ours.Linear(x, y, outside, ours.Undefined),
		ours.Spline(xs, y, outside, ours.Natural, 0, ours.Hold), ours.Spline(xs, y, outside, ours.Natural, 1, ours.Hold), ours.Spline(xs, y, outside, ours.Natural, 0, ours.Undefined),
		ours.Spline(xs[:3], ops.Narrow(y, 0, 0, 3), a, ours.NotAKnot, 2, ours.Extend), ours.Spline(xs[:2], ops.Narrow(y, 0, 0, 2), a, ours.NotAKnot, 0, ours.Extend),
	}
	var linear interp.PiecewiseLinear
	var knot interp.NotAKnotCubic
	var natural interp.NaturalCubic
	var clamped interp.ClampedCubic
	for _, f := range []interp.FittablePredictor{&linear, &knot, &natural, &clamped} {
		require.NoError(t, f.Fit(xs, ys))
	}
	for _, device := range []string{"", "none"} {
		out := run(t, device, g, outs...)
		for i, v := range at {
			require.InDelta(t, linear.Predict(v), out[0][i], 1e-13)
			require.InDelta(t, knot.Predict(v), out[1][i], 1e-12)
			require.InDelta(t, natural.Predict(v), out[2][i], 1e-12)
			require.InDelta(t, clamped.Predict(v), out[3][i], 1e-12)
			require.InDelta(t, natural.PredictDerivative(v), out[4][i], 1e-12)
			require.InDelta(t, -6*v-2, out[12][i], 1e-12, "a line")
			require.InDelta(t, out[11][0], out[11][i], 1e-12, "the second derivative of a parabola")
		}
		require.InDeltaSlice(t, []float64{16, 1.75}, out[5][:2], 1e-13)
		for _, k := range []int{6, 8} {
			require.InDeltaSlice(t, []float64{4, 2}, out[k][:2], 1e-13)
		}
		require.Equal(t, []float64{0, 0}, out[9][:2])
		for k := 5; k <= 10; k++ {
			require.True(t, math.IsNaN(out[k][2]), "NaN stays, %d", k)
		}
		for _, k := range []int{7, 10} {
			require.True(t, math.IsNaN(out[k][0]) && math.IsNaN(out[k][1]))
		}
	}
}

func TestDerivativesAreThoseOfDifferences(t *testing.T) {
	loss := func(g *ops.Graph, x, y, a *ops.Node) *ops.Node {
		both := ops.Concat(0, ops.Reshape(ours.Linear(x, y, a, ours.Hold), -1), ours.Spline(xs, ops.Squeeze(ops.Narrow(y, 0, 0, 1), 0), a, ours.NotAKnot, 0, ours.Extend))
		return ops.Sum(ops.Sin(both))
	}
	build := func(k, i int, by float64) (*ops.Graph, []*ops.Node) {
		g := ops.NewGraph("derivatives")
		v := [3][]float64{append([]float64(nil), xs...), append(append([]float64(nil), ys...), 1, 2, 3, 4, 5, 6), {-0.7, 0.3, 2.2, 6}}
		v[k][i] += by
		x, y, a := vector(g, v[0]...), ops.Reshape(vector(g, v[1]...), 2, 6), vector(g, v[2]...)
		l := loss(g, x, y, a)
		return g, append([]*ops.Node{l}, ops.Gradients(l, x, y, a)...)
	}
	const h = 1e-6
	g, outs := build(0, 0, 0)
	want := run(t, "none", g, outs...)
	for k, n := range []int{6, 12, 4} {
		for i := range n {
			if k == 0 {
				continue // the spline's places are fixed; of the lines below
			}
			up, o := build(k, i, h)
			down, p := build(k, i, -h)
			slope := (run(t, "none", up, o[0])[0][0] - run(t, "none", down, p[0])[0][0]) / (2 * h)
			require.InDelta(t, slope, want[1+k][i], 1e-7, "operand %d, element %d", k, i)
		}
	}
	for i := range 6 {
		at := func(by float64) float64 {
			g, o := build(0, i, by)
			return run(t, "none", g, o[0])[0][0]
		}
		require.InDelta(t, (at(h)-at(-h))/(2*h), want[1][i], 1e-7, "place %d", i)
	}
}

func TestMistakesAreErrors(t *testing.T) {
	for want, f := range map[string]func(g *ops.Graph, v *ops.Node){
		"fewer than two": func(g *ops.Graph, v *ops.Node) {
			ours.Spline([]float64{1}, vector(g, 1), v, ours.Natural, 0, ours.Hold)
		},
		"place 1 is 2":      func(g *ops.Graph, v *ops.Node) { ours.Spline([]float64{2, 2, 3}, v, v, ours.Natural, 0, ours.Hold) },
		"derivative 4":      func(g *ops.Graph, v *ops.Node) { ours.Spline([]float64{1, 2, 3}, v, v, ours.Natural, 4, ours.Hold) },
		"for points of [3]": func(g *ops.Graph, v *ops.Node) { ours.Linear(v, vector(g, 1, 2), v, ours.Hold) },
		"float32":           func(g *ops.Graph, v *ops.Node) { ours.Linear(v, v, ops.Cast(v, tensor.Float32), ours.Hold) },
	} {
		g := ops.NewGraph("mistakes")
		f(g, vector(g, 1, 2, 3))
		require.ErrorContains(t, g.Err(), want)
		require.ErrorContains(t, g.Err(), "interp_test.go")
	}
}
