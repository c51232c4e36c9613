package main

import (
	"context"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/examples/internal/gallery/gallerytest"
	"github.com/anycl/anycl/internal/corpus"
	"github.com/anycl/anycl/internal/testcache"
	"github.com/anycl/anycl/internal/testdevices"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

func TestMain(m *testing.M) { os.Exit(testcache.Run(m, testdevices.Hold)) }

func TestTheWholeProgramHoldsItsChecksOnEveryEngine(t *testing.T) {
	gallerytest.Run(t, func(ctx context.Context, p *gallery.Program) error {
		err := run(ctx, p, options{bodies: 256, steps: 100, dt: 0.03})
		assert.GreaterOrEqual(t, len(p.Checks()), 2)
		assert.FileExists(t, p.Out)
		return err
	})
}

// Two bodies on a circle come back after 2 pi sqrt(r^3 / M), where the softening added to the square of their distance counts too.
func TestTwoBodiesCircleEachOther(t *testing.T) {
	rt, err := ops.Open(t.Context(), nil)
	require.NoError(t, err)
	defer rt.Close()
	const n, steps = 32, 600
	b := &bodies{n, make([]float32, 4*n), make([]float32, 4*n)} // all others have no mass and are far away
	for i := range n {
		b.p[i] = 1000
	}
	const r = 1.0 // of the circle; the bodies are 2 r apart and have a mass of 1
	pull := 2 * r / math.Pow(4*r*r+softening*softening, 1.5)
	period := 2 * math.Pi * math.Sqrt(r/pull)
	for i, side := range []float64{1, -1} {
		b.p[i], b.p[3*n+i], b.v[n+i] = float32(side*r), 1, float32(side*math.Sqrt(pull*r))
	}
	for _, place := range gallerytest.Places(rt) {
		fly, err := b.flight(t.Context(), rt, place, steps, period/steps)
		require.NoError(t, err)
		now, err := fly(t.Context())
		require.NoError(t, err)
		// The leap-frog is early by (w dt)^2 / 24 of a turn, 2.9e-5 of an angle here; rounding 600 positions adds to it.
		for i, side := range []float64{1, -1} {
			assert.InDelta(t, side*r, now.p[i], 1e-4)
			assert.InDelta(t, 0, now.p[n+i], 1e-3)
			assert.InDelta(t, -1/math.Sqrt(4*r*r+softening*softening)-1/softening, now.v[3*n+i], 1e-4, "the potential, with its own")
		}
		energy, momentum := now.sums()
		assert.InDelta(t, pull*r-1/math.Sqrt(4*r*r+softening*softening), energy, 1e-4)
		assert.Less(t, momentum, 1e-5)
	}
}

// The form for GPUs reads bodies through local memory. It runs on a CPU's driver too.
func TestBothFormsOfTheKernelAttractAlike(t *testing.T) {
	rt, err := ops.Open(t.Context(), nil)
	require.NoError(t, err)
	defer rt.Close()
	b := galaxies(512)
	var first []float32
	for _, place := range gallerytest.Places(rt) {
		for _, lanes := range []int{16, 1} {
			g := ops.NewGraph("forms")
			p := g.Const(tensor.Must(tensor.FromSlice(b.p, 4, b.n)))
			q, w := leap(lanes, p, g.Const(tensor.Must(tensor.FromSlice(b.v, 4, b.n))), 0.1, 0.1, true)
			exe, err := g.Compile(t.Context(), rt, ops.Target{Outputs: []*ops.Node{q, w}, Place: place})
			require.NoError(t, err)
			out, err := exe.Run(t.Context(), nil)
			require.NoError(t, err)
			var all []float32
			for _, o := range out {
				s, err := tensor.ToSlice[float32](o)
				require.NoError(t, err)
				all = append(all, s...)
			}
			if first == nil {
				first = all
			}
			require.Less(t, differ(first, all), 1e-5) // 512 sums of float32 with errors of 6e-8 of the largest
		}
	}
}

// The programs that other devices would compile for this example are planned, and kept where ANYCL_CORPUS says.
func TestCorpusOfTheExample(t *testing.T) {
	corpora, err := corpus.Graphs("galaxy", func(rt *ops.Runtime) error {
		_, err := galaxies(512).flight(t.Context(), rt, ops.Auto, 3, 0.01)
		return err
	})
	require.NoError(t, err)
	for class, c := range corpora {
		require.NotZero(t, c.Len(), class)
	}
}
