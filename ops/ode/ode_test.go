package ode_test

import (
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/testcache"
	"github.com/anycl/anycl/internal/testdevices"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/ode"
	"github.com/anycl/anycl/tensor"
)

func TestMain(m *testing.M) { os.Exit(testcache.Run(m, testdevices.Hold)) }

// everywhere runs f on the device, where there is one, and on the CPU path.
func everywhere(t *testing.T, f func(t *testing.T, values func(outs ...*ops.Node) [][]float64)) {
	rt, err := ops.Open(t.Context(), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	for _, place := range []ops.Place{ops.OnDevice, ops.OnCPU} {
		if place == ops.OnDevice && rt.Device() == nil {
			continue
		}
		t.Run(map[ops.Place]string{ops.OnDevice: "device", ops.OnCPU: "cpu path"}[place], func(t *testing.T) {
			f(t, func(outs ...*ops.Node) (all [][]float64) {
				g := outs[0].Graph()
				require.NoError(t, g.Err())
				exe, err := g.Compile(t.Context(), rt, ops.Target{Outputs: outs, Place: place})
				require.NoError(t, err)
				defer exe.Close()
				got, err := exe.Run(t.Context(), nil)
				require.NoError(t, err)
				for _, x := range got {
					var list []float64
					for _, v := range x.All() {
						list = append(list, v)
					}
					all = append(all, list)
				}
				return all
			})
		})
	}
}

func rows(g *ops.Graph, b, n int, v ...float64) *ops.Node {
	return g.Const(tensor.Must(tensor.FromSlice(v, b, n)))
}

// Oscillators of two frequencies, one a thousand times as slow, with solutions between steps.
func TestOscillatorsAreThoseOfSines(t *testing.T) {
	everywhere(t, func(t *testing.T, values func(outs ...*ops.Node) [][]float64) {
		g := ops.NewGraph("oscillators")
		rate := rows(g, 2, 1, 3, 0.003)
		f := func(_, y *ops.Node) *ops.Node {
			x, v := ops.Narrow(y, 1, 0, 1), ops.Narrow(y, 1, 1, 1)
			return ops.Concat(1, v, ops.Neg(ops.Mul(ops.Square(rate), x)))
		}
		times := []float64{10, 0, 2.5, 7.75, 1e-3}
		s := ode.RK45(f, rows(g, 2, 2, 1, 0, 1, 0), 0, 10, &ode.Options{Relative: 1e-9, Absolute: 1e-11, Times: times})
		got := values(s.Y, s.At, s.T, s.Finished, s.Steps)
		assert.Equal(t, []float64{10, 10}, got[2])
		assert.Equal(t, []float64{1, 1}, got[3])
		assert.Less(t, got[4][0], 1000.0)
		for i, w := range []float64{3, 0.003} {
			assert.InDelta(t, math.Cos(10*w), got[0][2*i], 1e-7)
			for k, at := range times {
				assert.InDelta(t, math.Cos(at*w), got[1][(k*2+i)*2], 1e-6, at)
				assert.InDelta(t, -w*math.Sin(at*w), got[1][(k*2+i)*2+1], 1e-5, at)
			}
		}
	})
}

// The error of a solution falls with the bound on that of its steps; time counts.
func TestErrorsFollowTheirBound(t *testing.T) {
	everywhere(t, func(t *testing.T, values func(outs ...*ops.Node) [][]float64) {
		before := math.Inf(1)
		for _, bound := range []float64{1e-4, 1e-7, 1e-10} {
			g := ops.NewGraph("growth")
			s := ode.RK45(func(at, y *ops.Node) *ops.Node { return ops.Mul(at, y) }, rows(g, 1, 1, 1), 0, 2, &ode.Options{Relative: bound, Absolute: bound})
			e := math.Abs(values(s.Y)[0][0]/math.Exp(2) - 1)
			assert.Less(t, e, 20*bound)
			assert.Less(t, e, before/10)
			before = e
		}
	})
}

func TestWhatDoesNotFinishIsReported(t *testing.T) {
	everywhere(t, func(t *testing.T, values func(outs ...*ops.Node) [][]float64) {
		g := ops.NewGraph("blow up")
		y0 := rows(g, 3, 1, 1, 0.1, math.NaN()) // y = 1/(1/y0 - t) leaves at 1; the second one later
		s := ode.RK45(func(_, y *ops.Node) *ops.Node { return ops.Square(y) }, y0, 0, 2, &ode.Options{Times: []float64{0.5, 1.5}, Limit: 500})
		got := values(s.Finished, s.T, s.At, s.Y)
		assert.Equal(t, []float64{0, 1, 0}, got[0])
		assert.InDelta(t, 1, got[1][0], 1e-2)
		assert.InDelta(t, 2, got[2][0], 1e-2)
		assert.True(t, math.IsNaN(got[2][3]))
		assert.InDelta(t, 1/(10-1.5), got[2][4], 1e-4)
		assert.InDelta(t, 1/8.0, got[3][1], 1e-4)
	})
}

// A planet comes back after its year, and its energy does not drift in a hundred.
func TestOrbitsKeepTheirEnergy(t *testing.T) {
	everywhere(t, func(t *testing.T, values func(outs ...*ops.Node) [][]float64) {
		g := ops.NewGraph("orbit")
		gravity := func(x *ops.Node) *ops.Node {
			r2 := ops.Sum(ops.Square(x), 1)
			return ops.Neg(ops.Mul(x, ops.Reshape(ops.Pow(r2, -1.5), 1, 1)))
		}
		const year = 200
		x, v, path := ode.Leapfrog(gravity, rows(g, 1, 2, 1, 0), rows(g, 1, 2, 0, 1.1), 2*math.Pi/year, 40*year, year)
		x1, v1, none := ode.Leapfrog(gravity, rows(g, 1, 2, 1, 0), rows(g, 1, 2, 0, 1.1), 2*math.Pi/year, 40*year, 0)
		_, _, each := ode.Leapfrog(gravity, rows(g, 1, 2, 1, 0), rows(g, 1, 2, 0, 1.1), 2*math.Pi/year, 3, 1)
		require.Nil(t, none)
		got := values(x, v, path, x1, v1, each)
		energy := (got[1][0]*got[1][0]+got[1][1]*got[1][1])/2 - 1/math.Hypot(got[0][0], got[0][1])
		assert.InDelta(t, 1.1*1.1/2-1, energy, 2e-4)
		assert.Len(t, got[2], 80)
		assert.Equal(t, got[0], got[2][78:])
		assert.InDeltaSlice(t, got[0], got[3], 1e-9)
		assert.InDeltaSlice(t, got[1], got[4], 1e-9)
		assert.Len(t, got[5], 6)
	})
}

func TestMistakesAreThoseOfTheGraph(t *testing.T) {
	t.Parallel()
	same := func(_, y *ops.Node) *ops.Node { return y }
	for what, build := range map[string]func(g *ops.Graph){
		"[b, n]":            func(g *ops.Graph) { ode.RK45(same, g.Ones(tensor.Float32, 3), 0, 1, nil) },
		"int32":             func(g *ops.Graph) { ode.RK45(same, g.Ones(tensor.Int32, 3, 1), 0, 1, nil) },
		"from the time 1":   func(g *ops.Graph) { ode.RK45(same, g.Ones(tensor.Float32, 3, 1), 1, 1, nil) },
		"the system is nil": func(g *ops.Graph) { ode.RK45(nil, g.Ones(tensor.Float32, 3, 1), 0, 1, nil) },
		"times [2]": func(g *ops.Graph) {
			ode.RK45(same, g.Ones(tensor.Float32, 3, 1), 0, 1, &ode.Options{Times: []float64{2}})
		},
		"bounds of -1": func(g *ops.Graph) { ode.RK45(same, g.Ones(tensor.Float32, 3, 1), 0, 1, &ode.Options{Relative: -1}) },
		"dy/dt is": func(g *ops.Graph) {
			ode.RK45(func(t, _ *ops.Node) *ops.Node { return t }, g.Ones(tensor.Float32, 3, 2), 0, 1, nil)
		},
		"0 steps": func(g *ops.Graph) { x := g.Ones(tensor.Float32, 3, 2); ode.Leapfrog(ops.Neg, x, x, 1, 0, 0) },
		"every 3": func(g *ops.Graph) { x := g.Ones(tensor.Float32, 3, 2); ode.Leapfrog(ops.Neg, x, x, 1, 5, 3) },
		"positions are": func(g *ops.Graph) {
			ode.Leapfrog(ops.Neg, g.Ones(tensor.Float32, 3, 2), g.Ones(tensor.Float32, 3, 1), 1, 5, 0)
		},
		"acceleration is nil": func(g *ops.Graph) { x := g.Ones(tensor.Float32, 3, 2); ode.Leapfrog(nil, x, x, 1, 5, 0) },
	} {
		g := ops.NewGraph("mistakes")
		build(g)
		assert.ErrorContains(t, g.Err(), what)
	}
}
