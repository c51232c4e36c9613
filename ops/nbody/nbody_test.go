package nbody_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/ops/nbody"
	"github.com/anycl/anycl/tensor"
)

// A long sum of float32 keeps its digits, with targets that fill no vector, and sources in several parts.
func TestSumsOfManySourcesKeepTheirDigits(t *testing.T) {
	t.Parallel()
	opstest.Everywhere(t, func(t *testing.T, rt *ops.Runtime) {
		const n, m, d = 13, 300_000, 3
		r := rand.New(rand.NewPCG(1, 2))
		points := func(n int) []float32 {
			x := make([]float32, n)
			for i := range x {
				x[i] = r.Float32()
			}
			return x
		}
		xs, ss, ws := points(n*d), points(m*d), points(m)
		g := ops.NewGraph("long")
		x, s, w := g.Input("x", tensor.Float32, n, d), g.Input("s", tensor.Float32, m, d), g.Input("w", tensor.Float32, m)
		law := nbody.Law{Power: 1, Softening: 0.05}
		exe, err := g.Compile(t.Context(), rt, opstest.Whole(rt, ops.Target{Outputs: []*ops.Node{nbody.Potentials(x, s, w, law), nbody.Forces(x, s, w, nbody.Law{Power: 3, Softening: 0.05})}}))
		require.NoError(t, err)
		out, err := exe.Run(t.Context(), ops.Feeds{
			x: tensor.Must(tensor.FromSlice(xs, n, d)), s: tensor.Must(tensor.FromSlice(ss, m, d)), w: tensor.Must(tensor.FromSlice(ws, m)),
		})
		require.NoError(t, err)
		u, f := tensor.MustSlice[float32](out[0]), tensor.MustSlice[float32](out[1])
		for i := range n {
			var potential, size float64
			var force [d]float64
			for j := range m {
				r2, away := 0.05*0.05, [d]float64{}
				for c := range d {
					away[c] = float64(ss[j*d+c]) - float64(xs[i*d+c])
					r2 += away[c] * away[c]
				}
				potential += float64(ws[j]) / math.Sqrt(r2)
				for c := range d {
					force[c] += float64(ws[j]) * away[c] / (r2 * math.Sqrt(r2))
				}
				size += float64(ws[j]) / r2
			}
			require.InEpsilon(t, potential, u[i], 3e-7)
			for c := range d {
				require.InDelta(t, force[c], f[i*d+c], 3e-7*size)
			}
		}
	})
}

// Bodies at one place, and those so far away that squares are no numbers, count nothing, and neither do their derivatives.
func TestPairsWithoutADistanceCountNothing(t *testing.T) {
	t.Parallel()
	opstest.Everywhere(t, func(t *testing.T, rt *ops.Runtime) {
		g := ops.NewGraph("none")
		x := g.Const(tensor.Must(tensor.FromSlice([]float32{0, 0, 3, 4, 1e30, 0, 1e-30, 0}, 4, 2)))
		w := g.Const(tensor.Must(tensor.FromSlice([]float32{1, 5, 1, 1}, 4)))
		f := nbody.Forces(x, x, w, nbody.Law{Power: 2})
		d := ops.Gradients(ops.Sum(f), x)[0]
		exe, err := g.Compile(t.Context(), rt, opstest.Whole(rt, ops.Target{Outputs: []*ops.Node{nbody.Potentials(x, x, w, nbody.Law{Power: 1}), f, d}}))
		require.NoError(t, err)
		out, err := exe.Run(t.Context(), nil)
		require.NoError(t, err)
		require.InDeltaSlice(t, []float32{1, 0.4, 0, 1}, tensor.MustSlice[float32](out[0]), 1e-6)
		require.InDeltaSlice(t, []float32{0.6, 0.8, -0.24, -0.32, 0, 0, 0.6, 0.8}, tensor.MustSlice[float32](out[1]), 1e-6)
		for _, v := range tensor.MustSlice[float32](out[2]) {
			require.False(t, math.IsNaN(float64(v)) || math.IsInf(float64(v), 0), "%v", tensor.MustSlice[float32](out[2]))
		}
	})
}

// The kernel for GPUs, which drivers for CPUs can run as well.
func TestGroupsShareSources(t *testing.T) {
	t.Parallel()
	rt := opstest.Device(t)
	g := ops.NewGraph("groups")
	x, s, w := g.Normal(tensor.Float32, 150, 2), g.Normal(tensor.Float32, 390, 2), g.Normal(tensor.Float32, 390)
	var all []*ops.Node
	for _, law := range []nbody.Law{{Power: 1, Softening: 0.5}, {Power: 4, Softening: 1}} {
		all = append(all, nbody.Potentials(x, s, w, law), nbody.Groups(x, s, w, law, false, 1))
		all = append(all, nbody.Forces(x, s, w, law), nbody.Groups(x, s, w, law, true, 3))
	}
	exe, err := g.Compile(t.Context(), rt, ops.Target{Outputs: all, Place: ops.OnDevice})
	require.NoError(t, err)
	out, err := exe.Run(t.Context(), nil)
	require.NoError(t, err)
	for i := 0; i < len(out); i += 2 {
		require.InDeltaSlice(t, tensor.MustSlice[float32](out[i]), tensor.MustSlice[float32](out[i+1]), 1e-3, "case %d", i/2)
	}
}

func TestMistakesOfSumsOfPairs(t *testing.T) {
	t.Parallel()
	good := nbody.Law{Power: 3}
	for want, f := range map[string]func(x, w *ops.Node) *ops.Node{
		"the power 0 is not from 1 to 16": func(x, w *ops.Node) *ops.Node { return nbody.Forces(x, x, w, nbody.Law{}) },
		"the softening is not a length": func(x, w *ops.Node) *ops.Node {
			return nbody.Forces(x, x, w, nbody.Law{Power: 1, Softening: math.NaN()})
		},
		"weights are [5 2]": func(x, _ *ops.Node) *ops.Node { return nbody.Potentials(x, x, x, good) },
		"a d of 1, 2 or 3":  func(x, w *ops.Node) *ops.Node { return nbody.Forces(x, ops.Reshape(x, 2, 5), w, good) },
		"has a higher one than 16": func(x, w *ops.Node) *ops.Node {
			return ops.Gradients(ops.Sum(nbody.Potentials(x, x, w, nbody.Law{Power: 15})), x)[0]
		},
	} {
		g := ops.NewGraph("mistakes")
		f(g.Input("x", tensor.Float32, 5, 2), g.Input("w", tensor.Float32, 5))
		require.ErrorContains(t, g.Err(), want)
		require.ErrorContains(t, g.Err(), "nbody_test.go")
	}
}
